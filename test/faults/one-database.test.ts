/**
 * 6 One of four databases with links is down or stalls. Links of the others work as usual: redirects, reads, changes,
 * creations. Its own links keep redirecting where they were clicked before; requests that need it, or all, answer 503
 * in seconds.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { LinkPage, type Link } from "../../src/core/contract/links.ts";
import { bucketOfAddress } from "../../src/core/links/buckets.ts";
import { parseDatabaseMap } from "../../src/store/directory/database-map.ts";
import { OVER_FOUR_DATABASES } from "../support/database-count.ts";
import { pause } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { shortOrLong } from "./suite-length.ts";
import {
  DEFAULT_URL,
  expectCountedOnce,
  expectRedirected,
  redirected,
  ROUTING,
  slowestMs,
  Visitors,
} from "./visitors.ts";

/** Longer than any isolate may keep a link. */
const OUTAGE_MS = shortOrLong(12_000, 70_000);
const [FAILING, STALLED, COLD_FAILING, COLD_STALLED] = [0, 1, 2, 3] as const;
const BROKEN = "LINKS_2";
const { places } = parseDatabaseMap(OVER_FOUR_DATABASES);

/** The longest that a database stalled for 70 s may delay a reading request, and a writing one. */
const [READ_MAX_MS, WRITE_MAX_MS] = [9_000, 14_000];
/** Requests unrelated to it wait for no timeout: neither the second of a visit nor the five seconds of a request. */
const [QUICK_VISIT_MS, QUICK_REQUEST_MS] = [900, 4_500];

let server: FaultyServer;
let visitors: Visitors;
let names = 0;

beforeAll(async () => {
  server = await FaultyServer.start(4, OVER_FOUR_DATABASES);
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

const databaseOf = (slug: string) => places[bucketOfAddress(server.host, slug)]?.database;

/** A slug that belongs to a database. */
function slugOf(isWanted: (database: string | undefined) => boolean): string {
  for (;;) {
    const slug = `link-${++names}`;
    if (isWanted(databaseOf(slug))) return slug;
  }
}
const ownSlug = () => slugOf((database) => database === BROKEN);
const otherSlug = () => slugOf((database) => database !== BROKEN);

interface Timed {
  status: number;
  retryAfter: string | null;
  ms: number;
  body: unknown;
}

async function timed(isolate: number, method: string, path: string, body?: unknown): Promise<Timed> {
  const startedAt = performance.now();
  const response = await server.apiOf(isolate).send(method, path, body);
  const ms = performance.now() - startedAt;
  return { status: response.status, retryAfter: response.headers.get("Retry-After"), ms, body: response.body };
}

const statusOf = ({ status, body }: Timed) => (status < 500 ? status : `${status} ${JSON.stringify(body)}`);

function expectUnavailable(answers: readonly Timed[], maxMs: number): void {
  expect(answers.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(answers.map(() => [503, "5"]));
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(maxMs);
}

/** Requests that do not involve the broken database. */
async function useOthers(isolate: number, link: Link): Promise<number[]> {
  const answers = [
    await timed(isolate, "GET", `/v1/links/${link.id}`),
    await timed(isolate, "PATCH", `/v1/links/${link.id}`, { title: `changed at ${isolate}` }),
    await timed(isolate, "GET", `/v1/links/${link.id}/stats`),
    await timed(isolate, "POST", "/v1/qr", { link_id: link.id }),
    await timed(isolate, "GET", "/v1/domains"),
  ];
  const made = await timed(isolate, "POST", "/v1/links", { url: DEFAULT_URL, slug: otherSlug() });
  const gone = await timed(isolate, "DELETE", `/v1/links/${(made.body as Link).id}`);
  expect([...answers, made, gone].map(statusOf)).toEqual([200, 200, 200, 201, 200, 201, 204]);
  return [...answers, made, gone].map(({ ms }) => ms);
}

test("one of four databases that fails or stalls stops neither the others' links nor its own clicked ones", async () => {
  const own = await Promise.all(
    [1, 2].map(() => server.api.createLink({ url: DEFAULT_URL, routing: ROUTING, slug: ownSlug() })),
  );
  const others = await Promise.all(
    [1, 2, 3, 4].map(() => server.api.createLink({ url: DEFAULT_URL, routing: ROUTING, slug: otherSlug() })),
  );
  const unclicked = await server.api.createLink({ url: DEFAULT_URL, slug: ownSlug() });
  const links = [...own, ...others];
  for (const isolate of [FAILING, STALLED]) for (const link of links) await visitors.visit(link, isolate);
  await visitors.sendLoad(links, 100, visitors.waitForVisits(50), [FAILING, STALLED]);
  await server.waitForBackgroundWork();
  const [other] = others;
  const [ownLink] = own;
  if (!other || !ownLink) throw new Error("no links");

  for (const isolate of [FAILING, COLD_FAILING])
    await server.setFaults({ database: "fails", databaseName: BROKEN }, isolate);
  for (const isolate of [STALLED, COLD_STALLED])
    await server.setFaults({ database: "stalls", databaseName: BROKEN }, isolate);
  const before = visitors.visits.length;
  const load = visitors.sendLoad(links, 100, pause(OUTAGE_MS), [FAILING, STALLED]);

  // All requests that need the broken database, simultaneously: the others wait for none of it.
  const needing = [FAILING, STALLED].map(async (isolate) => {
    const reads = Promise.all(
      [`/v1/links/${ownLink.id}`, "/v1/links", "/v1/links?search=link", "/v1/tags"].map((path) =>
        timed(isolate, "GET", path),
      ),
    );
    const writes = Promise.all([
      timed(isolate, "PATCH", `/v1/links/${ownLink.id}`, { title: "late" }),
      timed(isolate, "POST", "/v1/links", { url: DEFAULT_URL, slug: ownSlug() }),
    ]);
    expectUnavailable(await reads, READ_MAX_MS);
    expectUnavailable(await writes, WRITE_MAX_MS);
  });
  const requests: number[] = [];
  for (const isolate of server.ports.keys()) requests.push(...(await useOthers(isolate, other)));
  const quick: number[] = [];
  const cold: number[] = [];
  for (const isolate of [COLD_FAILING, COLD_STALLED]) {
    for (const link of others) quick.push(slowestMs([await visitors.visit(link, isolate)]));
    for (const link of own) cold.push(slowestMs([await visitors.visit(link, isolate)]));
  }
  const strangers = await Promise.all([FAILING, COLD_STALLED].map((isolate) => visitors.visit(unclicked, isolate)));
  expect(strangers.map(({ response }) => response?.status)).toEqual([503, 503]);
  expect(await server.visit(`/${otherSlug()}`, { Host: server.host })).toBe(404);
  await Promise.all([load, ...needing]);

  const during = visitors.visits.slice(before).filter(({ link }) => link !== unclicked);
  expectRedirected(during);
  const slow = quick.filter((ms) => ms > QUICK_VISIT_MS);
  console.log(
    `one of four databases down for ${OUTAGE_MS} ms: ${during.length} visits redirected,`,
    `${requests.length} requests on others' links, slowest ${Math.max(...requests).toFixed(0)} ms;`,
    `first visits, cold: to others' links ${Math.max(...quick).toFixed(0)} ms at most,`,
    `to its own ${cold.map((ms) => ms.toFixed(0)).join(", ")} ms`,
  );
  expect(Math.max(...requests)).toBeLessThan(QUICK_REQUEST_MS);
  // A single pause of the machine slows whatever is in progress.
  expect(slow.length).toBeLessThanOrEqual(2);
  expect(Math.max(...cold)).toBeLessThan(2_500);

  for (const isolate of server.ports.keys()) await server.setFaults({}, isolate);
  const listed = LinkPage.parse(await server.apiOf(STALLED).call("GET", "/v1/links?limit=100"));
  expect(new Set(listed.data.map(({ id }) => id))).toEqual(new Set([...links, unclicked].map(({ id }) => id)));
  expect((await timed(STALLED, "PATCH", `/v1/links/${ownLink.id}`, { title: "back" })).status).toBe(200);
  expect(await expectCountedOnce(server, visitors.visits)).toBe(redirected(visitors.visits).length);
  expect(server.runtimeWarnings).toEqual([]);
});
