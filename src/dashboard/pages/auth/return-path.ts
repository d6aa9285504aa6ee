/** Where to go after signing in. Only paths of the dashboard are accepted, so that `next` is no open redirect. */
import { isSignedOutPath } from "../../signed-out-paths.ts";

export function returnPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  // Browsers read "//host" and "/\host" as URLs of another host.
  return /^\/(?![/\\])/.test(next) && !isSignedOutPath(next) ? next : "/";
}
