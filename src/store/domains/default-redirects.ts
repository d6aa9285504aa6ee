/** Settings of domains, as read by visits. */
import type { DefaultRedirects } from "../../core/links/visit-decision.ts";
import { queryRows } from "../statements.ts";

/** The settings of a domain that visits need if no link redirects them, or if they see a page. */
export interface VisitedDomain extends DefaultRedirects {
  /** 0: a `+` after a slug is not answered. */
  peek: number;
  /** JSON of a `PageDesign`. */
  page: string | null;
}

/**
 * Returns the settings of the verified owners of domains, by domain. A domain that no account has verified, or
 * whose owner's account is not open, has no entry. Reads the primary, because a replica may lag by any time. This is
 * rare, because the edge caches the result.
 */
export async function findDefaultRedirects(
  env: Env,
  domains: readonly { name: string }[],
): Promise<Map<string, VisitedDomain>> {
  const sql = `SELECT domain, root_url AS rootUrl, not_found_url AS notFoundUrl, expired_url AS expiredUrl, peek, page
    FROM domains
    WHERE verified_at IS NOT NULL AND domain IN (SELECT value ->> 'name' FROM json_each(?1))
      AND NOT EXISTS (SELECT 1 FROM account_states s WHERE s.account_id = domains.account_id)`;
  const primary = env.DB.withSession("first-primary");
  const rows = await queryRows<VisitedDomain & { domain: string }>(primary, sql, [JSON.stringify(domains)]);
  return new Map(rows.map(({ domain, ...redirects }) => [domain, redirects]));
}
