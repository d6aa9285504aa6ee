/** Why a domain cannot take links yet, and what its owner has to do. Pure. */
import { parseDomainName } from "../../core/domains/domain-name.ts";
import type { Domain } from "../api-types.ts";

/** The account's domains by name. */
export type KnownDomains = ReadonlyMap<string, Pick<Domain, "status" | "records" | "case_sensitive">>;

/** @returns words that follow the domain's name or a link's address; null when it takes links */
export function domainProblem(name: string, domains: KnownDomains): string | null {
  const domain = domains.get(name);
  if (!domain) {
    const read = parseDomainName(name);
    const why = "fault" in read ? read.fault : "is not yours yet: add it in the dashboard, under Domains";
    return `needs the domain ${name}, which ${why}`;
  }
  if (domain.status === "active") return null;
  const missing = domain.records.filter(({ status, value }) => status !== "active" && value !== null);
  const records = missing.map(({ type, name: at, value }) => `${type} ${at} → ${value}`).join(", ");
  return `needs the domain ${name}, which is ${domain.status}${records && `: set in DNS ${records}`}`;
}
