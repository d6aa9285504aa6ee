/**
 * What the object of an account's clicks stores beside them: until when its links take part, how far they are drawn, and
 * which have clicks to be drawn. The tables are created with the first question.
 */
import type { AccountReference, LinkToDraw } from "../../core/clicks/protocol/account-object-rpc.ts";
import type { Mode } from "../../core/account.ts";
import { hasTable, SCHEMA_VERSION } from "../schema.ts";

/**
 * A pass draws from all links of the account: `fill` at the beginning; `sweep` once no isolate holds clicks that are not
 * announced, from those that had none; `wait` between the two.
 */
type Pass = "fill" | "wait" | "sweep" | "none";

/** Times are epoch ms. */
interface DrawMembers {
  /** Since when links announce their clicks; 0 while nobody asks. */
  since: number;
  /** Nobody has asked for 30 days then. */
  until: number;
  /** All clicks before are drawn, whether merged or not. */
  drawn: number;
  pass: Pass;
  /** The pass draws what is before. */
  passUntil: number;
  /** The last link of the pass; null when it has seen all. */
  passAfter: string | null;
  /** How many links the pass has seen, and how many there were at its beginning. */
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

  /** @returns null when nobody has asked yet */
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

  /** Stores that a link has clicks to be drawn, none of them before `since`. What is known of earlier ones stays. */
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
  }

  /** The link was drawn up to `until`, and has later clicks. */
  setWaitingSince(link: LinkToDraw, until: number): void {
    this.addWaiting(link, until);
    this.#sql.exec("UPDATE waiting_links SET since = ?1 WHERE link = ?2 AND since < ?1", until, link.id);
  }

  deleteWaiting(linkId: string): void {
    this.#sql.exec("DELETE FROM waiting_links WHERE link = ?", linkId);
  }

  deleteAllWaiting(): void {
    this.#sql.exec("DELETE FROM waiting_links");
  }

  /** Links after one, by id, that may have clicks before `until`. */
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
