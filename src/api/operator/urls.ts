/** URLs of the operator's commands, below `/dashboard/api/operator`. Not part of the public API. */
import { Hono, type MiddlewareHandler, type Context } from "hono";
import type { z } from "zod";

import { MODES, type Mode } from "../../core/account.ts";
import {
  BACKUP_FORMAT,
  BackupPage,
  BackupRequest,
  BeginRestore,
  FinishRestore,
  RESTORE_BODY_MAX_BYTES,
  type RestoreOutcome,
} from "../../core/contract/backup.ts";
import {
  ExportedClicksQuery,
  ExportedLinksQuery,
  type ExportedRevisions,
  ExportedRevisionsQuery,
  MoveBuckets,
} from "../../core/contract/operator.ts";
import { ApiError } from "../../core/errors.ts";
import { isOpen } from "../../core/links/link-snapshot.ts";
import { findAccount } from "../../store/accounts/accounts.ts";
import { firstCursor, readBackupPage } from "../../store/backup/backup-pages.ts";
import { beginRestore, finishRestore, isRestoring, restorePage } from "../../store/backup/restores.ts";
import { moveBuckets, reportLinkDatabases } from "../../store/directory/bucket-moves.ts";
import { readClicks } from "../../store/link-object-client.ts";
import { listRevisions, type RevisionPage } from "../../store/links/link-revisions.ts";
import { listExportedLinks, readExportedLink } from "../../store/links/operator-links.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { wireRevisionPage } from "../links/revisions.ts";
import { wireLink } from "../links/wire.ts";
import { isOperator } from "../middleware/access.ts";
import { noQuery, parseOrThrow, pathParam, query } from "../middleware/input.ts";
import { readBoundedJson } from "../middleware/request-body.ts";
import { wireClickPage } from "../stats/clicks.ts";

const BEARER_CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink operator"' };

/**
 * Authenticates the operator's commands by a token that they issue through the database. Tokens for reading the
 * deployment's health, which monitoring holds, are refused: these routes expose the data of all accounts.
 */
const operatorAuth: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const text = /^Bearer +(opr_\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (!text) {
    throw refused("missing_api_key", "The operator token is missing. Send it as Authorization: Bearer opr_...");
  }
  if (!(await isOperator(c, text, "backup"))) {
    throw refused("invalid_api_key", "The operator token is unknown or has expired.");
  }
  await next();
};

function refused(code: "missing_api_key" | "invalid_api_key", message: string): ApiError {
  return new ApiError(code, message, { headers: BEARER_CHALLENGE });
}

/**
 * Pages that the operator's commands `backup` and `restore` read and write. Each request is bounded and can be
 * repeated. Nothing is written unless the restore of this backup is under way.
 */

const readBackupRoute = createHandlers(noQuery, async (c) => {
  const { format, cursor } = await bodyOf(c, BackupRequest);
  const reply = format === BACKUP_FORMAT ? await readBackupPage(c.env, cursor ?? firstCursor()) : null;
  if (reply) return c.json(reply);
  const message =
    "The deployment runs another release. Start a new backup in another place, with the commands of that release.";
  throw new ApiError("not_found", message);
});

const beginRestoreRoute = createHandlers(noQuery, async (c) => {
  const { format, backup_id } = await bodyOf(c, BeginRestore);
  if (format <= BACKUP_FORMAT) return c.json(await beginRestore(c.env, backup_id));
  const message = "The backup is from a later release. Upgrade this deployment first.";
  return c.json({ outcome: "refused", message } satisfies RestoreOutcome);
});

const NOT_UNDER_WAY = "This backup is not being restored. Start the restore first.";

/** @throws ApiError not_found */
const requireRestore: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!(await isRestoring(c.env, pathParam(c, "backup")))) throw new ApiError("not_found", NOT_UNDER_WAY);
  await next();
};

const restorePageRoute = createHandlers(requireRestore, noQuery, async (c) => {
  const number = Number(pathParam(c, "number"));
  if (!Number.isSafeInteger(number)) throw new ApiError("not_found", "The page must be a number.");
  return c.json(await restorePage(c.env, pathParam(c, "backup"), number, await bodyOf(c, BackupPage)));
});

const finishRestoreRoute = createHandlers(noQuery, async (c) => {
  const backup = pathParam(c, "backup");
  const isUnderWay = await isRestoring(c.env, backup);
  if (isUnderWay === null) throw new ApiError("not_found", NOT_UNDER_WAY);
  const { after } = await bodyOf(c, FinishRestore);
  // A request whose response was lost is repeated.
  if (!isUnderWay) return c.json({ outcome: "done", pages: 0 } satisfies RestoreOutcome);
  return c.json(await finishRestore(c.env, backup, after));
});

/** @throws ApiError validation_failed */
async function bodyOf<S extends z.ZodType<object>>(c: Context<ApiEnv>, schema: S): Promise<z.output<S>> {
  return parseOrThrow(schema, await readBoundedJson(c.req.raw, RESTORE_BODY_MAX_BYTES));
}

/**
 * Pages that the operator's command `export` reads: links, revisions and clicks of one account, with the names of the
 * API.
 */

const findAccountRoute = createHandlers(noQuery, async (c) => {
  const account = await findAccount(c.env, pathParam(c, "account"));
  if (!account) throw new ApiError("not_found", "No account has this ID or email address.");
  return c.json(account);
});

const exportLinksRoute = createHandlers(query(ExportedLinksQuery), async (c) => {
  const { after, limit } = c.req.valid("query");
  const links = await listExportedLinks(c.env, accountOf(c), { after, limit });
  return c.json({
    links: links.map((link) => ({
      ...wireLink(link, c.var.hosts),
      mode: link.mode,
      state: isOpen(link) ? "active" : link.state,
    })),
  });
});

const exportClicksRoute = createHandlers(query(ExportedClicksQuery), async (c) => {
  const { after, limit } = c.req.valid("query");
  const link = await readExportedLink(c.env, accountOf(c), pathParam(c, "id"));
  return c.json(wireClickPage(await readClicks(c.env, link, { after, limit }), after));
});

const exportRevisionsRoute = createHandlers(query(ExportedRevisionsQuery), async (c) => {
  const { before, limit } = c.req.valid("query");
  const link = await readExportedLink(c.env, accountOf(c), pathParam(c, "id"));
  const isDeleted = link.state === "deleted";
  const page = isDeleted ? NO_REVISIONS : await listRevisions(c.env, link, before ?? null, limit);
  const { data, next_cursor } = wireRevisionPage(page, c.var.hosts);
  const exported: ExportedRevisions = { revisions: data, next: next_cursor === null ? null : Number(next_cursor) };
  return c.json(exported);
});

const NO_REVISIONS: RevisionPage = { revisions: [], before: null, isComplete: false };

/** @throws ApiError not_found for an unknown mode */
function accountOf(c: Context<ApiEnv>): { id: string; mode: Mode } {
  const mode = MODES.find((known) => known === pathParam(c, "mode"));
  if (!mode) throw new ApiError("not_found");
  return { id: pathParam(c, "account"), mode };
}

/** Requests of the operator's command `links databases`. Each is a bounded step and can be repeated. */

const BODY_MAX_BYTES = 1_024;

const getLinkDatabasesRoute = createHandlers(noQuery, async (c) => c.json(await reportLinkDatabases(c.env)));

const moveBucketsRoute = createHandlers(noQuery, async (c) => {
  const request = parseOrThrow(MoveBuckets, await readBoundedJson(c.req.raw, BODY_MAX_BYTES));
  return c.json(await moveBuckets(c.env, request));
});

export const operatorRoutes = new Hono<ApiEnv>()
  .use("*", operatorAuth)
  .post("/backup", ...readBackupRoute)
  .get("/accounts/:account", ...findAccountRoute)
  .get("/accounts/:account/:mode/links", ...exportLinksRoute)
  .get("/accounts/:account/:mode/links/:id/revisions", ...exportRevisionsRoute)
  .get("/accounts/:account/:mode/links/:id/clicks", ...exportClicksRoute)
  .get("/link-databases", ...getLinkDatabasesRoute)
  .post("/link-databases/moves", ...moveBucketsRoute)
  .post("/restore", ...beginRestoreRoute)
  .post("/restore/:backup/pages/:number", ...restorePageRoute)
  .post("/restore/:backup/finish", ...finishRestoreRoute);
