/**
 * The table `links`. Rows are read and written by the columns listed here, so a new member of a link is added to this
 * file and to no other of the store.
 */

import type { Mode } from "../../core/account.ts";
import { type LinkSnapshot, TOMBSTONE_FIELDS } from "../../core/links/link-snapshot.ts";
import {
  assignmentsSql,
  assignmentValues,
  columnNames,
  type Columns,
  insertSql,
  json,
  optional,
  plain,
  recordFromRow,
  rowFromRecord,
  valuesByColumn,
} from "../columns.ts";
import type { SqlValue } from "../named-statement.ts";
import { NEW_LINK_DOMAIN_SQL } from "./domain-joins.ts";

/** A snapshot with what redirects need not know. Times are epoch ms. */
export interface LinkRecord extends LinkSnapshot {
  createdAt: number;
  updatedAt: number;
}

/** What objects and isolates keep of a link. Its state is told by two times. */
const SNAPSHOT_COLUMNS: Columns<Omit<LinkSnapshot, "state">> = {
  id: plain("id"),
  accountId: plain("account_id"),
  mode: plain("mode"),
  origin: plain("origin"),
  domain: plain("domain"),
  slug: plain("slug"),
  url: plain("url"),
  routing: json("routing"),
  expiresAt: plain("expires_at"),
  revision: plain("revision"),
  qrKey: plain("qr_key"),
  predecessorId: optional("predecessor_id"),
  successorId: optional("successor_id"),
};

const LINK_COLUMNS: Columns<Omit<LinkRecord, "state">> = {
  ...SNAPSHOT_COLUMNS,
  createdAt: plain("created_at"),
  updatedAt: plain("updated_at"),
};

/** Members that a request sets and may change. */
const CONTENT_MEMBERS = ["url", "routing", "expiresAt"] as const;

export type LinkContent = Pick<LinkRecord, (typeof CONTENT_MEMBERS)[number]>;

/** Every content member has a value here that a deleted link has instead, or this fails to compile. */
const TOMBSTONE_CONTENT: LinkContent & Pick<LinkRecord, "qrKey"> = TOMBSTONE_FIELDS;

/** A row of `links`, whole. Named are the columns that queries read by themselves; the others are read by the list above. */
export interface LinkRow {
  account_id: string;
  mode: Mode;
  id: string;
  domain: string;
  slug: string;
  revision: number;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  deleted_at: number | null;
  erase_at: number | null;
}

export function linkRecordOf(row: LinkRow): LinkRecord {
  return { ...recordFromRow(LINK_COLUMNS, row), state: stateOf(row) };
}

export function snapshotOf(row: LinkRow): LinkSnapshot {
  return { ...recordFromRow(SNAPSHOT_COLUMNS, row), state: stateOf(row) };
}

function stateOf({ deleted_at, disabled_at }: LinkRow): LinkSnapshot["state"] {
  return deleted_at !== null ? "deleted" : disabled_at !== null ? "disabled" : "active";
}

/** Inserts a link with the values of `insertValues`. Fails where its domain is not active any more (domain-joins.ts). */
export const INSERT_LINK_SQL = insertSql("links", [...columnNames(LINK_COLUMNS), "on_custom_domain"], {
  domain: NEW_LINK_DOMAIN_SQL,
});

export function insertValues(link: LinkRecord, onCustomDomain: boolean): Record<string, SqlValue> {
  return { ...rowFromRecord(LINK_COLUMNS, link), on_custom_domain: onCustomDomain ? 1 : 0 };
}

/** Assignments of an UPDATE that leave out what is not changed, with the values of `changeValues`. */
export const CONTENT_ASSIGNMENTS_SQL = assignmentsSql(LINK_COLUMNS, CONTENT_MEMBERS);

export function changeValues(changes: Partial<LinkContent>): Record<string, SqlValue> {
  return assignmentValues(LINK_COLUMNS, CONTENT_MEMBERS, changes);
}

/** Assignments of an UPDATE that leaves nothing of what the account wrote but the address. Their values are constants. */
export const TOMBSTONE_ASSIGNMENTS_SQL = [
  ...Object.entries(valuesByColumn(LINK_COLUMNS, TOMBSTONE_CONTENT)).map(([name, value]) =>
    value === null ? `${name} = NULL` : `${name} = '${String(value)}'`,
  ),
  "disabled_at = NULL",
].join(", ");
