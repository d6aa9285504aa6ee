/** 6 After a change is answered, busy isolates serve it immediately, and every isolate within ten seconds. */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { shortOrLong } from "./suite-length.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { expectCountedOnce, type Visit, Visitors } from "./visitors.ts";

const CHANGES = shortOrLong(10, 200);
const ISOLATES = [0, 1, 2, 3];
const PER_SECOND = 1_000;
const STALE_MAX_MS = 10_000;
/** The short form shares the machine with other work. If isolates learned nothing from clicks, it would be seconds. */
const STALE_MEDIAN_MAX_MS = shortOrLong(1_500, 300);

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start(ISOLATES.length);
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

const versionOf = ({ response }: Visit) => Number(/version\/(\d+)$/.exec(response?.location ?? "")?.[1]);

/** Waits until each isolate has given a passing answer that was sent after this call. */
async function allIsolates(passes: (visit: Visit) => boolean, what: string): Promise<void> {
  const since = visitors.visits.length;
  await eventually(() => {
    const recent = visitors.visits.slice(since).filter((visit) => visit.response !== null && passes(visit));
    return ISOLATES.every((isolate) => recent.some((visit) => visit.isolate === isolate));
  }, what);
}

/** Sends the next change. `answeredAt` holds when each version was answered to its caller, by `performance.now()`. */
async function change(link: Link, answeredAt: number[]): Promise<void> {
  const version = answeredAt.length;
  await server.api.call("PATCH", `/v1/links/${link.id}`, { url: `https://example.com/version/${version}` });
  answeredAt.push(performance.now());
  await allIsolates((visit) => versionOf(visit) === version, `version ${version} everywhere`);
}

test(`${CHANGES} changes under load reach four busy isolates`, async () => {
  const link = await server.api.createLink({ url: "https://example.com/version/0" });
  const answeredAt = [performance.now()];
  const changes = (async () => {
    await allIsolates((visit) => versionOf(visit) === 0, "version 0 everywhere");
    while (answeredAt.length <= CHANGES) await change(link, answeredAt);
    await visitors.waitForVisits(shortOrLong(1, STALE_MAX_MS / 1_000) * PER_SECOND);
  })();
  await visitors.sendLoad([link], PER_SECOND, changes, ISOLATES);

  const stale = answeredAt.slice(1).map(() => 0);
  for (const visit of visitors.visits) {
    expect(visit.response?.status).toBe(302);
    for (let next = versionOf(visit) + 1; next < answeredAt.length; next++) {
      const late = (visit.response?.at ?? 0) - (answeredAt[next] ?? Infinity);
      stale[next - 1] = Math.max(stale[next - 1] ?? 0, late);
    }
  }
  stale.sort((a, b) => a - b);
  const median = stale[stale.length >> 1] ?? Infinity;
  const worst = stale.at(-1) ?? Infinity;
  console.log(
    `${CHANGES} changes, ${visitors.visits.length} visits: last stale answer ${median.toFixed(0)} ms after the change`,
    `(median), ${worst.toFixed(0)} ms at worst; none in ${stale.filter((ms) => ms === 0).length}`,
  );
  expect(worst).toBeLessThan(STALE_MAX_MS);
  expect(median).toBeLessThan(STALE_MEDIAN_MAX_MS);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(visitors.visits.length);
});

test("a deleted link is gone from four busy isolates immediately", async () => {
  const times: number[] = [];
  for (let round = 0; round < shortOrLong(3, 30); round++) {
    visitors.visits.length = 0;
    const link = await server.api.createLink({ url: "https://example.com/version/0" });
    let deletedAt = Infinity;
    const deletion = (async () => {
      await allIsolates(({ response }) => response?.status === 302, "redirects everywhere");
      await server.api.call("DELETE", `/v1/links/${link.id}`);
      deletedAt = performance.now();
      await allIsolates(({ response }) => response?.status === 410, "gone everywhere");
      await visitors.waitForVisits(shortOrLong(200, 1_000));
    })();
    await visitors.sendLoad([link], PER_SECOND, deletion, ISOLATES);
    const statuses = new Set(visitors.visits.map(({ response }) => response?.status));
    expect(statuses).toEqual(new Set([302, 410]));
    const late = visitors.visits.filter(({ response }) => response?.status === 302);
    times.push(Math.max(0, ...late.map(({ response }) => (response?.at ?? Infinity) - deletedAt)));
  }
  console.log(`last redirect after a deletion: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`);
  expect(Math.max(...times)).toBeLessThan(STALE_MAX_MS);
  expect(server.runtimeWarnings).toEqual([]);
});
