/** Problems of domains that a schema alone does not see: they depend on the deployment and on other domains. */
import { CreateDomain } from "../../core/contract/domains.ts";
import { cdnUrl } from "../../core/host-settings.ts";
import { isServiceHost, normalizedDomain } from "../../core/domains/domain-name.ts";
import type { Problem } from "../../core/errors.ts";
import { candidateDomains, landingPageProblems } from "../../core/links/link-validation.ts";
import { cnameTarget } from "../../store/domains/domain-checks.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import type { RequestContext } from "../middleware/input.ts";

/** A name that is the service's own, or a public suffix. */
export async function newDomainProblems(sent: unknown, { hosts }: RequestContext, env: Env): Promise<Problem[]> {
  // The name is checked although the rest of the body may not fit: all problems are reported at once.
  const valid = CreateDomain.pick({ domain: true }).loose().safeParse(sent);
  if (!valid.success) return [];
  const domain = normalizedDomain(valid.data.domain);
  const problem = (words: string) => [{ path: "domain", code: "invalid_value", message: `domain ${words}` }];
  if (isServiceHost(domain, hosts, [new URL(cdnUrl(env, hosts)).hostname, cnameTarget(env, hosts)])) {
    return problem("must not be one of this service's own hosts or lie below one");
  }
  const { isPublicSuffix } = await import("../../core/domains/public-suffix.ts");
  if (isPublicSuffix(domain)) return problem("must not be a public suffix, below which anybody may register");
  return [];
}

/** Landing pages that would lead back to this service. */
export async function domainChangeProblems(
  sent: unknown,
  { hosts, caller }: RequestContext,
  env: Env,
): Promise<Problem[]> {
  return landingPageProblems(sent, hosts, await findKnownDomains(env, caller, candidateDomains([sent])));
}
