/** Pages for people who are not signed in. They request no account, and no one returns to them after signing in. */

/** @param path  below `/dashboard` */
export function isSignedOutPath(path: string): boolean {
  return path.startsWith("/sign-") || /^\/setup(?:[/?#]|$)/.test(path);
}

/** Where to go after signing in. Only paths of the dashboard are accepted, so that `next` is no open redirect. */
export function returnPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  // Browsers read "//host" and "/\host" as URLs of another host.
  return /^\/(?![/\\])/.test(next) && !isSignedOutPath(next) ? next : "/";
}
