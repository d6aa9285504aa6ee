/**
 * From an address to its link: isolate cache, then D1, then what the link's object last knew.
 * A link that was created is never a 404, and one that was clicked before goes on without the database.
 * Holds plain data only: I/O objects of one request may not be touched by another.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { type LinkSnapshot, objectName } from "../core/link-snapshot.ts";
import { lastKnownLink } from "../store/clicks.ts";
import { findLink } from "../store/links.ts";
import { within } from "../store/patience.ts";

export type Resolved = { kind: "found"; link: LinkSnapshot } | { kind: "missing" } | { kind: "unavailable" };

interface Entry {
  /** Null is a slug that the primary does not know. */
  link: LinkSnapshot | null;
  /** When it was read, epoch ms. A hit never moves this: traffic cannot keep an old answer alive. */
  readAt: number;
  refreshingSince: number;
}

export const LINK_MAX_AGE_MS = 10_000;
/** From half its age on an entry is read again in the background, so a busy link never waits. */
const REFRESH_AGE_MS = 5_000;
const MISS_MAX_AGE_MS = 1_000;
/** After D1 has failed, how long to go without asking it again. */
const FALLBACK_AGE_MS = 1_000;
const DATABASE_PATIENCE_MS = 1_000;
const OBJECT_PATIENCE_MS = 1_000;
const REFRESH_PATIENCE_MS = 3_000;

/** Two generations of this many bytes (estimated) are the most the cache holds. */
const CACHE_GENERATION_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 500;

const cache = new GenerationCache<Entry>(CACHE_GENERATION_BYTES, ({ link }) =>
  link ? ENTRY_BYTES + 2 * (link.url.length + routingSize(link)) : ENTRY_BYTES,
);

export function resolve(env: Env, ctx: ExecutionContext, domain: string, slug: string): Resolved | Promise<Resolved> {
  const key = objectName(domain, slug);
  const entry = cache.get(key);
  const now = Date.now();
  const age = entry ? now - entry.readAt : Infinity;
  if (!entry || age >= (entry.link ? LINK_MAX_AGE_MS : MISS_MAX_AGE_MS)) return load(env, key, domain, slug);
  if (entry.link && age >= REFRESH_AGE_MS && now - entry.refreshingSince > REFRESH_PATIENCE_MS) {
    entry.refreshingSince = now;
    ctx.waitUntil(load(env, key, domain, slug));
  }
  return entry.link ? { kind: "found", link: entry.link } : { kind: "missing" };
}

/** Takes in a newer revision that the link's object told of. */
export function learnLink(link: LinkSnapshot): void {
  const key = objectName(link.domain, link.slug);
  const known = cache.get(key)?.link;
  if (!known || known.revision < link.revision) remember(key, link, Date.now());
}

async function load(env: Env, key: string, domain: string, slug: string): Promise<Resolved> {
  const startedAt = Date.now();
  const known = cache.get(key)?.link ?? null;
  try {
    const link = await within(DATABASE_PATIENCE_MS, readDatabase(env, domain, slug, known?.revision ?? 0));
    return resolved(remember(key, link, startedAt));
  } catch (error) {
    console.error("database did not answer a redirect", { error: String(error) });
    return fallback(env, key, { domain, slug }, known);
  }
}

/** A replica first; the primary when the replica knows nothing, or less than this isolate does already. */
async function readDatabase(env: Env, domain: string, slug: string, revision: number): Promise<LinkSnapshot | null> {
  const nearby = await findLink(env, domain, slug, "first-unconstrained");
  return nearby && nearby.revision >= revision ? nearby : findLink(env, domain, slug, "first-primary");
}

async function fallback(
  env: Env,
  key: string,
  address: { domain: string; slug: string },
  stale: LinkSnapshot | null,
): Promise<Resolved> {
  const kept = await within(OBJECT_PATIENCE_MS, lastKnownLink(env, address)).catch(() => null);
  const link = kept && kept.revision >= (stale?.revision ?? 0) ? kept : stale;
  if (!link) return { kind: "unavailable" };
  return resolved(remember(key, link, Date.now() - LINK_MAX_AGE_MS + FALLBACK_AGE_MS));
}

/** An unchanged link keeps its identity, so that what was learnt about it (who knows it) stays true. */
function remember(key: string, link: LinkSnapshot | null, readAt: number): LinkSnapshot | null {
  const known = cache.get(key)?.link;
  const same = known && link && known.revision === link.revision && known.id === link.id ? known : link;
  cache.set(key, { link: same, readAt, refreshingSince: 0 });
  return same;
}

function resolved(link: LinkSnapshot | null): Resolved {
  return link ? { kind: "found", link } : { kind: "missing" };
}

function routingSize({ routing }: LinkSnapshot): number {
  return routing.length === 0 ? 0 : JSON.stringify(routing).length;
}
