/**
 * What the operator's command `restore` writes: each request is a bounded part of a backup, and may be repeated. Nothing
 * is written unless the restore of this backup is under way.
 */
import type { Context, MiddlewareHandler } from "hono";

import { decodeEntries } from "../../core/backup/log-entries.ts";
import {
  BACKUP_FORMAT,
  BeginRestore,
  CountAccounts,
  RESTORE_BODY_MAX_BYTES,
  RestoredLogPart,
  type RestoreOutcome,
  RestoreStep,
  TableRows,
} from "../../core/contract/backup.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { restorePart } from "../../store/backup/link-logs.ts";
import {
  beginRestore,
  countRestoredRows,
  finishRestore,
  isRestoring,
  restoreTableRows,
  saveRestoreSteps,
} from "../../store/backup/restores.ts";
import { ConflictError } from "../../store/backup/table-rows.ts";
import { restoreImage } from "../../store/qr-codes.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { noQuery, parseOrThrow, pathParam } from "../middleware/input.ts";
import { readBoundedBytes, readBoundedJson } from "../middleware/request-body.ts";
import { tableNamed } from "./backup.ts";

export const beginRestoreRoute = createHandlers(noQuery, async (c) => {
  const { format, backup_id } = parseOrThrow(BeginRestore, await readBoundedJson(c.req.raw, RESTORE_BODY_MAX_BYTES));
  if (format > BACKUP_FORMAT) return c.json(refusal("The backup was made by a later release: upgrade this one first"));
  const state = await beginRestore(c.env, backup_id);
  return c.json(state.kind === "refused" ? refusal(state.message) : done(state.steps));
});

/** @throws ApiError not_found */
const requireRestore: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!(await isRestoring(c.env, pathParam(c, "backup")))) {
    throw new ApiError("not_found", "The restore of this backup is not under way");
  }
  await next();
};

export const restoreTableRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const table = tableNamed(pathParam(c, "table"));
  const { rows } = parseOrThrow(TableRows, await readBoundedJson(c.req.raw, RESTORE_BODY_MAX_BYTES));
  try {
    await restoreTableRows(c.env, table, rows);
  } catch (error) {
    if (error instanceof ConflictError) return c.json(refusal(error.message));
    throw error;
  }
  return c.json(done());
});

export const restoreLogsRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const parts = await partsOf(c);
  const outcomes = await Promise.all(
    parts.map(async ({ header, bytes }) => ({ link: header.id, kind: await restorePart(c.env, header, bytes) })),
  );
  const failed = outcomes.find(({ kind }) => kind !== "restored");
  return c.json(failed ? refusal(`${LOG_REFUSALS[failed.kind] ?? failed.kind}: ${failed.link}`) : done());
});

const LOG_REFUSALS: Record<string, string> = {
  conflict: "There are other clicks of this link already",
  unknown_format: "The log of this link is damaged, or of a later release",
};

export const restoreImageRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const name = pathParam(c, "name");
  const image = await readBoundedBytes(c.req.raw, RESTORE_BODY_MAX_BYTES);
  const isRestored = await restoreImage(c.env, name, image);
  return c.json(isRestored ? done() : refusal(`There is another image called ${name}`));
});

export const saveRestoreStepsRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const { steps } = parseOrThrow(RestoreStep, await readBoundedJson(c.req.raw, RESTORE_BODY_MAX_BYTES));
  await saveRestoreSteps(c.env, pathParam(c, "backup"), steps);
  return c.json(done(steps));
});

export const countRestoredRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const { after } = parseOrThrow(CountAccounts, await readBoundedJson(c.req.raw, RESTORE_BODY_MAX_BYTES));
  return c.json({ last: await countRestoredRows(c.env, after) });
});

export const finishRestoreRoute = createHandlers(requireRestore, noQuery, async (c) => {
  await finishRestore(c.env, pathParam(c, "backup"));
  return c.json(done());
});

/** @throws ApiError validation_failed */
async function partsOf(c: Context<ApiEnv>) {
  const bytes = await readBoundedBytes(c.req.raw, RESTORE_BODY_MAX_BYTES);
  try {
    return decodeEntries(bytes, (json) => RestoredLogPart.parse(json));
  } catch (error) {
    throw validationFailed([{ path: "", code: "invalid_value", message: `The logs are damaged: ${String(error)}` }]);
  }
}

function done(steps = 0): RestoreOutcome {
  return { outcome: "done", steps };
}

function refusal(message: string): RestoreOutcome {
  return { outcome: "refused", message };
}
