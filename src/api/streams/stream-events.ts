/** The live stream of clicks as server-sent events. */
import type { Context } from "hono";

import { ClickEvent, StreamQuery } from "../../core/contract/streams.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { figure, STREAMS_MAX } from "../../core/limits.ts";
import { locationHintOf, streamLimits } from "../../core/deployment/settings.ts";
import { type Cursor, feedName, parseCursor, RETAINED_EVENTS_MAX } from "../../core/streams/event-log.ts";
import { type Refusal, REFUSALS } from "../../core/streams/stream-protocol.ts";
import type { Geography } from "../../core/visitors/visitor.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { readLink } from "../../store/links/links.ts";
import { REFUSAL_HEADER, TICKET_HEADER } from "../../store/service-object-client.ts";
import { openStream, type StreamTicket } from "../../store/streams.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { requireApiCreated } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import type { RouteDoc } from "../openapi/route-doc.ts";
import { eventStream, HEARTBEAT_INTERVAL_MS, RETRY_MS } from "./event-stream.ts";

const streamEventsDoc: RouteDoc = {
  id: "streamEvents",
  tag: "Events",
  summary: "Stream clicks",
  description: `Streams clicks as server-sent events. A stream lasts at most 20 minutes, or one minute if the service is on Cloudflare's Workers Free plan. Then reconnect.\n\nThe stream begins with a \`ready\` event. Its \`id\` is the cursor at which the stream resumes, and its \`data\` is \`{}\`. Each click on a link that was created through the API, or with \`origin=all\` on any link, is a \`click\` event, whose \`data\` is one line of JSON and whose \`id\` is a cursor. To resume, reconnect with the last \`id\` as \`Last-Event-ID\` (or \`since\`). You receive every event since then once, in order for each link.\n\nA stream of one link can resume after any event. For streams of the account, the service keeps the events of the last day, at most ${figure(RETAINED_EVENTS_MAX)}, starting when you open the first stream. If your cursor is older, you receive a \`gap\` event with the times \`from\` and \`to\`, followed by the events that are kept. Read the clicks between these times from the click logs.\n\nComments are sent every ${HEARTBEAT_INTERVAL_MS / 1_000} seconds. Ignore unknown kinds of events. A key can have ${STREAMS_MAX.free} open streams on the Free plan and ${STREAMS_MAX.premium} on Premium, and an account five times as many.`,
  ok: { status: 200, description: "The stream.", schema: ClickEvent, contentType: "text/event-stream" },
  requestHeaders: ["Last-Event-ID"],
  errors: ["link_not_found", "link_not_api_created", "too_many_streams"],
};

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // A compressing proxy would buffer events.
  "Content-Encoding": "identity",
  // Disables buffering in nginx.
  "X-Accel-Buffering": "no",
};

export const streamEventsRoute = createHandlers(
  access("events:read", streamEventsDoc),
  query(StreamQuery),
  async (c) => {
    const { link_id, include_bots, origin } = c.req.valid("query");
    const includeDashboard = origin === "all";
    const link = link_id === undefined ? null : await readLink(c.env, c.var.caller, link_id);
    if (link && !includeDashboard) {
      requireApiCreated(c.var.caller, link, "To stream its clicks, use `origin=all`.");
    }
    const after = cursorOf(c, link);
    // A HEAD response has no body whose end would close the stream.
    if (c.req.method === "HEAD") return new Response(null, { headers: STREAM_HEADERS });
    const locationHint = locationHintOf((c.req.raw.cf ?? {}) as Geography);
    const request = { link, after, includeBots: include_bots === "true", includeDashboard, locationHint };
    const allowedAt = Date.now();
    const { caller, isStillAllowed, requestId } = c.var;
    // Sessions of one account end separately, so each of their streams is checked on its own.
    const isSession = caller.origin === "dashboard";
    const id = isSession ? requestId : caller.rateKey;
    if ((c.executionCtx.props as { isBridged?: boolean } | undefined)?.isBridged) {
      const refusal = REFUSALS.find((kind) => kind === c.req.header(REFUSAL_HEADER));
      if (refusal) throw refusalError(c, refusal);
      const ticket: StreamTicket = { id, caller, request, sessionId: isSession ? c.var.account.sessionId : null };
      return Response.json(ticket, { headers: { ...STREAM_HEADERS, [TICKET_HEADER]: "1" } });
    }
    const opened = await openStream(c.env, c.executionCtx, caller, request);
    if (opened.kind !== "open") throw refusalError(c, opened.kind);
    const listener = { id, isStillAllowed, allowedAt, ...streamLimits(c.env) };
    return new Response(eventStream(opened, c.req.raw.signal, listener), { headers: STREAM_HEADERS });
  },
);

/** Where to resume. An empty Last-Event-ID counts as none (HTML standard, 9.2.4). @throws ApiError validation_failed */
function cursorOf(c: Context<ApiEnv>, link: LinkRecord | null): Cursor | null {
  const text = c.req.header("Last-Event-ID") || c.req.query("since");
  if (!text) return null;
  const { accountId, mode } = c.var.caller;
  const cursor = parseCursor(link?.id ?? feedName(accountId, mode), text);
  if (!cursor) throw badCursor(c);
  return cursor;
}

const TOO_MANY_STREAMS = "This key or its account has reached the plan's limit of open streams. Close one first.";

function refusalError(c: Context<ApiEnv>, kind: Refusal): ApiError {
  switch (kind) {
    case "link_not_found":
      return new ApiError(kind);
    case "too_many_streams":
      return new ApiError(kind, TOO_MANY_STREAMS, { headers: { "Retry-After": String(RETRY_MS / 1_000) } });
    case "bad_cursor":
      return badCursor(c);
    default:
      return kind satisfies never;
  }
}

function badCursor(c: Context<ApiEnv>): ApiError {
  const path = c.req.header("Last-Event-ID") ? "Last-Event-ID" : "since";
  const message = `${path} must be the id of an event of this stream`;
  return validationFailed([{ path, code: "invalid_value", message }]);
}
