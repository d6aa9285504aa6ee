/**
 * Finds the link of an address: in the isolate's cache, then in D1, then in the last known snapshot of the link's
 * object. A link whose creation has been confirmed never answers 404, and a link that was clicked before works without
 * the database. Unknown names are cheap: a name that was recently missing is read from the primary only, all waiting
 * reads share one query, and their number is limited per network. Holds plain data only: no request may use another's
 * I/O objects.
 */
import {
  addressObjectName,
  isOpen,
  linkAtAlias,
  type LinkSnapshot,
  snapshotBytes,
} from "../core/links/link-snapshot.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { LinkLookup } from "../core/links/visit-decision.ts";
import { FixedWindowLimiter, GenerationCache } from "../core/memory/caches.ts";
import { SLOW_LOOKUP_MS } from "../core/metrics/metrics.ts";
import { onLocalChange } from "../store/link-object-client.ts";
import type { FoundLink } from "../store/links/link-rows.ts";
import { count, reportIfDue } from "../store/metrics/isolate-metrics.ts";
import { NetworkRateLimit } from "../store/network-limit.ts";
import { withTimeout } from "../store/timeout.ts";
import { type LinkAddress, linkNameAt, restOf } from "./address.ts";
import { addressRead, readLastKnownLink, readsOf, type ReadResult } from "./read-batcher.ts";

/**
 * Limits the look-ups of unknown names by network. Scanners try thousands of names, and misses are not cached, so each
 * one costs a query. Links in the isolate's cache are never limited. Far above the typos of all visitors who share one
 * address.
 */
const MISSES_MAX_PER_MINUTE = 100;

export const missLimit = new NetworkRateLimit(MISSES_MAX_PER_MINUTE);

/**
 * Limits the paths that a link with longer slugs below its own forwards: each path costs a query. They are valid, so
 * they are not counted as unknown names.
 */
const PATHS_MAX_PER_MINUTE = 300;

const pathLimit = new NetworkRateLimit(PATHS_MAX_PER_MINUTE);

/** How long an isolate caches a link. */
export const LINK_CACHE_MAX_AGE_MS = 10_000;
/** Age at which an entry is refreshed in the background, so that a busy link never waits. @internal */
export const LINK_REFRESH_AGE_MS = 5_000;
/** Estimated bytes per generation; the cache holds two at most. @internal */
export const LINK_CACHE_GENERATION_BYTES = 8 * 1024 * 1024;

type Lookup = LinkLookup<FoundLink>;

/** A cached link. Misses are not cached: a link that is created just after a miss would get a 404. */
interface CachedLink extends FoundLink {
  /** An entry is also the result, so that a hit allocates no object. */
  kind: "found";
  /** When it was read, epoch ms. Hits never change it: traffic cannot keep an old entry alive. */
  readAt: number;
  refreshingSince: number;
}

const DATABASE_TIMEOUT_MS = 1_000;
const OBJECT_TIMEOUT_MS = 1_000;
/** Longer than a refresh can take. A second refresh that starts this late still ends before the entry expires. */
const REFRESH_TIMEOUT_MS = 2_500;

/**
 * Bounds the objects that one isolate starts. While D1 is down, each uncached name starts a Durable Object, and a scan
 * must not become a flood of objects.
 */
const UNCACHED_NAMES_MAX_PER_SECOND = 500;
const uncachedNamesLimit = new FixedWindowLimiter({ max: UNCACHED_NAMES_MAX_PER_SECOND, windowMs: 1_000, maxKeys: 1 });

const linkCache = new GenerationCache<CachedLink>(LINK_CACHE_GENERATION_BYTES, ({ link }) => snapshotBytes(link));

/** When the primary last had no current link, epoch ms, by name. Never used as a result: it only skips the replica. */
const missCache = new GenerationCache<number>(5_000);
/** How long a miss skips the replica, which may lag behind. Later, the replica is read first again. */
const MISS_MAX_AGE_MS = MINUTE_MS;

/**
 * @param visitor  headers of the visit: look-ups of unknown names are limited by network
 * @param now  epoch ms
 */
export function lookUpLink(
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  visitor: Headers,
  now: number,
): Lookup | Promise<Lookup> {
  const entry = cachedLinkOf(address);
  // Each visit of a former holder's link queries the primary, so it counts like an unknown name.
  if (!entry || !isCurrent(entry)) return lookUpUncached(env, ctx, address, visitor);
  const age = now - entry.readAt;
  if (age >= LINK_CACHE_MAX_AGE_MS) return loadIntoCache(env, ctx, address);
  if (age >= LINK_REFRESH_AGE_MS && now - entry.refreshingSince > REFRESH_TIMEOUT_MS) {
    entry.refreshingSince = now;
    ctx.waitUntil(loadIntoCache(env, ctx, address));
  }
  return entry;
}

/**
 * A former holder's link leaves its address to others. Like a miss, it is not a final result, since a link may just
 * have been created there. It is cached only for when the database is down.
 */
function isCurrent(found: FoundLink | null): found is FoundLink {
  return found !== null && found.account !== "transferred";
}

/** A link that is matched case-insensitively is the only one with its letters, so its entry serves every spelling. */
function cachedLinkOf(address: LinkAddress): CachedLink | undefined {
  const entry = cachedAt(address);
  if (entry && address.rest === "") return entry;
  if (address.rest === "" && address.shorter.length === 0) return undefined;
  const forwarding = [address, ...address.shorter].filter(({ rest }) => rest !== "");
  return forwarding.map(cachedAt).find((found) => found && forwards(found, address));
}

function cachedAt({ name, exact }: LinkAddress): CachedLink | undefined {
  return linkCache.get(name) ?? (exact ? linkCache.get(exact.name) : undefined);
}

/**
 * Links that forwarded a path although there are longer slugs, by the name of its read. Bounded by number, because
 * anyone can request any path below such a link.
 */
const forwardedPaths = new GenerationCache<{ id: string; readAt: number }>(5_000);

function forwards({ link, account, ownsPaths }: CachedLink, address: LinkAddress): boolean {
  if (!link.forwardPath || account === "transferred") return false;
  if (ownsPaths) return true;
  const known = forwardedPaths.get(addressRead(address).name);
  return known?.id === link.id && Date.now() - known.readAt < LINK_CACHE_MAX_AGE_MS;
}

/** A former holder's link is cached for the visited spelling only: the current holder may have a link at another. */
function cacheKeyOf(address: LinkAddress, found: FoundLink): string {
  return found.account === "transferred" && address.exact ? address.exact.name : linkNameAt(address, found);
}

interface LocalChange extends Pick<LinkSnapshot, "id" | "revision"> {
  /** Epoch ms. */
  at: number;
}

/** This isolate's changes, by the names of the links' own addresses: a read that began earlier, or from a lagging replica, must not undo them. */
const localChanges = new GenerationCache<LocalChange>(5_000);
/** Longer than a replica lags. Later the address may lead to another link, whose revisions are not comparable. */
const LOCAL_CHANGE_MAX_AGE_MS = MINUTE_MS;

onLocalChange((link) => {
  const { id, revision } = link;
  localChanges.set(addressObjectName(link.domain, link.slug), { id, revision, at: Date.now() });
  updateCachedLink(link);
});

/** The keys of entries under aliases, by link id. */
const aliasKeys = new GenerationCache<readonly string[]>(5_000);

/**
 * Caches a newer revision, from the link's object or written by this isolate. The entry keeps its age, so that traffic
 * cannot postpone the next read.
 */
export function updateCachedLink(link: LinkSnapshot): void {
  for (const key of [addressObjectName(link.domain, link.slug), ...(aliasKeys.get(link.id) ?? [])]) {
    const entry = linkCache.get(key);
    // Only the database decides which link an address leads to.
    if (entry?.link.id === link.id) cacheLink(key, unread(atRevision(entry, link)), entry.readAt);
  }
}

/** What an address leads to at another revision of its link, which may have another alias there, or none. */
function atRevision({ alias, ...found }: FoundLink, link: LinkSnapshot): FoundLink {
  void alias;
  return { ...found, ...(found.via ? linkAtAlias(link, found.via) : { link }) };
}

function unread(found: FoundLink): FoundLink {
  unreadSnapshots.add(found.link);
  return found;
}

/** Not from the database: an object may have a revision without the members that only a later release knows. */
const unreadSnapshots = new WeakSet<LinkSnapshot>();

/** Looks up a name that is not cached. */
async function lookUpUncached(
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  visitor: Headers,
): Promise<Lookup> {
  const pathSeconds = address.shorter.length > 0 ? pathLimit.secondsToWait(visitor) : 0;
  const seconds = Math.max(missLimit.secondsToWait(visitor), pathSeconds);
  if (seconds > 0) return { kind: "limited", seconds };
  const resolved = await loadIntoCache(env, ctx, address);
  // A former holder's link is cached for each spelling: a scan of them costs as much as one of unknown names. Without
  // the database, scans cannot be detected.
  if (resolved.kind === "missing" || (resolved.kind === "found" && !isCurrent(resolved))) missLimit.count(visitor);
  else if (resolved.kind === "found" && isForwardedAmongOthers(address, resolved)) pathLimit.count(visitor);
  return resolved;
}

function isForwardedAmongOthers(address: LinkAddress, found: FoundLink): boolean {
  return !found.ownsPaths && found.statsSince !== null && restOf(address, found) !== "";
}

async function loadIntoCache(env: Env, ctx: ExecutionContext, address: LinkAddress): Promise<Lookup> {
  // Reported here, because every visited address gets here at least every LINK_CACHE_MAX_AGE_MS.
  reportIfDue(env, ctx);
  const known = cachedLinkOf(address) ?? null;
  const startedAt = performance.now();
  try {
    const { found, readAt } = await readDatabase(env, ctx, address, startedAt + DATABASE_TIMEOUT_MS);
    countLookup(performance.now() - startedAt);
    if (found) {
      const key = cacheKeyOf(address, found);
      if (restOf(address, found) !== "" && !found.ownsPaths) {
        forwardedPaths.set(addressRead(address).name, { id: found.link.id, readAt });
      }
      // The other entry is a former holder's link, under the domain's other case setting.
      if (known && cacheKeyOf(address, known) !== key) linkCache.delete(cacheKeyOf(address, known));
      return cacheLink(key, found, readAt);
    }
    // The database was restored to an earlier time and has lost the row.
    if (known && known.readAt < readAt) linkCache.delete(cacheKeyOf(address, known));
    return { kind: "missing" };
  } catch {
    countLookup(performance.now() - startedAt);
    count("failed_lookups");
    return loadFromObject(env, address, known);
  }
}

function countLookup(ms: number): void {
  count("lookups");
  if (ms >= SLOW_LOOKUP_MS) count("slow_lookups");
}

/**
 * Reads a replica first; the primary if the replica has no current link, or an older revision than is known. If the
 * database has no replica nearby, the primary has already answered, and is not queried again.
 * @param until  how long to wait, by `performance.now()`
 */
async function readDatabase(
  env: Env,
  ctx: ExecutionContext,
  address: LinkAddress,
  until: number,
): Promise<ReadResult<FoundLink>> {
  const read = addressRead(address);
  const { replica, primary } = readsOf(env, address);
  const missedAt = missCache.get(read.name) ?? 0;
  const nearby = Date.now() - missedAt >= MISS_MAX_AGE_MS ? await replica.readOrJoin(env, ctx, read, until) : undefined;
  const isNewest = nearby && (nearby.isCertain || isExactIn(nearby.found, address));
  const result = isNewest ? nearby : await primary.read(env, ctx, read, until);
  if (!isCurrent(result.found)) missCache.set(read.name, Date.now());
  // The read began before this isolate changed the link.
  if (result.found && lacksLocalChange(result.found.link)) return primary.read(env, ctx, read, until);
  return result;
}

/** Of a lagging replica, only the link of the whole path is accepted: it may lack a longer slug than one that it has. */
function isExactIn(found: FoundLink | null, address: LinkAddress): boolean {
  return isCurrent(found) && restOf(address, found) === "" && !isOutdated(found.link, address);
}

/** Compared after the read, because the link may have changed in the meantime. */
function isOutdated(link: LinkSnapshot, address: LinkAddress): boolean {
  return isOlder(link, cachedLinkOf(address)?.link) || lacksLocalChange(link);
}

function lacksLocalChange(link: LinkSnapshot): boolean {
  const change = localChanges.get(addressObjectName(link.domain, link.slug));
  return change !== undefined && Date.now() - change.at < LOCAL_CHANGE_MAX_AGE_MS && isOlder(link, change);
}

/** Revisions are comparable only for the same link. */
function isOlder(link: LinkSnapshot, known: Pick<LinkSnapshot, "id" | "revision"> | undefined): boolean {
  return known !== undefined && (link.id !== known.id || link.revision < known.revision);
}

const UNKNOWN_ACCOUNT = { account: "open", feedSince: 0, statsSince: null, ownsPaths: false } as const;

async function loadFromObject(env: Env, address: LinkAddress, stale: FoundLink | null): Promise<Lookup> {
  if (!stale) {
    if (uncachedNamesLimit.retryAfterMs("all", Date.now()) > 0) return { kind: "unavailable" };
    uncachedNamesLimit.count("all", Date.now());
  }
  const last = stale?.link ?? null;
  const lastKnown = await withTimeout(OBJECT_TIMEOUT_MS, readLastKnownLink(env, address, last)).catch(() => null);
  // An ended link on a custom domain may be a former holder's: only the database knows the address's current link.
  if (!last && address.exact && lastKnown && !isOpen(lastKnown)) return { kind: "unavailable" };
  const isNewest = lastKnown && !(last && isOlder(lastKnown, last));
  const link = isNewest ? lastKnown : last;
  if (!link) return { kind: "unavailable" };
  const known = stale && link.id === last?.id ? stale : UNKNOWN_ACCOUNT;
  const found = atRevision({ ...known, link }, link);
  if (isNewest) unread(found);
  if (restOf(address, found) !== "" && !found.link.forwardPath) return { kind: "unavailable" };
  // Cached with half its lifetime spent and as just refreshed: D1 is not queried for REFRESH_TIMEOUT_MS, then retried
  // in the background while visitors are served from the cache.
  const now = Date.now();
  return cacheLink(cacheKeyOf(address, found), found, now - LINK_REFRESH_AGE_MS, now);
}

/**
 * Caches the newest revision: the object may have sent a newer one than was read in the meantime. Between two links,
 * and for the account's state (closing or suspending it changes no revision), the query that began last decides. An
 * unchanged link keeps its object identity, the key of its acknowledgement and its measured size.
 */
function cacheLink(key: string, found: FoundLink, readAt: number, refreshingSince = 0): Lookup {
  const known = linkCache.get(key);
  const latest = known && known.readAt > readAt ? known : found;
  const { account, feedSince, statsSince, ownsPaths } = latest;
  const isSame = known?.link.id === found.link.id;
  const isKept = isSame && known.link.revision >= found.link.revision + Number(unreadSnapshots.has(known.link));
  const { link, via, alias } = isKept ? known : isSame ? found : latest;
  const plain = { kind: "found", link, account, feedSince, statsSince, ownsPaths } as const;
  const lookup = via ? { ...plain, via, ...(alias === undefined ? {} : { alias }) } : plain;
  if (via) rememberAlias(link.id, key);
  linkCache.set(key, { ...lookup, readAt: Math.max(readAt, known?.readAt ?? 0), refreshingSince });
  return lookup;
}

function rememberAlias(id: string, key: string): void {
  const keys = aliasKeys.get(id) ?? [];
  if (!keys.includes(key)) aliasKeys.set(id, [...keys, key]);
}
