/** The live stream of clicks, as server-sent events. */
import type { Context } from "hono";

import { StreamQuery } from "../../core/contract/streams.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { locationHintOf } from "../../core/location-hint.ts";
import { type Cursor, feedName, parseCursor } from "../../core/streams/event-log.ts";
import type { REFUSAL_STATUSES } from "../../core/streams/stream-protocol.ts";
import type { Geography } from "../../core/visitors/visitor.ts";
import { streamLifetimeMs } from "../../core/workers-plan.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { readLink } from "../../store/links/links.ts";
import { openStream } from "../../store/streams.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { notApiCreated } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import { streamEventsDoc } from "./docs.ts";
import { eventStream, RETRY_MS } from "./event-stream.ts";

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // A compressing proxy would buffer events.
  "Content-Encoding": "identity",
  // nginx buffers what it proxies unless told not to.
  "X-Accel-Buffering": "no",
};

export const streamEventsRoute = createHandlers(
  access("events:read"),
  streamEventsDoc,
  query(StreamQuery),
  async (c) => {
    const { link_id, include_bots } = c.req.valid("query");
    const link = link_id === undefined ? null : await readStreamableLink(c, link_id);
    const after = cursorOf(c, link);
    // A HEAD response has no body whose end would close the stream behind it.
    if (c.req.method === "HEAD") return new Response(null, { headers: STREAM_HEADERS });
    const locationHint = locationHintOf((c.req.raw.cf ?? {}) as Geography);
    const request = { link, after, includeBots: include_bots === "true", locationHint };
    const opened = await openStream(c.env, c.executionCtx, c.var.caller, request);
    if (opened.kind !== "open") throw refusalError(c, opened.kind);
    const { caller, isStillAllowed, requestId } = c.var;
    // Sessions of one account end separately, so each of their streams is checked by itself.
    const id = caller.origin === "dashboard" ? requestId : caller.rateKey;
    const listener = { id, isStillAllowed, lifetimeMs: streamLifetimeMs(c.env) };
    return new Response(eventStream(opened, c.req.raw.signal, listener), { headers: STREAM_HEADERS });
  },
);

/** With a key, links made by the API only; the dashboard follows links of every origin. */
async function readStreamableLink(c: Context<ApiEnv>, id: string): Promise<LinkRecord> {
  const { caller } = c.var;
  const link = await readLink(c.env, caller, id);
  if (caller.origin === "api" && link.origin !== "api")
    throw notApiCreated("the stream carries clicks on links made by the API");
  return link;
}

/** Where to resume. An empty Last-Event-ID counts as none (HTML standard, 9.2.4). @throws ApiError validation_failed */
function cursorOf(c: Context<ApiEnv>, link: LinkRecord | null): Cursor | null {
  const text = c.req.header("Last-Event-ID") || c.req.query("since");
  if (!text) return null;
  const { accountId, mode } = c.var.caller;
  const cursor = parseCursor(link?.id ?? feedName(accountId, mode), text);
  if (!cursor) throw badCursor(c);
  return cursor;
}

function refusalError(c: Context<ApiEnv>, kind: keyof typeof REFUSAL_STATUSES): ApiError {
  switch (kind) {
    case "link_not_found":
      return new ApiError("link_not_found");
    case "too_many_streams":
      return tooManyStreams();
    case "bad_cursor":
      return badCursor(c);
    default:
      return kind satisfies never;
  }
}

function badCursor(c: Context<ApiEnv>): ApiError {
  const path = c.req.header("Last-Event-ID") ? "Last-Event-ID" : "since";
  const message = `${path} must be the id of an event of this same stream`;
  return validationFailed([{ path, code: "invalid_value", message }]);
}

function tooManyStreams(): ApiError {
  return new ApiError("too_many_streams", "This key, or its account, has as many streams open as the plan allows", {
    headers: { "Retry-After": String(RETRY_MS / 1_000) },
  });
}
