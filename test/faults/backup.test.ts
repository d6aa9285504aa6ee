/**
 * An installation is backed up and restored into an empty one while the commands are killed again and again. Both
 * installations give the same answers to every request.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Papa from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";

import { requestHost } from "../../src/cli/deployment/host-request.ts";
import type { Click } from "../../src/core/contract/clicks.ts";
import { Link } from "../../src/core/contract/links.ts";
import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { LinkRevisionPage } from "../../src/core/contract/link-revisions.ts";
import { type Grouping, GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import { ApiClient } from "../support/api-client.ts";
import { type Control, CONTROLS, DESTINATION, seenByVisitors } from "../support/controlled-links.ts";
import { eventually } from "../support/eventually.ts";
import { RED_PNG } from "../support/sample-images.ts";
import { CommandRunner } from "./killed-command.ts";
import { shortOrLong } from "./suite-length.ts";
import { type Installation, PASSWORD, TwoInstallations } from "./two-installations.ts";

const LINKS = shortOrLong(100, 1_000);
const CLICKS = shortOrLong(40_000, 1_000_000);
const KILLS = shortOrLong(5, 10);
const TIMEOUT_MS = shortOrLong(900_000, 3_600_000);
const DAY_MS = 86_400_000;
const ROUTING = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const LINKS_AT_ONCE = 8;
const DOMAIN = "controlled.example";
/** Every grouping is compared for these links, the ones with the most clicks; only some groupings for the others. */
const LINKS_COMPARED_WHOLLY = shortOrLong(10, 100);
const SOME_GROUPINGS: readonly Grouping[] = ["city", "rule", "qr"];

let installations: TwoInstallations;
let account: Awaited<ReturnType<TwoInstallations["newAccount"]>>;
let live: string[];
let codes: QrCode[];
let owner: typeof account;
let controlled: [Control, Link][];
const folder = mkdtempSync(join(tmpdir(), "hoplink-backup-"));
const until = Date.now();

beforeAll(async () => {
  installations = await TwoInstallations.start();
  account = await installations.newAccount();
  ({ live, codes } = await fill());
  owner = await installations.newAccount();
  controlled = await makeControlledLinks();
}, TIMEOUT_MS);

afterAll(async () => {
  await installations.stop();
  rmSync(folder, { recursive: true, force: true });
});

function api(installation: Installation, key = account.live): ApiClient {
  return new ApiClient(installations.urls[installation], key);
}

const IMPORT = `imp_${"1".repeat(32)}`;

/** Links of every kind, with few and with many clicks, under two revisions. */
async function fill() {
  const source = api("source");
  const slugs = Array.from({ length: LINKS }, (_, i) => `link-${i}`);
  const live = await source.createLinks(slugs);
  const [erased = "", deleted = "", changed = "", disabled = "", coded = ""] = live.slice(-5);
  const clicks = [1, 2].map((day) => ({ at: new Date(until - (40 - day) * DAY_MS).toISOString(), country: "DE" }));
  const sum = { clicks: 100, until: new Date(until).toISOString(), source: "bitly" };
  for (const id of [live[0], disabled]) await source.call("PUT", `/v1/imports/${IMPORT}/links/${id}`, { clicks });
  await source.call("PUT", `/v1/imports/${IMPORT}/links/${coded}`, { clicks_before: sum });
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
    const change = { url: `https://example.com/${half}`, title: "=1+1 名", tags: ["Blue", `half ${half}`] };
    for (const id of [live[0], changed]) await source.call("PATCH", `/v1/links/${id}`, change);
  }
  const tested = await api("source", account.test).createLink({ slug: "tested" });
  await installations.seed({ id: tested.id, clicks: 50, codes: [], from: until - DAY_MS, to: until - 60_000 });
  await source.send("DELETE", `/v1/links/${deleted}`);
  await source.send("DELETE", `/v1/links/${erased}`);
  const disableSql = "UPDATE links SET disabled_at = ?1, revision = revision + 1 WHERE id = ?2";
  await installations.changeLinks(disableSql, until, disabled);
  await installations.changeLinks("UPDATE links SET erase_at = ?1 WHERE id = ?2", until, erased);
  return { live, codes };
}

/** Links of another account with every control of visits, a named code, and a domain with all settings. */
async function makeControlledLinks(): Promise<[Control, Link][]> {
  const source = api("source", owner.live);
  const links: [Control, Link][] = [];
  for (const control of CONTROLS) {
    const { id } = await source.createLink({ url: DESTINATION, ...control.fields("controlled") });
    if (control.name === "social") await uploadImage(id);
    // A changed link has a history.
    links.push([control, (await source.call("PATCH", `/v1/links/${id}`, { title: control.name })) as Link]);
  }
  await source.call("POST", "/v1/qr", { link_id: links[0]?.[1].id, format: "svg", name: "Poster", archived: true });
  const domain = (await source.call("POST", "/v1/domains", { domain: DOMAIN })) as { id: string };
  const settings = { expired_url: "https://example.com/over", peek: false, well_known: { "assetlinks.json": [] } };
  await source.call("PATCH", `/v1/domains/${domain.id}`, settings);
  const activeSql = "UPDATE domains SET status = 'active', verified_at = 1, check_started_at = ?1 WHERE domain = ?2";
  await installations.changeLinks(activeSql, until, DOMAIN);
  await source.createLink({ domain: DOMAIN, slug: "open" });
  const over = await source.createLink({ domain: DOMAIN, slug: "over" });
  await source.call("PATCH", `/v1/links/${over.id}`, { expires_at: "2020-01-01T00:00:00Z" });
  return links;
}

async function uploadImage(id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${owner.live}` };
  const url = `${installations.urls.source}/v1/links/${id}/social/image`;
  expect((await fetch(url, { method: "PUT", headers, body: RED_PNG })).status).toBe(200);
}

/** The responses to visits of the restored domain. */
function seenOnDomain(paths: readonly string[]): Promise<[number, string | null][]> {
  const { host } = new URL(installations.urls.target);
  const visits = paths.map(async (path): Promise<[number, string | null]> => {
    const { status, location, body } = await requestHost(`http://${DOMAIN}${path}`, {}, host);
    return [status, status === 200 ? body : location];
  });
  return Promise.all(visits);
}

/** Links with controls are restored with their histories, images, codes and passwords, and obey them. */
async function expectControlsKept(): Promise<void> {
  const revisions = controlled.map(([, { id }]) => `/v1/links/${id}/revisions`);
  for (const path of ["/v1/links?archived=any&limit=100", "/v1/qr?archived=true", "/v1/domains", ...revisions]) {
    const [restored, original] = [api("target", owner.live), api("source", owner.live)];
    expect(await restored.call("GET", path), path).toEqual(await original.call("GET", path));
  }
  const { source, target } = installations.urls;
  for (const [control, { short_url, social }] of controlled) {
    const seen = await seenByVisitors(short_url.replace(source, target), control, fetch);
    expect(seen, control.name).toEqual(control.gets);
    const image = social?.image ?? "";
    if (!image.startsWith(source)) continue;
    expect(new Uint8Array(await (await fetch(image.replace(source, target))).arrayBuffer())).toEqual(RED_PNG);
  }
  expect(await seenOnDomain(["/open", "/open+", "/over", "/.well-known/assetlinks.json"])).toEqual([
    [302, "https://example.com/"],
    [404, null],
    [302, "https://example.com/over"],
    [200, "[]"],
  ]);
}

/** The API's answers about a link, with its statistics by every grouping or by some. */
async function answersAbout(client: ApiClient, id: string): Promise<unknown[]> {
  const groupings = live.indexOf(id) < LINKS_COMPARED_WHOLLY ? GROUPINGS : SOME_GROUPINGS;
  const range = `from=${new Date(until - 40 * DAY_MS).toISOString()}&to=${new Date(until).toISOString()}`;
  const paths = [
    "",
    "/clicks?limit=20",
    "/revisions?limit=100",
    `/stats?${range}&interval=hour`,
    ...groupings.map((grouping) => `/stats?${range}&interval=day&include_bots=true&group_by=${grouping}`),
  ];
  const responses = await Promise.all(paths.map((path) => client.send("GET", `/v1/links/${id}${path}`)));
  return responses.map(({ status, body }) => (status === 200 ? body : status));
}

/** The API's answers about an account. */
async function answersAboutAccount(installation: Installation): Promise<unknown> {
  const [client, tester] = [api(installation), api(installation, account.test)];
  const paths = [
    `/v1/imports/${IMPORT}`,
    "/v1/links?limit=100",
    "/v1/qr",
    "/v1/domains",
    "/v1/me",
    ...codes.map(({ id }) => `/v1/qr/${id}`),
  ];
  const answers = await Promise.all(paths.map((path) => client.call("GET", path)));
  const url = installations.urls[installation];
  const images = codes.map(async (code) => (await fetch(`${url}/cdn/${new URL(code.url).pathname.slice(5)}`)).text());
  // The usage of bulk requests stays with the installation that counted it.
  for (const { limits = {} } of answers as { limits?: Record<string, unknown> }[]) {
    delete limits["bulk_links_per_minute"];
    delete limits["bulk_links_per_day"];
  }
  return [...answers, await tester.call("GET", "/v1/links"), await Promise.all(images)];
}

const ALL_LINKS_STREAM = "/v1/events/stream";

/** Streams of the account, and of a link that changes after the backup. */
const streamPaths = () => [ALL_LINKS_STREAM, `${ALL_LINKS_STREAM}?link_id=${live[1]}`];

/** @returns what a stream sends until it is ready */
async function readStream(installation: Installation, path: string, lastEventId: string | null): Promise<string> {
  const stop = new AbortController();
  const headers = { Authorization: `Bearer ${account.live}`, ...(lastEventId && { "Last-Event-ID": lastEventId }) };
  const response = await fetch(installations.urls[installation] + path, { headers, signal: stop.signal });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("event: ready\ndata: {}\n\n")) break;
  }
  stop.abort();
  return text;
}

function lastIdIn(text: string): string {
  return [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
}

/** Whatever was valid before the backup is valid in the restored installation. */
async function expectServesOn(): Promise<void> {
  const url = installations.urls.target;
  const signIn = await fetch(`${url}/dashboard/api/auth/sign-in/email`, {
    method: "POST",
    headers: { Origin: installations.urls.source, "Content-Type": "application/json" },
    body: JSON.stringify({ email: account.email, password: PASSWORD }),
  });
  expect(signIn.status).toBe(200);
  const visit = (slug: string) => fetch(`${url}/${slug}`, { redirect: "manual" });
  const link = { id: live[2] ?? "" };
  const before = await api("target").total(link);
  expect((await visit("link-2")).status).toBe(302);
  await eventually(async () => (await api("target").total(link)) === before + 1, "the click counts");
  expect((await visit(`link-${LINKS - 4}`)).status).toBe(410);
  expect((await visit(`link-${LINKS - 2}`)).status).toBe(410);
  const again = { url: "https://example.com/", slug: `link-${LINKS - 4}` };
  expect((await api("target").send("POST", "/v1/links", again)).status).toBe(409);
}

/** Clients reconnect with their last id, which comes from an installation that kept running after the backup. */
async function expectCursorsLeadOn(texts: readonly string[]): Promise<void> {
  const [ofAccount = "", ofLink = ""] = texts;
  const account = await readStream("target", ALL_LINKS_STREAM, lastIdIn(ofAccount));
  expect(account).toContain("event: gap");
  const [, linkPath = ""] = streamPaths();
  expect(lastIdIn(await readStream("target", linkPath, lastIdIn(ofLink)))).toBe(lastIdIn(ofLink));
  await installations.seed({ id: live[1] ?? "", clicks: 5, codes: [], from: until, to: Date.now() });
  const lost = lastIdIn(await readStream("source", linkPath, null));
  const resumed = await readStream("target", linkPath, lost);
  expect(resumed).toContain("event: ready");
  expect(resumed).not.toContain("event: click");
}

/** @param requestOf  the number of the request at which the command is killed, for the first kill, the second, … */
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

test(
  `${LINKS} links with ${CLICKS} clicks are restored unchanged, through ${KILLS} kills of either command`,
  async () => {
    const taker = await CommandRunner.start(installations.urls.source, await installations.operatorToken("source"));
    const restorer = await CommandRunner.start(installations.urls.target, await installations.operatorToken("target"));
    const cursors = await Promise.all(streamPaths().map((path) => readStream("source", path, null)));
    const began = performance.now();
    // Early enough that work remains after the last kill: parts and pages of a killed command stay.
    await killRepeatedly(taker, (kill) => 2 + (kill % 4), "backup", "--to", folder);
    const taken = performance.now();
    await killRepeatedly(restorer, (kill) => 2 + (kill % 2), "restore", "--from", folder);
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
    await expectControlsKept();
    await expectServesOn();
    await expectCursorsLeadOn(cursors);
    await expect(restorer.run("restore", "--from", folder)).rejects.toThrow(
      "Restore the backup to an empty installation",
    );
    console.log(
      `backup of ${LINKS} links and ${clicks} clicks: ${(bytesIn(folder) / 1e6).toFixed(1)} MB,`,
      `${((taken - began) / 1_000).toFixed(1)} s with ${KILLS} kills; restore`,
      `${((restored - taken) / 1_000).toFixed(1)} s; compared in ${((performance.now() - restored) / 1_000).toFixed(1)} s`,
    );
    await taker.stop();
    await restorer.stop();
  },
  TIMEOUT_MS,
);

test(
  "an account's links and clicks are exported as NDJSON and CSV, with the names of the API",
  async () => {
    const runner = await CommandRunner.start(installations.urls.source, await installations.operatorToken("source"));
    const to = join(folder, "export");
    await runner.run("export", "--account", account.email, "--to", to);
    await expect(runner.run("export", "--account", account.email, "--to", to)).rejects.toThrow("is not empty");
    await expect(runner.run("export", "--account", "unknown@example.com", "--to", `${to}-2`)).rejects.toThrow(
      "No account has this ID or email address",
    );
    await runner.stop();
    const read = (name: string) => readFileSync(join(to, name), "utf8");
    const objectsIn = (name: string) =>
      read(name)
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const tableIn = (name: string) =>
      Papa.parse<Record<string, string>>(read(name), { header: true, skipEmptyLines: true }).data;

    const links = objectsIn("links.ndjson");
    // All but the erased one and the test key's.
    expect(links.map(({ id }) => id).slice(0, -1)).toEqual(live.filter((_, i) => i !== LINKS - 5).sort());
    const [first = {}] = links;
    const known = Link.parse(await api("source").call("GET", `/v1/links/${live[0]}`));
    expect(links).toContainEqual({ ...known, mode: "live", state: "active" });
    expect(first).toMatchObject({ mode: "live" });
    const row = tableIn("links.csv").find(({ id }) => id === live[0]);
    expect(row).toMatchObject({
      short_url: known.short_url,
      title: "'=1+1 名",
      routing: JSON.stringify(known.routing),
    });

    const revisions = objectsIn("revisions.ndjson");
    expect(tableIn("revisions.csv")).toHaveLength(revisions.length);
    const history = LinkRevisionPage.parse(await api("source").call("GET", `/v1/links/${live[0]}/revisions?limit=100`));
    expect(history.data.length).toBeGreaterThan(2);
    const ofLink = { link_id: live[0], short_url: known.short_url };
    expect(revisions.filter(({ link_id }) => link_id === live[0])).toEqual(
      history.data.map((each) => ({ ...ofLink, ...each })),
    );

    const clicks = objectsIn("clicks.ndjson");
    expect(tableIn("clicks.csv")).toHaveLength(clicks.length);
    // Parsing a million rows takes longer than the server keeps a connection: a turn lets fetch see it close.
    await setImmediate();
    const ofFirst = clicks.filter(({ link_id }) => link_id === live[0]);
    const from = new Date(until - 40 * DAY_MS).toISOString();
    const path = `/v1/links/${live[0]}/stats?include_bots=true&from=${from}`;
    expect(await api("source").call("GET", path)).toMatchObject({ total: ofFirst.length });
    const { link_id, short_url, ...click } = ofFirst[9] ?? {};
    expect([link_id, short_url]).toEqual([live[0], known.short_url]);
    const page = (await api("source").call("GET", `/v1/links/${live[0]}/clicks?after=9&limit=1`)) as { data: Click[] };
    expect([click]).toEqual(page.data);
    expect(read("README.md")).toContain(account.email);
  },
  TIMEOUT_MS,
);
