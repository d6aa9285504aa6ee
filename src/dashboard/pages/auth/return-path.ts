/** Where to go after signing in: the page that asked for it, and nowhere outside the dashboard. */
export function returnPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  // "//host" and "/\host" would leave for another host.
  return /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-") ? next : "/links";
}
