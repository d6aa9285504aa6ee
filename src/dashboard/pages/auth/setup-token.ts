/**
 * The one-time token in the page's address. It is taken out of the address bar at once, so that it is on no screenshot
 * and in no shared address, and kept in this page's memory alone.
 */
import { useSyncExternalStore } from "react";

let taken: string | null = null;
takeToken();

/** Null when the page was opened without one, or reloaded. */
export function useSetupToken(): string | null {
  return useSyncExternalStore(subscribe, () => taken);
}

/** An address that is opened in the same tab changes its fragment only: the page is not loaded again. */
function subscribe(notify: () => void): () => void {
  const onChange = () => {
    takeToken();
    notify();
  };
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}

function takeToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  taken = token;
  history.replaceState(history.state, "", location.pathname + location.search);
}
