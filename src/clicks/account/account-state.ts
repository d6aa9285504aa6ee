/** State of an account's log besides its clicks: how far it is merged, and how far each link was drawn. */
import type { Mode } from "../../core/account.ts";
import type { AccountReference, LinkToDraw } from "../../core/clicks/protocol/account-object-rpc.ts";
import { readLinkTags } from "../../store/links/account-statistics.ts";
import { hasTable, SCHEMA_VERSION } from "../schema.ts";

/** `merged`: every click before this time is in the generation's log, epoch ms. */
type GenerationRow = { generation: number; merged: number };

export class AccountState {
  readonly #sql: SqlStorage;
  /** The last one answers queries; earlier ones still have clicks that are not in its log. */
  #rows: GenerationRow[];

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    if (!hasTable(sql, "generations")) this.#create();
    this.#rows = sql.exec<GenerationRow>("SELECT generation, merged FROM generations ORDER BY generation").toArray();
  }

  /** Number of the generation whose log answers queries. */
  get generation(): number {
    return this.#current.generation;
  }

  /** Every click before this is in the log, epoch ms. */
  get merged(): number {
    return this.#current.merged;
  }

  /** Generations with clicks that are not in the log yet. */
  get earlier(): readonly GenerationRow[] {
    return this.#rows.slice(0, -1);
  }

  get #current(): GenerationRow {
    return this.#rows.at(-1) ?? { generation: 0, merged: 0 };
  }

  setMerged(merged: number): void {
    const { generation } = this.#current;
    this.#sql.exec("UPDATE generations SET merged = ? WHERE generation = ?", merged, generation);
    this.#rows = [...this.earlier, { generation, merged }];
  }

  /** Begins a generation, which takes over the clicks of the earlier ones. */
  startGeneration(): void {
    const next = { generation: this.generation + 1, merged: 0 };
    this.#sql.exec("INSERT INTO generations (generation, merged) VALUES (?, ?)", next.generation, next.merged);
    this.#rows = [...this.#rows, next];
  }

  /** Called when no earlier generation has clicks anymore. */
  endEarlierGenerations(): void {
    this.#sql.exec("DELETE FROM generations WHERE generation < ?", this.generation);
    this.#rows = [this.#current];
  }

  /** Position of a link's first undrawn click. */
  positionOf(linkId: string): number {
    const [row] = this.#sql.exec<{ next: number }>("SELECT next FROM drawn_links WHERE link = ?", linkId).toArray();
    return row?.next ?? 0;
  }

  setPosition(linkId: string, next: number): void {
    this.#sql.exec(
      "INSERT INTO drawn_links (link, next) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET next = ?2",
      linkId,
      next,
    );
  }

  /** Links whose clicks are left out of the generation being written. */
  erasedLinks(): Set<string> {
    const rows = this.#sql.exec<{ link: string }>("SELECT link FROM erased_links").toArray();
    return new Set(rows.map(({ link }) => link));
  }

  forgetErased(): void {
    this.#sql.exec("DELETE FROM erased_links");
  }

  addErased(linkId: string): void {
    this.#sql.exec("INSERT INTO erased_links (link) VALUES (?) ON CONFLICT DO NOTHING", linkId);
  }

  forgetPosition(linkId: string): void {
    this.#sql.exec("DELETE FROM drawn_links WHERE link = ?", linkId);
  }

  #create(): void {
    this.#sql.exec(`
      CREATE TABLE generations (
        generation INTEGER PRIMARY KEY, -- generation.ts; the last one answers
        merged INTEGER NOT NULL -- epoch ms: every click before is in its log
      ) STRICT;
      INSERT INTO generations (generation, merged) VALUES (1, 0);
      CREATE TABLE drawn_links (
        link TEXT PRIMARY KEY,
        next INTEGER NOT NULL -- position of the first click of the link that was not drawn
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE erased_links (link TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`);
  }
}

/** Current tags of links, cached until the counter of tag changes grows. */

type TagsByLink = ReadonlyMap<string, readonly string[]>;

export class TagCache {
  readonly #env: Env;
  /** `link_counts.tag_changes` when the tags were read; null before the first read. */
  #changes: number | null = null;
  #tags: TagsByLink = new Map();
  /** Pending read, shared by all queries: rows of a large account fill much of the object's memory. */
  #reading: Promise<void> | null = null;

  constructor(env: Env) {
    this.#env = env;
  }

  /** @param changes  `link_counts.tag_changes`; null if no tags are needed */
  async tagsOf(account: AccountReference, changes: number | null): Promise<(linkId: string) => readonly string[]> {
    if (changes !== null && changes !== this.#changes) await this.#refresh(account, changes);
    const tags = this.#tags;
    return (linkId) => tags.get(linkId) ?? [];
  }

  async #refresh(account: AccountReference, changes: number): Promise<void> {
    // That read began before this query arrived, so it may lack the last change.
    await this.#reading?.catch(() => undefined);
    if (changes === this.#changes) return;
    await (this.#reading ??= this.#read(account, changes).finally(() => (this.#reading = null)));
  }

  async #read(account: AccountReference, changes: number): Promise<void> {
    this.#tags = tagsByLink(await readLinkTags(this.#env, account));
    this.#changes = changes;
  }
}

/** Each tag is one string in memory, however many links have it. */
function tagsByLink(rows: readonly { linkId: string; tag: string }[]): TagsByLink {
  const texts = new Map<string, string>();
  const byLink = new Map<string, string[]>();
  for (const { linkId, tag } of rows) {
    const text = texts.get(tag) ?? tag;
    texts.set(text, text);
    const tags = byLink.get(linkId);
    if (tags) tags.push(text);
    else byLink.set(linkId, [text]);
  }
  return byLink;
}

/**
 * State of an account's click object besides clicks: until when its links participate, how far they are drawn, and
 * which have clicks to draw. The tables are created with the first query.
 */

/**
 * A pass draws from all links of the account: `fill` at the beginning; `sweep` from those that had no clicks, once no
 * isolate holds unannounced clicks; `wait` between the two.
 */
type Pass = "fill" | "wait" | "sweep" | "none";

/** All times are epoch ms. */
interface DrawMembers {
  /** When links began to announce their clicks; 0 if the account does not participate. */
  since: number;
  /** When participation ends: 30 days after the last query. */
  until: number;
  /** All clicks before this are drawn, whether merged or not. */
  drawn: number;
  pass: Pass;
  /** The pass draws clicks before this. */
  passUntil: number;
  /** Last link that the pass has processed; null when it has processed all. */
  passAfter: string | null;
  /** Number of links that the pass has processed, and number of links at its beginning. */
  passSeen: number;
  passLinks: number;
}

const NOT_ASKED: DrawMembers = {
  since: 0,
  until: 0,
  drawn: 0,
  pass: "none",
  passUntil: 0,
  passAfter: null,
  passSeen: 0,
  passLinks: 0,
};

type DrawRow = { account_id: string; mode: Mode; members: string };

type WaitingRow = { link: string; domain: string; slug: string; name: string | null };

export class DrawState {
  readonly account: AccountReference;
  readonly #sql: SqlStorage;
  #members: DrawMembers;
  /** Least `since` of the waiting links; null if it must be read. */
  #earliest: number | null = null;

  /** @returns null before the first query */
  static open(sql: SqlStorage): DrawState | null {
    if (!hasTable(sql, "account")) return null;
    const { account_id, mode, members } = sql.exec<DrawRow>("SELECT account_id, mode, members FROM account").one();
    return new DrawState(sql, { accountId: account_id, mode }, JSON.parse(members) as DrawMembers);
  }

  static create(sql: SqlStorage, { accountId, mode }: AccountReference): DrawState {
    createTables(sql);
    sql.exec(
      "INSERT INTO account (id, account_id, mode, schema, members) VALUES (0, ?, ?, ?, ?)",
      accountId,
      mode,
      SCHEMA_VERSION,
      JSON.stringify(NOT_ASKED),
    );
    return new DrawState(sql, { accountId, mode }, NOT_ASKED);
  }

  private constructor(sql: SqlStorage, account: AccountReference, members: DrawMembers) {
    this.#sql = sql;
    this.account = account;
    this.#members = members;
  }

  get members(): Readonly<DrawMembers> {
    return this.#members;
  }

  set(changes: Partial<DrawMembers>): void {
    const next = { ...this.#members, ...changes };
    this.#sql.exec("UPDATE account SET members = ?", JSON.stringify(next));
    this.#members = next;
  }

  /** Records that a link has clicks to draw, none of them before `since`. An earlier `since` is kept. */
  addWaiting({ id, domain, slug, objectName }: LinkToDraw, since: number): void {
    this.#sql.exec(
      `INSERT INTO waiting_links (link, domain, slug, name, since) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET since = excluded.since WHERE excluded.since < since`,
      id,
      domain,
      slug,
      objectName ?? null,
      since,
    );
    if (this.#earliest !== null) this.#earliest = Math.min(this.#earliest, since);
  }

  /** Records that the link was drawn up to `until` and has later clicks. */
  setWaitingSince(link: LinkToDraw, until: number): void {
    this.addWaiting(link, until);
    this.#sql.exec("UPDATE waiting_links SET since = ?1 WHERE link = ?2 AND since < ?1", until, link.id);
    this.#earliest = null;
  }

  deleteWaiting(linkId: string): void {
    this.#sql.exec("DELETE FROM waiting_links WHERE link = ?", linkId);
    this.#earliest = null;
  }

  deleteAllWaiting(): void {
    this.#sql.exec("DELETE FROM waiting_links");
    this.#earliest = null;
  }

  /** Whether a link may have undrawn clicks before `drawn`: imported ones, or all of them after an undo. */
  get isBehind(): boolean {
    const read = "SELECT min(since) AS since FROM waiting_links";
    this.#earliest ??= this.#sql.exec<{ since: number | null }>(read).one().since ?? Infinity;
    return this.#earliest < this.#members.drawn;
  }

  /** Links with an id after `after` that may have clicks before `until`. */
  waitingLinks(until: number, after: string, limit: number): LinkToDraw[] {
    return this.#sql
      .exec<WaitingRow>(
        `SELECT link, domain, slug, name FROM waiting_links WHERE link > ? AND since < ? ORDER BY link LIMIT ?`,
        after,
        until,
        limit,
      )
      .toArray()
      .map(({ link: id, domain, slug, name }) => ({ id, domain, slug, ...(name !== null && { objectName: name }) }));
  }
}

function createTables(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE account (
      id INTEGER PRIMARY KEY, -- always 0
      account_id TEXT NOT NULL,
      mode TEXT NOT NULL,
      schema INTEGER NOT NULL, -- of the object's tables (../schema.ts)
      members TEXT NOT NULL -- JSON: until when its links take part, how far they are drawn
    ) STRICT;
    CREATE TABLE waiting_links (
      link TEXT PRIMARY KEY, -- has clicks that are to be drawn
      domain TEXT NOT NULL,
      slug TEXT NOT NULL,
      name TEXT, -- of its object; null where that is the address
      since INTEGER NOT NULL -- epoch ms, UTC: none of them is before
    ) STRICT, WITHOUT ROWID`);
}
