/** Figures and times for people. */

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** In the time zone of the machine. @param at  ISO 8601 */
export function localTime(at: string): string {
  const date = new Date(at);
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits);
  return `${year}-${month}-${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
