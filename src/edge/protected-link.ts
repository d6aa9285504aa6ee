/**
 * Visits of links with a password. Imported on first use: other redirects load none of it. No response contains the
 * destination until the link's object has confirmed the password, or the visitor has the cookie of an earlier
 * confirmation.
 */
import { hostsOf } from "../core/deployment/settings.ts";
import { keyedDigest } from "../core/derived-keys.ts";
import { hexOf } from "../core/encoding/bytes.ts";
import { originOf } from "../core/hosts.ts";
import { readUpTo } from "../core/http/requests.ts";
import { isUnlockedBy, unlockingCookie } from "../core/links/link-password.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { GenerationCache } from "../core/memory/caches.ts";
import { networkOf } from "../core/visitors/visitor.ts";
import { checkPassword } from "../store/link-object-client.ts";
import { withTimeout } from "../store/timeout.ts";
import { type PageVisit, visitorPage } from "./error-pages.ts";

const CHECK_TIMEOUT_MS = 5_000;

/** The longest password has 1.5 KB here, or thrice as much if its letters are sent decomposed. */
const FORM_MAX_BYTES = 8 * 1024;

/**
 * Until when links refuse every password, by ID, epoch ms. Nothing ends such a lock early, so guesses at a locked link
 * need no request to its object.
 */
const locks = new GenerationCache<number>(1_000);

interface ProtectedVisit extends PageVisit {
  readonly now: number;
  /** What follows the slug in the path. */
  readonly rest: string;
}

export type ProtectedLink = LinkSnapshot & { password: string };

/** @param open  continues the visit as if the link had no password */
export async function respondToProtected(
  visit: ProtectedVisit,
  link: ProtectedLink,
  open: () => Response | Promise<Response>,
): Promise<Response> {
  const { request, env, now } = visit;
  const { protocol } = hostsOf(env, request.url);
  const isUnlocked = await isUnlockedBy(env, link, request.headers.get("cookie") ?? "", now);
  switch (passwordStep(request, protocol, isUnlocked)) {
    case "open":
      return open();
    case "ask":
      return passwordPage(visit);
    case "check":
      return respondToForm(visit, link, protocol === "https:", open);
    case "use_https":
      return useHttps(request);
    case "https_required":
      return refusal(visit, 403, "https_required", "Passwords are accepted only over HTTPS");
    case "cross_site":
      return refusal(visit, 403, "cross_site", "This form was sent by another website");
  }
}

async function respondToForm(
  visit: ProtectedVisit,
  link: ProtectedLink,
  isSecure: boolean,
  open: () => Response | Promise<Response>,
): Promise<Response> {
  const { request, env, now, rest } = visit;
  const password = await sentPassword(request);
  if (password === "") return passwordPage(visit);
  // No password is this long.
  if (password === null) return passwordPage(visit, "Wrong password. Try again.");
  const lockedSeconds = Math.ceil(((locks.get(link.id) ?? 0) - now) / 1000);
  if (lockedSeconds > 0) return lockedPage(visit, lockedSeconds);
  const network = hexOf(await keyedDigest(env, "link-password-network", `${link.id} ${networkOf(request.headers)}`));
  const attempt = { password, network, record: link.password, revision: link.revision };
  const result = await withTimeout(CHECK_TIMEOUT_MS, checkPassword(env, link, attempt));
  if (result.kind === "locked") {
    if (result.everyoneUntil) locks.set(link.id, result.everyoneUntil);
    return result.isBusy ? busyPage(visit, result.seconds) : lockedPage(visit, result.seconds);
  }
  if (result.kind !== "right") return passwordPage(visit, "Wrong password. Try again.");
  const cookie = await unlockingCookie(env, link, { path: cookiePath(request.url, rest), isSecure, now });
  return unlocked(await open(), cookie);
}

/** A browser must follow the redirect with GET. */
function unlocked({ status, body, headers: opened }: Response, cookie: string): Response {
  const headers = new Headers(opened);
  headers.append("Set-Cookie", cookie);
  return new Response(body, { status: status >= 300 && status < 400 ? 303 : status, headers });
}

/** @returns null if the form is too long */
async function sentPassword({ body }: Request): Promise<string | null> {
  const sent = await readUpTo(FORM_MAX_BYTES, body ?? []);
  return sent && (new URLSearchParams(await sent.text()).get("password") ?? "");
}

/** Without an action, the form is sent to the visited URL, with the query that tells scans of QR codes. */
function formHtml(notice: string): string {
  const alert = notice === "" ? "" : `<p role="alert">${notice}</p>`;
  return `<style>
input, button { font: inherit; padding: 0.5rem 0.75rem; max-width: 100%; box-sizing: border-box; border-radius: 0.5rem;
  border: 1px solid light-dark(#868e96, #909296); }
button { color: light-dark(#fff, #1a1b1e); background: light-dark(#1a1b1e, #f1f3f5); cursor: pointer; }
</style>${alert}
<form method="post"><p><label for="password">Password</label><br>
<input type="password" id="password" name="password" required autofocus autocomplete="current-password"></p>
<button>Continue</button></form>`;
}

/** Browsers open a prompt for `Basic`, and ignore `Form`. */
const CHALLENGE = { "WWW-Authenticate": 'Form realm="link"', "Referrer-Policy": "no-referrer" };

function passwordPage(visit: PageVisit, notice = ""): Promise<Response> {
  const page = { status: 401, code: "password_required", title: "This link is protected by a password" };
  const own = (text?: string) => (text === undefined ? "" : `<p>${text}</p>`);
  return visitorPage(visit, "password", { ...page, headers: CHALLENGE }, (text) => own(text) + formHtml(notice));
}

function lockedPage(visit: PageVisit, seconds: number): Promise<Response> {
  const minutes = Math.ceil(seconds / 60);
  return laterPage(visit, seconds, "Too many wrong passwords", minutes === 1 ? "a minute" : `${minutes} minutes`);
}

function busyPage(visit: PageVisit, seconds: number): Promise<Response> {
  return laterPage(visit, seconds, "Too many people are entering a password at the moment", "a second");
}

function laterPage(visit: PageVisit, seconds: number, title: string, wait: string): Promise<Response> {
  const headers = { "Retry-After": String(seconds), "Referrer-Policy": "no-referrer" };
  return visitorPage(
    visit,
    null,
    { status: 429, code: "rate_limited", title, headers },
    () => `<p>Try again in ${wait}.</p>`,
  );
}

function useHttps({ url }: Request): Response {
  const headers = {
    Location: url.replace(/^http:/, "https:"),
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex",
  };
  return new Response(null, { status: 308, headers });
}

function refusal(visit: PageVisit, status: 403, code: string, title: string): Promise<Response> {
  const advice = "<p>Open the link again, and enter the password there.</p>";
  return visitorPage(visit, null, { status, code, title, headers: { "Referrer-Policy": "no-referrer" } }, () => advice);
}

type PasswordStep =
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
 * Decides a visit of a link with a password, after its link was found open.
 * @param protocol  of short URLs: `https:`, or `http:` in development
 * @param isUnlocked  whether the visitor has the link's cookie
 */
function passwordStep(visit: Request, protocol: string, isUnlocked: boolean): PasswordStep {
  const isForm = visit.method === "POST";
  if (protocol === "https:" && !visit.url.startsWith("https:")) return isForm ? "https_required" : "use_https";
  if (isForm) return isOwnForm(visit) ? "check" : "cross_site";
  return isUnlocked ? "open" : "ask";
}

/**
 * Whether another site may have sent the form. The page sends no referrer, so browsers send its form with `Origin:
 * null`, and `Sec-Fetch-Site` tells it from others. Programs send neither.
 */
function isOwnForm({ url, headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  return origin === null || origin.toLowerCase() === originOf(url).toLowerCase();
}

/**
 * The path that has the link's cookie: the slug as requested, without a final slash.
 * @param rest  what follows the slug in the path
 */
function cookiePath(url: string, rest: string): string {
  const visited = url.slice(originOf(url).length).split("?", 1)[0] ?? "/";
  const path = visited.slice(0, visited.length - rest.length);
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
