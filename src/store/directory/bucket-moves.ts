/**
 * Moves buckets of links from one database to another while they are read and written. First, `LINK_DATABASES` names
 * the source (database-map.ts), so that every isolate knows both databases. Then the source closes the buckets in one
 * transaction. From then on it refuses each write to their links, including writes from isolates with an older setting.
 * The operator's command moves the links in pieces. A request that writes to a link moves that link first
 * (moved-links.ts). Each piece is independent of the earlier ones, so an interrupted move is simply started again.
 */
import type { LinkDatabasesReport, MoveBuckets, MoveOutcome } from "../../core/contract/operator.ts";
import { bucketText } from "../../core/links/buckets.ts";
import { completeCopies } from "./database-checks.ts";
import { databaseMap, databaseNamed, type LinksEnv } from "./databases.ts";
import { fullSetting, settingDuringMove } from "./database-map.ts";
import { type LinkPrimaryKey, MOVE_ALIASES_MAX, moveAliases, moveLinks } from "./moved-links.ts";
import { changeRows, queryRows } from "../statements.ts";

/** Maximum rows that one step scans, and maximum moves that it makes; a move is three database calls. */
const STEP_SCANNED_ROWS = 1_000;
const STEP_MOVES_MAX = 10;
const MOVE_LINKS_MAX = 100;
const MOVE_MAX_BYTES = 1_000_000;
/** Bytes of a link besides its destination, rules and history. */
const LINK_BYTES = 500;

export interface MoveStep {
  /** Links and aliases moved. */
  moved: number;
  /** Links scanned. */
  scanned: number;
  /** Where the next step begins; null when the source has no links and aliases left. */
  after: LinkPrimaryKey | null;
}

/** Reports the link databases to the operator. Reads one row per account, and no links. */
export async function reportLinkDatabases(env: LinksEnv): Promise<LinkDatabasesReport> {
  const databases = databaseMap(env).databases.map(async (name) => {
    const { results, meta } = await databaseNamed(env, name)
      .prepare("SELECT coalesce(sum(links), 0) AS links, coalesce(sum(made), 0) AS made FROM link_counts")
      .all<{ links: number; made: number }>();
    const [{ links, made } = { links: 0, made: 0 }] = results;
    return { name, links, made, bytes: meta.size_after };
  });
  return { setting: fullSetting(env.LINK_DATABASES), databases: await Promise.all(databases) };
}

/**
 * A step of the operator's command. The first step closes the buckets in their source, once every database knows which
 * accounts are suspended and which links have ended. Otherwise a database would keep redirecting visitors.
 */
export async function moveBuckets(env: Env, { first, last, to, after }: MoveBuckets): Promise<MoveOutcome> {
  const buckets = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const { places } = databaseMap(env);
  const sources = new Set(buckets.map((bucket) => (places[bucket]?.database === to ? places[bucket].source : null)));
  const [source] = sources;
  if (sources.size !== 1 || !source) {
    const setting = settingDuringMove(env.LINK_DATABASES, new Set(buckets), to);
    const message = `This deployment is not configured for the move. First deploy it with LINK_DATABASES = ${setting}`;
    return { outcome: "refused", message };
  }
  if (after === null && !(await completeCopies(env))) {
    const message = "Some accounts are not copied to all databases yet. Run the move again in a minute.";
    return { outcome: "refused", message };
  }
  const [from, target] = [databaseNamed(env, source), databaseNamed(env, to)];
  if (after === null) await closeBuckets(from, target, buckets);
  return { outcome: "moved", ...(await moveNextLinks(from, target, buckets, after)) };
}

/** Closes the buckets in their source, and opens them in the target if an earlier move has closed them. @internal */
export async function closeBuckets(source: D1Database, target: D1Database, buckets: readonly number[]): Promise<void> {
  const texts = JSON.stringify(buckets.map(bucketText));
  const open = "DELETE FROM moved_buckets WHERE bucket IN (SELECT value FROM json_each(?1))";
  const close = "INSERT INTO moved_buckets (bucket) SELECT value FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING";
  await changeRows(target, open, [texts]);
  await changeRows(source, close, [texts]);
}

/**
 * Moves the next links of closed buckets. No link can appear before the step's position: the source refuses new links.
 * @param after  the position from the previous step; null for the first one
 * @internal
 */
export async function moveNextLinks(
  source: D1Database,
  target: D1Database,
  buckets: readonly number[],
  after: LinkPrimaryKey | null,
): Promise<MoveStep> {
  const rows = await scanLinks(source, buckets, after);
  const moves = pieces(rows);
  for (const keys of moves) await moveLinks(source, target, keys);
  const isCut = moves.length === STEP_MOVES_MAX;
  const last = isCut ? moves.at(-1)?.at(-1) : rows.at(-1);
  const moved = moves.reduce((sum, keys) => sum + keys.length, 0);
  const hasMore = isCut || rows.length === STEP_SCANNED_ROWS;
  const scanned = isCut ? rows.findIndex(({ id }) => id === last?.id) + 1 : rows.length;
  if (hasMore && last) return { moved, scanned, after: keyOf(last) };
  const aliases = await moveAliases(source, target, ALIASES_IN_BUCKETS, JSON.stringify(buckets.map(bucketText)));
  return { moved: moved + aliases, scanned, after: aliases === MOVE_ALIASES_MAX ? AFTER_LINKS : null };
}

const ALIASES_IN_BUCKETS = "link_aliases a WHERE a.bucket IN (SELECT value FROM json_each(?1))";

/** Follows every link. */
const AFTER_LINKS: LinkPrimaryKey = { account_id: "~", mode: "test", id: "~" };

interface ScannedLink extends LinkPrimaryKey {
  /** 0 when the link belongs to another bucket. */
  bytes: number;
}

/** Returns links in primary key order. */
async function scanLinks(source: D1Database, buckets: readonly number[], after: LinkPrimaryKey | null) {
  const { account_id, mode, id } = after ?? { account_id: "", mode: "", id: "" };
  const sql = `SELECT account_id, mode, id, iif(is_wanted, ${LINK_BYTES} + octet_length(url) + octet_length(routing)
      + coalesce((SELECT sum(bytes) FROM link_revisions r
          WHERE r.account_id = l.account_id AND r.mode = l.mode AND r.link_id = l.id), 0), 0) AS bytes
    FROM (SELECT *, substr(id, -2) IN (SELECT value FROM json_each(?4)) AS is_wanted FROM links
          WHERE (account_id, mode, id) > (?1, ?2, ?3) ORDER BY account_id, mode, id LIMIT ${STEP_SCANNED_ROWS}) l
    ORDER BY account_id, mode, id`;
  const values = [account_id, mode, id, JSON.stringify(buckets.map(bucketText))];
  return queryRows<ScannedLink>(source.withSession("first-primary"), sql, values);
}

/** Groups the links to move by bytes: a history can have two megabytes. */
function pieces(rows: readonly ScannedLink[]): LinkPrimaryKey[][] {
  const moves: LinkPrimaryKey[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    if (row.bytes === 0) continue;
    bytes += row.bytes;
    if (bytes > MOVE_MAX_BYTES || moves.at(-1)?.length === MOVE_LINKS_MAX) {
      if (moves.length === STEP_MOVES_MAX) break;
      moves.push([]);
      bytes = row.bytes;
    }
    moves.at(-1)?.push(keyOf(row));
  }
  return moves;
}

function keyOf({ account_id, mode, id }: LinkPrimaryKey): LinkPrimaryKey {
  return { account_id, mode, id };
}
