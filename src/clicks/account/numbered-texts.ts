/**
 * Texts that clicks of an account refer to by number, each stored once: ids of links and QR codes, rules, destinations.
 * They are stored in pages, so that a query that needs a thousand of them reads a few rows.
 */
import { GenerationCache } from "../../core/memory/caches.ts";
import type { DictionaryField } from "../../core/clicks/encoding/click-columns.ts";
import { BlobTable } from "../blob-table.ts";

/** A page has two kilobytes of ids, or three megabytes of the longest rules. */
const PAGE_TEXTS = 64;
/** Size of one cache generation of decoded pages, and of numbers by text, in characters. */
const CACHE_GENERATION_CHARS = 2 * 1024 * 1024;
/** Shorter texts, with their number, take as much memory as this. */
const CACHED_TEXT_MIN_CHARS = 32;

interface CachedNumber {
  number: number;
  chars: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const charsOf = (texts: readonly string[]) => texts.reduce((chars, { length }) => chars + length, 0);

export class NumberedTexts {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #pages: BlobTable;
  readonly #pageCache = new GenerationCache<readonly string[], number>(CACHE_GENERATION_CHARS, charsOf);
  readonly #numberCache = new GenerationCache<CachedNumber>(CACHE_GENERATION_CHARS, ({ chars }) => chars);
  /** Pages with texts that are not stored yet. */
  readonly #unsaved = new Map<number, string[]>();
  /** The part of a text by which it is found; no two texts share it. */
  readonly #keyOf: (text: string) => string;
  /** Highest assigned number; null until it is read. */
  #last: number | null = null;

  constructor(sql: SqlStorage, field: DictionaryField, generation: number, keyOf = (text: string) => text) {
    this.#sql = sql;
    this.#keyOf = keyOf;
    this.#table = `${field}_numbers_${generation}`;
    this.#pages = new BlobTable(sql, `${field}_texts_${generation}`);
  }

  create(): void {
    this.#pages.create();
    this.#sql.exec(`
      CREATE TABLE ${this.#table} (
        digest INTEGER NOT NULL, -- of the text's key; several may share one
        number INTEGER NOT NULL,
        PRIMARY KEY (digest, number)
      ) STRICT, WITHOUT ROWID`);
  }

  drop(): void {
    this.#pages.drop();
    this.#sql.exec(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  /** @param text  or its key @returns null when the text has no number; 0 for "" */
  find(text: string): number | null {
    if (text === "") return 0;
    const key = this.#keyOf(text);
    const known = this.#numberCache.get(key);
    if (known) return known.number;
    const rows = this.#sql
      .exec<{ number: number }>(`SELECT number FROM ${this.#table} WHERE digest = ?`, digestOf(key))
      .toArray();
    const number = rows.find((row) => this.#keyOf(this.textOf(row.number)) === key)?.number ?? null;
    return number === null ? null : this.#remember(key, number);
  }

  /** Returns the number of a text, and assigns one if it has none. `save` stores it. */
  numberOf(text: string): number {
    return this.find(text) ?? this.#add(text);
  }

  /** Returns "" for 0 and for a number that was never assigned. */
  textOf(number: number): string {
    return number === 0 ? "" : (this.#page(pageOf(number))[(number - 1) % PAGE_TEXTS] ?? "");
  }

  /** Stores the texts that were added. */
  save(): void {
    for (const [page, texts] of this.#unsaved) {
      this.#pages.replace(page, encoder.encode(JSON.stringify(texts)));
      this.#pageCache.set(page, texts);
    }
    this.#unsaved.clear();
  }

  #add(text: string): number {
    const number = (this.#last ?? this.#readLast()) + 1;
    const page = pageOf(number);
    this.#unsaved.set(page, [...this.#page(page), text]);
    this.#last = number;
    const key = this.#keyOf(text);
    this.#sql.exec(`INSERT INTO ${this.#table} (digest, number) VALUES (?, ?)`, digestOf(key), number);
    return this.#remember(key, number);
  }

  #remember(key: string, number: number): number {
    this.#numberCache.set(key, { number, chars: Math.max(key.length, CACHED_TEXT_MIN_CHARS) });
    return number;
  }

  #readLast(): number {
    const page = this.#pages.last();
    return page === null ? 0 : page * PAGE_TEXTS + this.#page(page).length;
  }

  #page(page: number): readonly string[] {
    const known = this.#unsaved.get(page) ?? this.#pageCache.get(page);
    if (known) return known;
    const bytes = this.#pages.get(page);
    const texts = bytes ? (JSON.parse(decoder.decode(bytes)) as string[]) : [];
    this.#pageCache.set(page, texts);
    return texts;
  }
}

/** The number of a text's page. */
function pageOf(number: number): number {
  return Math.floor((number - 1) / PAGE_TEXTS);
}

/** 52 bits of a text (cyrb53). Texts are also compared, so collisions are harmless. */
function digestOf(text: string): number {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 2_654_435_761);
    other = Math.imul(other ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return 2 ** 32 * (other & 0xfffff) + (one >>> 0);
}
