/**
 * Error responses for visitors: a small page, or JSON if requested. They disclose nothing about the link or its owner,
 * and are neither cached nor indexed by search engines. Imported on first use: redirects load none of it.
 */
import { abuseContact, hostsOf } from "../core/deployment/settings.ts";
import { escapeHtml, PLAIN_PAGE_HEADERS, plainPage } from "../core/http/plain-page.ts";
import type { SettledDecision } from "../core/links/visit-decision.ts";
import type { LinkAddress, UnmatchedAddress } from "./address.ts";

type ErrorDecision = Exclude<SettledDecision, { kind: "redirect" | "preview" }>;

export function errorPage(
  request: Request,
  env: Env,
  address: LinkAddress | UnmatchedAddress,
  decision: ErrorDecision,
): Response {
  const page = (status: number, code: string, title: string, advice: string) =>
    errorPageResponse(request, status, code, title, advice + abuseContactHtml(env));
  switch (decision.kind) {
    case "missing":
      return page(404, "not_found", "This link does not exist", "Check the address for typos.");
    case "paused":
      return page(404, "paused", "This link is paused", "Its owner has turned it off for now. Try again later.");
    case "gone":
      return page(410, "gone", "This link is no longer available", "It has expired or was removed by its owner.");
    case "rate_limited":
      return rateLimitedPage(request, decision.seconds);
    case "unavailable":
      return unavailablePage(request);
    case "method_not_allowed":
      return refusedRegistration(request, env, address) ?? methodNotAllowedPage(request);
  }
}

function unavailablePage(request: Request): Response {
  const title = "This link is temporarily unavailable";
  return errorPageResponse(request, 503, "unavailable", title, "Try again in a moment.", { "Retry-After": "5" });
}

export function rateLimitedPage(request: Request, seconds: number): Response {
  const title = "Too many requests for unknown links";
  const advice = "Check the address, and try again in a minute.";
  return errorPageResponse(request, 429, "rate_limited", title, advice, { "Retry-After": String(seconds) });
}

function methodNotAllowedPage(request: Request): Response {
  const title = "Links accept only GET and HEAD requests";
  return errorPageResponse(request, 405, "method_not_allowed", title, "Send a GET or HEAD request.", {
    Allow: "GET, HEAD",
  });
}

/** Contact for abuse reports, as HTML; "" if the operator has set none. */
export function abuseContactHtml(env: Env): string {
  const contact = abuseContact(env);
  if (!contact || contact === "invalid") return "";
  return `<br>Report abuse: <a href="${escapeHtml(contact.href)}" rel="nofollow">${escapeHtml(contact.text)}</a>`;
}

/** @param advice  HTML */
function errorPageResponse(
  request: Request,
  status: number,
  code: string,
  title: string,
  advice: string,
  headers: Record<string, string> = {},
): Response {
  return visitorPage(request, status, code, title, `<p>${advice}</p>`, headers);
}

/** @param content  HTML below the title */
export function visitorPage(
  request: Request,
  status: number,
  code: string,
  title: string,
  content: string,
  headers: Record<string, string>,
): Response {
  if (wantsJson(request)) {
    const common = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "X-Content-Type-Options": "nosniff" };
    return Response.json({ error: { code, message: title } }, { status, headers: { ...common, ...headers } });
  }
  return new Response(plainPage(title, content), { status, headers: { ...PLAIN_PAGE_HEADERS, ...headers } });
}

function wantsJson(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  return accept.includes("application/json") && !accept.includes("text/html");
}

const REGISTRATION = { method: "POST", slug: "register" };

/**
 * Refuses OAuth client registration at the URL where MCP hosts try it if the API key was omitted. Such a host got a
 * 401, found no authorization server, and falls back to `/register` on the service's host (MCP of 2025-03-26). Its
 * users see only this error, in OAuth's form (RFC 7591, 3.2.2). `register` is not reserved: links may use it, and are
 * visited with other methods.
 * @returns null for any other request
 */
function refusedRegistration(
  { method, url }: Request,
  env: Env,
  address: LinkAddress | UnmatchedAddress,
): Response | null {
  if (method !== REGISTRATION.method || address.kind !== "link" || address.slug !== REGISTRATION.slug) return null;
  const { baseUrl, baseHostname } = hostsOf(env, url);
  if (new URL(url).hostname !== baseHostname) return null;
  const error_description = `The header Authorization: Bearer <API key> is missing. It is the only way to sign in to MCP. See ${baseUrl}/docs/mcp`;
  const headers = { Allow: "GET, HEAD", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  return Response.json({ error: "access_denied", error_description }, { status: 405, headers });
}
