/**
 * Links in D1: read, update, list. Every function takes the caller and restricts its SQL to account and mode. A change
 * is sent to the link's object before the API responds, so that busy isolates get the new revision with their next
 * batch of clicks. The trigger `links_changed` (`schema.sql`) writes the outbox row in the transaction of the update.
 */
import { ApiError, validationFailed } from "../../core/errors.ts";
import { type Caller, changeAuthorOf } from "../accounts/api-keys.ts";
import { prepareNamed } from "../statements.ts";
import {
  contentAssignmentsSql,
  contentValues,
  LINK_SELECTION_SQL,
  type LinkContent,
  type LinkRecord,
  type LinkRow,
  linkRecordOf,
  snapshotOf,
} from "./link-rows.ts";
import { readLinkIn, selectLinkPage, writeLinkIn } from "../directory/directory.ts";
import { deliverChange } from "./outbox.ts";
import { signalOf } from "../timeout.ts";

/** The members that an update sets; omitted ones stay. */
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
  const row = await readLinkIn(env, { id }, (database) =>
    database
      .prepare(
        `SELECT ${LINK_SELECTION_SQL} FROM links l
         WHERE l.account_id = ?1 AND l.mode = ?2 AND l.id = ?3 AND l.deleted_at IS NULL`,
      )
      .bind(caller.accountId, caller.mode, id)
      .first<LinkRow>(),
  );
  if (!row) throw new ApiError("link_not_found");
  return linkRecordOf(row);
}

/** `expected` is a JSON array of revisions, null for any. */
const UPDATE_SQL = `UPDATE links SET ${contentAssignmentsSql(":changes", "$")},
    updated_at = max(:now, updated_at + 1), revision = revision + 1
  WHERE account_id = :account_id AND mode = :mode AND id = :id AND deleted_at IS NULL
    AND (:expected IS NULL OR revision IN (SELECT value FROM json_each(:expected)))
  RETURNING *`;

/**
 * Applies changes in one statement, so that no concurrent update is lost.
 * @throws RevisionMismatchError, ApiError link_not_found; validation_failed when another request has changed the start
 *   or the expiry meanwhile, so that they would not be in order any more
 */
export async function updateLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  id: string,
  changes: LinkChanges,
  expected: ExpectedRevisions,
): Promise<LinkRecord> {
  const { accountId, mode } = caller;
  const update = (database: D1Database) => updateStatement(database, caller, id, changes, expected).first<LinkRow>();
  const row = await writeLinkIn(env, { accountId, mode, id }, update).catch((error: unknown) => {
    throw signalOf(error) === "opening_times" ? openingTimesChanged() : error;
  });
  if (!row) return throwNotUpdated(env, caller, id);
  await deliverChange(env, ctx, snapshotOf(row));
  return linkRecordOf(row);
}

/** Returns the row of the changed link; none when it does not exist, or is not at an expected revision. */
export function updateStatement(
  database: D1Database,
  caller: Caller,
  id: string,
  changes: LinkChanges,
  expected: ExpectedRevisions,
  now = Date.now(),
): D1PreparedStatement {
  return prepareNamed(database, UPDATE_SQL, {
    changes: JSON.stringify(contentValues(changes)),
    account_id: caller.accountId,
    mode: caller.mode,
    id,
    now,
    changed_by: changeAuthorOf(caller),
    expected: expected && JSON.stringify(expected),
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

/** Links created by the API, newest first. */
export async function listNewestApiLinks(
  env: Env,
  { accountId, mode }: Pick<Caller, "accountId" | "mode">,
  limit: number,
): Promise<LinkRecord[]> {
  const sql = `SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND origin = 'api' AND deleted_at IS NULL
    ORDER BY id DESC LIMIT ?3`;
  const rows = await selectLinkPage<LinkRow>(env, { order: "DESC", limit }, (database) =>
    database.prepare(sql).bind(accountId, mode, limit),
  );
  return rows.map(linkRecordOf);
}
