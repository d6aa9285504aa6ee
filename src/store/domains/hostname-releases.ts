/**
 * Custom hostnames that nobody needs any more: each takes a place of the zone's quota until Cloudflare has deleted it. A
 * trigger notes them in the transaction that removes their domain (schema.sql). The request tries at once; what fails is
 * tried again by the maintenance object. Deleting twice does no harm.
 */
import { backoffMs } from "../../core/backoff.ts";
import { DAY_MS, MINUTE_MS } from "../../core/durations.ts";
import { deleteHostname, areCustomHostnamesEnabled } from "../remote/custom-hostnames.ts";
import { isHostnameInUse } from "./domain-claims.ts";

interface HostnameRelease {
  id: string;
  domain: string;
  tries: number;
}

/** Cloudflare allows 1,200 calls in five minutes; a token that was withdrawn fails for as long as its operator sleeps. */
const BACKOFF = { firstMs: MINUTE_MS, longestMs: DAY_MS };

/** Gives up the custom hostname of a domain that was removed. Never throws: what fails is tried again. */
export async function releaseHostname(env: Env, domain: string, id: string | null): Promise<void> {
  if (id === null || !areCustomHostnamesEnabled(env)) return;
  await tryRelease(env, { id, domain, tries: 0 }).catch((error) =>
    console.error("custom hostname not noted", { id, error }),
  );
}

/** The same for one that no domain was ever kept with. */
export async function releaseUnusedHostname(env: Env, domain: string, id: string): Promise<void> {
  await env.DB.prepare("INSERT INTO hostname_releases (id, domain) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
    .bind(id, domain)
    .run();
  await releaseHostname(env, domain, id);
}

/** Tries some of those that are due again. @returns how many there were */
export async function releaseDueHostnames(env: Env, limit: number): Promise<number> {
  if (!areCustomHostnamesEnabled(env)) return 0;
  const { results } = await env.DB.prepare(
    "SELECT id, domain, tries FROM hostname_releases WHERE due_at <= ?1 LIMIT ?2",
  )
    .bind(Date.now(), limit)
    .all<HostnameRelease>();
  await Promise.all(results.map((due) => tryRelease(env, due)));
  return results.length;
}

/** When the next one is due, epoch ms; null when none waits. */
export async function nextHostnameReleaseAt(env: Env): Promise<number | null> {
  if (!areCustomHostnamesEnabled(env)) return null;
  return env.DB.prepare("SELECT min(due_at) AS at FROM hostname_releases").first<number | null>("at");
}

async function tryRelease(env: Env, { id, domain, tries }: HostnameRelease): Promise<void> {
  try {
    // Somebody else may have the domain by now, and the hostname with it.
    if (!(await isHostnameInUse(env, domain, id))) await deleteHostname(env, id);
    await env.DB.prepare("DELETE FROM hostname_releases WHERE id = ?1").bind(id).run();
  } catch (error) {
    console.error("custom hostname not deleted", { id, tries, error: String(error) });
    await env.DB.prepare("UPDATE hostname_releases SET due_at = ?2, tries = ?3 WHERE id = ?1")
      .bind(id, Date.now() + backoffMs(tries + 1, Math.random(), BACKOFF), tries + 1)
      .run();
  }
}
