/** Formats texts, shares and times for a terminal. Pure. */

/**
 * Escapes control and format characters as `\u{1b}`. Titles, cities and referrers are untrusted: such characters could
 * trigger commands of the terminal, hide text or forge lines.
 */
export function visibleText(value: unknown): string {
  return String(value ?? "").replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Line and paragraph separators are not control characters, but also break lines. */
export const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** With one decimal; empty if the divisor is zero. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "" : `${((part / whole) * 100).toFixed(1)} %`;
}

/** In the machine's time zone. @param at  ISO 8601 */
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
