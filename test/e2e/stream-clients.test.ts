/**
 * The clients of the streaming guide, each in the newest version of its package and in the oldest that the guide names,
 * against the development server, through a proxy that breaks off. Each begins while all places of its key are taken, is
 * cut before the first click and within the frame of a later one, and gets every click, once and in order.
 */
import { spawnSync } from "node:child_process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { CreatedKey } from "../../src/core/contract/dashboard.ts";
import { STREAMS_MAX } from "../../src/core/limits.ts";
import { ApiClient } from "../support/api-client.ts";
import { BreakingProxy } from "../support/breaking-proxy.ts";
import { startChromium } from "../support/chromium.ts";
import { demoAccountOf, type DevServer, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { openRawStream } from "../support/raw-stream.ts";
import { browserClient, nodeClient, pythonClient, type StartClient } from "../support/stream-clients.ts";

/** Of each step: the whole takes about 8 s. */
const STEP_TIMEOUT_MS = 20_000;
const TEST_TIMEOUT_MS = 120_000;
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

const FETCH_EVENT_SOURCE = "@microsoft/fetch-event-source";
const inBrowser = (section: string, from: string, to: string) => browserClient(() => browser, section, from, to);
const CLIENTS: [name: string, start: StartClient][] = [
  ["eventsource, newest", nodeClient("Node", "eventsource", "eventsource")],
  ["eventsource, oldest", nodeClient("Node", "eventsource", "eventsource-oldest")],
  ["eventsource-parser, newest", inBrowser("Browser", "eventsource-parser/stream", "eventsource-parser/stream")],
  ["eventsource-parser, oldest", inBrowser("Browser", "eventsource-parser/stream", "eventsource-parser-oldest/stream")],
  ["fetch-event-source, newest", inBrowser("Browser, with fetch-event-source", FETCH_EVENT_SOURCE, FETCH_EVENT_SOURCE)],
  [
    "fetch-event-source, oldest",
    inBrowser("Browser, with fetch-event-source", FETCH_EVENT_SOURCE, "fetch-event-source-oldest"),
  ],
];

// Five at a time: each has five places, and the account twenty-five.
test.concurrent.for(CLIENTS)(
  "%s: no place at first, cut twice, no click is lost",
  { timeout: TEST_TIMEOUT_MS },
  ([, start]) => loseNothing(start),
);

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const missing = hasPython ? "" : " (skipped: there is no python3)";
test
  .skipIf(!hasPython)
  .concurrent(`Python's standard library: the same${missing}`, { timeout: TEST_TIMEOUT_MS }, () =>
    loseNothing(pythonClient("Python")),
  );

async function loseNothing(start: StartClient): Promise<void> {
  const key = await newKey();
  const api = new ApiClient(server.base, key);
  const link = await api.createLink();
  const { host } = new URL(server.base);
  const openStream = () => openRawStream(server.base, host, { Authorization: `Bearer ${key}` });
  const others = await Promise.all(Array.from({ length: STREAMS_MAX.free }, openStream));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  const proxy = await BreakingProxy.start(server.base);
  const client = await start({ BASE: `http://127.0.0.1:${proxy.port}`, KEY: key });
  const countriesShown = () => countriesIn(client.shown().split("\n"), link.slug);
  const visitFrom = async (countries: readonly string[]) => {
    for (const country of countries) {
      await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
    }
  };
  try {
    await eventually(() => proxy.statuses.includes(429), "a refusal", STEP_TIMEOUT_MS);
    const isReady = proxy.cutBehind("event: ready\ndata: {}\n\n", "ended");
    for (const { socket } of others) socket.destroy();
    await inTime(isReady, "the first event");
    await visitFrom(COUNTRIES.slice(0, 3));
    await api.totalOnceRecorded([link.id], 3);
    proxy.mend();
    await eventually(() => countriesShown().length === 3, "the clicks of meanwhile", STEP_TIMEOUT_MS);
    const isCut = proxy.cutBehind(`"short_url":"${link.short_url}"`, "broken");
    await visitFrom(COUNTRIES.slice(3));
    await inTime(isCut, "a later click");
    proxy.mend();
    await eventually(() => countriesShown().length >= COUNTRIES.length, "all clicks", STEP_TIMEOUT_MS);
    expect(countriesShown()).toEqual(COUNTRIES);
  } catch (error) {
    throw new Error(`The client showed:\n${client.shown()}\n${proxy.statuses}`, { cause: error });
  } finally {
    await client.stop();
    proxy.stop();
    for (const { socket } of others) socket.destroy();
  }
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
    body: JSON.stringify(demoAccountOf(server, "Free")),
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
