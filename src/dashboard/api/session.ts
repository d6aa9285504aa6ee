/** The session state that a page cannot read from its cookie. */
import { useSyncExternalStore } from "react";

/** Why a dialog asks to sign in again: a 401 shows that the session ended; some requests need a new session. */
export type SignInReason = "ended" | "old";

let reason: SignInReason | null = null;
const listeners = new Set<() => void>();

export function setSignInReason(now: SignInReason | null): void {
  reason = now;
  for (const notify of listeners) notify();
}

export function useSignInReason(): SignInReason | null {
  return useSyncExternalStore(subscribe, () => reason);
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
    // Storage is full: sign-in will not show the reason.
  }
}

/** @returns whether there was a session to forget */
export function forgetSession(): boolean {
  const wasSignedIn = localStorage.getItem(STORAGE_KEY) !== null;
  localStorage.removeItem(STORAGE_KEY);
  return wasSignedIn;
}
