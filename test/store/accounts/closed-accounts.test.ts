/** Closing an account with links in four databases. For data in objects, see erasure.test.ts. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { BUCKETS } from "../../../src/core/links/buckets.ts";
import {
  closeAccount,
  eraseClosedAccountChunk,
  ERASED_TABLES,
  nextAccountEraseAt,
} from "../../../src/store/accounts/closed-accounts.ts";
import { copyDueAccounts } from "../../../src/store/directory/home-copies.ts";
import { closeBuckets } from "../../../src/store/directory/bucket-moves.ts";
import { linkDatabases } from "../../../src/store/directory/databases.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { fourDatabases, queryLinks } from "../../support/link-databases.ts";
import { callerOf, insertLink, linkIn, linksInEach } from "../../support/spread-links.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

let four: typeof env;

beforeAll(async () => {
  four = await fourDatabases();
});

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await runInDurableObject(env.MAINTENANCE.getByName("maintenance"), (_, { storage }) => storage.deleteAlarm());
});

const MINUTE_MS = 60_000;
const CHUNK_LINKS = 2;

/** An account with links and other rows in every database. */
async function accountOfMany(): Promise<TestAccount> {
  const ann = await premiumAccount();
  await linksInEach(four, callerOf(ann));
  for (const database of linkDatabases(four)) {
    await database.batch([
      database.prepare("INSERT INTO tags VALUES (?1, 'live', 'a', 'A', 1, 0)").bind(ann.accountId),
      database.prepare("INSERT INTO stats_news VALUES (?1, 'live', 'lnk_none')").bind(ann.accountId),
      database.prepare("INSERT INTO request_shares VALUES (?1, 'live', x'01', x'02', '[]', 1)").bind(ann.accountId),
    ]);
  }
  return ann;
}

async function eraseAll(on: typeof env): Promise<void> {
  for (let at = Date.now() + MINUTE_MS; ; at += 10 * MINUTE_MS) {
    freezeClockAt(at);
    while (await eraseClosedAccountChunk(on, CHUNK_LINKS));
    await copyDueAccounts(on, 100);
    if ((await nextAccountEraseAt(on)) === null) return;
  }
}

async function expectErased({ accountId }: TestAccount, links: number): Promise<void> {
  const rows = await queryLinks(four, "SELECT id, url, erase_at FROM links WHERE account_id = ?1", accountId);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(links);
  for (const row of rows) expect(row).toMatchObject({ url: "", erase_at: expect.any(Number) });
  expect(await queryLinks(four, "SELECT state FROM account_states WHERE account_id = ?1", accountId)).toEqual(
    Array(4).fill({ state: "closed" }),
  );
  for (const table of Object.keys(ERASED_TABLES)) {
    expect(await queryLinks(four, `SELECT * FROM ${table} WHERE account_id = ?1`, accountId), table).toEqual([]);
  }
}

test("a closed account's links and rows are erased in every database, its counts before its links", async () => {
  const ann = await accountOfMany();
  const before = await queryLinks(four, "SELECT links FROM link_counts WHERE account_id = ?1", ann.accountId);
  expect(before).toEqual(Array(4).fill({ links: 1 }));
  await closeAccount(four, ann.accountId);
  freezeClockAt(Date.now() + MINUTE_MS);
  expect(await eraseClosedAccountChunk(four, 100)).toBe(true);
  expect(await queryLinks(four, "SELECT links FROM link_counts WHERE account_id = ?1", ann.accountId)).toEqual([]);
  vi.useRealTimers();
  await eraseAll(four);
  await expectErased(ann, 4);
});

test("a closed account's links are erased in every database, though each chunk is cut off after each of its calls", async () => {
  const ann = await accountOfMany();
  await closeAccount(four, ann.accountId);
  let [calls, callsLeft, chunks] = [0, 0, 0];
  const cut = withInterruptions(four, async () => {
    if (calls++ === callsLeft) throw new Error("fault: cut off");
  });
  for (let at = Date.now() + MINUTE_MS; (await nextAccountEraseAt(four)) !== null; at += 10 * MINUTE_MS) {
    freezeClockAt(at);
    calls = 0;
    await eraseClosedAccountChunk(cut, CHUNK_LINKS).catch(() => {});
    const isCut = calls > callsLeft;
    chunks += isCut ? 0 : 1;
    callsLeft = isCut ? callsLeft + 1 : 0;
  }
  expect(chunks).toBeGreaterThanOrEqual(4);
  await copyDueAccounts(four, 100);
  await expectErased(ann, 4);
});

test("a closed account's links are erased while their buckets move", async () => {
  const moving = { ...four, LINK_DATABASES: JSON.stringify({ DB: "0-511", LINKS_1: "512-1023 from DB" }) };
  const before = { ...four };
  delete before.LINK_DATABASES;
  const ann = await premiumAccount();
  const links = Array.from({ length: 12 }, () => linkIn(before, env.DB, callerOf(ann)));
  for (const link of links) await insertLink(before, link);
  await closeBuckets(
    env.DB,
    four.LINKS_1,
    Array.from({ length: BUCKETS / 4 }, (_, i) => BUCKETS / 2 + i),
  );
  try {
    await closeAccount(moving, ann.accountId);
    await eraseAll(moving);
  } finally {
    await env.DB.prepare("DELETE FROM moved_buckets").run();
  }
  const rows = await queryLinks(moving, "SELECT url FROM links WHERE account_id = ?1", ann.accountId);
  expect(rows).toEqual(Array(12).fill({ url: "" }));
  for (const table of Object.keys(ERASED_TABLES)) {
    expect(await queryLinks(moving, `SELECT * FROM ${table} WHERE account_id = ?1`, ann.accountId), table).toEqual([]);
  }
});
