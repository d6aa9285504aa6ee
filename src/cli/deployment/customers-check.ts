/** What `admin doctor` says of the way to domains of customers, with certificates by Cloudflare for SaaS. Pure. */
import { setVariable, type WorkerFacts } from "./advice.ts";
import { type Check, type Fact, failure, ok, unreadable, Unreadable, warning } from "./check.ts";

/** Where requests for custom hostnames go. */
export interface FallbackOriginFact {
  origin: string;
  /** `active` once it serves. */
  status: string;
}

export interface CustomersFacts extends WorkerFacts {
  variables: Record<string, string>;
  secrets: ReadonlySet<string>;
  /** Null where the zone has none, or no zone is named. */
  fallbackOrigin: Fact<FallbackOriginFact | null>;
}

const NAME = "customers' domains";
const GUIDE = "(Deploy, Domains of your customers)";

export function customersCheck(facts: CustomersFacts): Check {
  const { CF_ZONE_ID = "", CNAME_TARGET = "" } = facts.variables;
  const hasToken = facts.secrets.has("CF_API_TOKEN");
  if (CF_ZONE_ID === "" && !hasToken) return ok(NAME, "Verified by DNS alone, without certificates");
  if (CF_ZONE_ID === "")
    return failure(NAME, "CF_API_TOKEN is set, but CF_ZONE_ID is not", setVariable(facts, "CF_ZONE_ID"));
  if (!hasToken)
    return failure(
      NAME,
      "CF_ZONE_ID is set, but CF_API_TOKEN is not",
      `npx wrangler secret put CF_API_TOKEN --name ${facts.name}`,
    );
  return originCheck(facts.fallbackOrigin) ?? targetCheck(facts, CNAME_TARGET);
}

/** @returns null where there is one that serves */
function originCheck(fallback: CustomersFacts["fallbackOrigin"]): Check | null {
  if (fallback instanceof Unreadable) return unreadable(NAME, fallback);
  if (fallback === null)
    return failure(
      NAME,
      `The zone has no fallback origin, so they lead nowhere: name one at Cloudflare, SSL/TLS, Custom Hostnames ${GUIDE}`,
      null,
    );
  const { origin, status } = fallback;
  if (status === "active") return null;
  const message = `The fallback origin ${origin} is ${status}: look at Cloudflare, SSL/TLS, Custom Hostnames ${GUIDE}`;
  return warning(NAME, message, null);
}

function targetCheck(facts: CustomersFacts, target: string): Check {
  if (target !== "") return ok(NAME, `Lead to ${target}, with certificates`);
  const message = "CNAME_TARGET is not set: they must lead to the zone's fallback origin";
  return warning(NAME, message, setVariable(facts, "CNAME_TARGET"));
}
