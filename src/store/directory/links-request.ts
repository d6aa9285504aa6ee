/**
 * A request on several links, each with a separate outcome: its plan, a part for each database involved, and the
 * response stored for retries. requests.ts carries it out.
 */
import { bulkCost } from "../../core/links/bulk-pieces.ts";
import type { LinkRow } from "../links/link-rows.ts";
import type { WrittenLink } from "./databases.ts";
import { databasesToWrite } from "./directory.ts";
import type { IdempotentRequest } from "./idempotency.ts";

/** A planned item, with the key that determines its database. */
export interface PlannedItem<Outcome> {
  position: number;
  key: WrittenLink;
  database: D1Database;
  outcome: Outcome;
  /** Number of tags that it adds and removes. */
  changedTags: number;
  changedAliases: number;
  setsPassword: boolean;
}

/** The part of a request that is carried out in one database. */
export interface RequestPart<Outcome> {
  database: D1Database;
  items: readonly PlannedItem<Outcome>[];
  statements: D1PreparedStatement[];
}

/** Maximum attempts: concurrent requests may take slugs, change links or use up quotas. */
export const MAX_TRIES = 5;

/** The form in which a request is stored for retries. */
export interface StoredForm<Outcome> {
  /** Form of an item; null when the request is refused, so that nothing is stored. */
  ofItem: (outcome: Outcome, position: number) => unknown;
  /** Form of the whole request. @param items  by position; undefined where an item was not valid */
  ofRequest: (items: readonly unknown[]) => unknown;
}

export interface LinksRequest<Outcome> {
  /** Number of items sent, valid or not. */
  size: number;
  /** Whether it counts against the limits of bulk requests (accounts/quotas.ts). */
  isBulk?: boolean;
  idempotentRequest?: IdempotentRequest | null;
  /** Only of a request with an `Idempotency-Key`. */
  stored?: StoredForm<Outcome>;
  /** Plans the items that have no outcome yet. */
  plan: (isDone: (position: number) => boolean) => Promise<RequestPart<Outcome>[]>;
  /** Returns if the part must be planned again. @throws the error for the client otherwise */
  replan: (error: unknown, isLastTry: boolean) => void | Promise<void>;
  /** @param rows  rows returned by the statements of a transaction */
  committed?: (rows: LinkRow[]) => void;
}

/** A request as the API sends it. @property items  by position; null where an item was not valid */
export type ItemsRequest<Item, Outcome> = { items: readonly (Item | null)[] } & Pick<
  LinksRequest<Outcome>,
  "isBulk" | "idempotentRequest" | "stored"
>;

/** An outcome of this attempt, or the stored result of an earlier attempt or a copy. */
export type Done<Outcome> = { outcome: Outcome } | { stored: unknown };

/** Results by position; undefined where an item was not valid. */
export type DoneItems<Outcome> = readonly (Done<Outcome> | undefined)[];

/** The outcome of a request on one link. Its stored result would be a whole response, which `replay` sends. */
export function soleOutcome<Outcome>(done: Done<Outcome> | undefined): Outcome {
  if (!done || "stored" in done) throw new Error("the only item of a request has no outcome");
  return done.outcome;
}

/** Returns the database of each link. Every request on several links chooses its databases with this function. */
export async function databasesOfLinks<Key extends WrittenLink>(
  env: Env,
  links: readonly Key[],
): Promise<ReadonlyMap<Key, D1Database>> {
  const groups = await databasesToWrite(env, links);
  return new Map([...groups].flatMap(([database, keys]) => keys.map((key) => [key, database] as const)));
}

/** Groups planned items by database, with the statements of each. */
export function partsOf<Item extends PlannedItem<unknown>>(
  planned: readonly Item[],
  statementsIn: (database: D1Database, items: Item[]) => D1PreparedStatement[],
): RequestPart<Item["outcome"]>[] {
  const byDatabase = Map.groupBy(planned, ({ database }) => database);
  return [...byDatabase].map(([database, items]) => ({ database, items, statements: statementsIn(database, items) }));
}

export function withPlanned<Outcome>(
  done: DoneItems<Outcome>,
  parts: readonly RequestPart<Outcome>[],
): DoneItems<Outcome> {
  const planned = [...done];
  for (const { items } of parts) for (const { position, outcome } of items) planned[position] = { outcome };
  return planned;
}

/** The request's cost against the limits of bulk requests; null if it is not a bulk request. */
export function costOf<Outcome>(
  { isBulk, size }: LinksRequest<Outcome>,
  parts: readonly RequestPart<Outcome>[],
): number | null {
  if (!isBulk) return null;
  const planned = parts.flatMap(({ items }) => items);
  const tags = planned.reduce((sum, { changedTags }) => sum + changedTags, 0);
  const aliases = planned.reduce((sum, { changedAliases }) => sum + changedAliases, 0);
  return bulkCost(size, tags, planned.filter(({ setsPassword }) => setsPassword).length, aliases);
}

/** Returns the payload to store; null when nothing is to be stored. */
export function payloadOf<Outcome>({ size, stored }: LinksRequest<Outcome>, done: DoneItems<Outcome>): unknown {
  const items = Array.from({ length: size }, (_, position) => {
    const each = done[position];
    return each && ("stored" in each ? each.stored : stored?.ofItem(each.outcome, position));
  });
  return items.includes(null) ? null : stored?.ofRequest(items);
}
