/**
 * Half of the buckets move to another database during visits, creations and changes, while the server and the command
 * are killed. Nothing is lost or duplicated, and no created link is a 404.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { Link, LinkPage } from "../../src/core/contract/links.ts";
import { BUCKETS, bucketOfId } from "../../src/core/links/buckets.ts";
import type { ApiClient } from "../support/api-client.ts";
import { pause } from "../support/eventually.ts";
import { CommandRunner } from "./killed-command.ts";
import { AFTERWARDS, MOVED_RANGE, MovingInstallation } from "./moving-installation.ts";
import { shortOrLong } from "./suite-length.ts";
import { DEFAULT_URL, expectRedirected, redirected, ROUTING, type Visit, Visitors } from "./visitors.ts";

const LINKS = shortOrLong(3_000, 20_000);
/** Links that are visited and never changed, and links that are changed constantly. */
const [VISITED, CHANGED] = [100, 60];
const [VISITS_PER_SECOND, CREATIONS_PER_SECOND, CHANGES_PER_SECOND] = [300, 20, 20];
const SERVER_KILLS = 3;
/** Visits before each step of the move. */
const STEP_VISITS = 300;
/** How long a visitor waits for a database that starts. */
const RESTART_MS = 2_000;
const TIMEOUT_MS = 600_000;

let installation: MovingInstallation;
let visitors: Visitors;

beforeAll(async () => {
  installation = await MovingInstallation.start();
  visitors = new Visitors(installation);
}, TIMEOUT_MS);

afterAll(async () => {
  visitors.close();
  await installation.stop();
});

interface Kill {
  at: number;
  restartedAt: number;
}

/** Counts of requests that were sent, done, refused with 503, and cut by a kill. */
class Tally {
  sent = 0;
  done = 0;
  unavailable = 0;
  cut = 0;
}

/** Sends API requests at a rate, to the isolates in turn. Awaits each, because every answered change must be found. */
async function atRate(perSecond: number, isOver: () => boolean, request: (number: number) => Promise<void>) {
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  for (let sent = 0; !isOver();) {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond;
    for (; sent < due && pending.size < perSecond; sent++) {
      const sending = request(sent).finally(() => pending.delete(sending));
      pending.add(sending);
    }
    await pause(10); // The rate.
  }
  await Promise.all(pending);
}

async function send(tally: Tally, api: ApiClient, method: string, path: string, body: unknown): Promise<Link | null> {
  tally.sent++;
  const reply = await api.send(method, path, body).catch(() => null);
  if (reply === null) tally.cut++;
  else if (reply.status === 503) tally.unavailable++;
  else {
    expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status);
    tally.done++;
    return Link.parse(reply.body);
  }
  return null;
}

function apiOf(number: number): ApiClient {
  const api = installation.apis[number % AFTERWARDS];
  if (!api) throw new Error("no isolate");
  return api;
}

async function makeLinks(): Promise<{ ids: string[]; visited: Link[]; changed: Link[] }> {
  const ids = await apiOf(0).createLinks(Array.from({ length: LINKS }, (_, i) => `old-${i}`));
  const some = (count: number) =>
    Promise.all(Array.from({ length: count }, () => apiOf(0).createLink({ url: DEFAULT_URL, routing: ROUTING })));
  return { ids, visited: await some(VISITED), changed: await some(CHANGED) };
}

test(
  `half of the buckets move under load, with ${SERVER_KILLS} kills of the server and two of the command`,
  async () => {
    const { ids, visited, changed } = await makeLinks();
    const kills: Kill[] = [];
    const [creations, changes] = [new Tally(), new Tally()];
    const created: Link[] = [];
    /** URLs of each link: the last change that was answered, and later ones that may have been made. */
    const urls = new Map(changed.map(({ id }) => [id, [DEFAULT_URL]]));
    let isOver = false;

    const runner = await CommandRunner.start(installation.url, installation.operatorToken);
    let steps = 0;
    let restarting = Promise.resolve();
    const kill = async () => {
      const at = performance.now();
      await installation.kill();
      kills.push({ at, restartedAt: performance.now() });
    };
    const prepare = async (path: string) => {
      await restarting;
      await visitors.waitForVisits(STEP_VISITS);
      // While the step runs, as its request is forwarded now.
      if (path.endsWith("/moves") && steps++ % 2 === 0 && kills.length < SERVER_KILLS) restarting = pause(5).then(kill);
    };
    // In sequence: a request of a killed command may still wait when the next command begins.
    let prepared = Promise.resolve();
    runner.beforeRequest = (path) => (prepared = prepared.then(() => prepare(path)));
    const command = ["links", "databases", "move", "--buckets", MOVED_RANGE, "--to", "LINKS_1"];
    const moving = (async () => {
      await visitors.waitForVisits(STEP_VISITS);
      for (const request of [2, 4]) expect(await runner.runUntilRequest(request, ...command)).toBe(true);
      return runner.run(...command, "--json");
    })().finally(() => (isOver = true));

    const creating = atRate(
      CREATIONS_PER_SECOND,
      () => isOver,
      async (number) => {
        const link = await send(creations, apiOf(number), "POST", "/v1/links", { url: DEFAULT_URL, routing: ROUTING });
        if (!link) return;
        created.push(link);
        await visitors.visit(link, number % AFTERWARDS);
      },
    );
    const changing = atRate(
      CHANGES_PER_SECOND,
      () => isOver,
      async (number) => {
        const link = changed[number % CHANGED];
        if (!link) return;
        const url = `https://example.com/${number}`;
        const possible = urls.get(link.id) ?? [];
        possible.push(url);
        if (await send(changes, apiOf(number), "PATCH", `/v1/links/${link.id}`, { url, routing: [] })) {
          urls.set(link.id, possible.slice(possible.indexOf(url)));
        }
      },
    );
    await visitors.sendLoad(visited, VISITS_PER_SECOND, moving, [0, 1]);
    const report = JSON.parse((await moving).split("\n").find((line) => line.startsWith("{")) ?? "{}") as {
      next: string;
    };
    await Promise.all([creating, changing]);
    await runner.stop();

    // 503 means that a database starts or that a slow machine delays it: a visitor retries. It is never a 404.
    const unavailable = visitors.visits.filter(({ response }) => response?.status === 503);
    expectRedirected(visitors.visits.filter((visit) => visit.response !== null && !unavailable.includes(visit)));
    const isInKill = ({ sentAt }: Visit) =>
      kills.some(({ at, restartedAt }) => sentAt > at && sentAt < restartedAt + RESTART_MS);

    // From here on through the isolate that queries one database for each link.
    const api = installation.apis[AFTERWARDS];
    if (!api) throw new Error("no isolate");
    const lasting: Visit[] = [];
    for (const link of [...visited, ...created]) lasting.push(await visitors.visit(link, AFTERWARDS));
    expectRedirected(lasting);
    for (const [id, possible] of urls) {
      const { url } = Link.parse(await api.call("GET", `/v1/links/${id}`));
      expect(possible, id).toContain(url);
    }
    const expected = [
      ...ids,
      ...visited.map(({ id }) => id),
      ...changed.map(({ id }) => id),
      ...created.map(({ id }) => id),
    ];
    const listed = await listAll(api);
    expect(new Set(listed).size).toBe(listed.length);
    // A creation that was cut may have succeeded.
    expect(listed).toEqual(expect.arrayContaining(expected));
    expect(listed.length).toBeLessThanOrEqual(expected.length + creations.cut + creations.unavailable);
    const [home, moved] = [await installation.idsIn("DB"), await installation.idsIn("LINKS_1")];
    expect([...home, ...moved].sort()).toEqual(listed.sort());
    expect(moved.every((id) => bucketOfId(id) >= BUCKETS / 2)).toBe(true);
    expect(home.every((id) => bucketOfId(id) < BUCKETS / 2)).toBe(true);
    expect(report.next).toContain(`"LINKS_1":"${MOVED_RANGE}"`);
    console.log(
      [
        `${home.length + moved.length} links, ${moved.length} moved; ${kills.length} kills of the server, 2 of the command`,
        `visits     ${visitors.visits.length} sent, ${redirected(visitors.visits).length} redirected, none to a wrong place,`,
        `           ${unavailable.length} answered 503, of them ${unavailable.filter(isInKill).length} during a kill`,
        ...Object.entries({ creations, changes }).map(
          ([name, { sent, done, unavailable, cut }]) =>
            `${name.padEnd(10)} ${sent} sent, ${done} done, ${unavailable} answered 503, ${cut} cut by a kill`,
        ),
      ].join("\n"),
    );
    expect(kills).toHaveLength(SERVER_KILLS);
  },
  TIMEOUT_MS,
);

async function listAll(api: ApiClient): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ;) {
    const page = LinkPage.parse(await api.call("GET", `/v1/links?limit=100${cursor && `&cursor=${cursor}`}`));
    ids.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) return ids;
    cursor = page.next_cursor;
  }
}
