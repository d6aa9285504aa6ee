/** The URLs of the operator's commands, below `/dashboard/api/operator`. No part of the API of accounts. */
import { Hono } from "hono";

import type { ApiEnv } from "../context.ts";
import * as backup from "./backup.ts";
import * as exported from "./export.ts";
import * as linkDatabases from "./link-databases.ts";
import { operatorAuth } from "./operator-auth.ts";
import * as restore from "./restore.ts";

export const operatorRoutes = new Hono<ApiEnv>()
  .use("*", operatorAuth)
  .get("/backup", ...backup.getBackupInfoRoute)
  .get("/backup/tables/:table", ...backup.readTableRoute)
  .get("/backup/links", ...backup.copyLinksRoute)
  .get("/backup/log", ...backup.copyLogRoute)
  .get("/backup/images/:name", ...backup.readImageRoute)
  .get("/accounts/:account", ...exported.findAccountRoute)
  .get("/accounts/:account/:mode/links", ...exported.exportLinksRoute)
  .get("/accounts/:account/:mode/links/:id/revisions", ...exported.exportRevisionsRoute)
  .get("/accounts/:account/:mode/links/:id/clicks", ...exported.exportClicksRoute)
  .get("/link-databases", ...linkDatabases.getLinkDatabasesRoute)
  .post("/link-databases/moves", ...linkDatabases.moveBucketsRoute)
  .post("/restore", ...restore.beginRestoreRoute)
  .post("/restore/:backup/tables/:table", ...restore.restoreTableRoute)
  .post("/restore/:backup/logs", ...restore.restoreLogsRoute)
  .put("/restore/:backup/images/:name", ...restore.restoreImageRoute)
  .post("/restore/:backup/steps", ...restore.saveRestoreStepsRoute)
  .post("/restore/:backup/counts", ...restore.countRestoredRoute)
  .post("/restore/:backup/finish", ...restore.finishRestoreRoute);
