/** The committed wrangler.toml suits any account. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";
import { experimental_readRawConfig as readRawConfig, type Unstable_RawConfig } from "wrangler";
import * as z from "zod";

import { examplesRunBy } from "../support/examples.ts";

const ROOT = join(import.meta.dirname, "../..");
const rawConfig: Unstable_RawConfig = readRawConfig({ config: join(ROOT, "wrangler.toml") }).rawConfig;
const schema = z.fromJSONSchema(JSON.parse(read("node_modules/wrangler/config-schema.json")));

test("fits wrangler's own schema, which refuses unknown settings", () => {
  expect(schema.safeParse(rawConfig).error?.issues ?? []).toEqual([]);
  expect(schema.safeParse({ ...rawConfig, keep_variables: true }).success).toBe(false);
});

test("has no ids and no hosts, and does not reset variables of an installation", () => {
  const { workers_dev, preview_urls, keep_vars, vars, routes, route, account_id, limits } = rawConfig;
  expect({ workers_dev, preview_urls, keep_vars }).toEqual({ workers_dev: true, preview_urls: false, keep_vars: true });
  expect({ vars, routes, route, account_id, limits }).toEqual({});
  expect(rawConfig.d1_databases).toEqual([{ binding: "DB", database_name: "hoplink", migrations_dir: "migrations" }]);
});

test("logs the Worker's messages, and no visitor data", () => {
  const { observability } = rawConfig;
  expect(observability).toMatchObject({
    enabled: true,
    redact_query_string: true,
    logs: { enabled: true, invocation_logs: false },
    traces: { enabled: false },
  });
});

test("has its own rate limits: a separate namespace for each binding, and none from an example", () => {
  const ids = (rawConfig.ratelimits ?? []).map(({ namespace_id }) => namespace_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => Number(id) < 1_000_000)).toEqual([]);
});

test("the deploy button asks for the secrets without suggesting any, and describes the existing bindings", () => {
  const { cloudflare } = JSON.parse(read("package.json")) as {
    cloudflare: { bindings: Record<string, { description: string }> };
  };
  const asked = [...read(".dev.vars.example").matchAll(/^([A-Z_]+)=(\S*)/gm)].map(([, name, value]) => [name, value]);
  const secrets = ["BETTER_AUTH_SECRET", "FIRST_ACCOUNT_TOKEN"];
  expect(asked).toEqual(secrets.map((name) => [name, '""']));
  const { d1_databases = [], r2_buckets = [], kv_namespaces = [] } = rawConfig;
  const bound = [...d1_databases, ...r2_buckets, ...kv_namespaces].map(({ binding }) => binding);
  expect(Object.keys(cloudflare.bindings).sort()).toEqual([...secrets, ...bound].sort());
});

test("the guide's button opens Cloudflare, with the address of a repository", () => {
  const [{ code } = { code: "" }] = examplesRunBy(import.meta.filename);
  const [, image, target = ""] = /^\[!\[[^\]]+\]\((\S+)\)\]\((\S+)\)$/.exec(code) ?? [];
  const { origin, pathname, searchParams } = new URL(target);
  expect([image, origin + pathname]).toEqual([`${origin}/button`, "https://deploy.workers.cloudflare.com/"]);
  expect([...searchParams]).toEqual([["url", expect.stringMatching(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/)]]);
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
