/** Recognizes links in a pasted text, and listens for links pasted on the page. */
import { useWindowEvent } from "@mantine/hooks";

import { completeUrl } from "../../../core/links/typed-url.ts";

/** Longer texts are ignored: they would contain more links than a run accepts. */
const TEXT_MAX_CHARS = 2_000_000;

/**
 * One URL per line, with or without the other columns of bulk creation.
 * @returns the lines; empty if any line is something else
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

/** Whether a text is a URL as far as the browser can tell: the API validates it. */
export function isUrl(text: string): boolean {
  const url = completeUrl(text);
  return /^https?:\/\/\S+$/i.test(url) && URL.canParse(url);
}

/** @param onLinks  called with the lines of the text, at least one */
export function usePastedLinks(onLinks: (lines: string[]) => void): void {
  useWindowEvent("paste", (event) => {
    if (isInField(event.target)) return;
    const lines = pastedLinks(event.clipboardData?.getData("text/plain") ?? "");
    if (lines.length === 0) return;
    event.preventDefault();
    onLinks(lines);
  });
}

/** A dialog counts as a field: text typed in it must not be replaced. */
function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null
  );
}
