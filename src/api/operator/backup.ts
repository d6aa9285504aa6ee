/**
 * What the operator's commands `backup` and `restore` read and write, page by page. Each request is bounded, and may be
 * repeated. Nothing is written unless the restore of this backup is under way.
 */
import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";

import {
  BACKUP_FORMAT,
  BackupPage,
  BackupRequest,
  BeginRestore,
  FinishRestore,
  RESTORE_BODY_MAX_BYTES,
  type RestoreOutcome,
} from "../../core/contract/backup.ts";
import { ApiError } from "../../core/errors.ts";
import { firstCursor, readBackupPage } from "../../store/backup/backup-pages.ts";
import { beginRestore, finishRestore, isRestoring, restorePage } from "../../store/backup/restores.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { noQuery, parseOrThrow, pathParam } from "../middleware/input.ts";
import { readBoundedJson } from "../middleware/request-body.ts";

export const readBackupRoute = createHandlers(noQuery, async (c) => {
  const { format, cursor } = await bodyOf(c, BackupRequest);
  const reply = format === BACKUP_FORMAT ? await readBackupPage(c.env, cursor ?? firstCursor()) : null;
  if (reply) return c.json(reply);
  const message = "The deployment is of another release: begin a backup at another place, with its own commands";
  throw new ApiError("not_found", message);
});

export const beginRestoreRoute = createHandlers(noQuery, async (c) => {
  const { format, backup_id } = await bodyOf(c, BeginRestore);
  if (format <= BACKUP_FORMAT) return c.json(await beginRestore(c.env, backup_id));
  const message = "The backup was made by a later release: upgrade this one first";
  return c.json({ outcome: "refused", message } satisfies RestoreOutcome);
});

const NOT_UNDER_WAY = "The restore of this backup is not under way";

/** @throws ApiError not_found */
const requireRestore: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!(await isRestoring(c.env, pathParam(c, "backup")))) throw new ApiError("not_found", NOT_UNDER_WAY);
  await next();
};

export const restorePageRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const number = Number(pathParam(c, "number"));
  if (!Number.isSafeInteger(number)) throw new ApiError("not_found", "Pages have numbers");
  return c.json(await restorePage(c.env, pathParam(c, "backup"), number, await bodyOf(c, BackupPage)));
});

export const finishRestoreRoute = createHandlers(noQuery, async (c) => {
  const backup = pathParam(c, "backup");
  const isUnderWay = await isRestoring(c.env, backup);
  if (isUnderWay === null) throw new ApiError("not_found", NOT_UNDER_WAY);
  const { after } = await bodyOf(c, FinishRestore);
  // A request whose answer was lost comes again.
  if (!isUnderWay) return c.json({ outcome: "done", pages: 0 } satisfies RestoreOutcome);
  return c.json(await finishRestore(c.env, backup, after));
});

/** @throws ApiError validation_failed */
async function bodyOf<S extends z.ZodType<object>>(c: Context<ApiEnv>, schema: S): Promise<z.output<S>> {
  return parseOrThrow(schema, await readBoundedJson(c.req.raw, RESTORE_BODY_MAX_BYTES));
}
