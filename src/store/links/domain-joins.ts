/**
 * SQL that reads `links` and `domains` together in one statement, so that no link is created on a domain that is being
 * deleted, and vice versa. Other databases than the home database have copies of the active domains
 * (store/directory/home-copies.ts). A domain is locked in all of them before each is searched in turn for links on it
 * (store/directory/domain-changes.ts).
 */
import { hostsOfLink } from "../../core/deployment/settings.ts";
import { testPathDomain } from "../../core/hosts.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { selectLinks } from "../directory/directory.ts";

/** The folded slug, also of links that are matched exactly (`slugKey` in core/hosts.ts). */
export const slugKeySql = (slug: string) =>
  `iif(substr(${slug}, 1, 1) = '~', substr(${slug}, 2, instr(${slug}, '!') - 2), lower(${slug}))`;

export const segmentSql = (slug: string) => `substr(${slug}, 1, instr(${slug} || '/', '/') - 1)`;

/**
 * The account that has the first segment of a slug on the service's own domain; NULL if none has it. All slugs and
 * aliases that begin with the segment belong to one account, so one row decides: below a link that forwards paths, a
 * stranger's link would pass for a page of its destination.
 */
function segmentOwnerSql(domain: string, slug: string): string {
  // An alias at the address itself may be an abandoned reservation, which `link-aliases.ts` finds out.
  return `coalesce(${[linkOwnerSql(domain, slug), ownersSql("link_aliases", domain, slug, `AND l.slug <> ${slug}`)].join()})`;
}

/** The same without aliases, which may be abandoned reservations. */
export function linkOwnerSql(domain: string, slug: string): string {
  return `coalesce(${ownersSql("links", domain, slug, "")})`;
}

function ownersSql(table: string, domain: string, slug: string, isOther: string): string {
  const segment = segmentSql(slug);
  return `(SELECT l.account_id FROM ${table} l WHERE l.domain = ${domain} AND l.slug = ${segment} ${isOther}),
    (SELECT l.account_id FROM ${table} l
     WHERE l.domain = ${domain} AND l.slug > ${segment} || '/' AND l.slug < ${segment} || '0' ${isOther} LIMIT 1)`;
}

/** The tenure of a domain's holder (store/domains/domain-holders.ts); 0 on the service's own domains. */
export const currentTenureSql = (domain: string) =>
  `coalesce((SELECT h.tenure FROM domain_holders h WHERE h.domain = ${domain}), 0)`;

/**
 * The domain of a new link, whose row is `new`. NULL for a custom domain that is not active, which the NOT NULL
 * constraint refuses.
 */
export const NEW_LINK_DOMAIN_SQL = `iif(new.on_custom_domain, (SELECT d.domain FROM domains d
  WHERE d.account_id = new.account_id AND d.mode = new.mode AND d.domain = new.domain AND d.status = 'active'), new.domain)`;

/** The tenure of a new link. On a custom domain that the account no longer holds it is NULL, as the domain is. */
export const NEW_LINK_TENURE_SQL = `iif(new.on_custom_domain, (SELECT h.tenure FROM domain_holders h
  WHERE h.domain = new.domain AND h.account_id = new.account_id AND h.mode = new.mode), ${currentTenureSql("new.domain")})`;

/**
 * The slug of a new link. On a custom domain it is NULL, which the NOT NULL constraint refuses, in three cases. The
 * domain is locked. Its case setting has changed since the slug was chosen. Another link of this holder has the same
 * letters and is matched the other way (core/hosts.ts), so that visitors could mean either. On the service's own
 * domain it is NULL if its first segment belongs to another account.
 */
export const NEW_LINK_SLUG_SQL = `iif(new.on_custom_domain, (SELECT new.slug FROM domains d
  WHERE d.account_id = new.account_id AND d.mode = new.mode AND d.domain = new.domain AND d.case_sensitive = new.case_sensitive
    AND d.locked_until IS NULL AND NOT EXISTS (SELECT 1 FROM links l WHERE l.domain = new.domain
      AND l.slug BETWEEN new.conflicts_from AND new.conflicts_to AND l.tenure = ${currentTenureSql("new.domain")})),
  iif(${segmentOwnerSql("new.domain", "new.slug")} <> new.account_id, NULL, new.slug))`;

/** Whether the account of a new alias may add it now. @param row  has its columns, `on_custom_domain` and `case_sensitive` */
export const isOpenForAliasSql = (row: string) => `(${row}.tenure = ${currentTenureSql(`${row}.domain`)}
  AND (NOT ${row}.on_custom_domain OR EXISTS (SELECT 1 FROM domains d
    WHERE d.account_id = ${row}.account_id AND d.mode = ${row}.mode AND d.domain = ${row}.domain AND d.status = 'active'
      AND d.case_sensitive = ${row}.case_sensitive AND d.locked_until IS NULL))
  AND (${row}.on_custom_domain
    OR ifnull(${segmentOwnerSql(`${row}.domain`, `${row}.slug`)}, ${row}.account_id) = ${row}.account_id))`;

export function isCustomDomainOf(env: Env, { domain, mode }: Pick<LinkSnapshot, "domain" | "mode">): boolean {
  return domain !== hostsOfLink(env, domain).shortDomains[mode];
}

/** Name of a new link's object, if a former holder's link at the address has its clicks in the address's object. */
export const NEW_OBJECT_NAME_SQL = `iif(EXISTS (SELECT 1 FROM links l WHERE l.domain = new.domain AND l.slug = new.slug),
  new.domain || '/' || lower(new.slug) || '@' || new.id, NULL)`;

/** Whether the account of a row of `domains` ever created a link on it, even before it was last added. */
export const EVER_HAD_LINKS_SQL = `EXISTS (SELECT 1 FROM slug_cases c
  WHERE c.account_id = domains.account_id AND c.mode = domains.mode AND c.domain = domains.domain)`;

/**
 * Whether a row of `domains` has links that are not deleted, or aliases of such links. The index contains only live
 * links on custom domains: an account may have many links elsewhere, and many tombstones on this domain.
 */
export const HAS_LIVE_LINKS_SQL = `(EXISTS (SELECT 1 FROM links l INDEXED BY links_on_custom_domains
  WHERE l.account_id = domains.account_id AND l.mode = domains.mode AND l.domain = domains.domain
    AND l.on_custom_domain = 1 AND l.deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM alias_domains a
    WHERE a.account_id = domains.account_id AND a.mode = domains.mode AND a.domain = domains.domain))`;

/** A domain of an account. */
export interface OwnDomain {
  accountId: string;
  mode: string;
  domain: string;
}

/** The case setting of an account's first link on a domain, shared by all later ones; null before. In all databases. */
export async function findSlugCase(env: LinksEnv, { accountId, mode, domain }: OwnDomain): Promise<boolean | null> {
  const sql = `SELECT domain AS id, case_sensitive FROM slug_cases
    WHERE account_id = ?1 AND mode = ?2 AND domain = ?3`;
  const [row] = await selectLinks<{ id: string; case_sensitive: number }>(env, (database) =>
    database.prepare(sql).bind(accountId, mode, domain),
  );
  return row ? row.case_sensitive === 1 : null;
}

/** Whether any database has links that are not deleted, with this domain or an alias on it. */
export async function hasLiveLinks(env: LinksEnv, { accountId, mode, domain }: OwnDomain): Promise<boolean> {
  const sql = `SELECT id FROM (SELECT id FROM links INDEXED BY links_on_custom_domains
    WHERE account_id = ?1 AND mode = ?2 AND domain = ?3 AND on_custom_domain = 1 AND deleted_at IS NULL LIMIT 1)
    UNION ALL SELECT link_id FROM (SELECT link_id FROM alias_domains
    WHERE account_id = ?1 AND mode = ?2 AND domain = ?3 LIMIT 1)`;
  const found = await selectLinks(env, (database) => database.prepare(sql).bind(accountId, mode, domain));
  return found.length > 0;
}

/** Returns the hosts that have links, in either mode. */
export async function findDomainsWithLinks(env: LinksEnv, hosts: readonly string[]): Promise<string[]> {
  if (hosts.length === 0) return [];
  const wanted = JSON.stringify(hosts.map((host) => [host, testPathDomain(host)]));
  const sql = `SELECT value ->> 0 AS id FROM json_each(?1) WHERE EXISTS
    (SELECT 1 FROM links l WHERE l.domain IN (value ->> 0, value ->> 1))`;
  const found = await selectLinks(env, (database) => database.prepare(sql).bind(wanted));
  return [...new Set(found.map(({ id }) => id))];
}
