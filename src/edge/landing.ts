/**
 * Where a customer's domain sends visitors who have not asked for a link: its `root_url` and `not_found_url`.
 * Looked up only once no link was found, and remembered as long as links are, names that nobody has verified included.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { findLandings, type Landings } from "../store/domains.ts";
import { within } from "../store/patience.ts";
import { GroupedReads } from "./grouped-reads.ts";
import { missLimit } from "./miss-limit.ts";
import { LINK_MAX_AGE_MS } from "./resolve.ts";

/** Two generations of this many bytes (estimated) are the most the cache holds. */
const CACHE_GENERATION_BYTES = 1024 * 1024;
const ENTRY_BYTES = 300;
const DATABASE_PATIENCE_MS = 1_000;
const QUERIES_MAX = 2;

/** `landings` is null when nobody has verified the domain. */
type Found = { kind: "found"; landings: Landings | null } | { kind: "limited"; seconds: number };

interface Entry {
  landings: Landings | null;
  /** When it was read, epoch ms. */
  readAt: number;
}

const cache = new GenerationCache<Entry>(
  CACHE_GENERATION_BYTES,
  ({ landings }) => ENTRY_BYTES + (landings?.rootUrl?.length ?? 0) + (landings?.notFoundUrl?.length ?? 0),
);

const primary = new GroupedReads<{ name: string }, Landings>(QUERIES_MAX, (env, domains) =>
  findLandings(
    env,
    domains.map(({ name }) => name),
  ),
);

/**
 * What the owner of a domain has set.
 * @param visitor  headers of the visit: who asks for unknown domains is limited
 * @throws NoAnswer
 */
export async function findLanding(env: Env, ctx: ExecutionContext, domain: string, visitor: Headers): Promise<Found> {
  const known = cache.get(domain);
  if (known && Date.now() - known.readAt < LINK_MAX_AGE_MS) return { kind: "found", landings: known.landings };
  const seconds = known?.landings ? 0 : missLimit.secondsToWait(visitor);
  if (seconds > 0) return { kind: "limited", seconds };
  const { found: landings, readAt } = await within(DATABASE_PATIENCE_MS, primary.askOrJoin(env, ctx, { name: domain }));
  cache.set(domain, { landings, readAt });
  if (!landings) missLimit.count(visitor);
  return { kind: "found", landings };
}
