/** Rows of the table `domains`, and what the code makes of them. */

import type { Mode } from "../../core/account.ts";
import type { DomainStatus, Findings } from "../../core/domains/domain-verification.ts";

/** Times are epoch ms. */
export interface DomainRecord {
  id: string;
  domain: string;
  /** What the TXT record must say. */
  token: string;
  status: DomainStatus;
  findings: Findings;
  rootUrl: string | null;
  notFoundUrl: string | null;
  customHostnameId: string | null;
  createdAt: number;
  verifiedAt: number | null;
  checkStartedAt: number | null;
  checkedAt: number | null;
}

export interface DomainRow {
  account_id: string;
  mode: Mode;
  id: string;
  domain: string;
  token: string;
  status: DomainStatus;
  findings: string;
  root_url: string | null;
  not_found_url: string | null;
  custom_hostname_id: string | null;
  created_at: number;
  verified_at: number | null;
  check_started_at: number | null;
  checked_at: number | null;
}

export function domainRecordOf(row: DomainRow): DomainRecord {
  return {
    id: row.id,
    domain: row.domain,
    token: row.token,
    status: row.status,
    findings: JSON.parse(row.findings) as Findings,
    rootUrl: row.root_url,
    notFoundUrl: row.not_found_url,
    customHostnameId: row.custom_hostname_id,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    checkStartedAt: row.check_started_at,
    checkedAt: row.checked_at,
  };
}
