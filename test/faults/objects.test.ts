/** 7 Clicks are counted exactly while a link's object dies, sleeps, and receives concurrent writes of many isolates. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { shortOrLong } from "./suite-length.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { expectCountedOnce, expectRedirected, ROUTING, DEFAULT_URL, Visitors } from "./visitors.ts";

const LINK = { url: DEFAULT_URL, routing: ROUTING };
const ISOLATES = [0, 1, 2, 3, 4, 5, 6, 7];

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start(ISOLATES.length);
  visitors = new Visitors(server);
});

afterEach(async () => {
  await server.setFaults({});
  visitors.visits.length = 0;
  expect(server.runtimeWarnings).toEqual([]);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

test("an object that is killed while it handles a batch, stored or not, neither loses nor duplicates clicks", async () => {
  const links = [await server.api.createLink(LINK), await server.api.createLink(LINK)];
  await server.setFaults({ abortBefore: 0.1, abortUnsaved: 0.1, abortAfter: 0.1 });
  const all = server.waitForFaults("abortBefore", "abortUnsaved", "abortAfter");
  await visitors.sendLoad(links, 300, Promise.all([all, visitors.waitForVisits(shortOrLong(600, 9_000))]), [0, 1]);
  await server.setFaults({});
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("a batch that is resent to an object that slept in between counts once", async () => {
  const link = await server.api.createLink(LINK);
  for (let round = 0; round < shortOrLong(2, 20); round++) {
    const before = await server.setFaults({ failAfter: 1 });
    await Promise.all(Array.from({ length: 5 }, () => visitors.visit(link)));
    const stored = async () => (await server.report()).occurred.failAfter > before.occurred.failAfter;
    await eventually(stored, "a batch is stored and its answer lost");
    await server.setFaults({ failBefore: 1 });
    await server.evict(link);
    await server.setFaults({});
    expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
    expect((await server.report()).started).toBeGreaterThan(before.started);
  }
  expectRedirected(visitors.visits);
});

test("eight isolates that write to one link simultaneously are counted exactly", async () => {
  const link = await server.api.createLink(LINK);
  await visitors.sendLoad([link], 800, visitors.waitForVisits(shortOrLong(2_000, 24_000)), ISOLATES);
  expectRedirected(visitors.visits);
  const counted = await expectCountedOnce(server, visitors.visits);
  expect(counted).toBe(visitors.visits.length);
  console.log(`eight isolates: ${counted} clicks, none lost, none twice`);
});
