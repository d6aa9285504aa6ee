/** Between what a date field holds (local wall time) and what the API takes (an instant). */

/** @param text  as `<input type="datetime-local">` gives it */
export function instantOf(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
