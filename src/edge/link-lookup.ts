/**
 * From an address to its link: isolate cache, then D1, then what the link's object last knew.
 * A link that was created is never a 404, and one that was clicked before goes on without the database.
 * Unknown names cost little: a name that was missing a moment ago is asked of the primary alone, together with all
 * others that wait, and each visitor has a limit of them.
 * Holds plain data only: I/O objects of one request may not be touched by another.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { type LinkSnapshot, addressObjectName, snapshotBytes } from "../core/links/link-snapshot.ts";
import type { LinkLookup } from "../core/links/visit-decision.ts";
import type { LinkAddress } from "./address.ts";
import { findLastKnownLink } from "../store/link-object-client.ts";
import { findLinksByAddress, type FoundLink, type LinkLookupKey } from "../store/links/links-by-address.ts";
import { withTimeout } from "../store/timeout.ts";
import { FixedWindowLimiter } from "../core/fixed-window-limiter.ts";
import { type ReadResult, ReadBatcher } from "./read-batcher.ts";
import { missLimit } from "./miss-limit.ts";

type Lookup = LinkLookup<FoundLink>;

/** Only links are kept: a remembered miss would be a 404 for a link that was made just after it. */
interface CachedLink extends FoundLink {
  /** When it was read, epoch ms. A hit never moves this: traffic cannot keep an old answer alive. */
  readAt: number;
  refreshingSince: number;
}

export const LINK_CACHE_MAX_AGE_MS = 10_000;
/** From half its age on an entry is read again in the background, so a busy link never waits. */
const REFRESH_AGE_MS = 5_000;
const DATABASE_TIMEOUT_MS = 1_000;
const OBJECT_TIMEOUT_MS = 1_000;
/** Longer than a refresh can take; and a refresh that begins so long after half an entry's age ends within its age. */
const REFRESH_TIMEOUT_MS = 2_500;

/** Starting objects for names that nobody ever clicked must not become the next flood: so many in a second. */
const UNCACHED_NAMES_MAX_PER_SECOND = 500;
const uncachedNamesLimit = new FixedWindowLimiter({ max: UNCACHED_NAMES_MAX_PER_SECOND, windowMs: 1_000, maxKeys: 1 });

/** Two generations of this many bytes (estimated) are the most the cache holds. */
const CACHE_GENERATION_BYTES = 8 * 1024 * 1024;

const linkCache = new GenerationCache<CachedLink>(CACHE_GENERATION_BYTES, ({ link }) => snapshotBytes(link));

/** When the primary did not know a name, epoch ms. No answer: it says where to ask. */
const missCache = new GenerationCache<number>(5_000);
/** A replica may be that late and more; and a link that was made since is worth a replica again. */
const MISS_MAX_AGE_MS = 60_000;

/** Queries in flight, each for up to 50 links. Ordinary first visits seldom wait; the primary is all locations' own. */
const REPLICA_QUERIES_MAX = 4;
const PRIMARY_QUERIES_MAX = 2;
const replicaReads = new ReadBatcher<LinkLookupKey, FoundLink>(REPLICA_QUERIES_MAX, (env, keys) =>
  findLinksByAddress(env, keys, "first-unconstrained"),
);
const primaryReads = new ReadBatcher<LinkLookupKey, FoundLink>(PRIMARY_QUERIES_MAX, (env, keys) =>
  findLinksByAddress(env, keys, "first-primary"),
);

/** @param visitor  headers of the visit: who asks for unknown names is limited */
export function lookUpLink(
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  visitor: Headers,
): Lookup | Promise<Lookup> {
  const entry = linkCache.get(address.name);
  if (!entry) return lookUpUncached(env, ctx, address, visitor);
  const now = Date.now();
  const age = now - entry.readAt;
  if (age >= LINK_CACHE_MAX_AGE_MS) return loadIntoCache(env, ctx, address);
  if (age >= REFRESH_AGE_MS && now - entry.refreshingSince > REFRESH_TIMEOUT_MS) {
    entry.refreshingSince = now;
    ctx.waitUntil(loadIntoCache(env, ctx, address));
  }
  return { kind: "found", link: entry.link, account: entry.account, feedSince: entry.feedSince };
}

/** Takes in a newer revision that the link's object told of. It ages like the entry it replaces: traffic prolongs nothing. */
export function updateCachedLink(link: LinkSnapshot): void {
  const key = addressObjectName(link.domain, link.slug);
  const entry = linkCache.get(key);
  // Which link an address leads to is for the database to say.
  if (entry?.link.id !== link.id) return;
  if (link.successorId === undefined) {
    cacheLink(key, { link, account: entry.account, feedSince: entry.feedSince }, entry.readAt);
  } else {
    // It says so with the next visit. The ended link is not kept: its revision goes on growing while it is erased.
    linkCache.set(key, { ...entry, readAt: 0 });
  }
}

/** A name that this isolate does not know. */
async function lookUpUncached(
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  visitor: Headers,
): Promise<Lookup> {
  const seconds = missLimit.secondsToWait(visitor);
  if (seconds > 0) return { kind: "limited", seconds };
  const resolved = await loadIntoCache(env, ctx, address);
  if (resolved.kind !== "found") missLimit.count(visitor);
  return resolved;
}

async function loadIntoCache(env: Env, ctx: ExecutionContext, address: LinkAddress): Promise<Lookup> {
  const known = linkCache.get(address.name) ?? null;
  try {
    const { found, readAt } = await withTimeout(DATABASE_TIMEOUT_MS, readDatabase(env, ctx, address, known));
    if (found) return cacheLink(address.name, found, readAt);
    // A database that was set back has lost the row.
    if (known && known.readAt < readAt) linkCache.delete(address.name);
    return { kind: "missing" };
  } catch {
    return loadFromObject(env, address, known);
  }
}

/** A replica first; the primary when the replica knows nothing, or less than this isolate does already. */
async function readDatabase(
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  known: FoundLink | null,
): Promise<ReadResult<FoundLink>> {
  const missedAt = missCache.get(address.name) ?? 0;
  if (Date.now() - missedAt >= MISS_MAX_AGE_MS) {
    const nearby = await replicaReads.readOrJoin(env, ctx, address);
    if (nearby.found && !isOlder(nearby.found.link, known?.link)) return nearby;
  }
  const result = await primaryReads.read(env, ctx, address);
  if (!result.found) missCache.set(address.name, Date.now());
  return result;
}

/** Revisions tell which of two snapshots is newer only where they are of one link. */
function isOlder(link: LinkSnapshot, known: LinkSnapshot | undefined): boolean {
  return known !== undefined && (link.id !== known.id || link.revision < known.revision);
}

const UNKNOWN_ACCOUNT = { account: "open", feedSince: 0 } as const;

async function loadFromObject(env: Env, address: LinkAddress, stale: FoundLink | null): Promise<Lookup> {
  if (!stale) {
    if (uncachedNamesLimit.retryAfterMs("all", Date.now()) > 0) return { kind: "unavailable" };
    uncachedNamesLimit.count("all", Date.now());
  }
  const last = stale?.link ?? null;
  const lastKnown = await withTimeout(OBJECT_TIMEOUT_MS, findLastKnownLink(env, address, last)).catch(() => null);
  // Succeeded by a link that nobody has clicked yet: where that leads, only the database knows.
  if (lastKnown?.successorId !== undefined && lastKnown.successorId !== last?.id) return { kind: "unavailable" };
  const isNewest =
    lastKnown && lastKnown.successorId === undefined && !(lastKnown.id === last?.id && isOlder(lastKnown, last));
  const link = isNewest ? lastKnown : last;
  if (!link) return { kind: "unavailable" };
  // Half spent and just asked for: D1 is left in peace for a while, then tried again while visitors are served.
  const now = Date.now();
  const { account, feedSince } = stale && link.id === last?.id ? stale : UNKNOWN_ACCOUNT;
  return cacheLink(address.name, { link, account, feedSince }, now - REFRESH_AGE_MS, now);
}

/**
 * Keeps the newest revision: what was read may be older than what was learnt while reading. Of two links, and of what is
 * said of the account (one that is closed or suspended keeps its links' revisions), the query that began last decides.
 * An unchanged link keeps its identity, so that what was learnt about it (who knows it) stays true.
 */
function cacheLink(key: string, found: FoundLink, readAt: number, refreshingSince = 0): Lookup {
  const known = linkCache.get(key);
  const latest = known && known.readAt > readAt ? known : found;
  const { account, feedSince } = latest;
  const isSame = known?.link.id === found.link.id;
  const link = isSame && known.link.revision >= found.link.revision ? known.link : (isSame ? found : latest).link;
  linkCache.set(key, { link, account, feedSince, readAt: Math.max(readAt, known?.readAt ?? 0), refreshingSince });
  return { kind: "found", link, account, feedSince };
}
