/**
 * The Worker on bindings that keep nothing, so that its own memory can be measured: a database with a link for every
 * slug, and links' objects that accept clicks within moments, or never for the slug `deaf`. The feeds of accounts are
 * real. Never deployed.
 */
import { EVENTS_FORMAT, packEvents } from "../../src/core/streams/event-log.ts";
import { FEED_SINCE_HEADER } from "../../src/core/streams/stream-protocol.ts";
import worker from "../../src/worker.ts";

export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { LinkClicks } from "../../src/clicks/link-clicks.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

const ANSWER_MS = 20;
const HOUR_MS = 3_600_000;

function linkRow(domain: string, slug: string): Record<string, string | number | null> {
  return {
    account_id: "acc_00000000000000000000000000",
    mode: "live",
    id: `lnk_${slug.padStart(26, "0")}`,
    origin: "api",
    domain,
    slug,
    url: `https://shop.example/products/${slug}?utm_source=newsletter&utm_medium=email`,
    routing: "[]",
    expires_at: null,
    created_at: 0,
    updated_at: 0,
    revision: 1,
    disabled_at: null,
    deleted_at: null,
    account: "open",
    feed_since: 0,
  };
}

function rowsOf(addresses: readonly [domain: string, slug: string][]) {
  return addresses.map(([domain, slug]) => linkRow(domain, slug));
}

const DB = {
  withSession: () => ({
    prepare: () => ({
      bind: (wanted: string) => ({ all: async () => ({ results: rowsOf(JSON.parse(wanted) as [string, string][]) }) }),
    }),
  }),
};

const LINK_CLICKS = {
  getByName: (name: string) => ({
    record: async () => {
      await new Promise((done) => setTimeout(done, name.endsWith("/deaf") ? HOUR_MS : ANSWER_MS));
      return { kind: "recorded", newer: null };
    },
  }),
};

/** One click on each of `count` links, announced to the feed of an account with a follower. */
async function announce({ ACCOUNT_FEED }: Env, from: number, count: number): Promise<void> {
  const feed = ACCOUNT_FEED.getByName("acc_flood");
  const opened = await feed.fetch("https://feed/?log=acc_flood&key=k&limit=1000", {
    headers: { Upgrade: "websocket" },
  });
  opened.webSocket?.accept();
  opened.webSocket?.close();
  const since = Number(opened.headers.get(FEED_SINCE_HEADER));
  const events = packEvents([{ at: since, human: true, data: "{}" }]);
  for (let i = from; i < from + count; i++) {
    const linkId = `lnk_${String(i).padStart(26, "0")}`;
    await feed.announce({ linkId, from: 0, format: EVENTS_FORMAT, events, since });
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/.announce") {
      await announce(env, Number(searchParams.get("from")), Number(searchParams.get("count")));
      return new Response(null, { status: 204 });
    }
    return worker.fetch(request, { ...env, DB, LINK_CLICKS } as unknown as Env, ctx);
  },
} satisfies ExportedHandler<Env>;
