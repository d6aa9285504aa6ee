/**
 * Compares all copies (home-copies.ts) with the rows of the home database, page by page, and makes accounts due whose
 * copies differ: those that a release before did not make, and what a restored database has lost. A change that is just
 * being copied may look like a difference: it is then copied once more.
 */
import { type CopiedRow, differingAccounts } from "../../core/copied-rows.ts";
import { DAY_MS, MINUTE_MS } from "../../core/durations.ts";
import { otherDatabases } from "../links/links-database.ts";
import { prepareNamed } from "../named-statement.ts";
import { type HomeEnv, makeDueStatement, IS_COPIED_SQL } from "./home-copies.ts";

interface CopiedTable {
  name: string;
  key: readonly string[];
  columns: readonly string[];
  /** Of the rows that count. */
  where: string;
}

const COPIED_TABLES: readonly CopiedTable[] = [
  { name: "account_states", key: ["account_id"], columns: ["state", "since"], where: "true" },
  { name: "feeds", key: ["account_id", "mode"], columns: ["since", "until"], where: "until > :now" },
  {
    name: "domains",
    key: ["account_id", "mode", "id"],
    columns: ["domain", "case_sensitive", "created_at", "locked_until"],
    where: IS_COPIED_SQL,
  },
];

const PAGE_ROWS = 500;
/** Of the copies in the range of a page, some of which may be too many. */
const COPY_PAGE_ROWS = 2 * PAGE_ROWS;

/** Values of a table's key; before and after all of them. */
type Key = string[];
const FIRST_KEY: Key = ["", "", ""];
const LAST_KEY: Key = ["~", "~", "~"];

/** How far the comparison has come. Times are epoch ms. */
interface CopyCheck {
  position: { table: number; after: Key };
  startedAt: number;
  finishedAt: number | null;
  dueAt: number;
}

/** Compares the next page, if one is due. @returns whether one was */
export async function checkDueCopies(env: HomeEnv): Promise<boolean> {
  if (otherDatabases(env).length === 0) return false;
  const now = Date.now();
  const check = await readCheck(env, now);
  if (check.dueAt > now) return false;
  const { accounts, next } = await comparePage(env, check.position, now);
  const statements = [saveStatement(env, afterPage(check, next, now))];
  await env.DB.batch(accounts.length === 0 ? statements : [makeDueStatement(env, accounts), ...statements]);
  return true;
}

/** When the next page is due, epoch ms; null with one database. */
export async function nextCopyCheckAt(env: HomeEnv): Promise<number | null> {
  if (otherDatabases(env).length === 0) return null;
  return (await readCheck(env, Date.now())).dueAt;
}

/** What an operator should know of the copies; null when they are right, as far as is known. */
export async function findCopiesProblem(env: HomeEnv): Promise<string | null> {
  if (otherDatabases(env).length === 0) return null;
  const now = Date.now();
  const [check, late] = await Promise.all([
    readCheck(env, now),
    env.DB.prepare("SELECT count(*) AS n FROM account_copies WHERE due_at < ?1")
      .bind(now - MINUTE_MS)
      .first<number>("n"),
  ]);
  if (late) return `The other databases of links are behind the home database for ${late} accounts`;
  return check.finishedAt === null
    ? "The other databases of links have not been compared with the home database"
    : null;
}

async function comparePage(env: HomeEnv, { table: index, after }: CopyCheck["position"], now: number) {
  const table = COPIED_TABLES[index];
  if (!table) return { accounts: [], next: null };
  const home = await readRows(env.DB, table, { after, until: LAST_KEY, now, limit: PAGE_ROWS });
  const last = home.length < PAGE_ROWS ? undefined : home.at(-1);
  const range = { after, until: last ? keyOf(last, table) : LAST_KEY, now, limit: COPY_PAGE_ROWS };
  const copies = await Promise.all(otherDatabases(env).map((database) => readRows(database, table, range)));
  const accounts = new Set(copies.flatMap((rows) => [...differingAccounts(home, rows)]));
  const next = last
    ? { table: index, after: range.until }
    : index + 1 < COPIED_TABLES.length
      ? { table: index + 1, after: FIRST_KEY }
      : null;
  return { accounts: [...accounts], next };
}

interface RowRange {
  after: Key;
  until: Key;
  now: number;
  limit: number;
}

async function readRows(database: D1Database, table: CopiedTable, range: RowRange): Promise<CopiedRow[]> {
  const key = table.key.join(", ");
  const bounds = (name: string) => table.key.map((_, i) => `:${name} ->> ${i}`).join(", ");
  const { results } = await prepareNamed(
    database,
    `SELECT account_id AS accountId, json_array(${key}, ${table.columns.join(", ")}) AS content FROM ${table.name}
     WHERE (${key}) > (${bounds("after")}) AND (${key}) <= (${bounds("until")}) AND ${table.where}
     ORDER BY ${key} LIMIT :limit`,
    { ...range, after: JSON.stringify(range.after), until: JSON.stringify(range.until) },
  ).all<CopiedRow>();
  return results;
}

function keyOf({ content }: CopiedRow, { key }: CopiedTable): Key {
  return (JSON.parse(content) as string[]).slice(0, key.length);
}

/** A comparison is not repeated at once, but soon after the first: isolates of the deployment before know fewer databases. */
function afterPage(check: CopyCheck, next: CopyCheck["position"] | null, now: number): CopyCheck {
  if (next) return { ...check, position: next, dueAt: now };
  const interval = Math.min(Math.max(now - check.startedAt, MINUTE_MS), DAY_MS);
  return { ...check, position: { table: 0, after: FIRST_KEY }, finishedAt: now, dueAt: now + interval };
}

/** With another setting there may be another database, which has no copies yet. */
async function readCheck(env: HomeEnv, now: number): Promise<CopyCheck> {
  const row = await env.DB.prepare(
    `SELECT position, started_at AS startedAt, finished_at AS finishedAt, due_at AS dueAt FROM copy_checks
     WHERE setting = ?1`,
  )
    .bind(env.LINK_DATABASES ?? "")
    .first<Omit<CopyCheck, "position"> & { position: string }>();
  if (!row) return { position: { table: 0, after: FIRST_KEY }, startedAt: now, finishedAt: null, dueAt: 0 };
  return { ...row, position: JSON.parse(row.position) as CopyCheck["position"] };
}

function saveStatement(env: HomeEnv, { position, startedAt, finishedAt, dueAt }: CopyCheck): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO copy_checks (setting, position, started_at, finished_at, due_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET position = excluded.position, finished_at = excluded.finished_at, due_at = excluded.due_at`,
  ).bind(env.LINK_DATABASES ?? "", JSON.stringify(position), startedAt, finishedAt, dueAt);
}
