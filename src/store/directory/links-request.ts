/**
 * A request on several links, each of which has an outcome of its own: its plan, a part for each database concerned, and
 * what is stored for its repetition. requests.ts carries it out.
 */
import { bulkCost } from "../../core/links/bulk-cost.ts";
import type { LinkRow } from "../links/link-rows.ts";
import type { WrittenLink } from "./databases.ts";
import { databasesToWrite } from "./directory.ts";
import type { IdempotentRequest } from "./idempotency.ts";

/** An item as it was planned, and what decides in which database. */
export interface PlannedItem<Outcome> {
  position: number;
  key: WrittenLink;
  database: D1Database;
  outcome: Outcome;
  /** Tags that it adds and removes. */
  changedTags: number;
}

/** What a request does in one database. */
export interface RequestPart<Outcome> {
  database: D1Database;
  items: readonly PlannedItem<Outcome>[];
  statements: D1PreparedStatement[];
}

/** Attempts: slugs may be taken, links be changed, and quotas be used up meanwhile. */
export const MAX_TRIES = 5;

/** What is stored of a request for its repetition. */
export interface StoredForm<Outcome> {
  /** Of an item; null when the request is refused, so that nothing is stored. */
  ofItem: (outcome: Outcome, position: number) => unknown;
  /** Of the whole request. @param items  by position; undefined where an item was not valid */
  ofRequest: (items: readonly unknown[]) => unknown;
}

export interface LinksRequest<Outcome> {
  /** How many items were sent, whether valid or not. */
  size: number;
  /** Whether it counts against the limits of bulk requests (accounts/quotas.ts). */
  isBulk?: boolean;
  idempotentRequest: IdempotentRequest | null;
  stored: StoredForm<Outcome>;
  /** Plans the items that have no outcome yet. */
  plan: (isDone: (position: number) => boolean) => Promise<RequestPart<Outcome>[]>;
  /** Returns when the part is to be planned again. @throws what the client is told otherwise */
  replan: (error: unknown, isLastTry: boolean) => void | Promise<void>;
  /** @param rows  that the statements of a transaction have returned */
  committed?: (rows: LinkRow[]) => void;
}

/** An outcome of this attempt; or what an earlier attempt, or a copy, has stored of its own. */
export type Done<Outcome> = { outcome: Outcome } | { stored: unknown };

/** By position; undefined where an item was not valid. */
export type DoneItems<Outcome> = readonly (Done<Outcome> | undefined)[];

/** The outcome of a request on one link: what is stored of that is a whole response, which `replay` sends. */
export function soleOutcome<Outcome>(done: Done<Outcome> | undefined): Outcome {
  if (!done || "stored" in done) throw new Error("the only item of a request has no outcome");
  return done.outcome;
}

/** The database of each link. Every request on several links chooses its databases by this. */
export async function databasesOfLinks<Key extends WrittenLink>(
  env: Env,
  links: readonly Key[],
): Promise<ReadonlyMap<Key, D1Database>> {
  const groups = await databasesToWrite(env, links);
  return new Map([...groups].flatMap(([database, keys]) => keys.map((key) => [key, database] as const)));
}

/** Groups what was planned by database, with the statements of each. */
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

/** What the request counts against the limits of bulk requests; null when it is none. */
export function costOf<Outcome>(
  { isBulk, size }: LinksRequest<Outcome>,
  parts: readonly RequestPart<Outcome>[],
): number | null {
  if (!isBulk) return null;
  const tags = parts.flatMap(({ items }) => items).reduce((sum, { changedTags }) => sum + changedTags, 0);
  return bulkCost(size, tags);
}

/** Null when nothing is to be stored. */
export function payloadOf<Outcome>({ size, stored }: LinksRequest<Outcome>, done: DoneItems<Outcome>): unknown {
  const items = Array.from({ length: size }, (_, position) => {
    const each = done[position];
    return each && ("stored" in each ? each.stored : stored.ofItem(each.outcome, position));
  });
  return items.includes(null) ? null : stored.ofRequest(items);
}
