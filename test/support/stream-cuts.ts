/**
 * A test of a client of the stream, through a proxy that breaks off. The client begins while all slots of its key are
 * taken. It is interrupted before the first click and within the frame of a later one, and gets every click, once and
 * in order.
 */
import { expect } from "vitest";

import { CreatedKey } from "../../src/core/contract/dashboard.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { STREAMS_MAX } from "../../src/core/limits.ts";
import { ApiClient } from "./api-client.ts";
import { BreakingProxy } from "./breaking-proxy.ts";
import { type DevServer, startDevServer } from "./dev-server.ts";
import { eventually } from "./eventually.ts";
import { openRawStream, type RawStream } from "./raw-stream.ts";
import type { StartClient, StreamClient } from "./stream-clients.ts";

/** Per step: the whole takes about 8 s, and 25 in the dashboard, which polls for 16 before it retries the stream. */
const STEP_TIMEOUT_MS = 40_000;
export const CUTS_TIMEOUT_MS = 240_000;
/** The visitors' countries, which identify a click in a client's output. */
export const COUNTRIES = ["DE", "FR", "US", "JP", "BR", "IN", "AU"];

export class StreamCuts {
  readonly server: DevServer;
  /** The cookies of a person at the dashboard. */
  readonly session: string;

  private constructor(server: DevServer, session: string) {
    this.server = server;
    this.session = session;
  }

  /** @param starting  one to use, instead of a new one */
  static async start(starting = startDevServer()): Promise<StreamCuts> {
    const server = await starting;
    return new StreamCuts(server, await signIn(server));
  }

  remove(): Promise<void> {
    return this.server.remove();
  }

  /** Tests a client that has a key. */
  async loseNothing(start: StartClient): Promise<void> {
    const key = await this.#newKey();
    const link = await new ApiClient(this.server.base, key).createLink();
    const open = () => openRawStream(this.server.base, this.#host, { Authorization: `Bearer ${key}` });
    await this.#goThrough(link, open, (port) => start({ BASE: `http://127.0.0.1:${port}`, KEY: key }));
  }

  /** Tests the dashboard's page of a link. @param start  the page, through the proxy at this port */
  async loseNothingOnPage(start: (link: Link, port: number) => Promise<StreamClient>): Promise<void> {
    const link = await new ApiClient(this.server.base, await this.#newKey()).createLink();
    const headers = { Cookie: this.session, "Hoplink-Mode": "live" };
    const path = `/dashboard/api/events/stream?link_id=${link.id}`;
    const open = () => openRawStream(this.server.base, this.#host, headers, path);
    await this.#goThrough(link, open, (port) => start(link, port));
  }

  /** @param open  takes one of the client's slots @param start  starts the client, through the proxy at this port */
  async #goThrough(
    link: Link,
    open: () => Promise<RawStream>,
    start: (port: number) => Promise<StreamClient>,
  ): Promise<void> {
    const proxy = await BreakingProxy.start(this.server.base);
    const others = await Promise.all(Array.from({ length: STREAMS_MAX.free }, open));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    const client = await start(proxy.port);
    const countriesShown = async () => countriesIn((await client.shown()).split("\n"), link.slug);
    try {
      await eventually(() => proxy.statuses.includes(429), "a refusal", STEP_TIMEOUT_MS);
      const isReady = proxy.cutBehind("event: ready\ndata: {}\n\n", "ended");
      for (const { socket } of others) socket.destroy();
      await inTime(isReady, "the first event");
      await visitFrom(link, COUNTRIES.slice(0, 3));
      proxy.mend();
      await eventually(async () => (await countriesShown()).length === 3, "the clicks during the cut", STEP_TIMEOUT_MS);
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

  get #host(): string {
    return new URL(this.server.base).host;
  }

  /** Each client has its own key, with its slots. */
  async #newKey(): Promise<string> {
    const response = await fetch(`${this.server.base}/dashboard/api/keys`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: this.server.base, Cookie: this.session },
      body: JSON.stringify({ name: "a stream client", mode: "live" }),
    });
    return CreatedKey.parse(await response.json()).key;
  }
}

async function visitFrom(link: Link, countries: readonly string[]): Promise<void> {
  for (const country of countries) {
    await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
  }
}

async function inTime(promise: Promise<void>, what: string): Promise<void> {
  let isDone = false;
  void promise.then(() => (isDone = true));
  await eventually(() => isDone, what, STEP_TIMEOUT_MS);
}

/** Countries of the clicks on one link: the account's stream has those of the other clients' links too. */
function countriesIn(lines: readonly string[], slug: string): string[] {
  const country = new RegExp(String.raw`\b(?:${COUNTRIES.join("|")})\b`, "g");
  return lines.filter((line) => line.includes(`/${slug}`)).flatMap((line) => line.match(country) ?? []);
}

/** @returns the session's cookies */
async function signIn(server: DevServer): Promise<string> {
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
