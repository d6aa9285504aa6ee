/** Visits while one of four databases does not answer: links in the others are unaffected, together or alone. */
import type { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { placeNameOf } from "../../src/store/directory/databases.ts";
import { fetchAt } from "../support/changed-env.ts";
import { fourDatabases, withDatabases } from "../support/link-databases.ts";
import { placedId, placeLinks } from "../support/placed-links.ts";
import { premiumAccount } from "../support/test-accounts.ts";
import { watchDatabase } from "../support/watched-database.ts";

const DOMAIN = "localhost:8787";
const BROKEN = "LINKS_2";
const OWN_LINKS = 3;
const OTHER_LINKS = 9;

let four: typeof env;
let rounds = 0;

beforeAll(async () => {
  four = await fourDatabases();
});

const isBroken = (slug: string) => placeNameOf(four, { domain: DOMAIN, slug }) === BROKEN;

/** Slugs of new links, unknown to every isolate: in the broken database, and in the others. */
async function newSlugs(): Promise<{ own: string[]; others: string[] }> {
  const { accountId } = await premiumAccount();
  const now = Date.now();
  const slugs = Array.from({ length: 100 }, (_, n) => `apart-${rounds}-${n}`);
  rounds++;
  const own = slugs.filter(isBroken).slice(0, OWN_LINKS);
  const others = slugs.filter((slug) => !isBroken(slug)).slice(0, OTHER_LINKS);
  const links = [...own, ...others].map((slug, n) => ({
    account_id: accountId,
    id: placedId(DOMAIN, slug, now, n),
    domain: DOMAIN,
    slug,
    url: `https://example.com/${slug}`,
    created_at: now,
  }));
  await placeLinks(four, links);
  return { own, others };
}

const visitStatus = async (on: typeof env, slug: string) => (await fetchAt(`http://${DOMAIN}/${slug}`, on)).status;
const visitAll = (on: typeof env, slugs: readonly string[]) => Promise.all(slugs.map((slug) => visitStatus(on, slug)));

test.for([
  ["stalls", () => new Promise(() => {})],
  ["fails", () => Promise.reject(new Error("D1_ERROR: Network connection lost"))],
] as const)("6 one database %s: links in the others redirect, its own are unavailable for now", async ([, watch]) => {
  const on = withDatabases(four, (database, name) => (name === BROKEN ? watchDatabase(database, watch) : database));
  // Often enough that a circuit breaker shared by all of them would open.
  for (let again = 0; again < 4; again++) {
    const { own, others } = await newSlugs();
    const broken = visitAll(on, own);
    expect(await visitAll(on, others)).toEqual(others.map(() => 302));
    expect(await broken).toEqual(own.map(() => 503));
  }
});
