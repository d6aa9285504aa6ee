/**
 * The SQL that reads `links` and `domains` together, in one statement each, so that a link cannot be created on a
 * domain while it is deleted, nor a domain deleted while a link is created on it. This requires both tables in one
 * database: with links in a second one, each active domain needs a row there, removed before the domain is deleted.
 */

/**
 * The domain of a new link, whose row is `new`. NULL when it is a custom domain that is not active, which the NOT NULL
 * constraint refuses.
 */
export const NEW_LINK_DOMAIN_SQL = `iif(new.on_custom_domain, (SELECT d.domain FROM domains d
  WHERE d.account_id = new.account_id AND d.mode = new.mode AND d.domain = new.domain AND d.status = 'active'), new.domain)`;

/**
 * The slug of a new link. On a custom domain it is NULL, which the NOT NULL constraint refuses, when the domain's case
 * setting has changed since the slug was chosen, or when another link has the same letters and is matched in the other
 * way (core/links/stored-slug.ts): visitors could mean either. A link that takes an address over keeps its slug.
 */
export const NEW_LINK_SLUG_SQL = `iif(new.on_custom_domain AND new.predecessor_id IS NULL, (SELECT new.slug FROM domains d
  WHERE d.account_id = new.account_id AND d.mode = new.mode AND d.domain = new.domain AND d.case_sensitive = new.case_sensitive
    AND NOT EXISTS (SELECT 1 FROM links l WHERE l.domain = new.domain AND l.successor_id IS NULL
      AND l.slug BETWEEN new.conflicts_from AND new.conflicts_to)), new.slug)`;

/** Whether the account of a row of `domains` has ever made a link on it, however the domain was added then. */
export const EVER_HAD_LINKS_SQL = `EXISTS (SELECT 1 FROM slug_cases c
  WHERE c.account_id = domains.account_id AND c.mode = domains.mode AND c.domain = domains.domain)`;

/** The case setting of an account's first link on a domain, which all later ones have. */
export const SLUG_CASE_SQL =
  "SELECT case_sensitive FROM slug_cases WHERE account_id = ?1 AND mode = ?2 AND domain = ?3";

/**
 * Whether a row of `domains` has links that are not deleted. The index contains only live links on custom domains: an
 * account may have many links elsewhere, and many tombstones on this domain.
 */
export const HAS_LIVE_LINKS_SQL = `EXISTS (SELECT 1 FROM links l INDEXED BY links_on_custom_domains
  WHERE l.account_id = domains.account_id AND l.mode = domains.mode AND l.domain = domains.domain
    AND l.on_custom_domain = 1 AND l.deleted_at IS NULL)`;
