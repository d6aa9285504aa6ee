/**
 * The SQL that reads `links` and `domains` together. Each is one statement, so that a link cannot be created on a domain
 * while it is deleted, nor a domain deleted while a link is created on it. Both hold only while the two tables lie in one
 * database: with links in a second one, a domain needs a row there that says it is active, taken away before the domain
 * is deleted.
 */

/** The domain of a new link; NULL, which the column refuses, when it is a custom domain that is not active. */
export const NEW_LINK_DOMAIN_SQL = `iif(:on_custom_domain, (SELECT domain FROM domains
  WHERE account_id = :account_id AND mode = :mode AND domain = :domain AND status = 'active'), :domain)`;

/**
 * Whether links that are not deleted are on a row of `domains`. An index has the live links on custom domains alone: an
 * account may have very many links elsewhere, and very many tombstones on this domain.
 */
export const HAS_LIVE_LINKS_SQL = `EXISTS (SELECT 1 FROM links l INDEXED BY links_on_custom_domains
  WHERE l.account_id = domains.account_id AND l.mode = domains.mode AND l.domain = domains.domain
    AND l.on_custom_domain = 1 AND l.deleted_at IS NULL)`;
