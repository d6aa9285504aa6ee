/**
 * Where a customer's domain sends visitors who have not asked for a link: its `root_url` and `not_found_url`.
 * Looked up only once no link was found, and remembered as long as links are, names that nobody has verified included.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { findLandings, type Landings } from "../store/domains.ts";
import { within } from "../store/patience.ts";
import type { Landing } from "./address.ts";
import { LINK_MAX_AGE_MS } from "./resolve.ts";

const REMEMBERED = 1_000;
const DATABASE_PATIENCE_MS = 1_000;

interface Entry {
  landings: Landings | null;
  /** When it was read, epoch ms. */
  readAt: number;
}

const cache = new GenerationCache<Entry>(REMEMBERED);

/** The destination; null when the domain has none. @throws whatever the database throws, or NoAnswer */
export async function landingPage(env: Env, domain: string, landing: NonNullable<Landing>): Promise<string | null> {
  const landings = await landingsOf(env, domain);
  if (!landings) return null;
  return landing === "root" ? landings.rootUrl : landings.notFoundUrl;
}

async function landingsOf(env: Env, domain: string): Promise<Landings | null> {
  const now = Date.now();
  const known = cache.get(domain);
  if (known && now - known.readAt < LINK_MAX_AGE_MS) return known.landings;
  const landings = await within(DATABASE_PATIENCE_MS, findLandings(env, domain));
  cache.set(domain, { landings, readAt: now });
  return landings;
}
