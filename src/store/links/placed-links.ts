/**
 * Chooses the slugs of links that have none, and the databases in which links are created. The slug of a link without one is
 * drawn from those of a database that follows from the `Idempotency-Key`, so that copies of a request plan the link for the
 * same database, where one of them is refused.
 */
import { randomSlug, SLUG_RANDOM_WORDS } from "../../core/identifiers.ts";
import type { IdempotentRequest } from "../request-shares.ts";
import { UnavailableError } from "../timeout.ts";
import { databasesOfLinks } from "./links-request.ts";
import type { NewLink } from "./link-creation.ts";
import type { LinkRecord } from "./link-rows.ts";
import { linksDatabase, onlyDatabase, sourceDatabase } from "./links-database.ts";

/** Slugs are drawn again only while a part of a database's buckets moves. */
const DRAWS_MAX = 100;

export type Address = Pick<LinkRecord, "domain" | "slug">;

/** A link to be created, and where it is created whatever slug is drawn; null where that follows from the slug. */
export interface WantedLink {
  position: number;
  link: NewLink;
  place: Address | null;
}

export function wantedLink(env: Env, link: NewLink, position: number, request: IdempotentRequest | null): WantedLink {
  const isPlaced = link.slug === null && request !== null && !onlyDatabase(env);
  return { position, link, place: isPlaced ? { domain: request.keyHash.join(), slug: String(position) } : null };
}

export interface PlacedLink extends WantedLink {
  /** With the slug as it is stored. */
  address: Address;
  database: D1Database;
}

/** Draws missing slugs, and finds out where the links are created. */
export async function placeLinks(
  env: Env,
  wanted: readonly WantedLink[],
  storedSlug: (domain: string, slug: string) => string,
): Promise<PlacedLink[]> {
  const placed: PlacedLink[] = [];
  let rest = wanted;
  for (let draws = 0; rest.length > 0; draws++) {
    if (draws === DRAWS_MAX) throw new UnavailableError("links are moved between databases");
    const drawn = rest.map((each) => {
      const { domain, slug } = each.link;
      return { ...each, address: { domain, slug: storedSlug(domain, slug ?? drawSlug(env, domain, each.place)) } };
    });
    const addresses = drawn.flatMap(({ address, place }) => (place ? [address, place] : [address]));
    const databases = await databasesOfLinks(env, addresses);
    for (const each of drawn) {
      const database = databases.get(each.address);
      if (database && database === databases.get(each.place ?? each.address)) placed.push({ ...each, database });
    }
    const done = new Set(placed.map(({ position }) => position));
    rest = rest.filter(({ position }) => !done.has(position));
  }
  return placed.sort((one, other) => one.position - other.position);
}

/** @param place  where the slug must lie: of so many databases, as many slugs are drawn on average */
function drawSlug(env: Env, domain: string, place: Address | null): string {
  for (;;) {
    const slug = randomSlug(crypto.getRandomValues(new Uint32Array(SLUG_RANDOM_WORDS)));
    const address = { domain, slug };
    if (!place) return slug;
    const isSame = linksDatabase(env, address) === linksDatabase(env, place);
    if (isSame && sourceDatabase(env, address) === sourceDatabase(env, place)) return slug;
  }
}
