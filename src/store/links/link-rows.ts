/**
 * Rows of the table `links` and their mapping to records. Rows are read and written by the columns listed here, so a
 * new member of a link is added in this file and no other of the store.
 */

import type { Mode } from "../../core/account.ts";
import { type LinkSnapshot, TOMBSTONE_FIELDS } from "../../core/links/link-snapshot.ts";
import { conflictingSlugs, isExactSlug } from "../../core/links/stored-slug.ts";
import { tagKey } from "../../core/links/case-folding.ts";
import {
  assignmentsSql,
  type Column,
  columnNames,
  type Columns,
  differsSql,
  flag,
  insertRowsSql,
  json,
  optional,
  plain,
  recordFromRow,
  rowFromRecord,
  valuesByColumn,
} from "../columns.ts";
import type { SqlValue } from "../named-statement.ts";
import { NEW_LINK_DOMAIN_SQL, NEW_LINK_SLUG_SQL, NEW_LINK_TENURE_SQL, NEW_OBJECT_NAME_SQL } from "./domain-joins.ts";
import type { ChangeAuthor } from "../accounts/caller.ts";

/** A snapshot and the members that redirects do not need. Times are epoch ms. */
export interface LinkRecord extends LinkSnapshot {
  title: string | null;
  startsAt: number | null;
  fallbackUrl: string | null;
  forwardQuery: boolean;
  /** As typed, in the given order. */
  tags: string[];
  createdAt: number;
  updatedAt: number;
  /** Of the domain's holder who created it (store/domains/domain-holders.ts). */
  tenure: number;
  /** Since when the link has its content, and by whom; null in a tombstone. */
  changedAt: number | null;
  changedBy: ChangeAuthor | null;
  /** Whether the domain has passed to another account since. Of rows that were read with `LINK_SELECTION_SQL`. */
  isTransferred?: true;
}

/** The columns of a snapshot. `state` is derived from `disabled_at` and `deleted_at`. */
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
  startsAt: optional("starts_at"),
  fallbackUrl: optional("fallback_url"),
  forwardQuery: { ...flag("forward_query"), isOptional: true },
  revision: plain("revision"),
  qrKey: plain("qr_key"),
  objectName: optional("object_name"),
};

/** Each tag beside its key, from which triggers fill the table `link_tags`. */
const TAGS_COLUMN: Column<string[]> = {
  name: "tags",
  toSql: (tags) => (tags.length === 0 ? null : JSON.stringify(tags.map((tag) => [tagKey(tag), tag]))),
  fromSql: (value) =>
    value === null ? [] : (JSON.parse(String(value)) as [key: string, tag: string][]).map(([, tag]) => tag),
};

const LINK_COLUMNS: Columns<Omit<LinkRecord, "state" | "isTransferred">> = {
  ...SNAPSHOT_COLUMNS,
  startsAt: plain("starts_at"),
  fallbackUrl: plain("fallback_url"),
  forwardQuery: flag("forward_query"),
  title: plain("title"),
  tags: TAGS_COLUMN,
  createdAt: plain("created_at"),
  updatedAt: plain("updated_at"),
  tenure: plain("tenure"),
  changedAt: plain("changed_at"),
  changedBy: plain("changed_by"),
};

/** Members that a request sets and may change. */
const CONTENT_MEMBERS = [
  "url",
  "routing",
  "expiresAt",
  "title",
  "tags",
  "startsAt",
  "fallbackUrl",
  "forwardQuery",
] as const;

export type LinkContent = Pick<LinkRecord, (typeof CONTENT_MEMBERS)[number]>;

const CONTENT_COLUMNS = Object.fromEntries(
  CONTENT_MEMBERS.map((member) => [member, LINK_COLUMNS[member]]),
) as unknown as Columns<LinkContent>;

/** The optional members of a plain link. */
export const UNSET_MEMBERS = {
  title: null,
  tags: [],
  startsAt: null,
  fallbackUrl: null,
  forwardQuery: false,
} satisfies Partial<LinkContent>;

/** The values of content members in a tombstone. A content member without one fails to compile. */
const TOMBSTONE_CONTENT: LinkContent & Pick<LinkRecord, "qrKey" | "changedAt" | "changedBy"> = {
  ...TOMBSTONE_FIELDS,
  ...UNSET_MEMBERS,
  changedAt: null,
  changedBy: null,
};

/**
 * A complete row of `links`. Typed are only the columns that queries read by name; the others are mapped by the list
 * above.
 */
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
  /** 1 or 0; only with `LINK_SELECTION_SQL`. */
  transferred?: number;
}

/** A row with the columns of `SNAPSHOT_SELECTION_SQL`, or all. */
export type SnapshotRow = Pick<LinkRow, "domain" | "slug" | "disabled_at" | "deleted_at">;

/** The columns that `snapshotOf` reads, of the table `l`. */
export const SNAPSHOT_SELECTION_SQL = [...columnNames(SNAPSHOT_COLUMNS), "disabled_at", "deleted_at"]
  .map((name) => `l.${name}`)
  .join(", ");

/** All columns of the table `l`, and whether the domain has passed to another account since the link was created. */
export const LINK_SELECTION_SQL = `l.*,
  EXISTS (SELECT 1 FROM domain_holders h WHERE h.domain = l.domain AND h.tenure > l.tenure) AS transferred`;

export function linkRecordOf(row: LinkRow): LinkRecord {
  const link = { ...recordFromRow(LINK_COLUMNS, row), state: stateOf(row) };
  return row.transferred ? { ...link, isTransferred: true } : link;
}

export function snapshotOf(row: SnapshotRow): LinkSnapshot {
  return { ...recordFromRow(SNAPSHOT_COLUMNS, row), state: stateOf(row) };
}

function stateOf({ deleted_at, disabled_at }: SnapshotRow): LinkSnapshot["state"] {
  return deleted_at !== null ? "deleted" : disabled_at !== null ? "disabled" : "active";
}

const INSERTED_COLUMNS = [...columnNames(LINK_COLUMNS), "on_custom_domain"];

/** What the statement compares and does not store. */
const SLUG_CONDITIONS = ["case_sensitive", "conflicts_from", "conflicts_to"];

/**
 * Inserts links with the rows of `insertedRow`. Fails when a domain is no longer active, or does not take a slug any more
 * (domain-joins.ts).
 */
export const INSERT_LINKS_SQL = insertRowsSql(
  "links",
  INSERTED_COLUMNS,
  {
    domain: NEW_LINK_DOMAIN_SQL,
    slug: NEW_LINK_SLUG_SQL,
    tenure: NEW_LINK_TENURE_SQL,
    object_name: NEW_OBJECT_NAME_SQL,
  },
  SLUG_CONDITIONS,
);

export function insertedRow(link: LinkRecord, onCustomDomain: boolean): SqlValue[] {
  const { from, to } = conflictingSlugs(link.slug);
  const values: Record<string, SqlValue> = {
    ...rowFromRecord(LINK_COLUMNS, link),
    on_custom_domain: onCustomDomain ? 1 : 0,
    case_sensitive: isExactSlug(link.slug) ? 1 : 0,
    conflicts_from: from,
    conflicts_to: to,
  };
  return [...INSERTED_COLUMNS, ...SLUG_CONDITIONS].map((name) => values[name] ?? null);
}

/** Grows with every change, as the trigger of the history expects. */
export const CHANGED_AT_SQL = "max(:now, updated_at + 1, coalesce(changed_at, 0) + 1)";

/**
 * Assignments of an UPDATE that keeps the columns of absent members; takes the parameters `:now`, epoch ms, and
 * `:changed_by`, a `ChangeAuthor`. Who sets what is there already has changed nothing.
 * @param json  SQL of a JSON text that has the result of `contentValues` at `path`
 */
export function contentAssignmentsSql(json: string, path: string): string {
  const differs = differsSql(LINK_COLUMNS, CONTENT_MEMBERS, json, path);
  return `${assignmentsSql(LINK_COLUMNS, CONTENT_MEMBERS, json, path)},
    changed_at = iif(${differs}, ${CHANGED_AT_SQL}, changed_at), changed_by = iif(${differs}, :changed_by, changed_by)`;
}

/** The values of the members that are present, by column name. */
export function contentValues(changes: Partial<LinkContent>): Record<string, SqlValue> {
  return valuesByColumn(LINK_COLUMNS, changes);
}

/** What a request set of a link, and nothing else of it. */
export function contentMembersOf(link: LinkContent): LinkContent {
  return Object.fromEntries(CONTENT_MEMBERS.map((member) => [member, link[member]])) as unknown as LinkContent;
}

/** The content columns of a row, of a link or of its history. */
export function contentOf(row: object): LinkContent {
  return recordFromRow(CONTENT_COLUMNS, row);
}

/** Assignments of an UPDATE that removes all content of the account but the address. Their values are constants. */
export const TOMBSTONE_ASSIGNMENTS_SQL = [
  ...Object.entries(valuesByColumn(LINK_COLUMNS, TOMBSTONE_CONTENT)).map(([name, value]) =>
    value === null ? `${name} = NULL` : `${name} = '${String(value)}'`,
  ),
  "disabled_at = NULL",
].join(", ");
