/**
 * Looks up what visits need of a custom domain's settings. Cached as long as links, including domains that no account
 * has verified, whose look-ups are limited by network.
 */
import { GenerationCache } from "../core/memory/caches.ts";
import { findDefaultRedirects, type VisitedDomain } from "../store/domains/default-redirects.ts";
import { LINK_CACHE_MAX_AGE_MS, missLimit } from "./link-lookup.ts";
import { ReadBatcher } from "./read-batcher.ts";

/** Estimated bytes per generation; the cache holds two at most. */
const CACHE_GENERATION_BYTES = 1024 * 1024;
const ENTRY_BASE_BYTES = 300;
const DATABASE_TIMEOUT_MS = 1_000;
const PRIMARY_QUERIES_MAX = 2;

interface Cached<V> {
  value: V | null;
  /** When it was read, epoch ms. */
  readAt: number;
}

type DomainLookupResult<V> = { kind: "found"; value: V | null } | { kind: "limited"; seconds: number };

export class DomainLookup<K extends { name: string }, V> {
  readonly #cache: GenerationCache<Cached<V>>;
  readonly #primaryReads: ReadBatcher<K, V>;

  /**
   * @param find  finds values by the keys' names, in one query of the primary
   * @param bytesOf  the estimated memory of a value
   */
  constructor(find: (env: Env, keys: readonly K[]) => Promise<ReadonlyMap<string, V>>, bytesOf: (value: V) => number) {
    this.#cache = new GenerationCache(
      CACHE_GENERATION_BYTES,
      ({ value }) => ENTRY_BASE_BYTES + (value === null ? 0 : bytesOf(value)),
    );
    this.#primaryReads = new ReadBatcher(PRIMARY_QUERIES_MAX, async (env, keys) => ({
      found: await find(env, keys),
      isFromPrimary: true,
    }));
  }

  /**
   * @param visitor  headers of the visit: look-ups that find nothing are limited by network; null if the domain has a
   *   link, and so is known
   * @throws UnavailableError
   */
  async find(env: Env, ctx: ExecutionContext, key: K, visitor: Headers | null): Promise<DomainLookupResult<V>> {
    const known = this.#cache.get(key.name);
    if (known && Date.now() - known.readAt < LINK_CACHE_MAX_AGE_MS) return { kind: "found", value: known.value };
    const seconds = (known && known.value !== null) || !visitor ? 0 : missLimit.secondsToWait(visitor);
    if (seconds > 0) return { kind: "limited", seconds };
    const until = performance.now() + DATABASE_TIMEOUT_MS;
    const { found: value, readAt } = await this.#primaryReads.readOrJoin(env, ctx, key, until);
    this.#cache.set(key.name, { value, readAt });
    if (value === null && visitor) missLimit.count(visitor);
    return { kind: "found", value };
  }
}

type VisitedDomainLookup = { kind: "found"; redirects: VisitedDomain | null } | { kind: "limited"; seconds: number };

const visitedDomains = new DomainLookup(
  findDefaultRedirects,
  ({ rootUrl, notFoundUrl, expiredUrl, page }) => [rootUrl, notFoundUrl, expiredUrl, page].join().length,
);

/**
 * The default redirects of a domain, the design of its other pages, and whether a `+` after a slug is answered. Called only
 * if no link redirects, and for a `+`.
 * @param visitor  headers of the visit: look-ups of unknown domains are limited by network; null if the domain has a
 *   link, and so is known
 * @throws UnavailableError
 */
export async function lookUpDefaultRedirects(
  env: Env,
  ctx: ExecutionContext,
  domain: string,
  visitor: Headers | null,
): Promise<VisitedDomainLookup> {
  const lookup = await visitedDomains.find(env, ctx, { name: domain }, visitor);
  return lookup.kind === "found" ? { kind: "found", redirects: lookup.value } : lookup;
}
