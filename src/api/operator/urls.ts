/** The URLs of the operator's commands, below `/dashboard/api/operator`. No part of the API of accounts. */
import { Hono, type MiddlewareHandler } from "hono";

import { ApiError } from "../../core/errors.ts";
import { isOperatorToken } from "../../store/operators/operator-tokens.ts";
import { withTimeout } from "../../store/timeout.ts";
import type { ApiEnv } from "../context.ts";
import { DATABASE_TIMEOUT_MS, limitedKeyLookup } from "../middleware/access.ts";
import * as backup from "./backup.ts";
import * as exported from "./export.ts";
import * as linkDatabases from "./link-databases.ts";

const BEARER_CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink operator"' };

/**
 * Lets the operator's commands in, by a token that they issue through the database. Tokens that read the deployment's
 * health, which monitoring has, are refused: these routes expose the data of all accounts.
 */
const operatorAuth: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const text = /^Bearer +(opr_\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (!text) throw refused("missing_api_key", "Send an operator's token as Authorization: Bearer opr_...");
  const find = async () =>
    (await withTimeout(DATABASE_TIMEOUT_MS, isOperatorToken(c.env, text, "backup", Date.now()))) || null;
  if (!(await limitedKeyLookup(c.req.raw.headers, text, find))) {
    throw refused("invalid_api_key", "This operator's token is unknown or has expired");
  }
  await next();
};

function refused(code: "missing_api_key" | "invalid_api_key", message: string): ApiError {
  return new ApiError(code, message, { headers: BEARER_CHALLENGE });
}

export const operatorRoutes = new Hono<ApiEnv>()
  .use("*", operatorAuth)
  .post("/backup", ...backup.readBackupRoute)
  .get("/accounts/:account", ...exported.findAccountRoute)
  .get("/accounts/:account/:mode/links", ...exported.exportLinksRoute)
  .get("/accounts/:account/:mode/links/:id/revisions", ...exported.exportRevisionsRoute)
  .get("/accounts/:account/:mode/links/:id/clicks", ...exported.exportClicksRoute)
  .get("/link-databases", ...linkDatabases.getLinkDatabasesRoute)
  .post("/link-databases/moves", ...linkDatabases.moveBucketsRoute)
  .post("/restore", ...backup.beginRestoreRoute)
  .post("/restore/:backup/pages/:number", ...backup.restorePageRoute)
  .post("/restore/:backup/finish", ...backup.finishRestoreRoute);
