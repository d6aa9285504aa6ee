/** Pages for people who are not signed in. They request no account, and no one returns to them after signing in. */

/** @param path  below `/dashboard` */
export function isSignedOutPath(path: string): boolean {
  return path.startsWith("/sign-") || /^\/setup(?:[/?#]|$)/.test(path);
}

/** Where to go after signing in. What a browser would not find below `/dashboard/` is refused: anybody may have written it. */
export function returnPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  const { host, pathname, search: query, hash } = new URL(`/dashboard${next}`, "https://here");
  const path = /^\/dashboard(\/(?!\/).*)$/.exec(pathname)?.[1];
  return host === "here" && path !== undefined && !isSignedOutPath(path) ? path + query + hash : "/";
}
