/**
 * SQL and values of writes to the table `links`. Apart from `link-rows.ts`, because redirects only read.
 */
import { conflictingSlugs, isExactSlug } from "../../core/hosts.ts";
import {
  LINK_MEMBER_LIST,
  type LinkContent,
  type RevisedContent,
  UNSET_CONTENT,
} from "../../core/links/link-members.ts";
import { PASSWORD_SALT_BYTES, passwordKey, passwordRecord } from "../../core/links/link-password.ts";
import { sumInDatabases } from "../directory/directory.ts";
import {
  assignmentsSql,
  columnNames,
  type Columns,
  differsSql,
  insertRowsSql,
  recordFromRow,
  rowFromRecord,
  type SqlValue,
  valuesByColumn,
} from "../statements.ts";
import { NEW_LINK_DOMAIN_SQL, NEW_LINK_SLUG_SQL, NEW_LINK_TENURE_SQL, NEW_OBJECT_NAME_SQL } from "./domain-joins.ts";
import { LINK_COLUMNS, type LinkRecord } from "./link-rows.ts";

const CONTENT_FIELDS = LINK_MEMBER_LIST.map(({ field }) => field);

/** The fields and columns that the history stores. */
const REVISED_FIELDS = LINK_MEMBER_LIST.filter(({ kind }) => kind !== "secret").map(({ field }) => field);
const REVISED_COLUMNS = Object.fromEntries(
  REVISED_FIELDS.map((field) => [field, LINK_COLUMNS[field]]),
) as unknown as Columns<RevisedContent>;

/** The values of a tombstone. */
const TOMBSTONE_CONTENT: LinkContent & Pick<LinkRecord, "qrKey" | "changedAt" | "changedBy"> = {
  ...UNSET_CONTENT,
  qrKey: "",
  changedAt: null,
  changedBy: null,
};

const INSERTED_COLUMNS = [...columnNames(LINK_COLUMNS), "on_custom_domain"];

/** Values that the statement compares but does not store. */
const SLUG_CONDITIONS = ["case_sensitive", "conflicts_from", "conflicts_to"];

/**
 * Inserts links with the rows of `insertedRow`. Fails if a domain is no longer active, or no longer accepts a slug
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
 * Assignments of an UPDATE that keeps the columns of absent members. They take the parameters `:now`, epoch ms, and
 * `:changed_by`, a `ChangeAuthor`. Setting a member to its current value changes nothing.
 * @param json  SQL of a JSON text that has the result of `contentValues` at `path`
 */
export function contentAssignmentsSql(json: string, path: string): string {
  const differs = differsSql(LINK_COLUMNS, REVISED_FIELDS, json, path);
  return `${assignmentsSql(LINK_COLUMNS, CONTENT_FIELDS, json, path)},
    changed_at = iif(${differs}, ${CHANGED_AT_SQL}, changed_at), changed_by = iif(${differs}, :changed_by, changed_by)`;
}

/** The values of the members that are present, by column name. */
export function contentValues(changes: Partial<LinkContent>): Record<string, SqlValue> {
  return valuesByColumn(LINK_COLUMNS, changes);
}

/** Returns only the members of a link that the history stores. */
export function contentMembersOf(link: LinkContent): RevisedContent {
  return Object.fromEntries(REVISED_FIELDS.map((field) => [field, link[field]])) as unknown as RevisedContent;
}

/** Returns the content columns of a row, of a link or of its history. */
export function contentOf(row: object): RevisedContent {
  return recordFromRow(REVISED_COLUMNS, row);
}

/** Assignments of an UPDATE that removes the account's content except the address. Their values are constants. */
export const TOMBSTONE_ASSIGNMENTS_SQL = [
  ...Object.entries(valuesByColumn(LINK_COLUMNS, TOMBSTONE_CONTENT)).map(([name, value]) =>
    value === null ? `${name} = NULL` : `${name} = '${String(value)}'`,
  ),
  "disabled_at = NULL",
  "clicks_before = NULL",
].join(", ");

/** Hashed one after the other: a request may have several, and each takes more CPU time than the rest of it. */
export async function withHashedPasswords<Item extends Partial<LinkContent> | null>(
  env: Env,
  items: readonly Item[],
): Promise<Item[]> {
  const hashed: Item[] = [];
  for (const item of items) {
    hashed.push(item?.password ? { ...item, password: await hashPassword(env, item.password) } : item);
  }
  return hashed;
}

function hashPassword(env: Env, password: string): Promise<string> {
  return passwordRecord(env, password, crypto.getRandomValues(new Uint8Array(PASSWORD_SALT_BYTES)));
}

/** Maximum links counted in a database: D1 bills each row that is read. */
export const CLOSED_LINKS_MAX = 1_000;

/** By the index of the records' keys, so that no other links are read. */
const COUNT_CLOSED_SQL = `SELECT count(*) AS n FROM (${["<", ">"]
  .map((differs) => `SELECT 1 FROM links WHERE password IS NOT NULL AND substr(password, 3, 8) ${differs} ?1`)
  .join(" UNION ALL ")} LIMIT ?2)`;

/** The number of links that stay closed, since the deployment's secret did not hash their passwords. */
export async function countClosedLinks(env: Env): Promise<number> {
  const key = await passwordKey(env);
  return sumInDatabases(env, (database) => database.prepare(COUNT_CLOSED_SQL).bind(key, CLOSED_LINKS_MAX));
}
