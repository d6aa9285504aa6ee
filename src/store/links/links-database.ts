/**
 * Chooses the D1 database of a link. All links are in `DB` today; this is the only file of `store/links` that names the
 * binding (a lint rule), so that links can later be spread over several databases by a bucket of their address, which
 * their id carries.
 *
 * Rules for queries: what is written together with a link (its outbox row, its account's count, the stored response) is
 * in the link's database and in the same transaction. A query of links reads no other tables, except the small rows
 * that redirects need: `account_states` and `feeds`, to be copied to every database. Statements that still assume one
 * database are `store/links/domain-joins.ts` and `transactionDatabase` below.
 */
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";

/** The bindings needed here. The operator's commands, which run outside the Worker, have them as well. */
export type LinksEnv = Pick<Env, "DB">;

/** Identifies a link's database. */
export type LinkKey = Pick<LinkSnapshot, "domain" | "slug"> | Pick<LinkSnapshot, "id">;

/** The database of one link, by its address or its id. */
export function linksDatabase(env: LinksEnv, _link: LinkKey): D1Database {
  return env.DB;
}

/** Every database with links: lists, searches and sweeps query all of them and merge the results. */
export function linkDatabases(env: LinksEnv): readonly D1Database[] {
  return [env.DB];
}

/** Groups links by database, for statements on several links. */
export function groupByDatabase<Key extends LinkKey>(env: LinksEnv, links: readonly Key[]): Map<D1Database, Key[]> {
  return Map.groupBy(links, (link) => linksDatabase(env, link));
}

/**
 * The database in which links are created, together with their account's count and the stored response of the request.
 * With a second database this becomes one transaction per database, and a retry must find and complete what is missing.
 */
export function transactionDatabase(env: LinksEnv): D1Database {
  return env.DB;
}
