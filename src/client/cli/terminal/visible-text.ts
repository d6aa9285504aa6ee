/**
 * Titles, cities and referrers come from strangers. Control and format characters in them could make a terminal run
 * commands, hide text or forge lines, so they are shown as `\u{1b}`. Pure.
 */
export function visibleText(value: unknown): string {
  return String(value ?? "").replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Line and paragraph separators are no control characters, but break lines as well. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
