/** Exports of twenty thousand clicks over HTTP, as curl saves them, and what happens when they break off. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Papa from "papaparse";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { CLICK_COLUMNS } from "../../src/core/contract/clicks.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { freePort } from "../support/ports.ts";
import type { ExportFill } from "../bench/export-worker.ts";
import { program } from "../support/programs.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const CLICKS = 20_000;
const curl = program("curl");
const folder = mkdtempSync(join(tmpdir(), "hoplink-exports-"));
const file = join(folder, "clicks");

let workerd: Workerd;
let url: string;
let api: ApiClient;
let link: Link;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const code = await bundleModules("test/bench/export-worker.ts");
  const bindings = bindingsOf(`127.0.0.1:${port}`, { MAINTENANCE_CALLS: "32", WORKERS_PLAN: "free" });
  workerd = await Workerd.start([{ name: "hoplink", code, port, ...bindings }]);
  const DB = await workerd.migratedDatabase("hoplink");
  const { id } = await newTestAccount({ DB });
  api = new ApiClient(url, await issueKeyText({ DB }, id, "live", "test"));
  link = await api.createLink();
  await fill(CLICKS);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await workerd.stop();
});

async function fill(clicks: number, failsAfter?: number): Promise<void> {
  const { id, domain, slug } = link;
  const body = JSON.stringify({ id, domain, slug, clicks, failsAfter } satisfies ExportFill);
  expect((await fetch(`${url}/.fill`, { method: "POST", body })).status).toBe(204);
}

/** @returns the text of the saved file */
async function save(accept: string, query = ""): Promise<string> {
  const headers = ["-H", `Authorization: Bearer ${api.key}`, "-H", `Accept: ${accept}`];
  await promisify(execFile)("curl", ["-sSf", "-o", file, ...headers, `${url}/v1/links/${link.id}/clicks?${query}`]);
  return readFileSync(file, "utf8");
}

test.skipIf(!curl.isThere)(
  `14 curl saves every click as CSV and as NDJSON, equal to the pages${curl.missing}`,
  async () => {
    const clicks = await api.clicks(link);
    expect(clicks).toHaveLength(CLICKS);
    const lines = (await save("application/x-ndjson")).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(clicks);
    const table = Papa.parse<Record<string, string>>((await save("text/csv")).trim(), { header: true });
    expect(table.meta.fields).toEqual(CLICK_COLUMNS);
    expect(table.data.map(({ seq, city }) => [Number(seq), city])).toEqual(clicks.map(({ seq, city }) => [seq, city]));
  },
);

test.skipIf(!curl.isThere)(`14 curl reports a broken export, and the rest follows${curl.missing}`, async () => {
  await fill(0, 5_000);
  await expect(save("application/x-ndjson")).rejects.toThrow(/curl: \((18|56)\)/);
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  // Data in flight when the connection broke may be lost.
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(CLICKS);
  const { seq } = JSON.parse(lines.at(-1) ?? "") as { seq: number };
  expect(seq).toBe(lines.length);
  await fill(0);
  const rest = (await save("application/x-ndjson", `after=${seq}`)).split("\n").slice(0, -1);
  expect(rest).toHaveLength(CLICKS - seq);
});

test("14 an export that a client abandons does not block others", async () => {
  const headers = { Authorization: `Bearer ${api.key}`, Accept: "application/x-ndjson" };
  for (let i = 0; i < 8; i++) {
    const leaving = new AbortController();
    const response = await fetch(`${url}/v1/links/${link.id}/clicks`, { headers, signal: leaving.signal });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await expect
      .poll(
        async () => {
          const next = await fetch(`${url}/v1/links/${link.id}/clicks`, { headers });
          await next.body?.cancel();
          return next.status;
        },
        { timeout: 30_000 },
      )
      .toBe(200);
  }
});
