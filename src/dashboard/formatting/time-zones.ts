/**
 * The time zone in which this browser shows dates: its own, or another that its user has chosen. It is read when it is
 * needed: the first use of `Intl` takes a phone longer than all code before the first paint.
 */
import { once } from "../../core/memory/caches.ts";
import { isTimeZone, localToInstant, offsetAt, timestamp } from "../../core/time.ts";

const STORAGE_KEY = "hoplink-time-zone";

export const systemTimeZone: () => string = once(() => new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");

/** Null if the user has chosen none, or the browser does not support it any more. */
export function chosenTimeZone(): string | null {
  const zone = typeof localStorage === "undefined" ? null : localStorage.getItem(STORAGE_KEY);
  return zone !== null && isTimeZone(zone) ? zone : null;
}

/** Pages read the zone when they are loaded. @param zone  null for the browser's own */
export function chooseTimeZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, zone);
}

export const browserTimeZone: () => string = once(() => chosenTimeZone() ?? systemTimeZone());

/** The chosen one first. Some browsers do not list UTC. */
export const timeZoneOptions: () => string[] = once(() => [
  ...new Set([browserTimeZone(), systemTimeZone(), "UTC", ...Intl.supportedValuesOf("timeZone")]),
]);

/** The value of a `datetime-local` input: the wall clock of a time zone. @param instant  RFC 3339, or empty */
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
