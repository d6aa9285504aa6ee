/**
 * Looks up the landing pages of a custom domain, the design of its other pages, and whether a `+` after a slug is
 * answered. Called only if no link redirects, and for a `+`.
 */
import { findLandingPages, type VisitedDomain } from "../store/domains/landing-pages.ts";
import { DomainLookup } from "./domain-lookup.ts";

type VisitedDomainLookup = { kind: "found"; landings: VisitedDomain | null } | { kind: "limited"; seconds: number };

const visitedDomains = new DomainLookup(
  findLandingPages,
  ({ rootUrl, notFoundUrl, expiredUrl, page }) => [rootUrl, notFoundUrl, expiredUrl, page].join().length,
);

/**
 * The landing pages of a domain.
 * @param visitor  headers of the visit: look-ups of unknown domains are limited by network; null if the domain has a
 *   link, and so is known
 * @throws UnavailableError
 */
export async function lookUpLandingPages(
  env: Env,
  ctx: ExecutionContext,
  domain: string,
  visitor: Headers | null,
): Promise<VisitedDomainLookup> {
  const lookup = await visitedDomains.find(env, ctx, { name: domain }, visitor);
  return lookup.kind === "found" ? { kind: "found", landings: lookup.value } : lookup;
}
