/**
 * Error responses for visitors: a small page, or JSON if requested. They disclose nothing of the link or its owner, and
 * are neither cached nor indexed by search engines.
 */
import { abuseContact } from "../core/abuse-contact.ts";

export function notFoundPage(request: Request, env: Env): Response {
  const advice = `Check the address for a typing slip.${abuseContactHtml(env)}`;
  return errorPageResponse(request, 404, "not_found", "There is no link at this address", advice);
}

export function gonePage(request: Request, env: Env): Response {
  const advice = `Whoever shared it has let it expire or taken it back.${abuseContactHtml(env)}`;
  return errorPageResponse(request, 410, "gone", "This link has ended", advice);
}

export function unavailablePage(request: Request): Response {
  return errorPageResponse(
    request,
    503,
    "unavailable",
    "This link cannot be looked up just now",
    "Please try again in a moment.",
    {
      "Retry-After": "5",
    },
  );
}

export function rateLimitedPage(request: Request, seconds: number): Response {
  const advice = "Check the address, and try again in a minute.";
  return errorPageResponse(
    request,
    429,
    "rate_limited",
    "Too many unknown addresses were asked for from here",
    advice,
    {
      "Retry-After": String(seconds),
    },
  );
}

export function methodNotAllowedPage(request: Request): Response {
  return errorPageResponse(request, 405, "method_not_allowed", "A link can only be visited", "Use GET or HEAD.", {
    Allow: "GET, HEAD",
  });
}

/** Contact for reports of abuse, as HTML; "" where the operator has set none. */
function abuseContactHtml(env: Env): string {
  const contact = abuseContact(env);
  if (!contact || contact === "invalid") return "";
  return `<br>Report abuse: <a href="${escapeHtml(contact.href)}" rel="nofollow">${escapeHtml(contact.text)}</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
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
  const common = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "X-Content-Type-Options": "nosniff" };
  if (wantsJson(request)) {
    return Response.json({ error: { code, message: title } }, { status, headers: { ...common, ...headers } });
  }
  return new Response(pageHtml(title, advice), {
    status,
    headers: {
      ...common,
      ...headers,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
  });
}

function wantsJson(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  return accept.includes("application/json") && !accept.includes("text/html");
}

function pageHtml(title: string, advice: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box;
  font: 1.125rem/1.5 system-ui, sans-serif; text-align: center; }
h1 { font-size: 1.5rem; margin: 0; }
</style>
<main><h1>${title}</h1><p>${advice}</p></main>
</html>
`;
}
