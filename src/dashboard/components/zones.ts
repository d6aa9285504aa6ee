/** Time zones as the browser knows them. */

export const BROWSER_ZONE: string = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The browser's own first. Some browsers do not list UTC. */
export const ZONE_CHOICES: string[] = [...new Set([BROWSER_ZONE, "UTC", ...Intl.supportedValuesOf("timeZone")])];
