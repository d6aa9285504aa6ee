/** Rows of the table `domains` and their mapping to records. */

import type { DomainStatus, Findings } from "../../core/domains/domain-verification.ts";
import {
  assignmentsSql,
  columnNames,
  type Columns,
  insertSql,
  json,
  plain,
  recordFromRow,
  rowFromRecord,
  valuesByColumn,
  type SqlValue,
} from "../statements.ts";
import type { LandingPages } from "./landing-pages.ts";

/** Times are epoch ms. */
export interface DomainRecord {
  id: string;
  domain: string;
  /** The required value of the TXT record. */
  token: string;
  status: DomainStatus;
  findings: Findings;
  rootUrl: string | null;
  notFoundUrl: string | null;
  customHostnameId: string | null;
  /** New slugs are matched exactly. */
  caseSensitive: boolean;
  createdAt: number;
  verifiedAt: number | null;
  checkStartedAt: number | null;
  checkedAt: number | null;
}

const DOMAIN_COLUMNS: Columns<DomainRecord> = {
  id: plain("id"),
  domain: plain("domain"),
  token: plain("token"),
  status: plain("status"),
  findings: json("findings"),
  rootUrl: plain("root_url"),
  notFoundUrl: plain("not_found_url"),
  customHostnameId: plain("custom_hostname_id"),
  caseSensitive: { name: "case_sensitive", toSql: Number, fromSql: (value) => value === 1 },
  createdAt: plain("created_at"),
  verifiedAt: plain("verified_at"),
  checkStartedAt: plain("check_started_at"),
  checkedAt: plain("checked_at"),
};

/** Members that a request may change. */
const CHANGEABLE_MEMBERS = ["rootUrl", "notFoundUrl", "caseSensitive"] as const satisfies (keyof DomainChanges)[];

/** The members that an update sets; omitted ones stay. */
export type DomainChanges = Partial<LandingPages & Pick<DomainRecord, "caseSensitive">>;

/** @param row  a complete row of `domains` */
export function domainRecordOf(row: object): DomainRecord {
  return recordFromRow(DOMAIN_COLUMNS, row);
}

/**
 * Inserts a domain with the values of `insertValues`.
 * @param expressions  SQL that replaces the parameter, by column
 */
export function insertDomainSql(expressions: Readonly<Record<string, string>>): string {
  return insertSql("domains", ["account_id", "mode", ...columnNames(DOMAIN_COLUMNS)], expressions);
}

export function insertValues(domain: DomainRecord): Record<string, SqlValue> {
  return rowFromRecord(DOMAIN_COLUMNS, domain);
}

/** The values of some members, by column name. */
export function domainValues(members: Partial<DomainRecord>): Record<string, SqlValue> {
  return valuesByColumn(DOMAIN_COLUMNS, members);
}

/** Assignments of an UPDATE that keeps the columns of absent members, with the values of `changeValues`. */
export const CHANGE_ASSIGNMENTS_SQL = assignmentsSql(DOMAIN_COLUMNS, CHANGEABLE_MEMBERS);

export function changeValues(changes: DomainChanges): Record<string, SqlValue> {
  return { changes: JSON.stringify(valuesByColumn(DOMAIN_COLUMNS, changes)) };
}
