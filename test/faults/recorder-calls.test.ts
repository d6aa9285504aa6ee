/** 7 Clicks are counted exactly, whatever happens to the calls that carry them and to the callers. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { shortOrLong } from "./suite-length.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { eventually, pause } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { expectCountedOnce, expectRedirected, ROUTING, DEFAULT_URL, Visitors } from "./visitors.ts";

const LINK = { url: DEFAULT_URL, routing: ROUTING };
const ROUNDS = shortOrLong(2, 10);
const VISITS = shortOrLong(600, 9_000);
const DEAD_MS = shortOrLong(6_000, 60_000);
/** A sender's retries while an object is dead: their interval doubles, up to ten seconds. */
const TRIES_MAX = shortOrLong(25, 50);

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start();
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

test("the log reports requests that touch each other", async () => {
  const other = await FaultyServer.start();
  await other.crossRequests();
  await eventually(() => other.runtimeWarnings.length > 0, "a complaint of workerd");
  await other.stop();
});

test("the clock stands still while code runs", async () => {
  expect(await (await fetch(`http://${server.host}/.clock`)).json()).toBe(true);
});

test("calls that the platform refuses, loses or ends neither lose nor duplicate clicks, and statistics answer 200 or 503", async () => {
  const link = await server.api.createLink(LINK);
  await server.setFaults({ callOverloaded: 0.1, callLost: 0.2, callReset: 0.1 });
  const enough = Promise.all([
    server.waitForFaults("callOverloaded", "callLost", "callReset"),
    visitors.waitForVisits(VISITS),
  ]).then(() => "enough" as const);
  const load = visitors.sendLoad([link], 300, enough);
  const answers: ApiResponse[] = [];
  for (let next: unknown; next !== "enough"; next = await Promise.race([enough, pause(50)]))
    answers.push(await server.api.send("GET", `/v1/links/${link.id}/stats`));
  await load;
  await server.setFaults({});
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.map(({ headers }) => Number(headers.get("Retry-After")) > 0)).not.toContain(false);
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("calls that fail, before or after the batch was stored, neither lose nor duplicate clicks", async () => {
  const links = [await server.api.createLink(LINK), await server.api.createLink(LINK)];
  await server.setFaults({ failBefore: 0.3, failAfter: 0.3 });
  await visitors.sendLoad(
    links,
    300,
    Promise.all([server.waitForFaults("failBefore", "failAfter"), visitors.waitForVisits(VISITS)]),
  );
  await server.setFaults({});
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("calls that never answer, answer too late or arrive twice neither lose nor duplicate clicks", async () => {
  const links = await Promise.all([1, 2, 3, 4, 5, 6].map(() => server.api.createLink(LINK)));
  await server.setFaults({ hang: 0.05, late: 0.05, duplicate: 0.3 });
  await visitors.sendLoad(
    links,
    300,
    Promise.all([server.waitForFaults("hang", "late", "duplicate"), visitors.waitForVisits(VISITS)]),
  );
  await server.setFaults({});
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("if a leader is cut off with its batch in flight, a standby takes over and no click is lost", async () => {
  const link = await server.api.createLink(LINK);
  await visitors.visit(link);
  await server.waitForBackgroundWork();
  const { hang } = (await server.report()).occurred;
  await server.setFaults({ hang: 1 });
  await visitors.visit(link, 0, { "x-cut-off-after-ms": "200" });
  await Promise.all(Array.from({ length: 40 }, () => visitors.visit(link)));
  await eventually(async () => (await server.report()).occurred.hang > hang, "the leader's call hangs");
  await server.setFaults({});
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(42);
});

test("leaders and standbys that are cut off at any moment, under load, neither lose nor duplicate clicks", async () => {
  const link = await server.api.createLink(LINK);
  let cutOff = 0;
  const enough = eventually(() => cutOff > 20, "enough requests are cut off");
  const over = Promise.all([visitors.waitForVisits(VISITS / 3), enough]).then(() => "over" as const);
  const load = visitors.sendLoad([link], 100, over);
  // One request every fifty milliseconds is cut off.
  for (let next: unknown; next !== "over"; next = await Promise.race([over, pause(50)])) {
    await visitors.visit(link, 0, { "x-cut-off-after-ms": String(Math.floor(Math.random() * 200)) });
    cutOff++;
  }
  await load;
  expectRedirected(visitors.visits);
  // The next visit after the last one that was cut off sends the clicks left behind.
  await server.waitForBackgroundWork();
  await visitors.visit(link);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("a batch of a leader that was cut off is sent by the leader of another link", async () => {
  const [left, other] = [await server.api.createLink(LINK), await server.api.createLink(LINK)];
  const { hang } = (await server.report()).occurred;
  await server.setFaults({ hang: 1 });
  await visitors.visit(left, 0, { "x-cut-off-after-ms": "200" });
  await eventually(async () => (await server.report()).occurred.hang > hang, "the leader's call hangs");
  await server.setFaults({});
  await eventually(async () => {
    await visitors.visit(other);
    return (await server.api.total(left)) === 1;
  }, "the click of the link without further visits is stored");
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test(`an object that is dead for ${DEAD_MS / 1_000} s costs few calls, and no click`, async () => {
  const link = await server.api.createLink(LINK);
  const { failBefore } = (await server.setFaults({ failBefore: 1 })).occurred;
  // Retries are rare because of the time between them.
  await visitors.sendLoad([link], 300, pause(DEAD_MS));
  const tries = (await server.setFaults({})).occurred.failBefore - failBefore;
  expect(tries).toBeGreaterThan(3);
  expect(tries).toBeLessThan(TRIES_MAX);
  expectRedirected(visitors.visits);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("visitors who leave immediately neither keep others from being counted nor count twice", async () => {
  const link = await server.api.createLink(LINK);
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: 10 }, () => visitors.visitAndDisconnect(link)));
    await Promise.all(Array.from({ length: 10 }, () => visitors.visit(link)));
    await server.waitForBackgroundWork();
  }
  const stayed = visitors.visits.filter(({ response }) => response !== null);
  expectRedirected(stayed);
  expect(stayed.length).toBe(10 * ROUNDS);
  const counted = await expectCountedOnce(server, visitors.visits);
  console.log(
    `visitors who left: ${visitors.visits.length - stayed.length}, of them counted: ${counted - stayed.length}`,
  );
});
