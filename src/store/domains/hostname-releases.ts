/**
 * Deletes custom hostnames that are no longer needed: each uses the zone's quota until Cloudflare has deleted it. A
 * trigger queues them in the transaction that removes their domain (schema.sql). The request tries immediately; the
 * maintenance object retries. Deletion is idempotent.
 */
import { backoffMs } from "../../core/retries.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { deleteHostname, areCustomHostnamesEnabled } from "../remote/custom-hostnames.ts";
import { isHostnameInUse } from "./domain-claims.ts";

interface HostnameRelease {
  id: string;
  domain: string;
  tries: number;
}

/**
 * Cloudflare allows 1,200 calls in five minutes; a revoked token makes every call fail until the operator replaces it.
 */
const BACKOFF = { firstMs: MINUTE_MS, longestMs: DAY_MS };

/** Releases the custom hostname of a removed domain. Never throws: failures are retried. */
export async function releaseHostname(env: Env, domain: string, id: string | null): Promise<void> {
  if (id === null || !areCustomHostnamesEnabled(env)) return;
  await tryRelease(env, { id, domain, tries: 0 }).catch((error) =>
    console.error("custom hostname not noted", { id, error }),
  );
}

/** Queues and releases a custom hostname that no domain's row ever had. */
export async function releaseUnusedHostname(env: Env, domain: string, id: string): Promise<void> {
  await env.DB.prepare("INSERT INTO hostname_releases (id, domain) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
    .bind(id, domain)
    .run();
  await releaseHostname(env, domain, id);
}

/** Retries some of the due releases. @returns their number */
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

/** When the next release is due, epoch ms; null when none is queued. */
export async function nextHostnameReleaseAt(env: Env): Promise<number | null> {
  if (!areCustomHostnamesEnabled(env)) return null;
  return env.DB.prepare("SELECT min(due_at) AS at FROM hostname_releases").first<number | null>("at");
}

async function tryRelease(env: Env, { id, domain, tries }: HostnameRelease): Promise<void> {
  try {
    // Another account may have verified the domain and adopted the hostname since.
    if (!(await isHostnameInUse(env, domain, id))) await deleteHostname(env, id);
    await env.DB.prepare("DELETE FROM hostname_releases WHERE id = ?1").bind(id).run();
  } catch (error) {
    console.error("custom hostname not deleted", { id, tries, error: String(error) });
    await env.DB.prepare("UPDATE hostname_releases SET due_at = ?2, tries = ?3 WHERE id = ?1")
      .bind(id, Date.now() + backoffMs(tries + 1, Math.random(), BACKOFF), tries + 1)
      .run();
  }
}
