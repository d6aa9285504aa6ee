/** Problems of links that a schema alone does not see: they depend on the caller's domains and on the clock. */
import { ApiError, type Problem } from "../../core/errors.ts";
import {
  candidateDomains,
  type KnownDomains,
  linkDomainProblems,
  linkProblems,
  testPathProblems,
} from "../../core/links/link-validation.ts";
import { linkHost } from "../../core/links/test-path.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import type { NewLink } from "../../store/links/link-creation.ts";
import type { RequestContext } from "../middleware/input.ts";

/** @param sent  the body, not yet known to fit its schema */
export function newLinkProblems(sent: unknown, { hosts, caller }: RequestContext, known: KnownDomains): Problem[] {
  return [
    ...linkDomainProblems(sent, linkHost(hosts.shortDomains[caller.mode]), known),
    ...testPathProblems(sent, hosts),
    ...linkProblems(sent, hosts, known, Date.now()),
  ];
}

/** Of the members that can be changed; of the context's link where there is one. @param now  epoch ms, before which a link may not expire; null for no limit */
export async function linkContentProblems(
  sent: unknown,
  { hosts, caller, link }: RequestContext,
  env: Env,
  now: number | null,
): Promise<Problem[]> {
  return linkProblems(
    sent,
    hosts,
    await findKnownDomains(env, caller, candidateDomains([sent])),
    now,
    link,
    Date.now(),
  );
}

export function slugTaken({ slug, domain }: NewLink): ApiError {
  return new ApiError("slug_taken", `The slug ${slug} is taken on ${domain}`, { param: "slug" });
}
