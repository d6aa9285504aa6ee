/** State of a link's object besides its click log: the link's revisions and a few times. */
import { GenerationCache } from "../core/memory/caches.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { FIRST_CLICK_TABLES, tableNames } from "./schema.ts";

/** Size of the revision cache, in characters of JSON: a link may have had thousands of revisions. */
const CACHE_GENERATION_CHARS = 1024 * 1024;

interface CachedRevision {
  snapshot: LinkSnapshot;
  chars: number;
}

/**
 * The revisions of a link under which clicks were recorded, so that rules and destinations are stored once and not with
 * each click. The first is stored in the row of the first click, later ones in a table. The newest revision is also in
 * the table, and the next one replaces it if no click was recorded under it. Before the first click it is held in
 * memory only: most links that change are never clicked, and each written row is billed.
 */
export class Revisions {
  readonly #sql: SqlStorage;
  #cache = newCache();
  /** The revision stored with the first click; null before the first click. */
  #firstRevision: number | null = null;
  /** The table of the first click. */
  #firstTable: (typeof FIRST_CLICK_TABLES)[number] = "batches";
  #hasTable = false;
  /** The newest revision, if no click is recorded under it. */
  #unclicked: LinkSnapshot | null = null;
  /** Highest known revision; 0 when none is known. */
  latest = 0;

  constructor(sql: SqlStorage, tables = tableNames(sql)) {
    this.#sql = sql;
    this.#open(tables);
  }

  /** Called when an import was undone, which may have removed the first click. */
  reopen(): void {
    const { newest } = this;
    [this.#firstRevision, this.#unclicked, this.latest] = [null, null, 0];
    this.#cache = newCache();
    this.#open(tableNames(this.#sql));
    if (newest) this.learn(newest);
  }

  #open(tables: ReadonlySet<string>): void {
    this.#hasTable = tables.has("revisions");
    for (const table of FIRST_CLICK_TABLES.filter((name) => tables.has(name))) {
      const query = `SELECT revision FROM ${table} WHERE position = 0`;
      const [row] = this.#sql.exec<{ revision: number }>(query).toArray();
      if (!row) continue;
      [this.#firstTable, this.#firstRevision] = [table, row.revision];
      break;
    }
    if (this.#firstRevision === null) return;
    this.#unclicked = this.#readUnclicked();
    this.latest = Math.max(this.#firstRevision, this.#latestInTable(), this.#unclicked?.revision ?? 0);
  }

  /** @returns null when the revision is not known */
  get(revision: number): LinkSnapshot | null {
    if (this.#unclicked?.revision === revision) return this.#unclicked;
    const cached = this.#cache.get(String(revision));
    if (cached) return cached.snapshot;
    const json = this.#readJson(revision);
    return json === null ? null : this.#cacheSnapshot(JSON.parse(json) as LinkSnapshot, json.length);
  }

  /** The newest known revision; null when none is known. */
  get newest(): LinkSnapshot | null {
    return this.get(this.latest);
  }

  /** Adds a revision under which no click is recorded yet. Older ones arrive with their clicks. */
  learn(snapshot: LinkSnapshot): void {
    if (snapshot.revision < this.latest || this.get(snapshot.revision)) return;
    this.#setUnclicked(snapshot);
    this.latest = snapshot.revision;
  }

  /** Adds a revision under which clicks are recorded. It is kept from its first click on. */
  add(snapshot: LinkSnapshot): void {
    if (this.#firstRevision === null) return this.learn(snapshot);
    if (this.#unclicked?.revision === snapshot.revision) this.#setUnclicked(null);
    if (this.get(snapshot.revision)) return;
    this.#store(snapshot.revision, snapshot);
    this.latest = Math.max(this.latest, snapshot.revision);
  }

  /** Called when the first click was stored with its revision. Later revisions are stored from then on. */
  startStoring(revision: number, table: (typeof FIRST_CLICK_TABLES)[number] = "batches"): void {
    this.#firstRevision = revision;
    this.#firstTable = table;
    this.latest = Math.max(this.latest, revision);
    const newest = this.#unclicked;
    this.#unclicked = null;
    if (newest && newest.revision > revision) this.learn(newest);
  }

  #setUnclicked(snapshot: LinkSnapshot | null): void {
    if (this.#hasTable) this.#sql.exec("DELETE FROM revisions WHERE revision < 0");
    if (snapshot && this.#firstRevision !== null) this.#store(-snapshot.revision, snapshot);
    this.#unclicked = snapshot;
  }

  #store(key: number, snapshot: LinkSnapshot): void {
    if (!this.#hasTable) this.#createTable();
    this.#sql.exec("INSERT INTO revisions (revision, snapshot) VALUES (?, ?)", key, JSON.stringify(snapshot));
  }

  #readUnclicked(): LinkSnapshot | null {
    if (!this.#hasTable) return null;
    const query = "SELECT snapshot FROM revisions WHERE revision < 0";
    const [row] = this.#sql.exec<{ snapshot: string }>(query).toArray();
    return row ? (JSON.parse(row.snapshot) as LinkSnapshot) : null;
  }

  #readJson(revision: number): string | null {
    const query =
      revision === this.#firstRevision
        ? `SELECT snapshot FROM ${this.#firstTable} WHERE position = 0 AND revision = ?`
        : "SELECT snapshot FROM revisions WHERE revision = ?";
    if (revision !== this.#firstRevision && !this.#hasTable) return null;
    return this.#sql.exec<{ snapshot: string }>(query, revision).toArray()[0]?.snapshot ?? null;
  }

  #latestInTable(): number {
    if (!this.#hasTable) return 0;
    return this.#sql.exec<{ latest: number }>("SELECT coalesce(max(revision), 0) AS latest FROM revisions").one()
      .latest;
  }

  #cacheSnapshot(snapshot: LinkSnapshot, chars: number): LinkSnapshot {
    this.#cache.set(String(snapshot.revision), { snapshot, chars });
    return snapshot;
  }

  #createTable(): void {
    this.#sql.exec(`
      CREATE TABLE revisions (
        revision INTEGER PRIMARY KEY, -- negative while no click is recorded under it; then the next one replaces it
        snapshot TEXT NOT NULL -- JSON, core/links/link-snapshot.ts
      ) STRICT`);
    this.#hasTable = true;
  }
}

function newCache(): GenerationCache<CachedRevision> {
  return new GenerationCache(CACHE_GENERATION_CHARS, ({ chars }) => chars);
}

/**
 * `floor`: statistics may have been returned up to it. `listened`: start of the feed's current period. `restored`: the
 * log comes from a backup. `drawn`: see announcer.ts.
 */
export type StoredTimeName = "floor" | "listened" | "restored" | "drawn";

/** Stored times, epoch ms. All are read when the object starts; the table is created with the first of them. */
export class StoredTimes {
  readonly #sql: SqlStorage;
  readonly #values = new Map<StoredTimeName, number>();
  #hasTable: boolean;

  constructor(sql: SqlStorage, tables = tableNames(sql)) {
    this.#sql = sql;
    this.#hasTable = tables.has("times");
    if (!this.#hasTable) return;
    const rows = sql.exec<{ name: StoredTimeName; at: number }>("SELECT name, at FROM times");
    for (const { name, at } of rows) this.#values.set(name, at);
  }

  /** @returns 0 when it was never stored */
  get(name: StoredTimeName): number {
    return this.#values.get(name) ?? 0;
  }

  set(name: StoredTimeName, at: number): void {
    if (!this.#hasTable) this.#createTable();
    this.#sql.exec("INSERT INTO times (name, at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET at = ?2", name, at);
    this.#values.set(name, at);
  }

  #createTable(): void {
    this.#sql.exec("CREATE TABLE times (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID");
    this.#hasTable = true;
  }
}
