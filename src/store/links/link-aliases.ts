/**
 * The rows of aliases, after `alias-rules.ts` has checked them. An alias is a row in the database of its own address, which
 * decides who holds the address. If that is the link's database, both are written in one transaction. Otherwise the
 * address is reserved first, and the link is written only while the reservation is young. An address whose link does not
 * list it is invisible: a request that was interrupted before it wrote the link leaves only such rows. Once they are old,
 * the next request for the address deletes them.
 */
import { ApiError, validationFailed } from "../../core/errors.ts";
import { conflictingSlugs, isExactSlug } from "../../core/hosts.ts";
import { bucketOfAddress, bucketText } from "../../core/links/buckets.ts";
import type { LinkAlias } from "../../core/links/link-members.ts";
import { addressObjectName, type AliasAddress, isSameAddress } from "../../core/links/link-snapshot.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { groupByDatabase, type LinksEnv } from "../directory/databases.ts";
import { databasesToWrite, readLinksIn } from "../directory/directory.ts";
import { type LinkAllowance, readLinkAllowance, unaskedAllowance } from "../directory/link-quota.ts";
import { databasesOfLinks, type DoneItems, type LinksRequest, type RequestPart } from "../directory/links-request.ts";
import type { LinkPrimaryKey } from "../directory/moved-links.ts";
import { carryOut } from "../directory/requests.ts";
import { jsonTexts, prepareNamed, queryRows, changeRows } from "../statements.ts";
import { answerInTime, signalOf, UnavailableError, writtenInTime } from "../timeout.ts";
import { currentTenureSql, isCustomDomainOf, isOpenForAliasSql, linkOwnerSql, segmentSql } from "./domain-joins.ts";
import { type LinkRecord, type LinkRow, linkRecordOf } from "./link-rows.ts";

/** How long after the reservation of its aliases a link may be written. */
const RESERVED_MS = 10_000;
/** When other links may take a reserved address. Longer, because the clocks of databases and Workers differ. */
const ABANDONED_MS = 2 * RESERVED_MS;
/** Aliases with the same first segment that are looked at for one address. If there are more, requests are repeated. */
const SEGMENT_ALIASES_MAX = 5;

/** An address that another link has. */
export interface TakenAddress {
  domain: string;
  /** As typed. */
  slug: string | null;
  /** Number of the alias; absent for the link's own slug. */
  alias?: number;
}

export function slugTaken({ domain, slug, alias }: TakenAddress): ApiError {
  const param = alias === undefined ? "slug" : `aliases.${alias}`;
  return new ApiError("slug_taken", `The slug ${slug} is already taken on ${domain}.`, { param });
}

/** An address that a request wants for a link. */
export interface WantedAddress extends Pick<LinkAlias, "domain" | "slug"> {
  /** The link, if it exists. */
  linkId?: string;
}

/** An alias, or a link by its slug: then all columns but the name are null. */
type TakenRow = { name: string; id: null } | AliasRow;

type AliasRow = AliasAddress & LinkPrimaryKey & { name: string; reserved_at: number };

/**
 * Finds addresses that have a link, or one that visitors could mean by them, or whose first segment belongs to another
 * account, by name (`addressObjectName`). Leaves out those that the link has itself, and deletes abandoned reservations.
 * @throws UnavailableError while another request may write a link with such an alias
 */
export async function findTakenAddresses(
  env: Env,
  caller: Caller,
  wanted: readonly WantedAddress[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const found = [...(await databasesToWrite(env, wanted))].map(async ([database, addresses]) => {
    const json = JSON.stringify(addresses.map((each) => comparedAddress(env, caller, each)));
    const results = await queryRows<TakenRow>(database, TAKEN_ADDRESSES_SQL, [json]);
    return results.map((row) => ({ row, database }));
  });
  const held = (await Promise.all(found)).flat();
  const own = new Set(wanted.map((each) => `${each.linkId} ${nameOf(each)}`));
  const others = held.filter(({ row }) => !own.has(`${row.id} ${row.name}`));
  const aliases = others.flatMap(({ row }) => (row.id === null ? [] : row));
  const listed = await readListed(env, aliases);
  const taken = new Set<string>();
  for (const { row, database } of others) {
    if (row.id === null || listed.get(row.id)?.some((each) => isSameAddress(each, row))) taken.add(row.name);
    else if (row.reserved_at <= Date.now() - ABANDONED_MS) await deleteReservations(database, [row]);
    else throw new UnavailableError(`another request is using ${row.name}`);
  }
  return taken;
}

function nameOf({ domain, slug }: Pick<LinkAlias, "domain" | "slug">): string {
  return addressObjectName(domain, slug);
}

/** An address for `TAKEN_ADDRESSES_SQL`, with the account only where accounts share a domain. */
function comparedAddress(env: Env, caller: Caller, { domain, slug }: WantedAddress): (string | null)[] {
  const { from, to } = conflictingSlugs(slug);
  const isCustom = isCustomDomainOf(env, { domain, mode: caller.mode });
  return [addressObjectName(domain, slug), domain, slug, from, to, isCustom ? null : caller.accountId];
}

const SEGMENT_SQL = segmentSql("value ->> 2");

/**
 * The rows of aliases name their links. Also some of another account's with the same first segment: if they decide who
 * has it (`segmentOwnerSql`), they may be abandoned reservations.
 */
const TAKEN_ADDRESSES_SQL = `SELECT value ->> 0 AS name, NULL AS domain, NULL AS slug, NULL AS tenure, NULL AS account_id,
    NULL AS mode, NULL AS id, NULL AS reserved_at
  FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM links l
    WHERE l.domain = value ->> 1 AND l.slug = value ->> 2 AND l.tenure = ${currentTenureSql("value ->> 1")})
  OR EXISTS (SELECT 1 FROM links l WHERE l.domain = value ->> 1 AND l.slug BETWEEN value ->> 3 AND value ->> 4
    AND l.tenure = ${currentTenureSql("value ->> 1")})
  OR ${linkOwnerSql("value ->> 1", "value ->> 2")} <> value ->> 5
  UNION ALL SELECT value ->> 0, a.domain, a.slug, a.tenure, a.account_id, a.mode, a.link_id, a.reserved_at
  FROM json_each(?1) CROSS JOIN link_aliases a ON a.domain = value ->> 1 AND a.slug = value ->> 2
  WHERE a.tenure = ${currentTenureSql("a.domain")}
  UNION ALL SELECT value ->> 0, a.domain, a.slug, a.tenure, a.account_id, a.mode, a.link_id, a.reserved_at
  FROM json_each(?1) CROSS JOIN link_aliases a ON a.domain = value ->> 1 AND a.slug IN (
    SELECT ${SEGMENT_SQL} UNION ALL SELECT slug FROM (SELECT slug FROM link_aliases
    WHERE domain = value ->> 1 AND slug > ${SEGMENT_SQL} || '/' AND slug < ${SEGMENT_SQL} || '0' LIMIT ${SEGMENT_ALIASES_MAX}))
  WHERE a.slug <> value ->> 2 AND a.account_id <> value ->> 5`;

/** The present and removed aliases of links, by id. */
async function readListed(env: Env, links: readonly LinkPrimaryKey[]): Promise<Map<string, LinkAlias[]>> {
  if (links.length === 0) return new Map();
  const idOf = ({ id }: { id: string }) => id;
  const rows = await readLinksIn<LinkPrimaryKey, LinkRow>(env, links, idOf, idOf, async (database, wanted) => {
    const keys = JSON.stringify(wanted.map(({ account_id, mode, id }) => [account_id, mode, id]));
    return (await answerInTime(database.prepare(LINKS_SQL).bind(keys).all<LinkRow>())).results;
  });
  return new Map(
    rows.map((row) => {
      const { aliases, retiredAliases } = linkRecordOf(row);
      return [row.id, [...aliases, ...retiredAliases]];
    }),
  );
}

const LINKS_SQL = `SELECT l.* FROM json_each(?1) wanted CROSS JOIN links l
  ON l.account_id = value ->> 0 AND l.mode = value ->> 1 AND l.id = value ->> 2`;

/** A link to write. */
export interface LinkToAlias {
  /** Of its item in the request. */
  position: number;
  link: LinkRecord;
  database: D1Database;
  /** The aliases that it does not have yet. */
  added: readonly LinkAlias[];
}

type Reservation = Pick<AliasRow, "domain" | "slug" | "tenure" | "id" | "reserved_at">;

/** The addresses that a request has reserved in other databases than those of the links. */
class AliasReservations {
  readonly #env: Env;
  #reserved: (Reservation & { position: number; database: D1Database })[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  /**
   * Reserves aliases that are in other databases than their links.
   * @returns the statements of each link database, for the transaction that writes the links, after them. It fails
   *   (`address_taken`, `alias_refused`) when a link may not get an alias
   */
  async reserve(links: readonly LinkToAlias[]): Promise<ReadonlyMap<D1Database, D1PreparedStatement[]>> {
    const now = Date.now();
    const wanted = links.flatMap(({ added, ...link }) => added.map((alias) => ({ ...alias, ...link })));
    if (wanted.length === 0) return new Map();
    const places = await databasesOfLinks(this.#env, wanted);
    const isForeign = (each: (typeof wanted)[number]) => places.get(each) !== each.database;
    const rowsOf = (some: typeof wanted) => jsonTexts(some.map((each) => this.#row(each, now)));
    for (const [database, own] of Map.groupBy(wanted.filter(isForeign), (each) => places.get(each))) {
      if (!database) continue;
      this.#reserved.push(...own.map((each) => ({ ...each, id: each.link.id, reserved_at: now, database })));
      await writtenInTime(database.batch(rowsOf(own).map((rows) => prepareNamed(database, RESERVE_SQL, { rows }))));
    }
    const statementsOf = (database: D1Database, own: typeof wanted) => [
      ...rowsOf(own.filter((each) => !isForeign(each))).map((rows) => prepareNamed(database, RESERVE_SQL, { rows })),
      ...rowsOf(own.filter(isForeign)).map((rows) =>
        prepareNamed(database, REQUIRE_RESERVED_SQL, { rows, deadline: now + RESERVED_MS }),
      ),
    ];
    const byDatabase = Map.groupBy(wanted, ({ database }) => database);
    return new Map([...byDatabase].map(([database, own]) => [database, statementsOf(database, own)]));
  }

  #row({ domain, slug, tenure, link }: LinkAlias & Pick<LinkToAlias, "link">, now: number): unknown[] {
    const bucket = bucketText(bucketOfAddress(domain, slug));
    const isCustom = isCustomDomainOf(this.#env, { domain, mode: link.mode });
    const address = [domain, slug, tenure, bucket, link.accountId, link.mode, link.id, now];
    return [...address, Number(isCustom), Number(isExactSlug(slug))];
  }

  /**
   * Gives up the addresses of links that are not written, and never will be.
   * @param isDone  whether the link of an item was written
   */
  async release(isDone: (position: number) => boolean = () => false): Promise<void> {
    const unused = this.#reserved.filter(({ position }) => !isDone(position));
    this.#reserved = [];
    const deletions = [...Map.groupBy(unused, ({ database }) => database)].map(([database, own]) =>
      deleteReservations(database, own),
    );
    await Promise.all(deletions).catch((error) => console.warn("aliases stay reserved", { error: String(error) }));
  }
}

/** Plans the items that have no outcome yet. @param reservations  of the aliases of planned links */
export type AliasedPlan<Outcome> = (
  isDone: (position: number) => boolean,
  allowance: LinkAllowance,
  reservations: AliasReservations,
) => Promise<RequestPart<Outcome>[]>;

/**
 * Between plan and write, a link was changed or moved, an address was taken, or a domain or its case setting changed.
 */
const OUTDATED: readonly unknown[] = [
  "revision_changed",
  "bucket_moved",
  "address_taken",
  "alias_taken",
  "alias_refused",
  "slug_outdated",
];

/**
 * Carries out a request that creates or changes links, within the account's quota. Plans first with what each database
 * grants, and asks the others once one has refused.
 * @throws ApiError validation_failed when a domain of new links is no longer active; then nothing is created
 * @throws UnavailableError when concurrent requests keep changing the same links or taking their addresses
 * @throws as `carryOut` when a copy of the request was faster
 */
export async function carryOutAliased<Outcome>(
  env: Env,
  caller: Caller,
  request: Omit<LinksRequest<Outcome>, "plan" | "replan">,
  planItems: AliasedPlan<Outcome>,
): Promise<DoneItems<Outcome>> {
  const reservations = new AliasReservations(env);
  let asksOthers = false;
  const plan = async (isDone: (position: number) => boolean) => {
    await reservations.release(isDone);
    const allowance = asksOthers ? await readLinkAllowance(env, caller) : unaskedAllowance(env, caller);
    return planItems(isDone, allowance, reservations);
  };
  const replan = async (error: unknown, isLastTry: boolean) => {
    const signal = signalOf(error);
    if (signal === "domain_not_active" || signal === "domain_not_held") throw domainNotActive();
    if (signal === "link_quota") {
      asksOthers = true;
      if (isLastTry) throw (await readLinkAllowance(env, caller)).refusal();
    } else if (!OUTDATED.includes(signal)) {
      throw error;
    } else if (isLastTry) {
      throw new UnavailableError("other requests keep changing the links, or taking the slugs of this one");
    }
  };
  try {
    return await carryOut(env, caller, { ...request, plan, replan });
  } catch (error) {
    // An `ApiError` says that nothing was written; after any other error, something may have been.
    if (error instanceof ApiError) await reservations.release();
    throw error;
  }
}

function domainNotActive(): ApiError {
  const message = "domain is no longer active, so it accepts no new links";
  return validationFailed([{ path: "domain", code: "not_active", message }]);
}

const NEW_ALIASES_SQL = `(SELECT value ->> 0 AS domain, value ->> 1 AS slug, value ->> 2 AS tenure, value ->> 3 AS bucket,
    value ->> 4 AS account_id, value ->> 5 AS mode, value ->> 6 AS link_id, value ->> 7 AS reserved_at,
    value ->> 8 AS on_custom_domain, value ->> 9 AS case_sensitive
  FROM json_each(:rows)) AS new`;

/** Shares a row that the link has already. Its time then differs from that of each request, so none of them deletes it. */
const RESERVE_SQL = `INSERT INTO link_aliases (domain, slug, tenure, bucket, account_id, mode, link_id, reserved_at)
  SELECT iif(${isOpenForAliasSql("new")}, domain, NULL), slug, tenure, bucket, account_id, mode, link_id, reserved_at
  FROM ${NEW_ALIASES_SQL} WHERE true
  ON CONFLICT DO UPDATE SET reserved_at = max(excluded.reserved_at, reserved_at) + 1`;

/**
 * Inserts nothing. Fails in the link's database when the link may no longer be written: others may have taken a reserved
 * address, or the domain was deleted after the reservation.
 */
const REQUIRE_RESERVED_SQL = `INSERT INTO link_aliases (domain) SELECT NULL FROM ${NEW_ALIASES_SQL}
  WHERE unixepoch('subsec') * 1000 > :deadline OR NOT ${isOpenForAliasSql("new")}`;

/** Leaves rows that were reserved again. */
async function deleteReservations(database: D1Database, reserved: readonly Reservation[]): Promise<void> {
  const rows = reserved.map(({ domain, slug, tenure, id, reserved_at }) => [domain, slug, tenure, id, reserved_at]);
  const sql = `DELETE FROM link_aliases WHERE (domain, slug, tenure, link_id, reserved_at) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?1))`;
  await changeRows(database, sql, [JSON.stringify(rows)]);
}

/** Writes the rows of the aliases of restored links, which backups do not have. @throws as D1 if an address is taken */
export async function restoreAliases(env: LinksEnv, rows: readonly LinkRow[]): Promise<void> {
  const restored = rows.flatMap((row) => {
    const { aliases, retiredAliases } = linkRecordOf(row);
    return [...aliases, ...retiredAliases].map((alias) => ({ ...alias, row }));
  });
  for (const [database, own] of groupByDatabase(env, restored)) {
    const values = own.map(({ domain, slug, tenure, row }) => {
      const bucket = bucketText(bucketOfAddress(domain, slug));
      return [domain, slug, tenure, bucket, row.account_id, row.mode, row.id, row.created_at];
    });
    await database.batch(jsonTexts(values).map((texts) => prepareNamed(database, RESTORE_SQL, { rows: texts })));
  }
}

const RESTORE_SQL = `INSERT INTO link_aliases (domain, slug, tenure, bucket, account_id, mode, link_id, reserved_at)
  SELECT domain, slug, tenure, bucket, account_id, mode, link_id, reserved_at FROM ${NEW_ALIASES_SQL}
  WHERE true ON CONFLICT DO NOTHING`;
