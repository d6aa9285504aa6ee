/** The mode last chosen in this browser, which the entry script reads before React runs. */
import type { Mode } from "../core/account.ts";

export const MODE_STORAGE_KEY = "hoplink-mode";

export function parseMode(text: string | null | undefined): Mode {
  return text === "test" ? "test" : "live";
}

export function storedMode(): Mode {
  return parseMode(localStorage.getItem(MODE_STORAGE_KEY));
}
