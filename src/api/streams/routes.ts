/** The live stream of clicks (spec 4.6, 6), as server-sent events. */
import { type Context, Hono } from "hono";

import { ClickEvent, StreamQuery } from "../../core/contract/streams.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { figure, STREAMS_MAX } from "../../core/limits.ts";
import { type Cursor, feedName, parseCursor, RETAINED_EVENTS_MAX } from "../../core/streams/event-log.ts";
import type { REFUSAL_STATUSES } from "../../core/streams/stream-protocol.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { readLink } from "../../store/links/links.ts";
import { openStream } from "../../store/streams.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { routeDoc } from "../openapi/route-doc.ts";
import { eventStream, HEARTBEAT_INTERVAL_MS } from "./event-stream.ts";
import { query } from "../middleware/input.ts";
import { notApiCreated } from "../links/routes.ts";

/** A stream whose client is gone without a word is noticed by its second heartbeat. */
const RETRY_AFTER_SECONDS = String((2 * HEARTBEAT_INTERVAL_MS) / 1_000);

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // A compressor would hold events back.
  "Content-Encoding": "identity",
};

export const eventRoutes = new Hono<ApiEnv>().get(
  "/events/stream",
  access("events:read"),
  routeDoc({
    id: "streamEvents",
    tag: "Events",
    summary: "Live click stream",
    description: `Server-sent events that go on until you leave. Each click on a link made by the API is an event \`click\`, whose \`data\` is one line of JSON and whose \`id\` is a cursor. Reconnect with the last \`id\` as \`Last-Event-ID\` (or \`since\`) and you get every event since, once, in the order of each link.\n\nOf one link everything is kept; of a whole account a day or ${figure(RETAINED_EVENTS_MAX)} events, counted from when somebody first listened. A cursor older than that gets an event \`gap\` with the times \`from\` and \`to\`, which can be filled from the click logs, and then what is kept. Comments come every ${HEARTBEAT_INTERVAL_MS / 1_000} seconds. Ignore kinds of events that you do not know. A key may have ${STREAMS_MAX.free} streams open on the Free plan and ${STREAMS_MAX.premium} on Premium, an account five times as many.`,
    ok: { status: 200, description: "The stream.", schema: ClickEvent, contentType: "text/event-stream" },
    requestHeaders: ["Last-Event-ID"],
    errors: ["link_not_found", "link_not_api_created", "too_many_streams"],
  }),
  query(StreamQuery),
  async (c) => {
    const { link_id, include_bots } = c.req.valid("query");
    const link = link_id === undefined ? null : await readStreamableLink(c, link_id);
    const after = cursorOf(c, link);
    // Nobody would read the body, so nobody would notice that it is to end.
    if (c.req.method === "HEAD") return new Response(null, { headers: STREAM_HEADERS });
    const wish = { link, after, includeBots: include_bots === "true" };
    const opened = await openStream(c.env, c.executionCtx, c.var.caller, wish);
    if (opened.kind !== "open") throw refusalError(c, opened.kind);
    const { caller, isStillAllowed, requestId } = c.var;
    // Of an account's sessions each ends by itself.
    const id = caller.origin === "dashboard" ? requestId : caller.rateKey;
    return new Response(eventStream(opened, c.req.raw.signal, { id, isStillAllowed }), { headers: STREAM_HEADERS });
  },
);

async function readStreamableLink(c: Context<ApiEnv>, id: string): Promise<LinkRecord> {
  const link = await readLink(c.env, c.var.caller, id);
  if (link.origin !== "api") throw notApiCreated("the stream carries clicks on links made by the API");
  return link;
}

/** Where to go on. An empty Last-Event-ID is none, as in the standard. @throws ApiError validation_failed */
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
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}
