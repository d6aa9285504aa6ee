/** Decides a visit of a link with a password, after its link was found open. Pure. */
import { originOf } from "../hosts.ts";

export interface PasswordVisit {
  method: string;
  url: string;
  headers: Headers;
}

export type PasswordStep =
  /** Continue as a link without a password. */
  | "open"
  | "ask"
  /** Check the password that the form sent. */
  | "check"
  /** Redirect to https. */
  | "use_https"
  | "https_required"
  | "cross_site";

/**
 * @param protocol  of short URLs: `https:`, or `http:` in development
 * @param isUnlocked  whether the visitor has the link's cookie
 */
export function passwordStep(visit: PasswordVisit, protocol: string, isUnlocked: boolean): PasswordStep {
  const isForm = visit.method === "POST";
  if (protocol === "https:" && !visit.url.startsWith("https:")) return isForm ? "https_required" : "use_https";
  if (isForm) return isOwnForm(visit) ? "check" : "cross_site";
  return isUnlocked ? "open" : "ask";
}

/**
 * Whether another site may have sent the form. The page sends no referrer, so browsers send its form with `Origin:
 * null`, and `Sec-Fetch-Site` tells it from others. Programs send neither.
 */
function isOwnForm({ url, headers }: PasswordVisit): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  return origin === null || origin.toLowerCase() === originOf(url).toLowerCase();
}

/**
 * The path that has the link's cookie: the slug as requested, without a final slash.
 * @param rest  what follows the slug in the path
 */
export function cookiePath(url: string, rest: string): string {
  const visited = url.slice(originOf(url).length).split("?", 1)[0] ?? "/";
  const path = visited.slice(0, visited.length - rest.length);
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
