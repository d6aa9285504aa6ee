/** 6 With the database down or stalled, links that have been clicked before go on redirecting; none is a 404. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { inForm } from "./form.ts";
import { eventually, Server } from "./server.ts";
import { expectExact, expectRedirected, redirected, ROUTING, slowest, URL, Visitors, wait } from "./visitors.ts";

/** Longer than any isolate may keep a link. */
const OUTAGE_MS = inForm(12_000, 70_000);
const [FAILING, STALLED, COLD_FAILING, COLD_STALLED] = [0, 1, 2, 3] as const;
/** Who waits for the database waits a second. */
const QUICK_MS = 900;

let server: Server;
let visitors: Visitors;

beforeAll(async () => {
  server = await Server.start(4);
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

test("a database that fails or stalls stops no link that was clicked, and is trusted again when it is back", async () => {
  const links = await Promise.all([1, 2].map(() => server.createLink({ url: URL, routing: ROUTING })));
  const unknown = await server.createLink({ url: URL });
  for (const isolate of [FAILING, STALLED]) for (const link of links) await visitors.visit(link, isolate);
  await visitors.stream(links, 100, wait(500), [FAILING, STALLED]);
  await server.quiet();

  for (const isolate of [FAILING, COLD_FAILING]) await server.fail({ database: "fails" }, isolate);
  for (const isolate of [STALLED, COLD_STALLED]) await server.fail({ database: "stalls" }, isolate);
  const before = visitors.visits.length;
  const load = visitors.stream(links, 200, wait(OUTAGE_MS), [FAILING, STALLED]);
  const cold: number[] = [];
  for (const isolate of [COLD_FAILING, COLD_STALLED]) {
    for (const link of links)
      cold.push(slowest([await visitors.visit(link, isolate)]), slowest([await visitors.visit(link, isolate)]));
  }
  const strangers = await Promise.all(
    [FAILING, STALLED, COLD_STALLED].map((isolate) => visitors.visit(unknown, isolate)),
  );
  expect(strangers.map(({ answer }) => answer?.status)).toEqual([503, 503, 503]);
  await load;
  const during = visitors.visits.slice(before).filter(({ link }) => link !== unknown);
  expectRedirected(during);
  const warm = during.filter(({ isolate }) => isolate === FAILING || isolate === STALLED);
  const slow = warm.filter((visit) => slowest([visit]) > QUICK_MS);
  console.log(
    `database down for ${OUTAGE_MS} ms: ${during.length} visits redirected, slowest ${slowest(warm).toFixed(0)} ms,`,
    `${slow.length} over ${QUICK_MS} ms; cold isolates, first and second visit: ${cold.map((ms) => ms.toFixed(0)).join(", ")} ms`,
  );
  // A machine that stands still once makes slow whom it finds; a link that waits for its refresh does so every 5 s.
  expect(new Set(slow.map(({ sentAt }) => Math.floor(sentAt / 1_000))).size).toBeLessThanOrEqual(2);
  expect(Math.max(...cold)).toBeLessThan(2_500);

  for (const isolate of server.ports.keys()) await server.fail({}, isolate);
  const [link] = links;
  if (!link) throw new Error("no link");
  await server.call("PATCH", `/v1/links/${link.id}`, { url: `${URL}new`, routing: [] });
  const patchedAt = performance.now();
  for (const isolate of server.ports.keys()) {
    const isNew = async () => (await visitors.visit(link, isolate)).answer?.location === `${URL}new`;
    await eventually(isNew, "the change is served");
  }
  console.log(`database back: a change served by all after ${(performance.now() - patchedAt).toFixed(0)} ms`);
  expect(performance.now() - patchedAt).toBeLessThan(10_000);
  expect((await visitors.visit(unknown, STALLED)).answer?.status).toBe(302);
  expect(await expectExact(server, visitors.visits)).toBe(redirected(visitors.visits).length);
  expect(server.complaints).toEqual([]);
});
