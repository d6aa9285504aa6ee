/** Landing pages of domains, as read by redirects. */

/** Destinations for visitors of a domain if the path is empty, or has no link. */
export interface LandingPages {
  rootUrl: string | null;
  notFoundUrl: string | null;
}

/**
 * Returns the landing pages set by the verified owners of domains, by domain. A domain that no account has verified, or
 * whose owner's account is not open, has no entry. Reads the primary, because a replica may lag by any time. This is
 * rare, because the edge caches the result.
 */
export async function findLandingPages(env: Env, domains: readonly string[]): Promise<Map<string, LandingPages>> {
  const { results } = await env.DB.withSession("first-primary")
    .prepare(
      `SELECT domain, root_url, not_found_url FROM domains
       WHERE verified_at IS NOT NULL AND domain IN (SELECT value FROM json_each(?1))
         AND NOT EXISTS (SELECT 1 FROM account_states s WHERE s.account_id = domains.account_id)`,
    )
    .bind(JSON.stringify(domains))
    .all<{ domain: string; root_url: string | null; not_found_url: string | null }>();
  return new Map(results.map((row) => [row.domain, { rootUrl: row.root_url, notFoundUrl: row.not_found_url }]));
}
