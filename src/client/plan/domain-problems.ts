/** Why a domain cannot take links yet, and what its owner has to do. Pure. */
import type { Domain } from "../api-types.ts";

/** The account's domains by name. */
export type KnownDomains = ReadonlyMap<string, Pick<Domain, "status" | "records" | "case_sensitive">>;

/** @returns words that follow the domain's name or a link's address; null when it takes links */
export function domainProblem(name: string, domains: KnownDomains): string | null {
  const domain = domains.get(name);
  if (!domain) return `needs the domain ${name}, which is not yours yet: add it in the dashboard, under Domains`;
  if (domain.status === "active") return null;
  const missing = domain.records.filter(({ status, value }) => status !== "active" && value !== null);
  const records = missing.map(({ type, name: at, value }) => `${type} ${at} → ${value}`).join(", ");
  return `needs the domain ${name}, which is ${domain.status}${records && `: set in DNS ${records}`}`;
}
