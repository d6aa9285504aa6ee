/** Domains on the wire: bodies to changes, records to Domain objects with the DNS records to set. */
import type { Domain, DomainPage, UpdateDomain } from "../../core/contract/domains.ts";
import { VERIFY_RECORD_PREFIX } from "../../core/domains/domain-name.ts";
import { type Finding, NOT_CHECKED } from "../../core/domains/domain-verification.ts";
import type { Hosts } from "../../core/hosts.ts";
import { timestamp } from "../../core/timestamp.ts";
import { cnameTarget } from "../../store/domains/domain-checks.ts";
import type { DomainChanges, DomainRecord } from "../../store/domains/domain-rows.ts";
import { areCustomHostnamesEnabled } from "../../store/remote/custom-hostnames.ts";
import { sentMembers } from "../changes.ts";

export function wireDomain(domain: DomainRecord, env: Env, hosts: Hosts): Domain {
  const { cname, txt, certificate = NOT_CHECKED } = domain.findings;
  const name = domain.domain;
  return {
    id: domain.id,
    domain: name,
    status: domain.status,
    records: [
      wireRecord("CNAME", name, cnameTarget(env, hosts), cname),
      wireRecord("TXT", VERIFY_RECORD_PREFIX + name, domain.token, txt),
      ...(areCustomHostnamesEnabled(env) ? [wireRecord("CERTIFICATE", name, null, certificate)] : []),
    ],
    root_url: domain.rootUrl,
    not_found_url: domain.notFoundUrl,
    checked_at: domain.checkedAt === null ? null : timestamp(domain.checkedAt),
    created_at: timestamp(domain.createdAt),
    ...(domain.caseSensitive ? { case_sensitive: true } : {}),
  };
}

export function wireDomainPage(domains: DomainRecord[], hasMore: boolean, env: Env, hosts: Hosts): DomainPage {
  return {
    data: domains.map((domain) => wireDomain(domain, env, hosts)),
    has_more: hasMore,
    next_cursor: (hasMore && domains.at(-1)?.id) || null,
  };
}

export function toDomainChanges(sent: UpdateDomain): DomainChanges {
  return sentMembers<DomainChanges>({
    rootUrl: sent.root_url,
    notFoundUrl: sent.not_found_url,
    caseSensitive: sent.case_sensitive,
  });
}

type WireRecord = Domain["records"][number];

function wireRecord(type: WireRecord["type"], name: string, value: string | null, finding: Finding): WireRecord {
  return { type, name, value, status: finding.status, reason: finding.reason };
}
