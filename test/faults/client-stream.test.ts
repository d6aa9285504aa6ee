/** 6 The stream of the npm package `hoplink`, and of its command, while the server is killed under load. */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { isAnsweredJustBefore, killRepeatedly } from "./repeated-kills.ts";
import { type Follower, FOLLOWERS } from "./stream-followers.ts";
import { shortOrLong } from "./suite-length.ts";
import { DEFAULT_URL, redirected, ROUTING, Visitors } from "./visitors.ts";

const KILLS = shortOrLong(3, 10);
const PER_SECOND = 300;
const LINKS = 5;
/** A receiver of posts gets the clicks one by one, and may lag. */
const BEHIND_MAX_MS = 300_000;

let server: FaultyServer;

beforeAll(async () => {
  server = await FaultyServer.start(2);
});

afterAll(() => server.stop());

const newLinks = () =>
  Promise.all(Array.from({ length: LINKS }, () => server.api.createLink({ url: DEFAULT_URL, routing: ROUTING })));

async function killUnderLoad(links: readonly Link[], visitors: Visitors, follower: Follower) {
  const killing = killRepeatedly(server, visitors, { times: KILLS, perSecond: PER_SECOND }, async () => {
    const had = follower.events().length;
    await eventually(() => follower.events().length > had, "the stream resumes", BEHIND_MAX_MS);
    follower.trouble?.();
  });
  await visitors.sendLoad(links, PER_SECOND, killing, [0, 1]);
  await server.waitForBackgroundWork();
  return killing;
}

test.each(Object.entries(FOLLOWERS))(
  `%s, ${KILLS} kills: a click that was answered at least a second earlier arrives once, in order`,
  async (name, follow) => {
    const links = await newLinks();
    const visitors = new Visitors(server);
    const follower = await follow(server);
    const kills = await killUnderLoad(links, visitors, follower);
    const logs = await Promise.all(links.map(async (link) => [link, await server.api.clicks(link)] as const));
    const logged = logs.reduce((sum, [, clicks]) => sum + clicks.length, 0);
    await eventually(() => follower.events().length >= logged, `${logged} events`, BEHIND_MAX_MS);
    await follower.stop();
    visitors.close();

    const clicks = follower.events().filter((event) => event.type === "click");
    expect(clicks.length, "no gaps").toBe(follower.events().length);
    const given = new Set(clicks.map(({ referrer }) => referrer));
    const answered = redirected(visitors.visits);
    expect(answered.filter((visit) => !given.has(visit.name) && !isAnsweredJustBefore(kills, visit))).toEqual([]);
    expect(given.size, "none comes twice").toBe(clicks.length);
    for (const [link, log] of logs) {
      const events = clicks.filter(({ link_id }) => link_id === link.id);
      expect(events.map(({ referrer }) => referrer)).toEqual(log.map(({ referrer }) => referrer));
    }
    const spared = answered.filter((visit) => !isAnsweredJustBefore(kills, visit)).length;
    console.log(
      `${name}, ${KILLS} kills: ${answered.length} visits redirected, ${spared} of them long before a kill;`,
      `${clicks.length} events`,
    );
  },
);
