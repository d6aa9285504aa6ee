/** Times as people read them, in the language and zone of the browser. */

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** @param timestamp  ISO 8601, as the API writes it */
export function dateWords(timestamp: string): string {
  return DATE.format(new Date(timestamp));
}

export function momentWords(timestamp: string): string {
  return MOMENT.format(new Date(timestamp));
}
