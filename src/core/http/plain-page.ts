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

/**
 * @param title  HTML
 * @param content  HTML below the heading
 * @param head  HTML of further elements in the head
 */
export function plainPage(title: string, content: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}<style>
:root { color-scheme: light dark; }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box;
  font: 1.125rem/1.5 system-ui, sans-serif; text-align: center; }
h1 { font-size: 1.5rem; margin: 0; }
main { min-width: 0; max-width: 40rem; }
pre { padding: 0.75rem 1rem; border: 1px solid; border-radius: 0.5rem; font-size: 1rem; text-align: left;
  white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<main><h1>${title}</h1>${content}</main>
</html>
`;
}
