/** Landing pages of domains, as redirects find them. */

/** Where visitors of a domain go who have not asked for a link. */
export interface LandingPages {
  rootUrl: string | null;
  notFoundUrl: string | null;
}

/**
 * For redirects: what the verified owners of domains have set, by domain; nothing for one that nobody has verified, or
 * whose owner's account is not open. Asked of the primary, because a replica may be late by any time, and seldom: the
 * answer is kept for a while.
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
