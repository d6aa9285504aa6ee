/**
 * Loads code that is not part of the first page. A load that failed can be repeated: Vite does not ask again for a style
 * sheet that failed, so that the part would appear without its styles; here it is asked for again.
 */

import { errorTexts } from "../texts/shell.ts";

/** The server could not be reached, or no longer has this file. */
export class PartLoadError extends Error {}

const failedStylesheets = new Set<string>();

/** Called once. Errors of elements do not bubble, but are captured. */
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
    return await load();
  } catch (cause) {
    throw new PartLoadError(errorTexts.unreachable, { cause });
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
