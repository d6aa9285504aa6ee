/**
 * Stored data about visitors, 48 hours later: all stored data, the code, an address and its User-Agent do not reveal
 * whether the address visited. While the salt of the day exists the same search succeeds, so that this test can fail.
 */
import { Buffer } from "node:buffer";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { userAgentDigest, VisitorHashes } from "../../src/core/visitors/visitor-hashes.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";

vi.setConfig({ testTimeout: 240_000 });

const ADDRESS = "203.0.113.77";
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
const KEY_BYTES = 16;

let storage: string;

beforeAll(() => {
  storage = mkdtempSync(join(tmpdir(), "hoplink-privacy-"));
});

afterAll(() => rmSync(storage, { recursive: true, force: true }));

/** The hash of the visitor, if these bytes were the salt of the day. */
function hashUnder(salt: Uint8Array, accountId: string): number {
  const hashes = new VisitorHashes();
  hashes.learn([{ day: 1, salt }]);
  return hashes.hash({ accountId, mode: "live" }, 1, ADDRESS, userAgentDigest(USER_AGENT)) ?? NaN;
}

async function hashesUnderAllSalts(server: Workerd, accountId: string): Promise<number[]> {
  const salts = await server.salts("hoplink");
  const { keys } = await salts.list();
  const stored = await Promise.all(keys.map(({ name }) => salts.get(name, "arrayBuffer")));
  return stored.map((salt) => hashUnder(new Uint8Array(salt ?? new ArrayBuffer(0)), accountId));
}

function asStored(hash: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntLE(hash || 0, 0, 6);
  return bytes;
}

function storedBytes(settings: unknown): Buffer[] {
  const files = readdirSync(storage, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return [
    ...files.map((file) => readFileSync(join(file.parentPath, file.name))),
    Buffer.from(JSON.stringify(settings)),
  ];
}

/** Whether any 16 stored bytes, wherever they are, are a salt under which the visitor has this hash. */
function findsSalt(stored: readonly Buffer[], accountId: string, hash: number): boolean {
  return stored.some((bytes) => {
    for (let at = 0; at + KEY_BYTES <= bytes.length; at++) {
      const isEmpty = bytes.readInt32LE(at) === 0 && bytes.readInt32LE(at + KEY_BYTES - 4) === 0;
      if (!isEmpty && hashUnder(bytes.subarray(at, at + KEY_BYTES), accountId) === hash) return true;
    }
    return false;
  });
}

test("14 once the salt of the day is erased, no stored data links a click to an address", async () => {
  const code = await bundleModules("src/worker.ts");
  const port = await freePort();
  const bindings = bindingsOf(`127.0.0.1:${port}`, {});
  const serve = () => Workerd.start([{ name: "hoplink", code, port, ...bindings }], { storage, keepLog: "workers" });

  let server = await serve();
  const DB = await server.migratedDatabase("hoplink");
  const { id } = await newTestAccount({ DB });
  const ann = new ApiClient(`http://127.0.0.1:${port}`, await issueKeyText({ DB }, id, "live", "test"));
  const link = await ann.createLink();
  const headers = { "cf-connecting-ip": ADDRESS, "User-Agent": USER_AGENT };
  expect((await fetch(link.short_url, { headers, redirect: "manual" })).status).toBe(302);
  await eventually(async () => {
    const stats = await ann.call("GET", `/v1/links/${link.id}/stats?include=uniques`);
    return (stats as { unique_visitors: number }).unique_visitors === 1;
  }, "the visitor");
  const hashes = await hashesUnderAllSalts(server, id);
  await server.stop();

  const stored = storedBytes(bindings);
  const hash = hashes.find((one) => stored.some((bytes) => bytes.includes(asStored(one)))) ?? NaN;
  const inLog = asStored(hash);
  expect(hashes, "the click has its visitor").toContain(hash);
  expect(findsSalt(stored, id, hash), "with the salt").toBe(true);

  server = await serve();
  await eventually(async () => {
    const salts = await server.salts("hoplink");
    const { keys } = await salts.list();
    for (const { name } of keys) await salts.delete(name);
    return keys.length === 0;
  }, "what KV does after 48 hours");
  await server.stop();
  const later = storedBytes(bindings);
  expect(
    later.some((bytes) => bytes.includes(inLog)),
    "the click is still there",
  ).toBe(true);
  expect(findsSalt(later, id, hash), "without the salt").toBe(false);
  const all = Buffer.concat([...later, Buffer.from(server.log.join("\n"))]);
  expect([ADDRESS, USER_AGENT].filter((text) => all.includes(text))).toEqual([]);
});
