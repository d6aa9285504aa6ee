/**
 * Checks the databases: each one's answer to the deep health check, and the correctness of copies.
 *
 * Compares all copies (home-copies.ts) with the rows of the home database, page by page. Accounts whose copies differ
 * become due: those that an earlier release did not copy, and those that a restored database has lost. A change that is
 * being copied at the moment may look like a difference. It is then copied once more.
 */
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { prepareNamed, queryRow, changeRows } from "../statements.ts";
import { withTimeout } from "../timeout.ts";
import { type LinksEnv, namedDatabases, otherDatabases } from "./databases.ts";
import {
  copiedAccountsMax,
  copyDueAccounts,
  type HomeEnv,
  IS_COPIED_SQL,
  newVersionsStatement,
} from "./home-copies.ts";

interface CopiedTable {
  name: string;
  key: readonly string[];
  columns: readonly string[];
  /** SQL condition for the rows to compare. */
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
  { name: "domain_holders", key: ["account_id", "mode", "domain"], columns: ["tenure"], where: "true" },
];

const PAGE_ROWS = 500;
/** Copied rows read for the range of a page, which may include surplus copies. */
const COPY_PAGE_ROWS = 2 * PAGE_ROWS;

/** Values of a table's key. The two constants sort before and after all keys. */
type Key = string[];
const FIRST_KEY: Key = ["", "", ""];
const LAST_KEY: Key = ["~", "~", "~"];

/** How long new databases may lack copies before that is reported as an error. */
const FIRST_COMPARISON_MS = 10 * MINUTE_MS;

/** Progress of the comparison. Times are epoch ms. */
interface CopyCheck {
  position: { table: number; after: Key };
  /** When the first comparison began. */
  startedAt: number;
  finishedAt: number | null;
  dueAt: number;
}

/** Compares the next page, if one is due. @returns whether one was due */
export async function checkDueCopies(env: HomeEnv): Promise<boolean> {
  if (otherDatabases(env).length === 0) return false;
  const now = Date.now();
  const check = (await readCheck(env)) ?? newCheck(now);
  if (check.dueAt > now) return false;
  const { accounts, next } = await comparePage(env, check.position, now);
  const statements = [saveStatement(env, afterPage(check, next, now))];
  await env.DB.batch(accounts.length === 0 ? statements : [newVersionsStatement(env, accounts, null), ...statements]);
  return true;
}

/** When the next page is due, epoch ms; null with one database. */
export async function nextCopyCheckAt(env: HomeEnv): Promise<number | null> {
  if (otherDatabases(env).length === 0) return null;
  return ((await readCheck(env)) ?? newCheck(Date.now())).dueAt;
}

export interface CopiesReport {
  ok: boolean;
  /** Message for an operator. */
  message: string;
}

/**
 * Reports whether the copies are right, as far as is known. If no comparison has begun, the first counts from now.
 * @returns null with one database
 */
export async function reportCopies(env: HomeEnv): Promise<CopiesReport | null> {
  if (namedDatabases(env).length === 1) return null;
  const now = Date.now();
  const [check, late] = await Promise.all([readOrBeginCheck(env, now), countLate(env, now)]);
  const isNew = now - check.startedAt < FIRST_COMPARISON_MS;
  if (check.finishedAt === null)
    return {
      ok: isNew,
      message: isNew
        ? "The other databases of links are being compared with the home database"
        : "The other databases of links have not been compared with the home database",
    };
  if (late > 0) {
    const accounts = late === 1 ? "1 account" : `${late} accounts`;
    return { ok: isNew, message: `The other databases of links are behind the home database for ${accounts}` };
  }
  const others = otherDatabases(env).length;
  const all = others === 1 ? "1 other database of links knows" : `${others} other databases of links know`;
  return { ok: true, message: `${all} what the home database does` };
}

/** Compares and copies all that is due, as far as a request may. @returns whether every database has every copy */
export async function completeCopies(env: Env): Promise<boolean> {
  const max = copiedAccountsMax(env);
  for (let pages = 0; pages < max; pages++) if (!(await checkDueCopies(env))) break;
  await copyDueAccounts(env, max);
  const dueSql = "SELECT 1 FROM account_copies WHERE due_at IS NOT NULL LIMIT 1";
  const [check, due] = await Promise.all([readCheck(env), env.DB.prepare(dueSql).first()]);
  return typeof check?.finishedAt === "number" && due === null;
}

async function countLate({ DB }: HomeEnv, now: number): Promise<number> {
  const sql = "SELECT count(*) AS n FROM account_copies WHERE due_at < ?1";
  return (await queryRow<{ n: number }>(DB, sql, [now - MINUTE_MS]))?.n ?? 0;
}

/** Also saves the start of the check here, because the cron job that compares may never run. */
async function readOrBeginCheck(env: HomeEnv, now: number): Promise<CopyCheck> {
  const check = await readCheck(env);
  if (check) return check;
  await insertStatement(env, newCheck(now), "NOTHING").run();
  return newCheck(now);
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

/** Does not repeat a comparison immediately. Repeats the first one soon: older isolates know fewer databases. */
function afterPage(check: CopyCheck, next: CopyCheck["position"] | null, now: number): CopyCheck {
  if (next) return { ...check, position: next, dueAt: now };
  const interval = Math.min(Math.max(now - check.startedAt, MINUTE_MS), DAY_MS);
  return { ...check, position: { table: 0, after: FIRST_KEY }, finishedAt: now, dueAt: now + interval };
}

function newCheck(now: number): CopyCheck {
  return { position: { table: 0, after: FIRST_KEY }, startedAt: now, finishedAt: null, dueAt: 0 };
}

/** A different setting may add a database, which has no copies yet. @returns null before the first comparison */
async function readCheck(env: HomeEnv): Promise<CopyCheck | null> {
  const sql = `SELECT position, started_at AS startedAt, finished_at AS finishedAt, due_at AS dueAt FROM copy_checks
    WHERE setting = ?1`;
  const { DB, LINK_DATABASES = "" } = env;
  const row = await queryRow<Omit<CopyCheck, "position"> & { position: string }>(DB, sql, [LINK_DATABASES]);
  return row && { ...row, position: JSON.parse(row.position) as CopyCheck["position"] };
}

function saveStatement(env: HomeEnv, check: CopyCheck): D1PreparedStatement {
  return insertStatement(
    env,
    check,
    "UPDATE SET position = excluded.position, finished_at = excluded.finished_at, due_at = excluded.due_at",
  );
}

/** @param onConflict  SQL for the case that the row exists */
function insertStatement(
  env: HomeEnv,
  { position, startedAt, finishedAt, dueAt }: CopyCheck,
  onConflict: string,
): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO copy_checks (setting, position, started_at, finished_at, due_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO ${onConflict}`,
  ).bind(env.LINK_DATABASES ?? "", JSON.stringify(position), startedAt, finishedAt, dueAt);
}

/** Shorter than the timeout of the whole check, so that the error names the database. */
const DATABASE_TIMEOUT_MS = 4_500;

/** @returns a description of what it has done. @throws an error that names each failing database and its problem */
export async function checkDatabases(env: LinksEnv): Promise<string> {
  const databases = namedDatabases(env);
  const isAlone = databases.length === 1;
  const checks = databases.map(([name, database]) =>
    withTimeout(DATABASE_TIMEOUT_MS, writeAndRead(database)).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      return isAlone ? message : `${name}: ${message}`;
    }),
  );
  const faults = (await Promise.all(checks)).filter((fault) => fault !== undefined);
  // LINKS_2 sorts before LINKS_10.
  const { compare } = new Intl.Collator("en", { numeric: true });
  if (faults.length > 0) throw new Error(faults.sort(compare).join("; "));
  return isAlone ? "Written and read" : `Written and read, all ${databases.length}`;
}

async function writeAndRead(database: D1Database): Promise<void> {
  const sql = `INSERT INTO health_checks (name, checked_at) VALUES ('health', ?1)
    ON CONFLICT (name) DO UPDATE SET checked_at = max(checked_at, excluded.checked_at)`;
  await changeRows(database, sql, [Date.now()]);
  const row = await database.prepare("SELECT 1 FROM health_checks WHERE name = 'health'").first();
  if (!row) throw new Error("The database did not return the row that was just written");
}

export interface CopiedRow {
  accountId: string;
  /** JSON of all copied columns, including the key. */
  content: string;
}

/** Returns the accounts with rows that are missing or different on one side. @internal */
export function differingAccounts(home: readonly CopiedRow[], copies: readonly CopiedRow[]): Set<string> {
  const [atHome, copied] = [home, copies].map((rows) => new Set(rows.map(({ content }) => content)));
  const missing = home.filter(({ content }) => !copied?.has(content));
  const surplus = copies.filter(({ content }) => !atHome?.has(content));
  return new Set([...missing, ...surplus].map(({ accountId }) => accountId));
}
