/** The window of a `time` condition: days of the week and hours in a time zone. Pure. */
import type { z as Zod } from "zod";

import { canonicalTimeZone, isTimeZone, type WallClock } from "../time.ts";

export const DAY_START = "00:00";
export const DAY_END = "24:00";
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const TIME_ZONE_MAX_CHARS = 200;

export interface TimeWindow {
  tz: string;
  days?: (typeof DAYS)[number][] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export function timeWindowSchema(
  z: Pick<typeof Zod, "array" | "enum" | "strictObject" | "string">,
): Zod.ZodType<TimeWindow> {
  return z
    .strictObject({
      tz: z
        .string()
        .max(TIME_ZONE_MAX_CHARS)
        .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin")
        .overwrite(canonicalTimeZone),
      days: z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional(),
      from: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be HH:MM, 00:00 to 23:59")
        .optional(),
      to: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, "must be HH:MM, 00:00 to 24:00")
        .optional(),
    })
    .refine(({ days, from, to }) => days || from || to, "must have days, from or to")
    .refine(({ from = DAY_START, to }) => from !== to, "from and to must differ");
}

/** @param clock  in the window's time zone */
export function isInWindow({ days, from = DAY_START, to = DAY_END }: TimeWindow, { day, minute }: WallClock): boolean {
  const [start, end] = [minuteOf(from), minuteOf(to)];
  const onDay = (index: number) => !days || days.some((name) => name === DAYS[index]);
  if (start < end) return minute >= start && minute < end && onDay(day);
  return minute >= start ? onDay(day) : minute < end && onDay((day + 6) % 7);
}

function minuteOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}
