/**
 * The page for a `+` after a slug: where the link leads this visitor. Destinations are hostile: they are shown as a
 * browser receives them, in ASCII, so that no character reverses the text or looks like another, with their host apart.
 */
import { escapeHtml, PLAIN_PAGE_HEADERS, plainPage } from "../core/http/plain-page.ts";
import { idTime } from "../core/identifiers.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { locationOf } from "../core/links/visit-decision.ts";
import { abuseContactHtml } from "./error-pages.ts";

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** @param destination  of this visitor; null if a password protects it */
export function peekPage(env: Env, destination: string | null, { id }: LinkSnapshot): Response {
  const created = new Date(idTime(id));
  const content = `${destination === null ? "<p>It is protected by a password.</p><p>" : destinationHtml(destination)}
Created on <time datetime="${created.toISOString()}">${DATE.format(created)}</time> (UTC).${abuseContactHtml(env)}</p>`;
  return new Response(plainPage("Where this link goes", content), {
    headers: { ...PLAIN_PAGE_HEADERS, "Referrer-Policy": "no-referrer" },
  });
}

function destinationHtml(destination: string): string {
  const url = escapeHtml(locationOf(destination));
  const host = escapeHtml(URL.parse(destination)?.host ?? "");
  return `<p>It leads you to <strong>${host}</strong>:</p>
<pre><a href="${url}" rel="noreferrer nofollow">${url}</a></pre>
<p>Other visitors, and later visits, may go elsewhere.<br>`;
}
