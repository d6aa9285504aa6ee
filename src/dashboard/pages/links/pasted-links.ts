/** Recognizes links in a pasted text. Pure. */
import { completeUrl } from "../../formatting/typed-url.ts";

/** A longer text is not looked at: it would be more links than one run takes. */
const TEXT_MAX_CHARS = 2_000_000;

/**
 * One URL a line, with or without further columns as bulk creation takes them.
 * @returns the lines; empty where a line is something else
 */
export function pastedLinks(text: string): string[] {
  if (text.length > TEXT_MAX_CHARS) return [];
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const isAlone = lines.length === 1;
  return lines.every((line) => isUrl(isAlone ? line : (line.split(/[,;\t]/, 1)[0] ?? ""))) ? lines : [];
}

function isUrl(text: string): boolean {
  const url = completeUrl(text);
  return /^https?:\/\/\S+$/i.test(url) && URL.canParse(url);
}
