/**
 * What a link's object knows of the link itself: each revision under which clicks came, so that their rules and
 * destinations are kept once and not with every click; and the floor of answered statistics.
 */
import type { LinkSnapshot } from "../core/link-snapshot.ts";

/** Parsed revisions kept at hand; a long-lived link may have had thousands. */
const CACHE_MAX_REVISIONS = 200;

export class Revisions {
  readonly #sql: SqlStorage;
  readonly #cache = new Map<number, LinkSnapshot>();
  #hasTables: boolean;
  /** Highest revision known; 0 when none is. */
  latest = 0;
  /** As stored, epoch ms. */
  floor = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#hasTables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'revisions'").toArray().length > 0;
    if (!this.#hasTables) return;
    this.latest = sql
      .exec<{ latest: number }>("SELECT coalesce(max(revision), 0) AS latest FROM revisions")
      .one().latest;
    this.floor = sql.exec<{ at: number }>("SELECT at FROM floor").toArray()[0]?.at ?? 0;
  }

  /** A revision as it was, or null when the object never heard of it. */
  get(revision: number): LinkSnapshot | null {
    const cached = this.#cache.get(revision);
    if (cached || !this.#hasTables) return cached ?? null;
    const row = this.#sql
      .exec<{ snapshot: string }>("SELECT snapshot FROM revisions WHERE revision = ?", revision)
      .toArray()[0];
    return row ? this.#keep(JSON.parse(row.snapshot) as LinkSnapshot) : null;
  }

  learn(snapshot: LinkSnapshot): void {
    if (this.get(snapshot.revision)) return;
    if (!this.#hasTables) this.#createTables();
    this.#sql.exec(
      "INSERT INTO revisions (revision, snapshot) VALUES (?, ?)",
      snapshot.revision,
      JSON.stringify(snapshot),
    );
    this.latest = Math.max(this.latest, snapshot.revision);
    this.#keep(snapshot);
  }

  storeFloor(at: number): void {
    if (!this.#hasTables) this.#createTables();
    this.#sql.exec("INSERT INTO floor (id, at) VALUES (0, ?1) ON CONFLICT DO UPDATE SET at = ?1", at);
    this.floor = at;
  }

  #keep(snapshot: LinkSnapshot): LinkSnapshot {
    if (this.#cache.size >= CACHE_MAX_REVISIONS) this.#cache.clear();
    this.#cache.set(snapshot.revision, snapshot);
    return snapshot;
  }

  #createTables(): void {
    this.#sql.exec(`
      CREATE TABLE revisions (
        revision INTEGER PRIMARY KEY,
        snapshot TEXT NOT NULL -- JSON, core/link-snapshot.ts
      ) STRICT;
      CREATE TABLE floor (
        id INTEGER PRIMARY KEY, -- always 0
        at INTEGER NOT NULL -- epoch ms, UTC: statistics may have been answered up to here
      ) STRICT`);
    this.#hasTables = true;
  }
}
