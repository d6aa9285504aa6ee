/** The live stream in the API reference. */
import { ClickEvent } from "../../core/contract/streams.ts";
import { figure, STREAMS_MAX } from "../../core/limits.ts";
import { RETAINED_EVENTS_MAX } from "../../core/streams/event-log.ts";
import { routeDoc } from "../openapi/route-doc.ts";
import { HEARTBEAT_INTERVAL_MS } from "./event-stream.ts";

export const streamEventsDoc = routeDoc({
  id: "streamEvents",
  tag: "Events",
  summary: "Live click stream",
  description: `Server-sent events that go on until you leave. The stream begins with an event \`ready\`, whose \`id\` is the cursor at which it goes on and whose \`data\` is \`{}\`. Each click on a link made by the API is an event \`click\`, whose \`data\` is one line of JSON and whose \`id\` is a cursor. Reconnect with the last \`id\` as \`Last-Event-ID\` (or \`since\`) and you get every event since, once, in the order of each link.\n\nOf one link everything is kept; of a whole account a day or ${figure(RETAINED_EVENTS_MAX)} events, counted from when somebody first listened. A cursor older than that gets an event \`gap\` with the times \`from\` and \`to\`, which can be filled from the click logs, and then what is kept. Comments come every ${HEARTBEAT_INTERVAL_MS / 1_000} seconds. Ignore kinds of events that you do not know. A key may have ${STREAMS_MAX.free} streams open on the Free plan and ${STREAMS_MAX.premium} on Premium, an account five times as many.`,
  ok: { status: 200, description: "The stream.", schema: ClickEvent, contentType: "text/event-stream" },
  requestHeaders: ["Last-Event-ID"],
  errors: ["link_not_found", "link_not_api_created", "too_many_streams"],
});
