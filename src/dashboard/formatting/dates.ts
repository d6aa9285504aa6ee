/** Dates and times in the language and time zone of the browser. */

const DATE_FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const DATE_TIME_FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** @param timestamp  ISO 8601, as the API writes it */
export function formatDate(timestamp: string): string {
  return DATE_FORMAT.format(new Date(timestamp));
}

export function formatDateTime(timestamp: string): string {
  return DATE_TIME_FORMAT.format(new Date(timestamp));
}
