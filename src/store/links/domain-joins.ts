/**
 * The SQL that reads `links` and `domains` together, in one statement each, so that a link cannot be created on a
 * domain while it is deleted, nor a domain deleted while a link is created on it. This requires both tables in one
 * database: with links in a second one, each active domain needs a row there, removed before the domain is deleted.
 */

/**
 * The domain of a new link. NULL when it is a custom domain that is not active, which the NOT NULL constraint refuses.
 */
export const NEW_LINK_DOMAIN_SQL = `iif(:on_custom_domain, (SELECT domain FROM domains
  WHERE account_id = :account_id AND mode = :mode AND domain = :domain AND status = 'active'), :domain)`;

/**
 * Whether a row of `domains` has links that are not deleted. The index contains only live links on custom domains: an
 * account may have many links elsewhere, and many tombstones on this domain.
 */
export const HAS_LIVE_LINKS_SQL = `EXISTS (SELECT 1 FROM links l INDEXED BY links_on_custom_domains
  WHERE l.account_id = domains.account_id AND l.mode = domains.mode AND l.domain = domains.domain
    AND l.on_custom_domain = 1 AND l.deleted_at IS NULL)`;
