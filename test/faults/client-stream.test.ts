/** 6 The stream of the npm package `hoplink` while the server is killed under load. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ClickEvent, Hoplink } from "../../src/client/index.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { isAnsweredJustBefore, killRepeatedly } from "./repeated-kills.ts";
import { shortOrLong } from "./suite-length.ts";
import { DEFAULT_URL, redirected, ROUTING, Visitors } from "./visitors.ts";

const KILLS = shortOrLong(3, 10);
const PER_SECOND = 300;
const LINKS = 5;

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start(2);
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

/** A customer's program, which does nothing about errors. */
class Follower {
  readonly clicks: ClickEvent[] = [];
  readonly gaps: unknown[] = [];
  connections = 0;
  readonly #controller = new AbortController();
  readonly #following: Promise<void>;

  constructor(hoplink: Hoplink) {
    this.#following = this.#follow(hoplink);
  }

  /** @throws what ended the stream before */
  async stop(): Promise<void> {
    this.#controller.abort();
    await expect(this.#following).rejects.toMatchObject({ name: "AbortError" });
  }

  async #follow(hoplink: Hoplink): Promise<void> {
    for await (const event of hoplink.events.stream({ signal: this.#controller.signal })) {
      if (event.type === "ready") this.connections++;
      else if (event.type === "click") this.clicks.push(event.click);
      else this.gaps.push(event);
    }
  }
}

test(`${KILLS} kills: a click that was answered a second before comes once, in order`, async () => {
  const links = await Promise.all(
    Array.from({ length: LINKS }, () => server.api.createLink({ url: DEFAULT_URL, routing: ROUTING })),
  );
  const follower = new Follower(new Hoplink({ apiKey: server.key, baseUrl: `http://${server.host}` }));
  await eventually(() => follower.connections > 0, "the stream is open");
  const killing = killRepeatedly(server, visitors, { times: KILLS, perSecond: PER_SECOND }, (kills) =>
    eventually(() => follower.connections > kills, "the stream is open"),
  );
  await visitors.sendLoad(links, PER_SECOND, killing, [0, 1]);
  const kills = await killing;
  await server.waitForBackgroundWork();
  const logs = await Promise.all(links.map(async (link) => [link, await server.api.clicks(link)] as const));
  const logged = logs.reduce((sum, [, clicks]) => sum + clicks.length, 0);
  await eventually(() => follower.clicks.length >= logged, `${logged} events`);
  await follower.stop();

  const given = new Set(follower.clicks.map(({ referrer }) => referrer));
  const answered = redirected(visitors.visits);
  expect(answered.filter((visit) => !given.has(visit.name) && !isAnsweredJustBefore(kills, visit))).toEqual([]);
  expect(given.size, "none comes twice").toBe(follower.clicks.length);
  for (const [link, clicks] of logs) {
    const events = follower.clicks.filter(({ link_id }) => link_id === link.id);
    expect(events.map(({ referrer }) => referrer)).toEqual(clicks.map(({ referrer }) => referrer));
  }
  expect(follower.gaps).toEqual([]);
  console.log(
    `${KILLS} kills: ${answered.length} visits redirected, ${follower.clicks.length} events,`,
    `${follower.connections} connections`,
  );
});
