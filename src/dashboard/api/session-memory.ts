/** Whether this browser was signed in last, so that the sign-in page can say that the session has ended. */

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
