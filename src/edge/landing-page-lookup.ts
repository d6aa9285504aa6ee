/**
 * Looks up the landing pages of a custom domain, and whether a `+` after a slug is answered. Called only after no link
 * was found, or one that has expired, and for a `+`. Cached as long as links, including domains
 * that no account has verified.
 */
import type { LandingPagesLookup } from "../core/links/visit-decision.ts";
import { GenerationCache } from "../core/memory/caches.ts";
import { findLandingPages, type VisitedDomain } from "../store/domains/landing-pages.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { LINK_CACHE_MAX_AGE_MS, missLimit } from "./link-lookup.ts";

/** Estimated bytes per generation; the cache holds two at most. */
const CACHE_GENERATION_BYTES = 1024 * 1024;
const ENTRY_BASE_BYTES = 300;
const DATABASE_TIMEOUT_MS = 1_000;
const PRIMARY_QUERIES_MAX = 2;

type VisitedDomainLookup =
  | { kind: "found"; landings: VisitedDomain | null }
  | Extract<LandingPagesLookup, { kind: "limited" }>;

interface CachedLandingPages {
  landings: VisitedDomain | null;
  /** When it was read, epoch ms. */
  readAt: number;
}

const landingPagesCache = new GenerationCache<CachedLandingPages>(
  CACHE_GENERATION_BYTES,
  ({ landings }) =>
    ENTRY_BASE_BYTES +
    (landings?.rootUrl?.length ?? 0) +
    (landings?.notFoundUrl?.length ?? 0) +
    (landings?.expiredUrl?.length ?? 0),
);

const primaryReads = new ReadBatcher<{ name: string }, VisitedDomain>(PRIMARY_QUERIES_MAX, async (env, domains) => {
  const names = domains.map(({ name }) => name);
  return { found: await findLandingPages(env, names), isFromPrimary: true };
});

/**
 * The landing pages of a domain.
 * @param visitor  headers of the visit: look-ups of unknown domains are limited by network; null if the domain has a
 *   link, and so is known
 * @throws UnavailableError
 */
export async function lookUpLandingPages(
  env: Env,
  ctx: ExecutionContext,
  domain: string,
  visitor: Headers | null,
): Promise<VisitedDomainLookup> {
  const known = landingPagesCache.get(domain);
  if (known && Date.now() - known.readAt < LINK_CACHE_MAX_AGE_MS) return { kind: "found", landings: known.landings };
  const seconds = known?.landings || !visitor ? 0 : missLimit.secondsToWait(visitor);
  if (seconds > 0) return { kind: "limited", seconds };
  const until = performance.now() + DATABASE_TIMEOUT_MS;
  const { found: landings, readAt } = await primaryReads.readOrJoin(env, ctx, { name: domain }, until);
  landingPagesCache.set(domain, { landings, readAt });
  if (!landings && visitor) missLimit.count(visitor);
  return { kind: "found", landings };
}
