/** Timestamps on the wire. */
import { z } from "zod";

import { timestampSchema } from "../timestamp.ts";

export const TimestampOut = z.iso
  .datetime({ precision: 3 })
  .meta({ description: "ISO 8601, UTC, with milliseconds.", examples: ["2026-01-31T12:00:00.000Z"] });

export const TimestampIn = timestampSchema({ string: z.string }).meta({
  format: "date-time",
  description: "RFC 3339, with an offset or `Z`.",
  examples: ["2026-12-31T23:59:59Z"],
});

/** The examples of two parameters that bound a time, so that a request with both is one that finds something. */
export const FROM_EXAMPLE = { examples: ["2026-11-01T00:00:00Z"] };
export const TO_EXAMPLE = { examples: ["2026-12-01T00:00:00Z"] };
