/**
 * From an address to its link: isolate cache, then D1, then what the link's object last knew.
 * A link that was created is never a 404, and one that was clicked before goes on without the database.
 * Holds plain data only: I/O objects of one request may not be touched by another.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { type LinkSnapshot, objectName, snapshotBytes } from "../core/link-snapshot.ts";
import type { LinkAddress } from "./address.ts";
import { lastKnownLink } from "../store/clicks.ts";
import { findLink, type FoundLink } from "../store/links.ts";
import { within } from "../store/patience.ts";

export type Resolved = ({ kind: "found" } & FoundLink) | { kind: "missing" } | { kind: "unavailable" };

/** Only links are kept: a remembered miss would be a 404 for a link that was made just after it. */
interface Entry extends FoundLink {
  /** When it was read, epoch ms. A hit never moves this: traffic cannot keep an old answer alive. */
  readAt: number;
  refreshingSince: number;
}

export const LINK_MAX_AGE_MS = 10_000;
/** From half its age on an entry is read again in the background, so a busy link never waits. */
const REFRESH_AGE_MS = 5_000;
const DATABASE_PATIENCE_MS = 1_000;
const OBJECT_PATIENCE_MS = 1_000;
/** Longer than a refresh can take; and a refresh that begins so long after half an entry's age ends within its age. */
const REFRESH_PATIENCE_MS = 2_500;

/** Two generations of this many bytes (estimated) are the most the cache holds. */
const CACHE_GENERATION_BYTES = 8 * 1024 * 1024;

const cache = new GenerationCache<Entry>(CACHE_GENERATION_BYTES, ({ link }) => snapshotBytes(link));

export function resolve(env: Env, ctx: ExecutionContext, address: LinkAddress): Resolved | Promise<Resolved> {
  const entry = cache.get(address.name);
  const now = Date.now();
  const age = entry ? now - entry.readAt : Infinity;
  if (!entry || age >= LINK_MAX_AGE_MS) return load(env, address);
  if (age >= REFRESH_AGE_MS && now - entry.refreshingSince > REFRESH_PATIENCE_MS) {
    entry.refreshingSince = now;
    ctx.waitUntil(load(env, address));
  }
  return { kind: "found", link: entry.link, account: entry.account, feedSince: entry.feedSince };
}

/** Takes in a newer revision that the link's object told of. It ages like the entry it replaces: traffic prolongs nothing. */
export function learnLink(link: LinkSnapshot): void {
  const key = objectName(link.domain, link.slug);
  const entry = cache.get(key);
  if (entry) remember(key, { link, account: entry.account, feedSince: entry.feedSince }, entry.readAt);
}

async function load(env: Env, address: LinkAddress): Promise<Resolved> {
  const startedAt = Date.now();
  const known = cache.get(address.name) ?? null;
  try {
    const found = await within(DATABASE_PATIENCE_MS, readDatabase(env, address, known?.link.revision ?? 0));
    return found ? remember(address.name, found, startedAt) : { kind: "missing" };
  } catch (error) {
    console.error("database did not answer a redirect", { error: String(error) });
    return fallback(env, address, known);
  }
}

/** A replica first; the primary when the replica knows nothing, or less than this isolate does already. */
async function readDatabase(env: Env, { domain, slug }: LinkAddress, revision: number): Promise<FoundLink | null> {
  const nearby = await findLink(env, domain, slug, "first-unconstrained");
  return nearby && nearby.link.revision >= revision ? nearby : findLink(env, domain, slug, "first-primary");
}

async function fallback(env: Env, address: LinkAddress, stale: FoundLink | null): Promise<Resolved> {
  const kept = await within(OBJECT_PATIENCE_MS, lastKnownLink(env, address)).catch(() => null);
  const link = kept && kept.revision >= (stale?.link.revision ?? 0) ? kept : stale?.link;
  if (!link) return { kind: "unavailable" };
  // Half spent and just asked for: D1 is left in peace for a while, then tried again while visitors are served.
  const now = Date.now();
  const found = { link, account: stale?.account ?? "open", feedSince: stale?.feedSince ?? 0 };
  return remember(address.name, found, now - REFRESH_AGE_MS, now);
}

/**
 * Keeps the newest revision: what was read may be older than what was learnt while reading.
 * An unchanged link keeps its identity, so that what was learnt about it (who knows it) stays true.
 */
function remember(key: string, { link, account, feedSince }: FoundLink, readAt: number, refreshingSince = 0): Resolved {
  const known = cache.get(key)?.link;
  const newest = known && known.revision >= link.revision ? known : link;
  cache.set(key, { link: newest, account, feedSince, readAt, refreshingSince });
  return { kind: "found", link: newest, account, feedSince };
}
