/** The live stream of clicks. */
import * as z from "zod";

import { LinkId } from "./links.ts";
import { IncludeBots } from "./stats.ts";
import { TimestampOut } from "./primitives.ts";

/** Longer than any cursor that the service issues. */
const CURSOR_MAX_CHARS = 200;

export const StreamQuery = z.strictObject({
  link_id: z.string().optional().meta({ description: "Only clicks on this link. Defaults to all of your links." }),
  since: z
    .string()
    .min(1)
    .max(CURSOR_MAX_CHARS)
    .optional()
    .meta({ description: "`id` of the last event received, after which to resume. `Last-Event-ID` takes precedence." }),
  include_bots: IncludeBots,
  origin: z.enum(["api", "all"]).default("api").meta({
    description:
      "`api`: only clicks on links created through the API. `all`: also clicks on links created in the dashboard. You can resume a stream with either value.",
  }),
});

export type StreamQuery = z.infer<typeof StreamQuery>;

export const ClickEvent = z
  .strictObject({
    id: z.string().meta({ description: "Unique ID of this click, which stays the same if the event is sent again." }),
    type: z.literal("click"),
    occurred_at: TimestampOut,
    link_id: LinkId,
    slug: z.string(),
    domain: z.string(),
    short_url: z.string(),
    destination: z.string().meta({ description: "Destination of this visitor." }),
    rule: z.string().meta({ description: "Canonical text of the rule that matched, or `default`." }),
    country: z.string(),
    device: z.string(),
    referrer: z.string(),
    source: z.string().meta({ description: "`qr` if a QR code of the link was scanned, otherwise `link`." }),
    qr_id: z.string().nullable().meta({ description: "ID of the code that was scanned." }),
    address: z.string().optional().meta({
      description: "The alias that was visited, as `domain/slug`. Omitted for visits by the link's own slug.",
    }),
  })
  .meta({
    id: "ClickEvent",
    description:
      "The `data` of each `click` event, as one line of JSON. Its values are the keys of statistics: the events with a key add up to its bucket.",
    examples: [
      {
        id: "evt_01kajm2t4g8q5v7w9x3y6z1a2b00000001",
        type: "click",
        occurred_at: "2026-11-21T09:10:00.000Z",
        link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
        slug: "spring",
        domain: "localhost:8787",
        short_url: "http://localhost:8787/spring",
        destination: "https://example.com/de",
        rule: "country=DE",
        country: "DE",
        device: "mobile",
        referrer: "direct",
        source: "link",
        qr_id: null,
      },
    ],
  });

export type ClickEvent = z.infer<typeof ClickEvent>;

const ReadyEvent = z.strictObject({}).meta({
  id: "ReadyEvent",
  description: "The stream is open. The `id` of the event is the cursor at which the stream resumes.",
  examples: [{}],
});

const GapEvent = z
  .strictObject({
    from: TimestampOut.meta({ description: "Clicks from this time on may be missing." }),
    to: TimestampOut.meta({ description: "Clicks up to and including this time may be missing." }),
  })
  .meta({
    id: "GapEvent",
    description: "Clicks between two times are no longer kept for the stream. Read them from the click logs.",
    examples: [{ from: "2026-11-20T09:10:00.000Z", to: "2026-11-21T09:10:00.000Z" }],
  });

/** Schema of `data` for each kind of event. */
export const STREAM_EVENTS = { ready: ReadyEvent, click: ClickEvent, gap: GapEvent };
