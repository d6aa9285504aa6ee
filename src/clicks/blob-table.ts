/**
 * A table of blobs by key, in an object's SQLite. Cloudflare limits rows to 2 MB, so a long blob is stored in several.
 */
import { joinedBytes } from "../core/encoding/bytes.ts";

const PART_MAX_BYTES = 900_000;
/** Allows a blob of 57 MB. Stored blobs have much lower limits. */
export const PARTS_MAX = 64;

export class BlobTable {
  readonly #sql: SqlStorage;
  readonly #name: string;

  /** @param name  never comes from an API caller */
  constructor(sql: SqlStorage, name: string) {
    this.#sql = sql;
    this.#name = name;
  }

  create(): void {
    this.#sql.exec(`
      CREATE TABLE ${this.#name} (
        id INTEGER PRIMARY KEY, -- key * ${PARTS_MAX} + number of the part
        at INTEGER NOT NULL, -- epoch ms, of the first click; 0 where there is none
        bytes BLOB NOT NULL
      ) STRICT`);
  }

  drop(): void {
    this.#sql.exec(`DROP TABLE IF EXISTS ${this.#name}`);
  }

  get(key: number): Uint8Array | null {
    const rows = this.#sql
      .exec<{ bytes: ArrayBuffer }>(
        `SELECT bytes FROM ${this.#name} WHERE id >= ? AND id < ? ORDER BY id`,
        key * PARTS_MAX,
        (key + 1) * PARTS_MAX,
      )
      .toArray();
    const [first] = rows;
    if (!first) return null;
    if (rows.length === 1) return new Uint8Array(first.bytes);
    return joinedBytes(rows.map(({ bytes }) => new Uint8Array(bytes)));
  }

  /** Replaces the blob of a key. @param at  time of its first click */
  replace(key: number, bytes: Uint8Array, at = 0): void {
    this.delete(key);
    this.add(key, bytes, at);
  }

  /** Writes the blob of a key that has none. @param at  time of its first click */
  add(key: number, bytes: Uint8Array, at = 0): void {
    const parts = Math.max(Math.ceil(bytes.length / PART_MAX_BYTES), 1);
    for (let part = 0; part < parts; part++) {
      this.#sql.exec(
        `INSERT INTO ${this.#name} (id, at, bytes) VALUES (?, ?, ?)`,
        key * PARTS_MAX + part,
        at,
        bytes.subarray(part * PART_MAX_BYTES, (part + 1) * PART_MAX_BYTES),
      );
    }
  }

  delete(key: number): void {
    const [from, to] = [key * PARTS_MAX, (key + 1) * PARTS_MAX];
    this.#sql.exec(`DELETE FROM ${this.#name} WHERE id >= ? AND id < ?`, from, to);
  }

  /** The first key at or after `key`; null when there is none. */
  next(key: number): number | null {
    return this.#keyOf(`SELECT id FROM ${this.#name} WHERE id >= ? ORDER BY id LIMIT 1`, key * PARTS_MAX);
  }

  /** The last key; null when there is none. */
  last(): number | null {
    return this.#keyOf(`SELECT id FROM ${this.#name} WHERE id >= ? ORDER BY id DESC LIMIT 1`, 0);
  }

  /** The time of the first click of an existing blob. */
  timeOf(key: number): number {
    return this.#sql.exec<{ at: number }>(`SELECT at FROM ${this.#name} WHERE id = ?`, key * PARTS_MAX).one().at;
  }

  #keyOf(query: string, id: number): number | null {
    const [row] = this.#sql.exec<{ id: number }>(query, id).toArray();
    return row ? Math.floor(row.id / PARTS_MAX) : null;
  }
}
