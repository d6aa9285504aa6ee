/**
 * The SQL that reads `links` and `domains` together, in one statement each, so that a link cannot be created on a domain
 * while it is deleted, nor a domain deleted while a link is created on it. Other databases than the home database have
 * copies of the active domains (store/accounts/home-copies.ts): a domain is locked in all of them before anybody looks for
 * links on it in one after the other (store/domains/domain-locks.ts).
 */
import { type LinksEnv, queryLinkDatabases } from "./links-database.ts";

/**
 * The domain of a new link, whose row is `new`. NULL when it is a custom domain that is not active, which the NOT NULL
 * constraint refuses. So it does where a link takes an address over on a locked domain.
 */
export const NEW_LINK_DOMAIN_SQL = `iif(new.on_custom_domain, (SELECT d.domain FROM domains d
  WHERE d.account_id = new.account_id AND d.mode = new.mode AND d.domain = new.domain AND d.status = 'active'
    AND (d.locked_until IS NULL OR new.predecessor_id IS NULL)), new.domain)`;

/**
 * The slug of a new link. On a custom domain it is NULL, which the NOT NULL constraint refuses, when the domain is locked, its
 * case setting has changed since the slug was chosen, or another link has the same letters and is matched in the other
 * way (core/links/stored-slug.ts): visitors could mean either. A link that takes an address over keeps its slug.
 */
export const NEW_LINK_SLUG_SQL = `iif(new.on_custom_domain AND new.predecessor_id IS NULL, (SELECT new.slug FROM domains d
  WHERE d.account_id = new.account_id AND d.mode = new.mode AND d.domain = new.domain AND d.case_sensitive = new.case_sensitive
    AND d.locked_until IS NULL AND NOT EXISTS (SELECT 1 FROM links l WHERE l.domain = new.domain AND l.successor_id IS NULL
      AND l.slug BETWEEN new.conflicts_from AND new.conflicts_to)), new.slug)`;

/** Whether the account of a row of `domains` has ever made a link on it, however the domain was added then. */
export const EVER_HAD_LINKS_SQL = `EXISTS (SELECT 1 FROM slug_cases c
  WHERE c.account_id = domains.account_id AND c.mode = domains.mode AND c.domain = domains.domain)`;

/**
 * Whether a row of `domains` has links that are not deleted. The index contains only live links on custom domains: an
 * account may have many links elsewhere, and many tombstones on this domain.
 */
export const HAS_LIVE_LINKS_SQL = `EXISTS (SELECT 1 FROM links l INDEXED BY links_on_custom_domains
  WHERE l.account_id = domains.account_id AND l.mode = domains.mode AND l.domain = domains.domain
    AND l.on_custom_domain = 1 AND l.deleted_at IS NULL)`;

/** A domain of an account. */
export interface OwnDomain {
  accountId: string;
  mode: string;
  domain: string;
}

/** The case setting of an account's first link on a domain, which all later ones have; null before. In all databases. */
export async function findSlugCase(env: LinksEnv, { accountId, mode, domain }: OwnDomain): Promise<boolean | null> {
  const [row] = await queryLinkDatabases<{ case_sensitive: number }>(
    env,
    () => domain,
    async (database) => {
      const { results } = await database
        .prepare("SELECT case_sensitive FROM slug_cases WHERE account_id = ?1 AND mode = ?2 AND domain = ?3")
        .bind(accountId, mode, domain)
        .all<{ case_sensitive: number }>();
      return results;
    },
  );
  return row ? row.case_sensitive === 1 : null;
}

/** Whether there are links in any database that are not deleted. */
export async function hasLiveLinks(env: LinksEnv, { accountId, mode, domain }: OwnDomain): Promise<boolean> {
  const found = await queryLinkDatabases<{ id: string }>(
    env,
    ({ id }) => id,
    async (database) => {
      const { results } = await database
        .prepare(
          `SELECT id FROM links INDEXED BY links_on_custom_domains
           WHERE account_id = ?1 AND mode = ?2 AND domain = ?3 AND on_custom_domain = 1 AND deleted_at IS NULL LIMIT 1`,
        )
        .bind(accountId, mode, domain)
        .all<{ id: string }>();
      return results;
    },
  );
  return found.length > 0;
}
