/**
 * Pages for visitors without a redirect, or JSON if requested, with the name, logo and texts of their domain. They
 * disclose nothing about the link or its owner, and are neither cached nor indexed by search engines. Imported on first
 * use: redirects load none of it.
 */
import { abuseContact, hostsOf } from "../core/deployment/settings.ts";
import {
  escapeHtml,
  type PageDesign,
  type PageWithText,
  PLAIN_PAGE_HEADERS,
  plainPage,
} from "../core/http/plain-page.ts";
import type { SettledDecision } from "../core/links/visit-decision.ts";
import { isCustomDomain } from "../core/hosts.ts";
import type { LinkAddress, UnmatchedAddress } from "./address.ts";
import { lookUpDefaultRedirects } from "./domain-lookup.ts";

/** What a page depends on besides its content. */
export interface PageVisit {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly address: LinkAddress | UnmatchedAddress;
}

type ErrorDecision = Exclude<SettledDecision, { kind: "redirect" | "preview" }>;

interface VisitorPage {
  status: number;
  code: string;
  title: string;
  headers?: Record<string, string>;
}

/** Without a text of the domain's owner, a visitor cannot tell whether a link expired or was removed. */
const GONE = {
  status: 410,
  code: "gone",
  title: "This link is no longer available",
  advice: "It has expired or was removed by its owner.",
};

/** `advice`: HTML below the title, unless the domain has a text of its own. */
const PAGES: Record<Exclude<PageWithText, "password" | "peek">, VisitorPage & { advice: string }> = {
  missing: {
    status: 404,
    code: "not_found",
    title: "This link does not exist",
    advice: "Check the address for typos.",
  },
  paused: {
    status: 404,
    code: "paused",
    title: "This link is paused",
    advice: "Its owner has turned it off for now. Try again later.",
  },
  not_open: {
    status: 404,
    code: "not_open",
    title: "This link is not open yet",
    advice: "Its owner has scheduled it for later. Try again then.",
  },
  expired: GONE,
  gone: GONE,
};

export function errorPage(visit: PageVisit, decision: ErrorDecision): Response | Promise<Response> {
  const { request, env, address } = visit;
  switch (decision.kind) {
    case "missing":
    case "paused":
    case "not_open":
    case "expired":
    case "gone": {
      const { advice, ...page } = PAGES[decision.kind];
      const kind = "isPlain" in decision ? "plain" : decision.kind;
      return visitorPage(visit, kind, page, (own = advice) => `<p>${own}${abuseContactHtml(env)}</p>`);
    }
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
  headers: Record<string, string>,
): Response {
  const page = { status, code, title, headers };
  return wantsJson(request) ? jsonResponse(page) : htmlResponse(page, `<p>${advice}</p>`);
}

/**
 * A page with the design of the visited domain, or JSON.
 * @param kind  of the owner's text; null for a page without one; `plain` if the domain has no design
 * @param content  HTML below the title; receives the owner's text as HTML
 */
export async function visitorPage(
  visit: PageVisit,
  kind: PageWithText | "plain" | null,
  page: VisitorPage,
  content: (own?: string) => string,
): Promise<Response> {
  return wantsJson(visit.request) ? jsonResponse(page) : designedPage(visit, kind, page, content);
}

/** Like `visitorPage`, for responses that are never JSON. */
export async function designedPage(
  visit: PageVisit,
  kind: PageWithText | "plain" | null,
  page: Omit<VisitorPage, "code">,
  content: (own?: string) => string,
): Promise<Response> {
  const design = kind === "plain" ? null : await designOf(visit);
  const text = kind === null || kind === "plain" ? undefined : design?.[kind];
  const brand = { name: design?.name ?? visit.address.host, logo: design?.logo };
  return htmlResponse(page, content(text === undefined ? text : escapeHtml(text)), brand);
}

function jsonResponse({ status, code, title, headers }: VisitorPage): Response {
  const common = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "X-Content-Type-Options": "nosniff" };
  return Response.json({ error: { code, message: title } }, { status, headers: { ...common, ...headers } });
}

function htmlResponse(page: Omit<VisitorPage, "code">, content: string, brand?: PageDesign): Response {
  const { status, title, headers } = page;
  return new Response(plainPage(title, content, { brand }), {
    status,
    headers: { ...PLAIN_PAGE_HEADERS, ...(brand?.logo !== undefined && LOGO_POLICY), ...headers },
  });
}

/** The logo is in the page, so that nothing is loaded. */
const LOGO_POLICY = {
  "Content-Security-Policy": `${PLAIN_PAGE_HEADERS["Content-Security-Policy"]}; img-src data:`,
};

/** Null without one, and if it cannot be read now: the page must not depend on the database. */
async function designOf({ request, env, ctx, address: { host } }: PageVisit): Promise<PageDesign | null> {
  if (!isCustomDomain(host, hostsOf(env, request.url))) return null;
  const found = await lookUpDefaultRedirects(env, ctx, host, null).catch(() => null);
  const page = found?.kind === "found" ? found.redirects?.page : null;
  return page ? (JSON.parse(page) as PageDesign) : null;
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
