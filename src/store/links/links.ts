/**
 * Links in D1. Every function but the redirect's look-up takes the caller and names account and mode in its SQL.
 * A change is told to the link's object before it is answered, so that busy isolates hear of it with their next click.
 */
import { ApiError } from "../../core/errors.ts";
import type { RoutingRule } from "../../core/links/routing.ts";
import type { Caller } from "../accounts/caller.ts";
import { type LinkRecord, type LinkRow, linkRecordOf, snapshotOf } from "./link-rows.ts";
import { deliverChange } from "./outbox.ts";

/** What an update sets; what is left out stays. */
export interface LinkChanges {
  url?: string;
  routing?: RoutingRule[];
  expiresAt?: number | null;
}

/** Revisions that `If-Match` allows; null when any will do. */
export type ExpectedRevisions = readonly number[] | null;

/** @throws ApiError link_not_found when the link is not the caller's, belongs to the other mode, or was deleted */
export async function readLink(env: Env, caller: Caller, id: string): Promise<LinkRecord> {
  const row = await env.DB.prepare(
    "SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL",
  )
    .bind(caller.accountId, caller.mode, id)
    .first<LinkRow>();
  if (!row) throw new ApiError("link_not_found");
  return linkRecordOf(row);
}

/**
 * Applies changes in one statement, so none is lost between two writers.
 * @throws ApiError precondition_failed, link_not_found
 */
export async function updateLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  id: string,
  changes: LinkChanges,
  expected: ExpectedRevisions,
): Promise<LinkRecord> {
  const row = await env.DB.prepare(
    `UPDATE links SET
       url = coalesce(?4, url),
       routing = coalesce(?5, routing),
       expires_at = iif(?6, ?7, expires_at),
       updated_at = max(?8, updated_at + 1),
       revision = revision + 1
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL
       AND (?9 IS NULL OR revision IN (SELECT value FROM json_each(?9)))
     RETURNING *`,
  )
    .bind(
      caller.accountId,
      caller.mode,
      id,
      changes.url ?? null,
      changes.routing ? JSON.stringify(changes.routing) : null,
      "expiresAt" in changes ? 1 : 0,
      changes.expiresAt ?? null,
      Date.now(),
      expected && JSON.stringify(expected),
    )
    .first<LinkRow>();
  if (!row) return throwNotUpdated(env, caller, id);
  await deliverChange(env, ctx, snapshotOf(row));
  return linkRecordOf(row);
}

/** No row was changed: the link is not there, or not at the revision that was asked for. */
export async function throwNotUpdated(env: Env, caller: Caller, id: string): Promise<never> {
  throw preconditionFailed(await readLink(env, caller, id));
}

export function preconditionFailed({ revision }: LinkRecord): ApiError {
  return new ApiError("precondition_failed", `If-Match does not name the current ETag, which is "${revision}"`, {
    param: "If-Match",
  });
}
