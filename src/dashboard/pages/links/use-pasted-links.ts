/** Listens for links that are pasted anywhere on the page but into a field. */
import { useEffect, useEffectEvent } from "react";

import { pastedLinks } from "./pasted-links.ts";

/** @param onLinks  called with the lines of the text, at least one */
export function usePastedLinks(onLinks: (lines: string[]) => void): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (isInField(event.target)) return;
    const lines = pastedLinks(event.clipboardData?.getData("text/plain") ?? "");
    if (lines.length === 0) return;
    event.preventDefault();
    onLinks(lines);
  });
  useEffect(() => {
    const listener = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener("paste", listener);
    return () => document.removeEventListener("paste", listener);
  }, []);
}

/** A dialog counts as a field: what is typed in it must not be replaced. */
function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null
  );
}
