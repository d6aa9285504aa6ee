/**
 * The page for a `+` after a slug: where the link leads this visitor. Destinations are hostile: they are shown as a
 * browser receives them, in ASCII, so that no character reverses the text or looks like another, with their host apart.
 * Imported on first use: redirects load none of it.
 */
import { hostsOf, isDefaultPeekOff } from "../core/deployment/settings.ts";
import { isCustomDomain } from "../core/hosts.ts";
import { escapeHtml } from "../core/http/plain-page.ts";
import { idTime } from "../core/identifiers.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import {
  decideVisit,
  type LinkLookup,
  locationOf,
  type OpenDecision,
  type SettledDecision,
  type VisitRequest,
} from "../core/links/visit-decision.ts";
import type { LinkAddress, UnmatchedAddress } from "./address.ts";
import { abuseContactHtml, designedPage } from "./error-pages.ts";
import { lookUpDefaultRedirects } from "./domain-lookup.ts";

interface PeekVisit extends VisitRequest {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly address: LinkAddress;
}

/**
 * Responds like a visit, uncounted, but with a page instead of a redirect.
 * @param respondAt  responds to a visit of another address: where `+` is off, the path is like any other
 */
export async function respondToPeek<Visit extends PeekVisit>(
  visit: Visit,
  lookup: Extract<LinkLookup, { kind: "found" }>,
  settle: (visit: Visit, decision: OpenDecision) => Promise<SettledDecision>,
  responseTo: (visit: Visit, decision: SettledDecision) => Response | Promise<Response>,
  respondAt: (address: LinkAddress | UnmatchedAddress) => Response | Promise<Response>,
): Promise<Response> {
  if (await isPeekOff(visit)) return respondAt(withoutPeek(visit.address));
  const decision = decideVisit(visit, lookup);
  const settled = decision.kind === "password" ? null : await settle(visit, decision);
  const isUnknown = decision.kind === "default_redirect" && decision.page !== "expired";
  if (settled && (settled.kind !== "redirect" || isUnknown)) return responseTo(visit, settled);
  return peekPage(visit, settled && settled.url, lookup.link);
}

/** The address of a path whose final `+` is part of it: no slug ends with one. */
function withoutPeek({ shorter: [longest, ...shorter], ...address }: LinkAddress): LinkAddress | UnmatchedAddress {
  return longest ? { ...longest, shorter } : { ...address, kind: "no_link" };
}

/** @throws UnavailableError while the setting of a domain is not known */
async function isPeekOff({ request, env, ctx, address: { host } }: PeekVisit): Promise<boolean> {
  if (!isCustomDomain(host, hostsOf(env, request.url))) return isDefaultPeekOff(env);
  const domain = await lookUpDefaultRedirects(env, ctx, host, null);
  return domain.kind === "found" && domain.redirects?.peek === 0;
}

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** @param destination  of this visitor; null if a password protects it: then the page says nothing else of the link */
function peekPage(visit: PeekVisit, destination: string | null, link: LinkSnapshot): Promise<Response> {
  const shown = destination === null ? "<p>It is protected by a password." : linkHtml(link, destination);
  const content = (own?: string) =>
    `${shown}${abuseContactHtml(visit.env)}</p>${own === undefined ? "" : `<p>${own}</p>`}`;
  const headers = { "Referrer-Policy": "no-referrer" };
  const page = { status: 200, title: "Where this link goes", headers };
  return designedPage(visit, "peek", page, content);
}

/** Without the end of the last paragraph. The fallback of a paused or expired link may be shown without its password. */
function linkHtml({ id, password }: LinkSnapshot, destination: string): string {
  const url = escapeHtml(locationOf(destination));
  const host = escapeHtml(URL.parse(destination)?.host ?? "");
  const created = new Date(idTime(id));
  const createdHtml = `Created on <time datetime="${created.toISOString()}">${DATE.format(created)}</time> (UTC).`;
  return `<p>It leads you to <strong>${host}</strong>:</p>
<pre><a href="${url}" rel="noreferrer nofollow">${url}</a></pre>
<p>Other visitors, and later visits, may go elsewhere.${password ? "" : `<br>\n${createdHtml}`}`;
}
