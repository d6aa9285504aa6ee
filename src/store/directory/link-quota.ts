/**
 * The quota of links. Each database counts its own links, and the counting statement enforces the quota: above the
 * limit it yields NULL, and the NOT NULL constraint rolls the transaction back. So with one database, concurrent
 * requests cannot exceed the quota. With several, each derives its limit from the counts of the others when they were
 * read. Concurrent requests in different databases can exceed the quota by the links they create.
 */
import type { Plan } from "../../core/account.ts";
import { ApiError } from "../../core/errors.ts";
import { LINKS_CREATED_FACTOR, LINKS_MAX } from "../../core/limits.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { withTimeout } from "../timeout.ts";
import { unguarded } from "../wrapped-databases.ts";
import { linkDatabases } from "./databases.ts";
import { askEachDatabase } from "./directory.ts";
import { queryRow } from "../statements.ts";

/** Links that are not deleted, and links ever created, in both modes together. Aliases count as links. */
interface LinkCounts {
  links: number;
  made: number;
}

function quotasOf(plan: Plan): LinkCounts {
  return { links: LINKS_MAX[plan], made: LINKS_MAX[plan] * LINKS_CREATED_FACTOR };
}

/**
 * Counts the links and aliases created in the same transaction, which fails above the limits (`link_quota`).
 * @param created  how many more there are, and how many of them never existed before
 */
export function countLinksStatement(
  database: D1Database,
  { accountId, plan }: Caller,
  created: LinkCounts,
  { links, made }: LinkCounts = quotasOf(plan),
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO link_counts (account_id, links, made) VALUES (?1, iif(?2 <= ?3, ?2, NULL), ?5)
       ON CONFLICT (account_id) DO UPDATE SET
         links = iif(links + excluded.links <= ?3, links + excluded.links, NULL),
         made = iif(made + excluded.made <= ?4, made + excluded.made, NULL)`,
    )
    .bind(accountId, created.links, links, made, created.made);
}

/** The links that an account may still create. */
export interface LinkAllowance {
  /**
   * Counts more links; false when the account may not create them.
   * @param made  how many of them never existed before; others take the place of removed ones
   */
  take: (database: D1Database, links: number, made?: number) => boolean;
  /** The maximum counts of a database after its transaction. */
  limitsIn: (database: D1Database) => LinkCounts;
  /** The error for one link too many. */
  refusal: () => ApiError;
}

/** The allowance that each database can grant without querying the others. */
export function unaskedAllowance(env: Env, { plan }: Caller): LinkAllowance {
  const databases = linkDatabases(env).length;
  const { links, made } = quotasOf(plan);
  const limits = { links: reserveOf(links, databases), made: reserveOf(made, databases) };
  return { take: () => true, limitsIn: () => limits, refusal: () => new ApiError("quota_exceeded") };
}

export async function readLinkAllowance(env: Env, { accountId, plan }: Caller): Promise<LinkAllowance> {
  const databases = linkDatabases(env);
  const counts = await Promise.all(
    databases.map((database) =>
      databases.length === 1 ? readCounts(database, accountId) : readCountsIfPossible(database, accountId),
    ),
  );
  const max = quotasOf(plan);
  const has = new DividedQuota(
    max.links,
    counts.map((count) => count && count.links),
  );
  const made = new DividedQuota(
    max.made,
    counts.map((count) => count && count.made),
  );
  const message =
    max.made - made.total < max.links - has.total
      ? `This account has created ${made.total} links, including deleted ones, which keep their slugs. The ${plan} plan allows ${max.made}.`
      : `This account has ${has.total} links. The ${plan} plan allows ${max.links}.`;
  return {
    take: (database, links, newLinks = links) => {
      const at = databases.indexOf(unguarded(database));
      if (!has.hasRoomIn(at, links) || !made.hasRoomIn(at, newLinks)) return false;
      has.addTo(at, links);
      made.addTo(at, newLinks);
      return true;
    },
    limitsIn: (database) => {
      const at = databases.indexOf(unguarded(database));
      return { links: has.limitOf(at), made: made.limitOf(at) };
    },
    refusal: () => new ApiError("quota_exceeded", message),
  };
}

async function readCounts(database: D1Database, accountId: string): Promise<LinkCounts> {
  const sql = "SELECT links, made FROM link_counts WHERE account_id = ?1";
  const row = await queryRow<LinkCounts>(database, sql, [accountId]);
  return row ?? { links: 0, made: 0 };
}

const COUNT_TIMEOUT_MS = 2_000;

/** A database that does not respond must not prevent creation in the others. */
async function readCountsIfPossible(database: D1Database, accountId: string): Promise<LinkCounts | null> {
  try {
    return await withTimeout(COUNT_TIMEOUT_MS, readCounts(database, accountId));
  } catch (error) {
    console.warn("links of an account not counted in a database", { error: String(error) });
    return null;
  }
}

export async function countLinks(env: Env, accountId: string): Promise<LinkCounts> {
  const counts = await askEachDatabase(env, (database) => readCounts(database, accountId));
  return counts.reduce((sum, { links, made }) => ({ links: sum.links + links, made: sum.made + made }));
}

/** Half of an equal share; the whole quota with one database. @internal */
export function reserveOf(max: number, databases: number): number {
  return databases === 1 ? max : Math.floor(max / (2 * databases));
}

/**
 * A quota over several databases, each of which counts its own rows. Up to its reserve, a database need not query the
 * others. Beyond it, their counts are read, and each counts as at least its reserve, so that the total never exceeds
 * the quota. Links spread evenly, so an account that nears its quota has filled every reserve.
 * @internal
 */
export class DividedQuota {
  readonly #max: number;
  readonly #reserve: number;
  /** Counts by database; a count that cannot be read is assumed to be an equal share. */
  readonly #counts: number[];

  /** @param counts  null where unknown */
  constructor(max: number, counts: readonly (number | null)[]) {
    this.#max = max;
    this.#reserve = reserveOf(max, counts.length);
    this.#counts = counts.map((count) => count ?? Math.floor(max / counts.length));
  }

  /** The count that a database may reach. */
  limitOf(database: number): number {
    const others = this.#counts.filter((_, i) => i !== database);
    return others.reduce((left, count) => left - Math.max(count, this.#reserve), this.#max);
  }

  hasRoomIn(database: number, count = 1): boolean {
    return (this.#counts[database] ?? 0) + count <= this.limitOf(database);
  }

  addTo(database: number, count = 1): void {
    this.#counts[database] = (this.#counts[database] ?? 0) + count;
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }
}
