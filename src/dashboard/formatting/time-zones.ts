/** The browser's time zone, and all that it supports. */

export const BROWSER_TIME_ZONE: string = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The browser's own first. Some browsers do not list UTC. */
export const TIME_ZONE_OPTIONS: string[] = [
  ...new Set([BROWSER_TIME_ZONE, "UTC", ...Intl.supportedValuesOf("timeZone")]),
];
