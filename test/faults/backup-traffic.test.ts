/**
 * An installation is backed up while its links are visited, changed, created and deleted. Each log in the backup is a
 * prefix of the link's log: no click in between is missing, and none occurs twice.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { readLastPart, readPart } from "../../src/cli/backup/parts.ts";
import { folderStore } from "../../src/cli/backup/places.ts";
import { BackupPage } from "../../src/core/contract/backup.ts";
import type { Click } from "../../src/core/contract/clicks.ts";
import { Stats } from "../../src/core/contract/stats.ts";
import { ApiClient } from "../support/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { CommandRunner } from "./killed-command.ts";
import { type Installation, TwoInstallations } from "./two-installations.ts";

/** More than two pages. */
const LINKS = 70;
/** Clicks of the first link: more than a page holds of one log. */
const LONG_LOG_CLICKS = 10_000;
const CLICKS_EACH = 5;
/** Number of links that get more clicks before each request. */
const SEEDED_AT_ONCE = 9;
/** Request at which the command is killed before it is resumed. */
const KILL_AT_REQUEST = 6;
/** Number of links that are deleted during the backup, taken from the end. */
const DELETED = 3;
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 600_000;

let installations: TwoInstallations;
let account: Awaited<ReturnType<TwoInstallations["newAccount"]>>;
let links: string[];
let deleted: string[];
const folder = mkdtempSync(join(tmpdir(), "hoplink-traffic-"));
const began = Date.now();
const RANGE = `from=${new Date(began - 2 * HOUR_MS).toISOString()}`;

beforeAll(async () => {
  installations = await TwoInstallations.start();
  account = await installations.newAccount();
  const all = await api("source").createLinks(Array.from({ length: LINKS }, (_, i) => `link-${i}`));
  [links, deleted] = [all.slice(0, -DELETED), all.slice(-DELETED)];
  for (const [i, id] of links.entries()) await seed(id, i === 0 ? LONG_LOG_CLICKS : CLICKS_EACH);
}, TIMEOUT_MS);

afterAll(async () => {
  await installations.stop();
  rmSync(folder, { recursive: true, force: true });
});

function api(installation: Installation): ApiClient {
  return new ApiClient(installations.urls[installation], account.live);
}

function seed(id: string, clicks: number): Promise<void> {
  return installations.seed({ id, clicks, codes: [], from: began - HOUR_MS, to: began });
}

/** Activity at the source before each request of the backup. Every link is changed and visited again and again. */
class Traffic {
  /** Ids of links that were created during the backup. */
  readonly made: string[] = [];
  /** The states of each link: the first, and one after every change. */
  readonly states = new Map<string, unknown[]>();
  /** Visits that were answered with a redirect. */
  redirected = 0;
  #steps = 0;

  async step(): Promise<void> {
    const step = ++this.#steps;
    const source = api("source");
    this.made.push((await source.createLink({ slug: `made-${step}` })).id);
    const [long = ""] = links;
    await Promise.all([long, ...someOf(links.slice(1), SEEDED_AT_ONCE - 1, step)].map((id) => seed(id, CLICKS_EACH)));
    const visited = [0, ...someOf(links.slice(1), 10, step).map((id) => links.indexOf(id))];
    await Promise.all(visited.map((i) => this.#visit(i)));
    for (const id of [long, ...someOf(links.slice(1), 3, step)]) {
      const change = { title: `step ${step}`, url: `https://example.com/${step}` };
      this.states.get(id)?.push(await source.call("PATCH", `/v1/links/${id}`, change));
    }
    const unwanted = deleted[step - 1];
    if (unwanted !== undefined) await source.send("DELETE", `/v1/links/${unwanted}`);
  }

  async #visit(i: number): Promise<void> {
    const { status } = await fetch(`${installations.urls.source}/link-${i}`, { redirect: "manual" });
    if (status === 302) this.redirected++;
  }
}

/** Different elements at each step. */
function someOf(ids: readonly string[], count: number, step: number): string[] {
  return Array.from({ length: count }, (_, i) => ids[(step * count + i) % ids.length] ?? "");
}

async function logsOf(installation: Installation): Promise<Map<string, Click[]>> {
  const logs = new Map<string, Click[]>();
  for (const id of links) logs.set(id, await api(installation).clicks({ id }));
  return logs;
}

function clicksIn(logs: ReadonlyMap<string, Click[]>): number {
  return [...logs.values()].reduce((sum, log) => sum + log.length, 0);
}

/** Sums the statistics, bots included. */
async function countedIn(installation: Installation): Promise<number> {
  let sum = 0;
  for (const id of links) {
    const path = `/v1/links/${id}/stats?${RANGE}&include_bots=true`;
    sum += Stats.parse(await api(installation).call("GET", path)).total;
  }
  return sum;
}

/** The statistics of a restored link are those of its log. */
async function expectCounted(id: string, log: readonly Click[]): Promise<void> {
  const humans = log.filter((click) => click.class === "human");
  for (const grouping of ["country", "browser", "referrer"] as const) {
    const path = `/v1/links/${id}/stats?${RANGE}&group_by=${grouping}`;
    const { total, buckets } = Stats.parse(await api("target").call("GET", path));
    expect(total).toBe(humans.length);
    for (const { key, clicks } of buckets.slice(0, 3))
      expect(clicks, key).toBe(humans.filter((click) => click[grouping] === key).length);
  }
}

/** The number of parts of the backup that contain a link's log. */
async function partsOfLog(id: string): Promise<number> {
  const store = folderStore(folder);
  let count = 0;
  for (let part = await readLastPart(store); part;) {
    const logs = part.pages.flatMap((page) => BackupPage.parse(JSON.parse(page)).logs);
    count += logs.filter((log) => log.id === id).length;
    part = part.previous && (await readPart(store, part.previous.name, part.previous.sha256));
  }
  return count;
}

test(
  "a backup taken while links are visited and changed contains a prefix of each link's clicks",
  async () => {
    const traffic = new Traffic();
    for (const id of links) traffic.states.set(id, [await api("source").call("GET", `/v1/links/${id}`)]);
    const before = await logsOf("source");
    const taker = await CommandRunner.start(installations.urls.source, await installations.operatorToken("source"));
    taker.beforeRequest = () => traffic.step();
    expect(await taker.runUntilRequest(KILL_AT_REQUEST, "backup", "--to", folder)).toBe(true);
    await taker.run("backup", "--to", folder);
    await taker.stop();
    expect(await partsOfLog(links[0] ?? ""), "parts of the long log").toBeGreaterThan(1);
    const made = clicksIn(before) + traffic.made.length * SEEDED_AT_ONCE * CLICKS_EACH + traffic.redirected;
    await eventually(async () => (await countedIn("source")) >= made, "the visits of all steps are counted");
    const after = await logsOf("source");
    expect(clicksIn(after)).toBe(made);

    const restorer = await CommandRunner.start(installations.urls.target, await installations.operatorToken("target"));
    await restorer.run("restore", "--from", folder);
    await restorer.stop();
    const restored = await logsOf("target");
    for (const [id, log] of restored) {
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
      expect(log).toEqual(after.get(id)?.slice(0, log.length));
      expect(log.length).toBeGreaterThanOrEqual(before.get(id)?.length ?? 0);
      await expectCounted(id, log);
    }
    for (const id of links)
      expect(traffic.states.get(id)).toContainEqual(await api("target").call("GET", `/v1/links/${id}`));
    // The first was created before the backup began.
    for (const [i, id] of traffic.made.entries())
      expect((await api("target").send("GET", `/v1/links/${id}`)).status).toBe(i === 0 ? 200 : 404);
    // Some clicks came early enough, and some too late.
    expect(clicksIn(restored)).toBeGreaterThan(clicksIn(before));
    expect(clicksIn(restored)).toBeLessThan(clicksIn(after));
  },
  TIMEOUT_MS,
);
