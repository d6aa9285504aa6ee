/**
 * Links in D1: read, update, list. Every function takes the caller and restricts its SQL to account and mode. A change
 * is sent to the link's object before the API responds. So busy isolates receive the new revision with their next batch
 * of clicks. The trigger `links_changed` (`schema.sql`) writes the outbox row in the transaction of the update.
 */
import { ApiError, validationFailed } from "../../core/errors.ts";
import type { LinkContent } from "../../core/links/link-members.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { type BackgroundContext, type Caller, changeAuthorOf } from "../accounts/api-keys.ts";
import type { LinksEnv } from "../directory/databases.ts";
import {
  queryLinkDatabases,
  readLinkIn,
  selectLinkPage,
  selectLinksById,
  writeLinkIn,
} from "../directory/directory.ts";
import { announceLocalChange, notifyLinkObject } from "../link-object-client.ts";
import { wakeMaintenance } from "../maintenance-client.ts";
import { prepareNamed, queryRow, queryRows } from "../statements.ts";
import { refusedWith } from "../timeout.ts";
import { LINK_SELECTION_SQL, type LinkRecord, type LinkRow, linkRecordOf, snapshotOf } from "./link-rows.ts";
import { contentAssignmentsSql, contentValues, TOMBSTONE_ASSIGNMENTS_SQL, withHashedPasswords } from "./link-writes.ts";
import { deliverChanges, calledObjectsMax } from "./outbox.ts";

/** The members that an update sets; omitted ones stay unchanged. */
export type LinkChanges = Partial<LinkContent>;

/** Revisions that `If-Match` allows; null for any. */
export type ExpectedRevisions = readonly number[] | null;

/** The link is not at an expected revision. */
export class RevisionMismatchError extends Error {
  readonly revision: number;

  /** @param revision  the current one */
  constructor(revision: number) {
    super(`the link is at revision ${revision}`);
    this.revision = revision;
  }
}

/** @throws ApiError link_not_found when the link is not the caller's, belongs to the other mode, or was deleted */
export async function readLink(env: Env, caller: Caller, id: string): Promise<LinkRecord> {
  const sql = `SELECT ${LINK_SELECTION_SQL} FROM links l
    WHERE l.account_id = ?1 AND l.mode = ?2 AND l.id = ?3 AND l.deleted_at IS NULL`;
  const row = await readLinkIn(env, { id }, (database) =>
    queryRow<LinkRow>(database, sql, [caller.accountId, caller.mode, id]),
  );
  if (!row) throw new ApiError("link_not_found");
  return linkRecordOf(row);
}

/** Uses the values of `writtenValues`. */
const changeSql = (assignments: string, condition: string) => `UPDATE links SET ${assignments},
    updated_at = max(:now, updated_at + 1), revision = revision + 1
  WHERE account_id = :account_id AND mode = :mode AND id = :id AND ${condition}
    AND (:expected IS NULL OR revision IN (SELECT value FROM json_each(:expected)))
  RETURNING *`;

function writtenValues({ accountId, mode }: Caller, id: string, expected: ExpectedRevisions, now: number) {
  return { account_id: accountId, mode, id, now, expected: expected && JSON.stringify(expected) };
}

const UPDATE_SQL = changeSql(contentAssignmentsSql(":changes", "$"), "deleted_at IS NULL");

/**
 * Applies changes in one statement, so that no concurrent update is lost.
 * @throws RevisionMismatchError, ApiError link_not_found; validation_failed when a concurrent request has changed the
 *   start or the expiry, so that they would no longer be in order
 */
export async function updateLink(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  id: string,
  changes: LinkChanges,
  expected: ExpectedRevisions,
): Promise<LinkRecord> {
  const { accountId, mode } = caller;
  const [hashed = changes] = await withHashedPasswords(env, [changes]);
  const update = (database: D1Database) => updateStatement(database, caller, id, hashed, expected).first<LinkRow>();
  const written = writeLinkIn(env, { accountId, mode, id }, update);
  const row = await refusedWith(written, { opening_times: openingTimesChanged });
  if (!row) return throwNotUpdated(env, caller, id);
  await deliverChanges(env, ctx, [snapshotOf(row)]);
  return linkRecordOf(row);
}

/** Returns the row of the changed link; no row if it does not exist, or is not at an expected revision. */
export function updateStatement(
  database: D1Database,
  caller: Caller,
  id: string,
  changes: LinkChanges,
  expected: ExpectedRevisions,
  now = Date.now(),
): D1PreparedStatement {
  return prepareNamed(database, UPDATE_SQL, {
    ...writtenValues(caller, id, expected, now),
    changes: JSON.stringify(contentValues(changes)),
    changed_by: changeAuthorOf(caller),
  });
}

function openingTimesChanged(): ApiError {
  return validationFailed([
    { path: "starts_at", code: "wrong_order", message: "starts_at must be before expires_at, which has just changed" },
  ]);
}

/** Explains an update that changed no row: the link does not exist, or is not at an expected revision. */
export async function throwNotUpdated(env: Env, caller: Caller, id: string): Promise<never> {
  throw new RevisionMismatchError((await readLink(env, caller, id)).revision);
}

/** Newest first. */
export async function listNewestLinks(
  env: Env,
  { accountId, mode }: Pick<Caller, "accountId" | "mode">,
  limit: number,
): Promise<LinkRecord[]> {
  const sql = `SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND deleted_at IS NULL
    ORDER BY id DESC LIMIT ?3`;
  const rows = await selectLinkPage<LinkRow>(env, { order: "DESC", limit }, (database) =>
    database.prepare(sql).bind(accountId, mode, limit),
  );
  return rows.map(linkRecordOf);
}

/**
 * Deletes and erases links. The row becomes a tombstone immediately: the short URL answers 410, and the slug is never
 * issued again. The object keeps the clicks as the account's history until the link is erased or the account is closed.
 * It erases them after a delay, when no isolate serves the link and no sender holds its clicks anymore.
 */

/** Longer than isolates cache links (10 s) and requests retry sending clicks (20 s). */
export const ERASE_DELAY_MS = MINUTE_MS;

/** Assignments of a deletion at `:now`, epoch ms, which may be repeated. */
export const DELETION_SQL = `${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = coalesce(deleted_at, :now)`;
/** Assignments of a deletion that also erases the clicks. */
export const ERASURE_SQL = `${DELETION_SQL}, erase_at = :now + ${ERASE_DELAY_MS}`;

const DELETE_SQL = changeSql(DELETION_SQL, "deleted_at IS NULL");
const ERASE_SQL = changeSql(ERASURE_SQL, "erase_at IS NULL");

/**
 * Deletes a link.
 * @param erases  whether to erase its clicks too (store/links/outbox.ts), even if the link was deleted before
 * @throws RevisionMismatchError, ApiError link_not_found
 */
export async function deleteLink(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  id: string,
  expected: ExpectedRevisions,
  erases: boolean,
): Promise<void> {
  const { accountId, mode } = caller;
  const values = writtenValues(caller, id, expected, Date.now());
  const row = await writeLinkIn(env, { accountId, mode, id }, (database) =>
    prepareNamed(database, erases ? ERASE_SQL : DELETE_SQL, values).first<LinkRow>(),
  );
  if (row) return (erases ? notifyOfErasure : deliverChanges)(env, ctx, [snapshotOf(row)]);
  return erases ? requireAlreadyErased(env, caller, id) : throwNotUpdated(env, caller, id);
}

/**
 * Schedules the erasures that a transaction has queued. As after any deletion, updates this isolate's cache and
 * notifies the objects, which end streams and update busy isolates. If that fails, or there are more links than a
 * request may call on its Workers plan, the erasure itself notifies the objects.
 */
export async function notifyOfErasure(env: Env, ctx: BackgroundContext, links: readonly LinkSnapshot[]): Promise<void> {
  if (links.length === 0) return;
  for (const link of links) announceLocalChange(link);
  ctx.waitUntil(wakeMaintenance(env, Date.now() + ERASE_DELAY_MS));
  const notified = links
    .slice(0, calledObjectsMax(env))
    .map((link) =>
      notifyLinkObject(env, link).catch((error) =>
        console.warn("link object not told of a deletion", { link: link.id, error: String(error) }),
      ),
    );
  await Promise.all(notified);
}

/** No row was changed: either the link was erased before, which counts as success, or it is at another revision. */
async function requireAlreadyErased(env: Env, caller: Caller, id: string): Promise<void> {
  const { link, isErased } = await readLinkOrTombstone(env, caller, id);
  if (!isErased) throw new RevisionMismatchError(link.revision);
}

/** A link or its tombstone. */
export interface StoredLink {
  link: LinkRecord;
  isErased: boolean;
}

/** Reads a link of the caller, including deleted ones. @throws ApiError link_not_found */
export async function readLinkOrTombstone(env: Env, caller: Caller, id: string): Promise<StoredLink> {
  const stored = (await readLinksOrTombstones(env, caller, [id])).get(id);
  if (!stored) throw new ApiError("link_not_found");
  return stored;
}

/** Returns the caller's existing links by id, including deleted ones. */
export async function readLinksOrTombstones(
  env: Env,
  caller: Caller,
  ids: readonly string[],
): Promise<Map<string, StoredLink>> {
  const sql = `SELECT ${LINK_SELECTION_SQL} FROM json_each(?3) wanted
    CROSS JOIN links l ON l.account_id = ?1 AND l.mode = ?2 AND l.id = wanted.value`;
  const rows = await selectLinksById<LinkRow>(env, ids, (database, wanted) =>
    database.prepare(sql).bind(caller.accountId, caller.mode, wanted),
  );
  return new Map(rows.map((row) => [row.id, { link: linkRecordOf(row), isErased: row.erase_at !== null }]));
}

/** Returns what the short URLs of existing links consist of. */
export function readLinkAddresses(
  env: Env,
  { accountId, mode }: Pick<Caller, "accountId" | "mode">,
  ids: readonly string[],
): Promise<{ id: string; domain: string; slug: string; typedSlug: string | null }[]> {
  const sql = `SELECT l.id, l.domain, l.slug, l.typed_slug AS typedSlug FROM json_each(?3) wanted
    CROSS JOIN links l ON l.account_id = ?1 AND l.mode = ?2 AND l.id = wanted.value WHERE l.deleted_at IS NULL`;
  return selectLinksById(env, ids, (database, wanted) => database.prepare(sql).bind(accountId, mode, wanted));
}

/**
 * Undoes a write about a link that was deleted in the meantime: what the home database has about a deleted link may have
 * been deleted before the write (outbox.ts).
 * @throws ApiError link_not_found
 */
export async function requireNotDeleted(
  env: Env,
  caller: Pick<Caller, "accountId" | "mode">,
  id: string,
  undo: () => Promise<unknown>,
): Promise<void> {
  if ((await readLinkAddresses(env, caller, [id])).length > 0) return;
  await undo();
  throw new ApiError("link_not_found");
}

/**
 * Sets the sum of an import (store/click-imports.ts), or removes it.
 * @param value  JSON text, or null
 * @returns null if nothing has changed, or if the link has the sum of another import
 */
export function storeClicksBefore(
  env: Env,
  { accountId, mode }: Caller,
  id: string,
  importId: string,
  value: string | null,
): Promise<LinkRow | null> {
  const sql = `UPDATE links SET clicks_before = ?4, updated_at = max(?5, updated_at + 1), revision = revision + 1
    WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL AND clicks_before IS NOT ?4
      AND coalesce(clicks_before ->> 'import', ?6) = ?6 RETURNING *`;
  return writeLinkIn(env, { accountId, mode, id }, (database) =>
    queryRow<LinkRow>(database, sql, [accountId, mode, id, value, Date.now(), importId]),
  );
}

/** The condition and the expression are those of the index. Deleted links have no card. */
const USED_IMAGES_SQL = `SELECT value AS key FROM json_each(?1) WHERE EXISTS (
  SELECT 1 FROM links INDEXED BY links_by_image WHERE account_id = value ->> 0 AND mode = value ->> 1
    AND substr(social ->> 'image', instr(social ->> 'image', '/img_') + 1, 30) = value ->> 2 AND social IS NOT NULL)`;

/**
 * Finds the uploaded images that links use. Asks all databases: any of the account's links may use an image. A link that
 * moves in the meantime is found.
 * @param keys  JSON arrays of account, mode and image
 */
export async function findUsedImages(env: LinksEnv, keys: readonly string[]): Promise<Set<string>> {
  const keyOf = ({ key }: { key: string }) => key;
  const used = await queryLinkDatabases<{ key: string }>(env, keyOf, async (database) => {
    return queryRows<{ key: string }>(database, USED_IMAGES_SQL, [`[${keys.join()}]`]);
  });
  return new Set(used.map(keyOf));
}
