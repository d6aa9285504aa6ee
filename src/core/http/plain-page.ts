/** A small self-contained page for browsers: no script, no other file. */

/**
 * Keeps Cloudflare's edge from changing a page: it would hide email addresses behind a script, or add an analytics
 * script. The pages' policies block both.
 */
export const NO_TRANSFORM = "no-transform";

export const PLAIN_PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "X-Robots-Tag": "noindex",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": `no-store, ${NO_TRANSFORM}`,
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

interface PageParts {
  head?: string;
  brand?: PageBrand | undefined;
}

/** Pages for visitors on which the owner's text replaces the service's. */
export const PAGES_WITH_TEXT = ["missing", "expired", "gone", "paused", "not_open", "password", "peek"] as const;
export type PageWithText = (typeof PAGES_WITH_TEXT)[number];

/** The owner's texts on a domain's pages. `logo`: a data URI. */
export type PageDesign = { [Member in "name" | "logo" | PageWithText]?: string | undefined };

type PageBrand = Pick<PageDesign, "name" | "logo">;

/**
 * @param title  HTML
 * @param content  HTML below the heading
 * @param head  HTML of further elements in the head
 */
export function plainPage(title: string, content: string, { head = "", brand }: PageParts = {}): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}<style>
:root { color-scheme: light dark; }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box;
  font: 1.125rem/1.5 system-ui, sans-serif; text-align: center; background: light-dark(#f1f3f5, #1a1b1e); }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0; }
main { min-width: 0; max-width: 34rem; padding: 2rem; border-radius: 1rem; overflow-wrap: anywhere;
  background: light-dark(#fff, #25262b); border: 1px solid light-dark(#dee2e6, #373a40); }
header { margin-bottom: 1.25rem; font-weight: 600; }
header img { display: block; margin: 0 auto 0.5rem; max-width: 12rem; max-height: 4rem; }
p { margin: 0.75rem 0; }
pre { padding: 0.75rem 1rem; border: 1px solid; border-radius: 0.5rem; font-size: 1rem; text-align: left;
  white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<main>${brandHtml(brand)}<h1>${title}</h1>${content}</main>
</html>
`;
}

function brandHtml({ name, logo }: PageBrand = {}): string {
  if (name === undefined) return "";
  const image = logo === undefined ? "" : `<img src="${escapeHtml(logo)}" alt="">`;
  return `<header>${image}${escapeHtml(name)}</header>`;
}
