/** Whether the session of the account on this page has ended, by a 401 to any request. */
import { useSyncExternalStore } from "react";

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
