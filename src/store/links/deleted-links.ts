/**
 * Deletes and erases links. The row becomes a tombstone at once: the short URL answers 410, and the slug is never
 * issued again. The object keeps the clicks as the account's history, until the link is erased or the account is
 * closed. The object erases them after a delay, when no isolate serves the link and no sender holds clicks of it any
 * more.
 */
import { MINUTE_MS } from "../../core/durations.ts";
import { ApiError } from "../../core/errors.ts";
import type { Caller } from "../accounts/caller.ts";
import { notifyLinkObject } from "../link-object-client.ts";
import { type LinkRecord, type LinkRow, linkRecordOf, snapshotOf, TOMBSTONE_ASSIGNMENTS_SQL } from "./link-rows.ts";
import { linksDatabase } from "./links-database.ts";
import { type ExpectedRevisions, RevisionMismatchError, throwNotUpdated } from "./links.ts";
import { wakeMaintenance } from "../maintenance-client.ts";
import { deliverChange } from "./outbox.ts";

/** Longer than isolates cache links (10 s) and requests retry sending clicks (20 s). */
export const ERASE_DELAY_MS = MINUTE_MS;

/** Deletes a link and keeps its clicks. @throws RevisionMismatchError, ApiError link_not_found */
export async function deleteLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  id: string,
  expected: ExpectedRevisions,
): Promise<void> {
  const row = await linksDatabase(env, { id })
    .prepare(
      `UPDATE links SET ${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = ?4, updated_at = max(?4, updated_at + 1), revision = revision + 1
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL
       AND (?5 IS NULL OR revision IN (SELECT value FROM json_each(?5)))
     RETURNING *`,
    )
    .bind(caller.accountId, caller.mode, id, Date.now(), expected && JSON.stringify(expected))
    .first<LinkRow>();
  if (!row) return throwNotUpdated(env, caller, id);
  await deliverChange(env, ctx, snapshotOf(row));
}

/**
 * Deletes a link, if it is not deleted yet, and queues the erasure of its clicks (store/links/outbox.ts).
 * @throws RevisionMismatchError, ApiError link_not_found
 */
export async function eraseLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  id: string,
  expected: ExpectedRevisions,
): Promise<void> {
  const now = Date.now();
  const row = await linksDatabase(env, { id })
    .prepare(
      `UPDATE links SET ${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = coalesce(deleted_at, ?4), erase_at = ?5,
       updated_at = max(?4, updated_at + 1), revision = revision + 1
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND erase_at IS NULL
       AND (?6 IS NULL OR revision IN (SELECT value FROM json_each(?6)))
     RETURNING *`,
    )
    .bind(caller.accountId, caller.mode, id, now, now + ERASE_DELAY_MS, expected && JSON.stringify(expected))
    .first<LinkRow>();
  if (!row) return requireAlreadyErased(env, caller, id);
  ctx.waitUntil(wakeMaintenance(env, now + ERASE_DELAY_MS));
  // As after any deletion, this ends streams and updates busy isolates. If it fails, the erasure does so.
  await notifyLinkObject(env, snapshotOf(row)).catch((error) =>
    console.warn("link object not told of a deletion", { link: id, error: String(error) }),
  );
}

/** No row was changed: either the link was erased before, which is a success, or it is at another revision. */
async function requireAlreadyErased(env: Env, caller: Caller, id: string): Promise<void> {
  const { link, isErased } = await readLinkOrTombstone(env, caller, id);
  if (!isErased) throw new RevisionMismatchError(link.revision);
}

/** Reads a link of the caller, deleted ones included. @throws ApiError link_not_found */
export async function readLinkOrTombstone(
  env: Env,
  caller: Caller,
  id: string,
): Promise<{ link: LinkRecord; isErased: boolean }> {
  const row = await linksDatabase(env, { id })
    .prepare("SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id = ?3")
    .bind(caller.accountId, caller.mode, id)
    .first<LinkRow>();
  if (!row) throw new ApiError("link_not_found");
  return { link: linkRecordOf(row), isErased: row.erase_at !== null };
}
