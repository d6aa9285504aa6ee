/** 6 With the database down or stalled, links that have been clicked before keep redirecting; none is a 404. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { shortOrLong } from "./suite-length.ts";
import { eventually, pause } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import {
  expectCountedOnce,
  expectRedirected,
  redirected,
  ROUTING,
  slowestMs,
  DEFAULT_URL,
  Visitors,
} from "./visitors.ts";

/** Longer than any isolate may keep a link. */
const OUTAGE_MS = shortOrLong(12_000, 70_000);
const [FAILING, STALLED, COLD_FAILING, COLD_STALLED] = [0, 1, 2, 3] as const;
/** A visit that waits for the database waits a second. */
const QUICK_MS = 900;

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start(4);
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

test("a failing or stalled database stops no clicked link, and is used again once it responds", async () => {
  const links = await Promise.all([1, 2].map(() => server.api.createLink({ url: DEFAULT_URL, routing: ROUTING })));
  const unknown = await server.api.createLink({ url: DEFAULT_URL });
  for (const isolate of [FAILING, STALLED]) for (const link of links) await visitors.visit(link, isolate);
  await visitors.sendLoad(links, 100, visitors.waitForVisits(50), [FAILING, STALLED]);
  await server.waitForBackgroundWork();

  for (const isolate of [FAILING, COLD_FAILING]) await server.setFaults({ database: "fails" }, isolate);
  for (const isolate of [STALLED, COLD_STALLED]) await server.setFaults({ database: "stalls" }, isolate);
  const before = visitors.visits.length;
  const load = visitors.sendLoad(links, 200, pause(OUTAGE_MS), [FAILING, STALLED]);
  const cold: number[] = [];
  for (const isolate of [COLD_FAILING, COLD_STALLED]) {
    for (const link of links)
      cold.push(slowestMs([await visitors.visit(link, isolate)]), slowestMs([await visitors.visit(link, isolate)]));
  }
  const strangers = await Promise.all(
    [FAILING, STALLED, COLD_STALLED].map((isolate) => visitors.visit(unknown, isolate)),
  );
  expect(strangers.map(({ response }) => response?.status)).toEqual([503, 503, 503]);
  await load;
  const during = visitors.visits.slice(before).filter(({ link }) => link !== unknown);
  expectRedirected(during);
  const warm = during.filter(({ isolate }) => isolate === FAILING || isolate === STALLED);
  const slow = warm.filter((visit) => slowestMs([visit]) > QUICK_MS);
  console.log(
    `database down for ${OUTAGE_MS} ms: ${during.length} visits redirected, slowest ${slowestMs(warm).toFixed(0)} ms,`,
    `${slow.length} over ${QUICK_MS} ms; cold isolates, first and second visit: ${cold.map((ms) => ms.toFixed(0)).join(", ")} ms`,
  );
  // A single pause of the machine slows whatever is in progress; a link that waits for its refresh does so every 5 s.
  expect(new Set(slow.map(({ sentAt }) => Math.floor(sentAt / 1_000))).size).toBeLessThanOrEqual(2);
  expect(Math.max(...cold)).toBeLessThan(2_500);

  for (const isolate of server.ports.keys()) await server.setFaults({}, isolate);
  const [link] = links;
  if (!link) throw new Error("no link");
  await server.api.call("PATCH", `/v1/links/${link.id}`, { url: `${DEFAULT_URL}new`, routing: [] });
  const patchedAt = performance.now();
  for (const isolate of server.ports.keys()) {
    const isNew = async () => (await visitors.visit(link, isolate)).response?.location === `${DEFAULT_URL}new`;
    await eventually(isNew, "the change is served");
  }
  // A clicked link's object also has the change; this link's address is only in the database.
  const isFound = async () => (await visitors.visit(unknown, STALLED)).response?.status === 302;
  await eventually(isFound, "a link that was never clicked is found");
  console.log(`database back: a change served by all after ${(performance.now() - patchedAt).toFixed(0)} ms`);
  expect(performance.now() - patchedAt).toBeLessThan(10_000);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(redirected(visitors.visits).length);
  expect(server.runtimeWarnings).toEqual([]);
});
