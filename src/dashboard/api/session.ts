/** The state of the session that a page cannot read from its cookie. */
import { useSyncExternalStore } from "react";

/** Whether the session of the account on this page has ended, which a 401 to any request shows. */
let hasEnded = false;
const listeners = new Set<() => void>();

export function setSessionEnded(ended: boolean): void {
  hasEnded = ended;
  for (const notify of listeners) notify();
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => hasEnded);
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** Set while this browser is signed in, so that the sign-in page can say that the session has ended. */
const STORAGE_KEY = "hoplink-signed-in";

export function rememberSession(): void {
  try {
    localStorage.setItem(STORAGE_KEY, "true");
  } catch {
    // No room left: sign-in will not say why it is asked for.
  }
}

/** @returns whether there was one to forget */
export function forgetSession(): boolean {
  const wasSignedIn = localStorage.getItem(STORAGE_KEY) !== null;
  localStorage.removeItem(STORAGE_KEY);
  return wasSignedIn;
}
