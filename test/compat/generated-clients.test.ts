/**
 * Clients that customers generate from the OpenAPI document: they compile under `strict`, and work with the real
 * server, through a proxy that answers 422 or 500 to anything that does not match the document.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MODULES = join(import.meta.dirname, "node_modules");
const CLIENTS = join(import.meta.dirname, "clients");
const DOCUMENT = join(ROOT, "dist/openapi.json");
const PROXY_READY_MS = 60_000;
/** A server, two generators and a proxy. */
const SET_UP_TIMEOUT_MS = 300_000;

const run = promisify(execFile);

let server: DevServer;
/** Awaited even if the generators fail before it has started: otherwise the server would outlive the tests. */
let starting: Promise<DevServer> | null = null;
let proxyUrl: string;
const proxies: ChildProcess[] = [];

beforeAll(async () => {
  rmSync(join(CLIENTS, "generated"), { recursive: true, force: true });
  starting = startDevServer();
  [server] = await Promise.all([starting, generate()]);
  proxyUrl = await startProxy(server.base);
}, SET_UP_TIMEOUT_MS);

afterAll(async () => {
  for (const proxy of proxies) proxy.kill();
  await (await starting)?.remove();
});

/** A proxy in front of a server: 422 for a request that does not match the document, 500 for such a response. */
async function startProxy(upstream: string): Promise<string> {
  const port = await freePort();
  const prism = join(MODULES, "@stoplight/prism-cli/dist/index.js");
  proxies.push(spawn(process.execPath, [prism, "proxy", DOCUMENT, upstream, "--errors", "--port", String(port)]));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(url).catch(() => null)) !== null, "the proxy", PROXY_READY_MS);
  return url;
}

async function generate(): Promise<void> {
  const types = join(MODULES, "openapi-typescript/bin/cli.js");
  const hey = join(MODULES, "@hey-api/openapi-ts/bin/run.js");
  await run(process.execPath, [types, DOCUMENT, "-o", "generated/openapi-typescript.ts"], { cwd: CLIENTS });
  await run(process.execPath, [hey, "-i", DOCUMENT, "-o", "generated/hey-api"], { cwd: CLIENTS });
}

test("the generators' output compiles under strict, with the flows that use it", async () => {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", CLIENTS])
    .catch(String)
    .then((done) => (typeof done === "string" ? { stdout: done } : done));
  expect(stdout).toBe("");
});

/** The folder is not part of the tests' own types: it compiles only after the generators have run. */
interface Flow {
  flow: (baseUrl: string, key: string) => Promise<unknown>;
}

test.each(["openapi-fetch-flow.ts", "hey-api-flow.ts"])("%s works through a proxy that validates", async (file) => {
  const { flow } = (await import(join(CLIENTS, file))) as Flow;
  expect(await flow(proxyUrl, server.accounts.Premium.live)).toEqual({
    rule: "DE-BE",
    read: true,
    changed: ['"1"', "2099-01-01T00:00:00.000Z", 412, "precondition_failed"],
    listed: true,
    stats: ["device", 0],
    code: ["png", [true]],
    domain: ["pending", 204],
    me: ["live", 25],
    errors: ["validation_failed", "link_not_found"],
    updated: ["https://example.com/3", "link_not_found"],
    removed: [true, true],
  });
});

test("the proxy refuses requests that do not fit the document", async () => {
  const headers = { Authorization: `Bearer ${server.accounts.Premium.live}`, "Content-Type": "application/json" };
  const post = (body: unknown) =>
    fetch(`${proxyUrl}/v1/links`, { method: "POST", headers, body: JSON.stringify(body) });
  for (const wrong of [
    { url: 5 },
    { url: "https://example.com/", routing: [{ if: {}, to: "https://example.com/" }] },
  ]) {
    const refused = await post(wrong);
    expect([refused.status, refused.headers.get("X-Request-Id")]).toEqual([422, null]);
  }
});

test("the proxy refuses responses that do not fit the document", async () => {
  const wrong = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ data: [{}], has_more: "no" }));
  });
  const port = await freePort();
  wrong.listen(port, "127.0.0.1");
  const url = await startProxy(`http://127.0.0.1:${port}`);
  const refused = await fetch(`${url}/v1/links`, { headers: { Authorization: "Bearer key" } });
  wrong.close();
  expect(refused.status, await refused.text()).toBe(500);
});
