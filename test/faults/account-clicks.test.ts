/** 14 Statistics of all links of an account are the sum of the links', however often the server is killed. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { AccountStats, Stats } from "../../src/core/contract/stats.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { eventually, pause } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { shortOrLong } from "./suite-length.ts";
import { redirected, Visitors } from "./visitors.ts";

const LINKS = 12;
const CLICKS_OF_A_LINK = shortOrLong(15_000, 60_000);
const KILLS = shortOrLong(3, 12);
const DAY_MS = 86_400_000;
/** An answer may be a minute old, and a killed server restarts its rounds. */
const RECENT_TIMEOUT_MS = 240_000;

let server: FaultyServer;
let visitors: Visitors;
let links: Link[];

beforeAll(async () => {
  server = await FaultyServer.start();
  visitors = new Visitors(server);
  links = await Promise.all(Array.from({ length: LINKS }, () => server.api.createLink()));
  const now = Date.now();
  for (const { id } of links) {
    await server.recordClicks({ id, clicks: CLICKS_OF_A_LINK, codes: [], from: now - 30 * DAY_MS, to: now - 1_000 });
  }
}, 300_000);

afterAll(async () => {
  visitors.close();
  await server.stop();
});

/** Asks again until the restarting server answers. */
async function ask(query: Record<string, string> = {}): Promise<AccountStats> {
  const params = new URLSearchParams({ from: "2020-01-01T00:00:00Z", include_bots: "true", ...query });
  let stats: AccountStats | undefined;
  await eventually(async () => {
    const response = await server.api.send("GET", `/v1/stats?${params}`).catch(() => null);
    if (response?.status === 200) stats = AccountStats.parse(response.body);
    return stats !== undefined;
  }, "an answer");
  if (!stats) throw new Error("no answer");
  return stats;
}

async function expectSumOfLinks(): Promise<void> {
  for (const group_by of ["country", "browser", "referrer"]) {
    const stats = await ask({ group_by });
    const query = new URLSearchParams({ from: stats.from, to: stats.to, include_bots: "true", group_by });
    const sums = new Map<string, number>();
    let total = 0;
    for (const { id } of links) {
      const one = Stats.parse(await server.api.call("GET", `/v1/links/${id}/stats?${query}`));
      total += one.total;
      for (const { key, clicks } of one.buckets) sums.set(key, (sums.get(key) ?? 0) + clicks);
    }
    expect(stats.total).toBe(total);
    expect(Object.fromEntries(stats.buckets.map(({ key, clicks }) => [key, clicks]))).toEqual(Object.fromEntries(sums));
  }
}

describe("14 the account's clicks", () => {
  test(`14 are complete after ${KILLS} kills while past clicks were read`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const asked = server.api.send("GET", "/v1/stats").catch(() => null);
      await pause(Math.random() * 700);
      await server.kill();
      await asked;
    }
    await eventually(async () => (await ask()).progress === undefined, "the past is read");
    await expectSumOfLinks();
    expect((await ask()).total).toBe(LINKS * CLICKS_OF_A_LINK);
  });

  test("14 include visits between which the server was killed", async () => {
    await expectSumOfLinks();
    for (let kill = 0; kill < 2; kill++) {
      await Promise.all(links.map((link) => visitors.visit(link)));
      await server.waitForBackgroundWork();
      await server.kill();
    }
    await Promise.all(links.slice(0, 3).map((link) => visitors.visit(link)));
    await server.waitForBackgroundWork();
    expect(redirected(visitors.visits)).toHaveLength(2 * LINKS + 3);
    const now = Date.now();
    await eventually(
      async () => {
        const isRecent = Date.parse((await ask()).as_of) > now;
        if (!isRecent) await pause(2_000);
        return isRecent;
      },
      "a recent answer",
      RECENT_TIMEOUT_MS,
    );
    await expectSumOfLinks();
    expect((await ask()).total).toBe(LINKS * CLICKS_OF_A_LINK + 2 * LINKS + 3);
  });
});
