/** Pages for signed-out users. They do not request the account, and signing in never returns to them. */

/** @param path  below `/dashboard` */
export function isSignedOutPath(path: string): boolean {
  return path.startsWith("/sign-") || /^\/(?:setup|reset)(?:[/?#]|$)/.test(path);
}

/** The path to open after signing in. Untrusted: paths that browsers resolve outside `/dashboard/` are refused. */
export function returnPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  const { host, pathname, search: query, hash } = new URL(`/dashboard${next}`, "https://here");
  const path = /^\/dashboard(\/(?!\/).*)$/.exec(pathname)?.[1];
  return host === "here" && path !== undefined && !isSignedOutPath(path) ? path + query + hash : "/";
}
