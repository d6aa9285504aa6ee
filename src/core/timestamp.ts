/** Timestamps as text: RFC 3339 in, ISO 8601 in UTC with milliseconds out. Pure. */
import type { z as Zod } from "zod";

const RFC_3339_PATTERN =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Whether a text is an RFC 3339 date-time with an existing day, whose year has four digits in UTC as well. */
export function isTimestamp(text: string): boolean {
  const [, day] = RFC_3339_PATTERN.exec(text) ?? [];
  const midnight = day === undefined ? NaN : Date.parse(day);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(midnight) || !timestamp(midnight).startsWith(`${day}T`)) return false;
  return /^\d{4}-/.test(timestamp(Date.parse(text)));
}

export function timestampSchema(z: Pick<typeof Zod, "string">) {
  return z
    .string()
    .refine(isTimestamp, "must be an RFC 3339 time with seconds and an offset or Z, such as 2026-12-31T23:59:59Z")
    .meta({ format: "date-time" });
}

export function timestamp(at: number): string {
  return new Date(at).toISOString();
}
