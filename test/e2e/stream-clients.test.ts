/**
 * The clients of the streaming guide, each in the newest version of its package and in the oldest that the guide names,
 * against the development server, through a proxy that breaks off. Each begins while all places of its key are taken, is
 * cut before the first click and within the frame of a later one, and gets every click, once and in order.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { CreatedKey } from "../../src/core/contract/dashboard.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { STREAMS_MAX } from "../../src/core/limits.ts";
import { ApiClient } from "../support/api-client.ts";
import { BreakingProxy } from "../support/breaking-proxy.ts";
import { startChromium } from "../support/chromium.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { ExamplesToTake } from "../support/examples.ts";
import { program } from "../support/programs.ts";
import { openRawStream, type RawStream } from "../support/raw-stream.ts";
import {
  browserClient,
  nodeClient,
  pythonClient,
  type StartClient,
  type StreamClient,
} from "../support/stream-clients.ts";

/** Of each step: the whole takes about 8 s, and 25 in the dashboard, which polls for 16 before it tries the stream again. */
const STEP_TIMEOUT_MS = 40_000;
const TEST_TIMEOUT_MS = 240_000;
/** Where the visitors come from, by which a click is known in what a client shows. */
const COUNTRIES = ["DE", "FR", "US", "JP", "BR", "IN", "AU"];

let server: DevServer;
let browser: Browser;
let session: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startDevServer(), startChromium()]);
  session = await signIn();
});

afterAll(async () => {
  await browser?.close();
  await server?.remove();
});

const examples = new ExamplesToTake(import.meta.filename);
/** The program that loads a package, with another one in its place. */
const programWith = (name: string, other = name) =>
  examples.take(new RegExp(`from "${name}"`)).replace(`"${name}"`, `"${other}"`);
const inBrowser = (name: string, other?: string) => browserClient(() => browser, programWith(name, other));

const FETCH_EVENT_SOURCE = "@microsoft/fetch-event-source";
const CLIENTS: [name: string, start: StartClient][] = [
  ["eventsource, newest", nodeClient(programWith("eventsource"))],
  ["eventsource, oldest", nodeClient(programWith("eventsource", "eventsource-oldest"))],
  ["eventsource-parser, newest", inBrowser("eventsource-parser/stream")],
  ["eventsource-parser, oldest", inBrowser("eventsource-parser/stream", "eventsource-parser-oldest/stream")],
  ["fetch-event-source, newest", inBrowser(FETCH_EVENT_SOURCE)],
  ["fetch-event-source, oldest", inBrowser(FETCH_EVENT_SOURCE, "fetch-event-source-oldest")],
];

// Five at a time: each has five places, and the account twenty-five.
test.concurrent.for(CLIENTS)(
  "%s: no place at first, cut twice, no click is lost",
  { timeout: TEST_TIMEOUT_MS },
  ([, start]) => loseNothing(start),
);

const python = program("python3");
const pythonProgram = examples.take(/^import http\.client/);
test
  .skipIf(!python.isThere)
  .concurrent(`Python's standard library: the same${python.missing}`, { timeout: TEST_TIMEOUT_MS }, () =>
    loseNothing(pythonClient(pythonProgram)),
  );

test("every program of the guide is run", () => {
  expect(examples.left).toEqual([]);
});

async function loseNothing(start: StartClient): Promise<void> {
  const key = await newKey();
  const link = await new ApiClient(server.base, key).createLink();
  const proxy = await BreakingProxy.start(server.base);
  const open = () => openRawStream(server.base, new URL(server.base).host, { Authorization: `Bearer ${key}` });
  await goThroughCuts(link, proxy, open, () => start({ BASE: `http://127.0.0.1:${proxy.port}`, KEY: key }));
}

/** @param open  takes one of the client's places @param start  the client, behind the proxy */
async function goThroughCuts(
  link: Link,
  proxy: BreakingProxy,
  open: () => Promise<RawStream>,
  start: () => Promise<StreamClient>,
): Promise<void> {
  const others = await Promise.all(Array.from({ length: STREAMS_MAX.free }, open));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  const client = await start();
  const countriesShown = async () => countriesIn((await client.shown()).split("\n"), link.slug);
  try {
    await eventually(() => proxy.statuses.includes(429), "a refusal", STEP_TIMEOUT_MS);
    const isReady = proxy.cutBehind("event: ready\ndata: {}\n\n", "ended");
    for (const { socket } of others) socket.destroy();
    await inTime(isReady, "the first event");
    await visitFrom(link, COUNTRIES.slice(0, 3));
    proxy.mend();
    await eventually(async () => (await countriesShown()).length === 3, "the clicks of meanwhile", STEP_TIMEOUT_MS);
    const isCut = proxy.cutBehind(`"short_url":"${link.short_url}"`, "broken");
    await visitFrom(link, COUNTRIES.slice(3));
    await inTime(isCut, "a later click");
    proxy.mend();
    await eventually(async () => (await countriesShown()).length >= COUNTRIES.length, "all clicks", STEP_TIMEOUT_MS);
    expect(await countriesShown()).toEqual(COUNTRIES);
  } catch (error) {
    throw new Error(`The client showed:\n${await client.shown()}\n${proxy.statuses}`, { cause: error });
  } finally {
    await client.stop();
    proxy.stop();
    for (const { socket } of others) socket.destroy();
  }
}

async function visitFrom(link: Link, countries: readonly string[]): Promise<void> {
  for (const country of countries) {
    await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
  }
}

test("the dashboard: the same", { timeout: TEST_TIMEOUT_MS }, async () => {
  const link = await new ApiClient(server.base, await newKey()).createLink();
  const proxy = await BreakingProxy.start(server.base);
  const { host } = new URL(server.base);
  const headers = { Cookie: session, "Hoplink-Mode": "live" };
  const open = () => openRawStream(server.base, host, headers, `/dashboard/api/events/stream?link_id=${link.id}`);
  await goThroughCuts(link, proxy, open, () => openLinkPage(link, `MAP ${host} 127.0.0.1:${proxy.port}`));
});

/** @param resolverRule  leads the browser through the proxy, under the server's own origin */
async function openLinkPage({ id, slug }: Link, resolverRule: string): Promise<StreamClient> {
  const throughProxy = await startChromium([`--host-resolver-rules=${resolverRule}`]);
  const page = await throughProxy.newPage();
  const cookies = session.split("; ").map((cookie) => cookie.split("=", 2) as [name: string, value: string]);
  await page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url: server.base })));
  await page.goto(`${server.base}/dashboard/links/${id}`);
  const nameOf = new Intl.DisplayNames("en", { type: "region" });
  const shown = async () => {
    const rows = await page.getByRole("list", { name: "Latest clicks" }).getByRole("listitem").allInnerTexts();
    const countryOf = (row: string) => COUNTRIES.find((country) => row.includes(nameOf.of(country) ?? country));
    return rows
      .toReversed()
      .map((row) => `/${slug} ${countryOf(row) ?? row}`)
      .join("\n");
  };
  return { shown, stop: () => throughProxy.close() };
}

async function inTime(promise: Promise<void>, what: string): Promise<void> {
  let isDone = false;
  void promise.then(() => (isDone = true));
  await eventually(() => isDone, what, STEP_TIMEOUT_MS);
}

/** Of the clicks on one link: the account's stream has those of the other clients' links too. */
function countriesIn(lines: readonly string[], slug: string): string[] {
  const country = new RegExp(String.raw`\b(?:${COUNTRIES.join("|")})\b`, "g");
  return lines.filter((line) => line.includes(`/${slug}`)).flatMap((line) => line.match(country) ?? []);
}

/** @returns the session's cookies */
async function signIn(): Promise<string> {
  const response = await fetch(`${server.base}/dashboard/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: server.base },
    body: JSON.stringify(server.accounts.Free),
  });
  expect(response.status).toBe(200);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

/** Each client has a key of its own, and its places. */
async function newKey(): Promise<string> {
  const response = await fetch(`${server.base}/dashboard/api/keys`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: server.base, Cookie: session },
    body: JSON.stringify({ name: "a stream client", mode: "live" }),
  });
  return CreatedKey.parse(await response.json()).key;
}
