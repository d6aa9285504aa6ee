/** What the operator's command `links databases` reads and does. Each request is a bounded step, and may be repeated. */
import { MoveBuckets } from "../../core/contract/link-databases.ts";
import { moveBuckets, reportLinkDatabases } from "../../store/directory/bucket-moves.ts";
import { createHandlers } from "../context.ts";
import { noQuery, parseOrThrow } from "../middleware/input.ts";
import { readBoundedJson } from "../middleware/request-body.ts";

const BODY_MAX_BYTES = 1_024;

export const getLinkDatabasesRoute = createHandlers(noQuery, async (c) => c.json(await reportLinkDatabases(c.env)));

export const moveBucketsRoute = createHandlers(noQuery, async (c) => {
  const request = parseOrThrow(MoveBuckets, await readBoundedJson(c.req.raw, BODY_MAX_BYTES));
  return c.json(await moveBuckets(c.env, request));
});
