/**
 * Which D1 database has a link. All are in `DB` today; this file is the only one of `store/links` that names the binding
 * (a lint rule), so that links can be spread over several databases by a bucket of their address, which their id carries.
 *
 * What a query may rely on then: what is written together with a link (its outbox row, its account's count, the stored
 * response) lies in the link's database and in the same transaction. A query of links reads no other tables, except the
 * small rows that redirects need: `account_states` and `feeds`, which are to be copied to every database. Statements that
 * still assume one database for all are `store/links/domain-joins.ts` and `transactionDatabase` below.
 */
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";

/** Also what the operator's commands have, which run outside the Worker. */
export type LinksEnv = Pick<Env, "DB">;

/** What a link's database is found by. */
export type LinkKey = Pick<LinkSnapshot, "domain" | "slug"> | Pick<LinkSnapshot, "id">;

/** The database of one link, by its address or its id. */
export function linksDatabase(env: LinksEnv, _link: LinkKey): D1Database {
  return env.DB;
}

/** Every database that has links: lists, searches and sweeps ask all of them and merge what they answer. */
export function linkDatabases(env: LinksEnv): readonly D1Database[] {
  return [env.DB];
}

/** Links by the database that has them, for statements that read or write several links at once. */
export function groupByDatabase<Key extends LinkKey>(env: LinksEnv, links: readonly Key[]): Map<D1Database, Key[]> {
  return Map.groupBy(links, (link) => linksDatabase(env, link));
}

/**
 * The database in which links are created together with their account's count and the stored response of the request.
 * With a second database this becomes one transaction for each that is concerned, and a retry must find and finish what
 * is missing.
 */
export function transactionDatabase(env: LinksEnv): D1Database {
  return env.DB;
}
