/**
 * The time zone in which this browser shows dates: its own, or another that its user has chosen. It is read when it is
 * needed: the first use of `Intl` takes a phone longer than all code before the first paint.
 */
import { once } from "../../core/memory/caches.ts";
import { isTimeZone } from "../../core/time.ts";

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
