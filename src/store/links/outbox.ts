/**
 * Transactional outbox: one row per link whose object has not confirmed a change or an erasure. A trigger writes the
 * row in the transaction of the change (schema.sql), so it survives a Worker that dies after the commit. It also covers
 * operator's commands, which cannot call objects. The row holds link and revision; the payload is read from the link at
 * delivery. Delivery is at least once: an object ignores a revision that it already has.
 */
import { backoffMs } from "../../core/retries.ts";
import { earliest, MINUTE_MS } from "../../core/time.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { objectCallsMax } from "../../core/deployment/settings.ts";
import type { BackgroundContext } from "../accounts/api-keys.ts";
import { announceLocalChange, eraseLinkObject, notifyLinkObject } from "../link-object-client.ts";
import { type LinkRow, snapshotOf } from "./link-rows.ts";
import { askReachableDatabases, groupByPossibleDatabase, sumInDatabases } from "../directory/directory.ts";
import { deleteRowsAbout } from "../directory/home-copies.ts";
import { callsLeft, type LinksEnv } from "../directory/databases.ts";
import { wakeMaintenance } from "../maintenance-client.ts";
import { eraseFromAccountClicks, eraseFromFeed } from "../account-object-client.ts";
import { queryRows, changeRows } from "../statements.ts";

/** A delivery that is due. */
interface Delivery {
  link: LinkSnapshot;
  /** Whether the object must erase its storage, and the account's objects the link's events and clicks. */
  erases: boolean;
  /** Failed attempts so far. */
  tries: number;
}

export interface DeliveryRound {
  /** Rows that were due, delivered or not. */
  deliveries: number;
  /** Where the next round continues; "" to start over. */
  cursor: string;
}

/** Accounts per round: each gets a turn, no matter how many rows another account has. */
const ROUND_ACCOUNTS_MAX = 40;

/** Objects that a request or maintenance run may call for links; each further database uses three queries more. */
export function calledObjectsMax(env: Env): number {
  return callsLeft(env, objectCallsMax(env), 3);
}

/**
 * Delivers changes, also to this isolate's cache, before the API responds. Failures do not delay the others. The
 * maintenance object retries them, and delivers the changes beyond what a request may send on its Workers plan.
 * @param links  each once, in its newest revision
 */
export async function deliverChanges(env: Env, ctx: BackgroundContext, links: readonly LinkSnapshot[]): Promise<void> {
  if (links.length === 0) return;
  for (const link of links) announceLocalChange(link);
  const called = links.slice(0, calledObjectsMax(env));
  const tidied = deleteRowsAbout(env, called);
  const outcomes = await Promise.allSettled(called.map((link) => Promise.all([notifyLinkObject(env, link), tidied])));
  const delivered = called.filter((link, i) => {
    const outcome = outcomes[i];
    if (outcome?.status !== "rejected") return true;
    console.warn("link object not yet told of a change", { link: link.id, error: String(outcome.reason) });
    return false;
  });
  if (delivered.length > 0) ctx.waitUntil(deleteDelivered(env, delivered));
  if (delivered.length < links.length) ctx.waitUntil(wakeMaintenance(env, Date.now()));
}

/**
 * Delivers some of the due rows, with accounts taking turns.
 * @param cursor  end of the last round
 * @param callsMax  calls to objects: a change takes one, an erasure three
 */
export async function deliverDue(env: Env, cursor: string, callsMax: number): Promise<DeliveryRound> {
  const round = await findDue(env, cursor, Math.max(Math.floor(callsMax / 3), 1));
  const links = round.due.map(({ link }) => link);
  const tidied = deleteRowsAbout(env, links);
  const outcomes = await Promise.allSettled(
    round.due.map(({ link, erases }) =>
      Promise.all([(erases ? eraseEverywhere : notifyLinkObject)(env, link), tidied]),
    ),
  );
  const [done, failed]: [LinkSnapshot[], Delivery[]] = [[], []];
  for (const [i, delivery] of round.due.entries()) {
    const outcome = outcomes[i];
    if (outcome?.status === "fulfilled") done.push(delivery.link);
    else failed.push(delivery);
    if (outcome?.status === "rejected") {
      console.warn("link object not told again", { link: delivery.link.id, error: String(outcome.reason) });
    }
  }
  await Promise.all([deleteDelivered(env, done), postpone(env, failed)]);
  return { deliveries: round.due.length, cursor: round.cursor };
}

/** Erases the link's object first, so that it announces nothing more, and no clicks are read from it. */
async function eraseEverywhere(env: Env, link: LinkSnapshot): Promise<void> {
  await eraseLinkObject(env, link);
  await eraseFromFeed(env, link);
  await eraseFromAccountClicks(env, link);
}

/** Rows scanned to find the next due time. An index on `due_at` would cost one more row written per change. */
const DUE_SCAN_ROWS = 200;

/** With more rows, the next round over all accounts starts after this time at the latest. */
const RESCAN_MS = MINUTE_MS;

/** When the next delivery is due, epoch ms; null when the outbox is empty. */
export async function nextDeliveryAt(env: Env): Promise<number | null> {
  const times = await askReachableDatabases(env, (database) =>
    database
      .prepare(
        `SELECT iif(count(*) < ?1, min(due_at), min(min(due_at), ?2)) AS at
         FROM (SELECT due_at FROM link_outbox LIMIT ?1)`,
      )
      .bind(DUE_SCAN_ROWS, Date.now() + RESCAN_MS)
      .first<number | null>("at"),
  );
  return earliest(times);
}

/**
 * Selects the first due row of each account, then the second, up to the limit. An account without a due row yields a
 * row without a link, so that the round's position is known.
 */
const DUE_SQL = `
  WITH RECURSIVE turns (account_id) AS (
    SELECT min(account_id) FROM link_outbox WHERE account_id > ?1
    UNION ALL
    SELECT (SELECT min(o.account_id) FROM link_outbox o WHERE o.account_id > t.account_id)
    FROM turns t WHERE t.account_id IS NOT NULL
    LIMIT ?2
  )
  SELECT t.account_id AS turn, o.tries, l.*
  FROM turns t
  LEFT JOIN link_outbox o ON o.account_id = t.account_id AND (o.mode, o.link_id) IN
    (SELECT mode, link_id FROM link_outbox WHERE account_id = t.account_id AND due_at <= ?3 LIMIT ?4)
  LEFT JOIN links l ON l.account_id = o.account_id AND l.mode = o.mode AND l.id = o.link_id
  WHERE t.account_id IS NOT NULL
  ORDER BY row_number() OVER (PARTITION BY t.account_id), t.account_id
  LIMIT ?4`;

interface DueDeliveries {
  due: Delivery[];
  /** "" when the round has reached the last account. */
  cursor: string;
}

/**
 * The databases share the limit. The next round continues where the first of them stopped, so the others visit some
 * accounts twice.
 */
async function findDue(env: Env, cursor: string, limit: number): Promise<DueDeliveries> {
  const found = await askReachableDatabases(env, (database, shareOf) => findDueIn(database, cursor, shareOf(limit)));
  const cursors = found.map((each) => each.cursor).filter((each) => each !== "");
  return { due: found.flatMap(({ due }) => due), cursor: cursors.sort()[0] ?? "" };
}

async function findDueIn(database: D1Database, cursor: string, limit: number): Promise<DueDeliveries> {
  const accounts = Math.min(limit, ROUND_ACCOUNTS_MAX);
  type Row = (LinkRow | { id: null }) & { turn: string; tries: number };
  const results = await queryRows<Row>(database, DUE_SQL, [cursor, accounts, Date.now(), limit]);
  const turns = results.map(({ turn }) => turn).sort();
  return {
    due: results.flatMap((row) =>
      row.id === null ? [] : [{ link: snapshotOf(row), erases: row.erase_at !== null, tries: row.tries }],
    ),
    cursor: new Set(turns).size < accounts ? "" : (turns.at(-1) ?? ""),
  };
}

/** Deletes delivered rows, unless a newer change has been queued since. */
async function deleteDelivered(env: Env, delivered: readonly LinkSnapshot[]): Promise<void> {
  const sql = `DELETE FROM link_outbox WHERE (account_id, mode, link_id, revision) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1))`;
  const deletions = [...groupByPossibleDatabase(env, delivered)].map(([database, links]) => {
    const keys = links.map(({ accountId, mode, id, revision }) => [accountId, mode, id, revision]);
    return changeRows(database, sql, [JSON.stringify(keys)]);
  });
  await Promise.all(deletions);
}

async function postpone(env: Env, failed: readonly Delivery[]): Promise<void> {
  const sql = `UPDATE link_outbox SET due_at = value ->> 4, tries = value ->> 5 FROM json_each(?1)
    WHERE account_id = value ->> 0 AND mode = value ->> 1 AND link_id = value ->> 2 AND revision = value ->> 3`;
  const triesOf = new Map(failed.map(({ link, tries }) => [link, tries + 1]));
  const now = Date.now();
  const updates = [...groupByPossibleDatabase(env, [...triesOf.keys()])].map(([database, links]) => {
    const rows = links.map((link) => {
      const tries = triesOf.get(link) ?? 1;
      return [link.accountId, link.mode, link.id, link.revision, now + backoffMs(tries, Math.random()), tries];
    });
    return changeRows(database, sql, [JSON.stringify(rows)]);
  });
  await Promise.all(updates);
}

/** Number of deliveries due at `now`, epoch ms; counts at most `max`. */
export async function countDueDeliveries(env: LinksEnv, now: number, max: number): Promise<number> {
  const sql = "SELECT count(*) AS n FROM (SELECT 1 FROM link_outbox WHERE due_at <= ?1 LIMIT ?2)";
  return sumInDatabases(env, (database) => database.prepare(sql).bind(now, max));
}
