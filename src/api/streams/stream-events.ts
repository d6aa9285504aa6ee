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
  summary: "Live click stream",
  description: `Server-sent events. A stream lasts 20 minutes at most (one minute where the service is on Workers' Free plan); then reconnect. It begins with an event \`ready\`, whose \`id\` is the cursor at which it goes on and whose \`data\` is \`{}\`. Each click on a link made by the API is an event \`click\`, whose \`data\` is one line of JSON and whose \`id\` is a cursor. Reconnect with the last \`id\` as \`Last-Event-ID\` (or \`since\`) and you get every event since, once, in the order of each link.\n\nOf one link everything is kept; of a whole account a day or ${figure(RETAINED_EVENTS_MAX)} events, counted from when somebody first listened. A cursor older than that gets an event \`gap\` with the times \`from\` and \`to\`, which can be filled from the click logs, and then what is kept. Comments come every ${HEARTBEAT_INTERVAL_MS / 1_000} seconds. Ignore kinds of events that you do not know. A key may have ${STREAMS_MAX.free} streams open on the Free plan and ${STREAMS_MAX.premium} on Premium, an account five times as many.`,
  ok: { status: 200, description: "The stream.", schema: ClickEvent, contentType: "text/event-stream" },
  requestHeaders: ["Last-Event-ID"],
  errors: ["link_not_found", "link_not_api_created", "too_many_streams"],
};

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // A compressing proxy would buffer events.
  "Content-Encoding": "identity",
  // nginx buffers what it proxies unless told not to.
  "X-Accel-Buffering": "no",
};

export const streamEventsRoute = createHandlers(
  access("events:read", streamEventsDoc),
  query(StreamQuery),
  async (c) => {
    const { link_id, include_bots } = c.req.valid("query");
    const link = link_id === undefined ? null : await readLink(c.env, c.var.caller, link_id);
    if (link) requireApiCreated(c.var.caller, link, "the stream carries clicks on links made by the API");
    const after = cursorOf(c, link);
    // A HEAD response has no body whose end would close the stream.
    if (c.req.method === "HEAD") return new Response(null, { headers: STREAM_HEADERS });
    const locationHint = locationHintOf((c.req.raw.cf ?? {}) as Geography);
    const request = { link, after, includeBots: include_bots === "true", locationHint };
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

function refusalError(c: Context<ApiEnv>, kind: Refusal): ApiError {
  switch (kind) {
    case "link_not_found":
      return new ApiError(kind);
    case "too_many_streams":
      return new ApiError(kind, "This key, or its account, has as many streams open as the plan allows", {
        headers: { "Retry-After": String(RETRY_MS / 1_000) },
      });
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
