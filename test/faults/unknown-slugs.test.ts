/** 6 Unknown slugs by the thousand cost the database little, and no created link is ever a 404. */
import { Agent, request } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { shortOrLong } from "./suite-length.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";

const [CREATING, SCANNED] = [0, 1] as const;
const CONCURRENCY = 100;
const SCANNED_NAMES = shortOrLong(1_500, 60_000);
const MADE_MEANWHILE = shortOrLong(30, 300);
const MISSES_MAX = 100;

const agent = new Agent({ keepAlive: true, timeout: 2_000 });
let server: FaultyServer;

beforeAll(async () => {
  server = await FaultyServer.start(2);
});

afterAll(async () => {
  agent.destroy();
  await server.stop();
});

beforeEach(async () => {
  for (const isolate of [CREATING, SCANNED]) await server.setFaults({}, isolate);
  // A circuit breaker that an earlier test opened closes with the first successful look-up.
  await eventually(async () => (await visit("none")).status === 404, "the database is asked");
});

/** An unknown name that would be in the database of a binding. */
function unknownNameIn(database: string): string {
  for (;;) {
    const name = unknownName();
    if (server.databaseNameOf(name) === database) return name;
  }
}

interface VisitResponse {
  /** 0 if the connection broke. */
  status: number;
  retryAfter: string | undefined;
  ms: number;
}

let addresses = 0;
/** The address of a visitor who has not been here. */
const newVisitorAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;

let names = 0;
const unknownName = () => `unknown-${++names}`;

async function visit(
  slug: string,
  headers: Record<string, string> = {},
  isolate: number = SCANNED,
): Promise<VisitResponse> {
  const startedAt = performance.now();
  const options = {
    host: "127.0.0.1",
    port: server.ports[isolate],
    path: `/${slug}`,
    method: "HEAD",
    agent,
    headers: { Host: server.host, "CF-Connecting-IP": newVisitorAddress(), ...headers },
  };
  return new Promise((done) => {
    const ended = (status: number, retryAfter?: string) =>
      done({ status, retryAfter, ms: performance.now() - startedAt });
    const sent = request(options, (response) => {
      response.resume();
      response.once("end", () => ended(response.statusCode ?? 0, response.headers["retry-after"]));
    });
    sent.once("error", () => ended(0));
    sent.end();
  });
}

function statuses(replies: readonly VisitResponse[]): number[] {
  return [...new Set(replies.map(({ status }) => status))].sort();
}

/** Does all the work, with `CONCURRENCY` items at a time. */
async function concurrently(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

/** Queries that the scanned isolate sends during `work`. */
async function queriesOf(work: () => Promise<unknown>): Promise<{ replica: number; primary: number }> {
  const { queries: before } = await server.report(SCANNED);
  await work();
  const { queries: after } = await server.report(SCANNED);
  return { replica: after.replica - before.replica, primary: after.primary - before.primary };
}

test("a scan of many new names causes few queries, and links created during it are found immediately", async () => {
  const replies: VisitResponse[] = [];
  const made: VisitResponse[] = [];
  const queries = await queriesOf(() =>
    Promise.all([
      concurrently(SCANNED_NAMES, async () => void replies.push(await visit(unknownName()))),
      (async () => {
        for (let i = 0; i < MADE_MEANWHILE; i++) {
          const slug = `made-${i}`;
          replies.push(await visit(slug));
          await server.api.createLink({ slug });
          made.push(await visit(slug), await visit(slug));
        }
      })(),
    ]),
  );
  console.log(`${replies.length} unknown names: ${queries.replica} and ${queries.primary} queries`);
  expect(statuses(replies)).toEqual([404]);
  expect(statuses(made)).toEqual([302]);
  // Each database has its own queries in flight, so that with several databases fewer visits share one.
  expect(queries.replica).toBeLessThan(replies.length / (server.databaseNames.length === 1 ? 4 : 1.25));
  expect(queries.primary).toBeLessThan(replies.length / 4);
  expect(server.runtimeWarnings).toEqual([]);
});

test("many simultaneous visits to one unknown name cause few queries; once it is known to be missing, the replica is skipped", async () => {
  const slug = unknownName();
  const visitAll = () => Promise.all(Array.from({ length: CONCURRENCY }, () => visit(slug)));
  await server.setFaults({ database: "slow" }, SCANNED);
  let replies: VisitResponse[] = [];
  const first = await queriesOf(async () => (replies = await visitAll()));
  expect(statuses(replies)).toEqual([404]);
  expect(first.replica).toBe(1);
  expect(first.primary).toBeLessThanOrEqual(5);
  const second = await queriesOf(async () => (replies = await visitAll()));
  expect(statuses(replies)).toEqual([404]);
  expect(second.replica).toBe(0);
  expect(second.primary).toBeLessThanOrEqual(5);
});

test("visits are answered even if the request that leads their query is cut off", async () => {
  const links = await Promise.all(Array.from({ length: 20 }, () => server.api.createLink()));
  await server.setFaults({ database: "slow" }, SCANNED);
  const { replica: asked } = (await server.report(SCANNED)).queries;
  const leaders = Promise.all(links.map(({ slug }) => visit(slug, { "x-abort-after-ms": "100" })));
  await eventually(async () => (await server.report(SCANNED)).queries.replica > asked, "the leaders ask");
  const followers = await Promise.all(links.flatMap(({ slug }) => [visit(slug), visit(slug)]));
  const found = followers.filter(({ status }) => status === 302).length;
  console.log(`${found} of ${followers.length} visits redirected whose query's leader was cut off`);
  expect(found).toBeGreaterThan(0);
  // On a slow machine it may take longer than a visit waits: 503, and found the next time.
  expect(statuses(followers).filter((status) => status !== 302 && status !== 503)).toEqual([]);
  expect(statuses(await leaders).filter((status) => status !== 0 && status !== 500)).toEqual([]);
  await server.setFaults({}, SCANNED);
  for (const { slug } of links) await eventually(async () => (await visit(slug)).status === 302, "the link is found");
  // A request that is cut off while it waits for another's query is resolved afterwards, and does not continue.
  expect(server.runtimeWarnings.filter((line) => !/cut off|has already been completed or canceled/.test(line))).toEqual(
    [],
  );
});

test("a visitor who requests many unknown names gets 429 with Retry-After; known links keep redirecting", async () => {
  const known = await server.api.createLink();
  await visit(known.slug);
  for (const networks of [["192.0.2.7"], ["2001:db8:1:2::1", "2001:db8:1:2:aaaa:bbbb:cccc:dddd"]]) {
    const by = (i = 0) => ({ "CF-Connecting-IP": networks[i % networks.length] ?? "" });
    const replies: VisitResponse[] = [];
    for (let i = 0; i < MISSES_MAX; i++) replies.push(await visit(unknownName(), by(i)));
    expect(statuses(replies)).toEqual([404]);
    const queries = await queriesOf(async () => {
      for (let i = 0; i < 10; i++) replies.push(await visit(unknownName(), by(i)));
    });
    const limited = replies.slice(MISSES_MAX);
    expect(statuses(limited)).toEqual([429]);
    expect(queries).toEqual({ replica: 0, primary: 0 });
    for (const { retryAfter } of limited) expect(Number(retryAfter)).toBeGreaterThan(0);
    for (const { retryAfter } of limited) expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect((await visit(known.slug, by())).status).toBe(302);
    expect((await visit(unknownName())).status).toBe(404);
  }
  expect(server.log.join()).not.toContain("192.0.2.7");
  expect(server.log.join()).not.toContain("2001:db8");
});

test.each(["stalls", "fails"] as const)(
  "a database that %s is soon no longer queried: responses are immediate, none is a 404, and queries resume later",
  async (database) => {
    const link = await clickedLink();
    const { length: warned } = server.runtimeWarnings;
    await server.setFaults({ database }, SCANNED);
    for (const name of server.databaseNames) for (let i = 0; i < 4; i++) await visit(unknownNameIn(name));
    const replies: VisitResponse[] = [];
    const queries = await queriesOf(() =>
      concurrently(shortOrLong(100, 1_000), async () => void replies.push(await visit(unknownName()))),
    );
    expect(statuses(replies)).toEqual([503]);
    // Only probes.
    expect(queries.replica).toBeLessThan((replies.length / 5) * server.databaseNames.length);
    expect(queries.primary).toBe(0);
    expect((await visit(link.slug)).status).toBe(302);
    await server.setFaults({}, SCANNED);
    await eventually(async () => (await visit(unknownName())).status === 404, "the database is asked again");
    expect(server.runtimeWarnings.slice(warned)).toEqual([]);
  },
);

/** A link that its object knows, and the scanned isolate does not. */
async function clickedLink(): Promise<Link> {
  const link = await server.api.createLink();
  await new Promise<void>((done) => {
    const options = {
      host: "127.0.0.1",
      port: server.ports[CREATING],
      path: `/${link.slug}`,
      headers: { Host: server.host },
    };
    request(options, (response) => response.resume().once("end", done)).end();
  });
  await eventually(async () => (await server.api.total(link)) === 1, "the click is counted");
  return link;
}
