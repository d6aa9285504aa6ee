/** Shares and times for people. */

/** With one decimal; empty where there is nothing to divide. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "" : `${((part / whole) * 100).toFixed(1)} %`;
}

/** In the time zone of the machine. @param at  ISO 8601 */
export function localTime(at: string): string {
  const date = new Date(at);
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits);
  return `${year}-${month}-${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

export function clockTime(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
