/**
 * Loads code that is not part of the first page. A failed load can be retried. Vite does not request a failed style
 * sheet again, so the part would appear unstyled; this code requests it again.
 */

import { errorTexts } from "../texts/shell.ts";

/** The code of a part could not be loaded: the server was unreachable, or no longer has the file. */
export class PartLoadError extends Error {}

const failedStylesheets = new Set<string>();

/** Call this once. Error events of elements do not bubble, so they are captured. */
export function watchStylesheets(): void {
  const onError = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
    failedStylesheets.add(target.href);
    target.remove();
  };
  window.addEventListener("error", onError, { capture: true });
}

/** @throws PartLoadError */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    await Promise.all([...failedStylesheets].map(loadStylesheet));
    // A part's own styles override them, so they are requested first.
    return (await Promise.all([import("../mantine-later.css"), load()]))[1];
  } catch (cause) {
    throw new PartLoadError(errorTexts.partNotLoaded, { cause });
  }
}

function loadStylesheet(href: string): Promise<void> {
  return new Promise((done, fail) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, crossOrigin: "" });
    link.addEventListener("load", () => {
      failedStylesheets.delete(href);
      done();
    });
    link.addEventListener("error", fail);
    document.head.appendChild(link);
  });
}
