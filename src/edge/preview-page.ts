/**
 * The page that programs read to show a card for a link. The owner chose its texts, which may be hostile, so everything
 * is escaped. It always names the destination's host: a card must not pass for another site. Nothing is loaded.
 */
import { escapeHtml, PLAIN_PAGE_HEADERS, plainPage } from "../core/http/plain-page.ts";
import type { SocialCard } from "../core/links/link-members.ts";
import { locationOf } from "../core/links/visit-decision.ts";

/** @param visitedUrl  of the request @param url  of the link */
export function previewPage(visitedUrl: string, { url, card }: { url: string; card: SocialCard }): Response {
  const location = locationOf(url);
  const host = URL.parse(location)?.host ?? "";
  const { title = host, description, image } = card;
  // Some programs read the page of `og:url` instead, so it is the short URL.
  const { origin, pathname } = new URL(visitedUrl);
  const tags = [
    openGraph("type", "website"),
    openGraph("url", origin + pathname),
    openGraph("site_name", host),
    openGraph("title", title),
    openGraph("description", description),
    openGraph("image", image),
    twitter("card", image === undefined ? "summary" : "summary_large_image"),
    twitter("title", title),
    twitter("description", description),
    twitter("image", image),
  ];
  const text = description === undefined ? "" : `<p>${escapeHtml(description)}</p>`;
  const link = `<p><a href="${escapeHtml(location)}" rel="nofollow">${escapeHtml(host)}</a></p>`;
  return new Response(plainPage(escapeHtml(title), text + link, { head: tags.join("") }), {
    headers: PLAIN_PAGE_HEADERS,
  });
}

function openGraph(name: string, value: string | undefined): string {
  return metaTag("property", `og:${name}`, value);
}

function twitter(name: string, value: string | undefined): string {
  return metaTag("name", `twitter:${name}`, value);
}

function metaTag(attribute: "property" | "name", name: string, value: string | undefined): string {
  return value === undefined ? "" : `<meta ${attribute}="${name}" content="${escapeHtml(value)}">\n`;
}
