/** 7 A server that is killed under load has counted every click that it answered at least a second before. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { shortOrLong } from "./suite-length.ts";
import { isAnsweredJustBefore, killRepeatedly } from "./repeated-kills.ts";
import { FaultyServer } from "./faulty-server.ts";
import {
  expectCountedOnce,
  expectRedirected,
  redirected,
  ROUTING,
  DEFAULT_URL,
  type Visit,
  Visitors,
} from "./visitors.ts";

const KILLS = shortOrLong(2, 20);
const PER_SECOND = 300;
const RESTART_MS = 2_000;

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start(2);
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

test(`${KILLS} kills under load lose no click that was answered at least a second before`, async () => {
  const links = await Promise.all(
    [1, 2, 3, 4, 5].map(() => server.api.createLink({ url: DEFAULT_URL, routing: ROUTING })),
  );
  const killing = killRepeatedly(server, visitors, { times: KILLS, perSecond: PER_SECOND });
  await visitors.sendLoad(links, PER_SECOND, killing, [0, 1]);
  const kills = await killing;
  // A second is also how long visitors wait for a database that starts.
  const isRestarting = ({ sentAt, response }: Visit) =>
    response?.status === 503 && kills.some(({ at, restartedAt }) => sentAt > at && sentAt < restartedAt + RESTART_MS);
  expectRedirected(visitors.visits.filter((visit) => visit.response !== null && !isRestarting(visit)));
  const mayBeLost = (visit: Visit) => isAnsweredJustBefore(kills, visit);
  const counted = await expectCountedOnce(server, visitors.visits, mayBeLost);
  const answered = redirected(visitors.visits);
  console.log(
    `${KILLS} kills: ${visitors.visits.length} visits sent, ${answered.length} redirected, of them`,
    `${answered.filter(mayBeLost).length} in the last second before a kill; ${counted} counted`,
  );
  expect(counted).toBeLessThanOrEqual(visitors.visits.length);
  expect(server.runtimeWarnings).toEqual([]);
});
