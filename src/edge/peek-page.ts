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

/** @param destination  of this visitor */
export function peekPage(env: Env, destination: string, { id }: LinkSnapshot): Response {
  const url = escapeHtml(locationOf(destination));
  const host = escapeHtml(URL.parse(destination)?.host ?? "");
  const created = new Date(idTime(id));
  const content = `<p>It leads you to <strong>${host}</strong>:</p>
<pre><a href="${url}" rel="noreferrer nofollow">${url}</a></pre>
<p>Other visitors, and later visits, may go elsewhere.<br>
Created on <time datetime="${created.toISOString()}">${DATE.format(created)}</time> (UTC).${abuseContactHtml(env)}</p>`;
  return new Response(plainPage("Where this link goes", content), {
    headers: { ...PLAIN_PAGE_HEADERS, "Referrer-Policy": "no-referrer" },
  });
}
