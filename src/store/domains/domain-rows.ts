/** Rows of the table `domains` and their mapping to records. */

import type { DomainStatus, Findings } from "../../core/domains/domain-verification.ts";
import type { WellKnown } from "../../core/domains/well-known-files.ts";
import {
  assignmentsSql,
  type Column,
  columnNames,
  insertSql,
  json,
  jsonOrNull,
  plain,
  recordFromRow,
  type RecordOf,
  rowFromRecord,
  valuesByColumn,
  type SqlValue,
} from "../statements.ts";

/** Of a column that is never null. */
function boolean(name: string): Column<boolean> {
  return { name, toSql: Number, fromSql: (value) => value === 1 };
}

const DOMAIN_COLUMNS = {
  id: plain<string>("id"),
  domain: plain<string>("domain"),
  /** The required value of the TXT record. */
  token: plain<string>("token"),
  status: plain<DomainStatus>("status"),
  findings: json<Findings>("findings"),
  rootUrl: plain<string | null>("root_url"),
  notFoundUrl: plain<string | null>("not_found_url"),
  expiredUrl: plain<string | null>("expired_url"),
  customHostnameId: plain<string | null>("custom_hostname_id"),
  /** Whether new slugs are matched exactly. */
  caseSensitive: boolean("case_sensitive"),
  /** Whether a `+` after a slug shows where the link leads. */
  peek: boolean("peek"),
  /** Never an empty object. */
  wellKnown: jsonOrNull<WellKnown>("well_known"),
  createdAt: plain<number>("created_at"),
  verifiedAt: plain<number | null>("verified_at"),
  checkStartedAt: plain<number | null>("check_started_at"),
  checkedAt: plain<number | null>("checked_at"),
};

/** Times are epoch ms. */
export type DomainRecord = RecordOf<typeof DOMAIN_COLUMNS>;

/** Members that a request may change. */
const CHANGEABLE_MEMBERS = ["rootUrl", "notFoundUrl", "expiredUrl", "caseSensitive", "peek", "wellKnown"] as const;

/** The members that an update sets; omitted ones stay unchanged. */
export type DomainChanges = Partial<Pick<DomainRecord, (typeof CHANGEABLE_MEMBERS)[number]>>;

/** @param row  a complete row of `domains` */
export function domainRecordOf(row: object): DomainRecord {
  return recordFromRow<DomainRecord>(DOMAIN_COLUMNS, row);
}

/**
 * Inserts a domain with the values of `insertValues`.
 * @param expressions  SQL that replaces the parameter, by column
 */
export function insertDomainSql(expressions: Readonly<Record<string, string>>): string {
  return insertSql("domains", ["account_id", "mode", ...columnNames<DomainRecord>(DOMAIN_COLUMNS)], expressions);
}

export function insertValues(domain: DomainRecord): Record<string, SqlValue> {
  return rowFromRecord<DomainRecord>(DOMAIN_COLUMNS, domain);
}

/** The values of some members, by column name. */
export function domainValues(members: Partial<DomainRecord>): Record<string, SqlValue> {
  return valuesByColumn<DomainRecord>(DOMAIN_COLUMNS, members);
}

/** Assignments of an UPDATE that keeps the columns of absent members, with the values of `changeValues`. */
export const CHANGE_ASSIGNMENTS_SQL = assignmentsSql<DomainRecord>(DOMAIN_COLUMNS, CHANGEABLE_MEMBERS);

export function changeValues(changes: DomainChanges): Record<string, SqlValue> {
  return { changes: JSON.stringify(valuesByColumn<DomainRecord>(DOMAIN_COLUMNS, changes)) };
}
