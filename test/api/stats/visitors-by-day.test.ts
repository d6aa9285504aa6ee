/** Unique visitors through the Worker: three of them, on two days. */
import { afterEach, expect, test, vi } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

vi.setConfig({ testTimeout: 30_000 });

/** Ahead of the clock of KV, which does not accept past times. */
const FIRST_DAY = Date.UTC(new Date().getUTCFullYear() + 1, 5, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

afterEach(() => {
  vi.useRealTimers();
});

function visitAs(link: Link, visitor: string | null, country = "DE"): Promise<unknown> {
  const address: Record<string, string> = visitor === null ? {} : { "cf-connecting-ip": visitor };
  return visit(link.short_url, { country, headers: { "User-Agent": "Mozilla/5.0", ...address } });
}

async function uniques(account: TestAccount, link: Link, from: number, to: number) {
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const stats = await account.stats(link, { include: "uniques", interval: "day", ...range });
  return {
    total: stats.total,
    unique: stats.unique_visitors,
    buckets: stats.buckets.map(({ key, unique_visitors }) => `${key} ${unique_visitors}`),
    days: stats.series.map(({ unique_visitors }) => unique_visitors),
  };
}

test("14 each visitor counts once a day, and the days add up", async () => {
  freezeClockAt(FIRST_DAY);
  const ann = await premiumAccount();
  const link = await ann.createLink();
  const visits: [at: number, visitor: string | null, country: string][] = [
    [1 * HOUR_MS, "192.0.2.1", "DE"],
    [2 * HOUR_MS, "192.0.2.1", "DE"],
    [3 * HOUR_MS, "192.0.2.2", "DE"],
    [4 * HOUR_MS, "2001:db8:1:2::1", "AT"],
    [5 * HOUR_MS, "2001:db8:1:2:ffff::9", "DE"],
    [6 * HOUR_MS, null, "DE"],
    [DAY_MS - 1, "192.0.2.2", "DE"],
    [DAY_MS, "192.0.2.2", "DE"],
    [DAY_MS + 1 * HOUR_MS, "192.0.2.1", "AT"],
  ];
  for (const [index, [at, visitor, country]] of visits.entries()) {
    freezeClockAt(FIRST_DAY + at);
    await visitAs(link, visitor, country);
    await ann.waitForClicks(index + 1, link);
  }
  freezeClockAt(FIRST_DAY + 2 * DAY_MS);
  expect(await uniques(ann, link, FIRST_DAY, FIRST_DAY + 2 * DAY_MS)).toEqual({
    total: visits.length,
    unique: 5,
    buckets: ["DE 4", "AT 2"],
    days: [3, 2],
  });
});
