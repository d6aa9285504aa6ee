/**
 * The Worker on bindings that hold nothing, so that its own memory can be measured: a database with a link for every
 * slug, and objects that take clicks within moments, or never for the slug `deaf`. Never deployed.
 */
import worker from "../../src/worker.ts";

export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { LinkClicks } from "../../src/clicks/link-clicks.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";

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
    feed_since: 0,
  };
}

const DB = {
  withSession: () => ({
    prepare: () => ({
      bind: (domain: string, slug: string) => ({ first: async () => linkRow(domain, slug) }),
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

export default {
  fetch: (request, env, ctx) => worker.fetch(request, { ...env, DB, LINK_CLICKS } as unknown as Env, ctx),
} satisfies ExportedHandler<Env>;
