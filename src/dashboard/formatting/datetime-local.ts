/** Converts instants to and from values of `datetime-local` inputs: the wall clock of a time zone. Pure. */
import { timestamp, localToInstant, offsetAt } from "../../core/time.ts";

/** @param instant  RFC 3339, or empty */
export function toDatetimeLocal(instant: string, zone: string): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? "" : timestamp(at + offsetAt(zone, at)).slice(0, 19);
}

/**
 * @param shown  the instant that the input showed at first. It stays unless the input was edited: an hour that occurs
 *   twice, when clocks go back, would become the first one
 * @returns RFC 3339 in UTC; empty if the input is empty or incomplete
 */
export function fromDatetimeLocal(text: string, zone: string, shown = ""): string {
  if (text === toDatetimeLocal(shown, zone)) return shown;
  const local = Date.parse(`${text}Z`);
  return Number.isNaN(local) ? "" : timestamp(localToInstant(zone, local));
}
