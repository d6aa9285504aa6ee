/**
 * An installation is backed up and restored into an empty one while the commands are killed again and again: everything
 * that can be asked of either is answered the same.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { type Grouping, GROUPINGS } from "../../src/core/clicks/groupings.ts";
import { ApiClient } from "../support/api-client.ts";
import { CommandRunner } from "./killed-command.ts";
import { shortOrLong } from "./suite-length.ts";
import { type Installation, PASSWORD, TwoInstallations } from "./two-installations.ts";

const LINKS = shortOrLong(100, 1_000);
const CLICKS = shortOrLong(100_000, 1_000_000);
const KILLS = 10;
const DAY_MS = 86_400_000;
const ROUTING = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const LINKS_AT_ONCE = 8;
/** Of these links every grouping is compared, the first ones having most clicks; of the others some groupings. */
const LINKS_COMPARED_WHOLLY = shortOrLong(10, Infinity);
const SOME_GROUPINGS: readonly Grouping[] = ["city", "rule", "qr"];

let installations: TwoInstallations;
let account: Awaited<ReturnType<TwoInstallations["newAccount"]>>;
let live: string[];
let codes: QrCode[];
const folder = mkdtempSync(join(tmpdir(), "hoplink-backup-"));
const until = Date.now();

beforeAll(async () => {
  installations = await TwoInstallations.start();
  account = await installations.newAccount();
  ({ live, codes } = await fill());
}, 600_000);

afterAll(async () => {
  await installations.stop();
  rmSync(folder, { recursive: true, force: true });
});

function api(installation: Installation, key = account.live): ApiClient {
  return new ApiClient(installations.urls[installation], key);
}

/** Links of every kind, with few and with many clicks, under two revisions. */
async function fill() {
  const source = api("source");
  const slugs = Array.from({ length: LINKS }, (_, i) => `link-${i}`);
  const live = await source.createLinks(slugs);
  const [erased = "", deleted = "", changed = "", disabled = "", coded = ""] = live.slice(-5);
  for (const id of [live[0] ?? "", changed]) await source.call("PATCH", `/v1/links/${id}`, { routing: ROUTING });
  const codes: QrCode[] = [];
  for (const id of [live[0], coded, deleted, coded]) {
    codes.push(QrCode.parse(await source.call("POST", "/v1/qr", { link_id: id, format: "svg" })));
  }
  const weight = live.reduce((sum, _, i) => sum + 1 / (i + 1), 0);
  for (const half of [0, 1]) {
    for (let from = 0; from < live.length; from += LINKS_AT_ONCE) {
      const seeds = live.slice(from, from + LINKS_AT_ONCE).map((id, i) =>
        installations.seed({
          id,
          clicks: Math.ceil(CLICKS / 2 / weight / (from + i + 1)),
          codes: codes.filter(({ link_id }) => link_id === id).map((code) => code.id),
          from: until - (30 - 15 * half) * DAY_MS,
          to: until - (15 - 15 * half) * DAY_MS - 60_000,
        }),
      );
      await Promise.all(seeds);
    }
    const change = { url: `https://example.com/${half}`, title: "Ünïcode 名", tags: ["Blue", `half ${half}`] };
    for (const id of [live[0], changed]) await source.call("PATCH", `/v1/links/${id}`, change);
  }
  const tested = await api("source", account.test).createLink({ slug: "tested" });
  await installations.seed({ id: tested.id, clicks: 50, codes: [], from: until - DAY_MS, to: until - 60_000 });
  await source.send("DELETE", `/v1/links/${deleted}`);
  await source.send("DELETE", `/v1/links/${erased}`);
  const DB = await installations.database("source");
  await DB.prepare("UPDATE links SET disabled_at = ?1, revision = revision + 1 WHERE id = ?2").bind(until, disabled).run();
  await DB.prepare("UPDATE links SET erase_at = ?1 WHERE id = ?2").bind(until, erased).run();
  return { live, codes };
}

/** What the API answers about a link, its statistics by every grouping or by some. */
async function answersAbout(client: ApiClient, id: string): Promise<unknown[]> {
  const groupings = live.indexOf(id) < LINKS_COMPARED_WHOLLY ? GROUPINGS : SOME_GROUPINGS;
  const range = `from=${new Date(until - 40 * DAY_MS).toISOString()}&to=${new Date(until).toISOString()}`;
  const paths = [
    "",
    "/clicks?limit=20",
    `/stats?${range}&interval=hour`,
    ...groupings.map((grouping) => `/stats?${range}&interval=day&include_bots=true&group_by=${grouping}`),
  ];
  const responses = await Promise.all(paths.map((path) => client.send("GET", `/v1/links/${id}${path}`)));
  return responses.map(({ status, body }) => (status === 200 ? body : status));
}

/** What an account sees. */
async function answersAboutAccount(installation: Installation): Promise<unknown> {
  const [client, tester] = [api(installation), api(installation, account.test)];
  const paths = ["/v1/links?limit=100", "/v1/qr", "/v1/domains", "/v1/me", ...codes.map(({ id }) => `/v1/qr/${id}`)];
  const answers = await Promise.all(paths.map((path) => client.call("GET", path)));
  const url = installations.urls[installation];
  const images = codes.map(async (code) => (await fetch(`${url}/cdn/${new URL(code.url).pathname.slice(5)}`)).text());
  return [...answers, await tester.call("GET", "/v1/links"), await Promise.all(images)];
}

/** @param requestOf  at which request of its the command is killed, the first time, the second ... */
async function killRepeatedly(
  runner: CommandRunner,
  requestOf: (kill: number) => number,
  ...args: string[]
): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    expect(await runner.runUntilRequest(requestOf(kill), ...args), `killed ${kill} times`).toBe(true);
  }
  await runner.run(...args);
}

function bytesIn(path: string): number {
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(path, name)));
  return files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0);
}

test(`${LINKS} links with ${CLICKS} clicks are restored as they were, through ${KILLS} kills of either command`, async () => {
  const taker = await CommandRunner.start(installations.urls.source, await installations.operatorToken("source"));
  const restorer = await CommandRunner.start(installations.urls.target, await installations.operatorToken("target"));
  const began = performance.now();
  await killRepeatedly(taker, (kill) => 2 + kill, "backup", "--to", folder);
  const taken = performance.now();
  await killRepeatedly(restorer, (kill) => 2 + (kill % 4), "restore", "--from", folder);
  const restored = performance.now();

  expect(await answersAboutAccount("target")).toEqual(await answersAboutAccount("source"));
  let clicks = 0;
  for (let from = 0; from < live.length; from += LINKS_AT_ONCE) {
    const some = live.slice(from, from + LINKS_AT_ONCE);
    const compared = some.map(async (id) => {
      const answers = await answersAbout(api("source"), id);
      expect(await answersAbout(api("target"), id)).toEqual(answers);
      const [, , , stats] = answers;
      if (typeof stats === "object" && stats && "total" in stats) clicks += Number(stats.total);
    });
    await Promise.all(compared);
  }
  expect(clicks).toBeGreaterThan(CLICKS * 0.9);
  console.log(
    `backup of ${LINKS} links and ${clicks} clicks: ${(bytesIn(folder) / 1e6).toFixed(1)} MB,`,
    `${((taken - began) / 1_000).toFixed(1)} s with ${KILLS} kills; restore`,
    `${((restored - taken) / 1_000).toFixed(1)} s; compared in ${((performance.now() - restored) / 1_000).toFixed(1)} s`,
  );
  await taker.stop();
  await restorer.stop();
}, 900_000);
