/**
 * Texts that clicks of an account refer to by number, each stored once: ids of links and QR codes, rules, destinations.
 * They lie in pages, so that a question which needs a thousand of them reads a few rows.
 */
import { GenerationCache } from "../../core/memory/generation-cache.ts";
import { binIndex } from "../../core/clicks/counting/calendar.ts";
import type { DictionaryField } from "../../core/clicks/encoding/click-columns.ts";
import { BlobTable } from "../blob-table.ts";

/** A page takes texts until it has so many characters, or so many texts. */
const PAGE_MAX_CHARS = 32 * 1024;
const PAGE_MAX_TEXTS = 1_024;
/** Of one generation of decoded pages, and of numbers by text, in characters. */
const CACHE_GENERATION_CHARS = 2 * 1024 * 1024;

interface Page {
  /** Number of its first text. */
  first: number;
  texts: string[];
  chars: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class NumberedTexts {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #pages: BlobTable;
  readonly #pageCache = new GenerationCache<Page>(CACHE_GENERATION_CHARS, ({ chars }) => chars);
  readonly #numberCache = new GenerationCache<number>(CACHE_GENERATION_CHARS / 32);
  /** The page that takes the next text; null until it is read. */
  #last: Page | null = null;
  /** Pages with texts that are not stored yet. */
  readonly #unsaved = new Set<Page>();
  /** The number of each stored page's first text, ascending; null until they are read. */
  #firsts: number[] | null = null;

  constructor(sql: SqlStorage, field: DictionaryField, generation: number) {
    this.#sql = sql;
    this.#table = `${field}_numbers_${generation}`;
    this.#pages = new BlobTable(sql, `${field}_texts_${generation}`);
  }

  create(): void {
    this.#pages.create();
    this.#sql.exec(`
      CREATE TABLE ${this.#table} (
        digest INTEGER NOT NULL, -- of the text; several may share one
        number INTEGER NOT NULL,
        PRIMARY KEY (digest, number)
      ) STRICT, WITHOUT ROWID`);
  }

  drop(): void {
    this.#pages.drop();
    this.#sql.exec(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  /** How many numbers were given; the highest one. */
  get count(): number {
    const { first, texts } = this.#lastPage();
    return first + texts.length - 1;
  }

  /** @returns null when the text has no number; 0 for "" */
  find(text: string): number | null {
    if (text === "") return 0;
    const known = this.#numberCache.get(text);
    if (known !== undefined) return known;
    const rows = this.#sql
      .exec<{ number: number }>(`SELECT number FROM ${this.#table} WHERE digest = ?`, digestOf(text))
      .toArray();
    const number = rows.find((row) => this.textOf(row.number) === text)?.number ?? null;
    if (number !== null) this.#numberCache.set(text, number);
    return number;
  }

  /** The number of a text, which gets one when it has none. `save` stores it. */
  numberOf(text: string): number {
    return this.find(text) ?? this.#add(text);
  }

  /** "" for 0, and for a number that was never given. */
  textOf(number: number): string {
    if (number === 0) return "";
    const { first, texts } = this.#pageOf(number);
    return texts[number - first] ?? "";
  }

  /** Stores the texts that were added. */
  save(): void {
    for (const page of this.#unsaved) {
      this.#pages.replace(page.first, encoder.encode(JSON.stringify(page.texts)));
      if (this.#firstsOfPages().at(-1) !== page.first) this.#firstsOfPages().push(page.first);
    }
    this.#unsaved.clear();
  }

  #add(text: string): number {
    const page = this.#lastPage();
    const isFull = page.texts.length >= PAGE_MAX_TEXTS || (page.texts.length > 0 && page.chars >= PAGE_MAX_CHARS);
    const last = isFull ? { first: page.first + page.texts.length, texts: [], chars: 0 } : page;
    const number = last.first + last.texts.length;
    last.texts.push(text);
    last.chars += text.length;
    this.#last = last;
    this.#unsaved.add(last);
    this.#sql.exec(`INSERT INTO ${this.#table} (digest, number) VALUES (?, ?)`, digestOf(text), number);
    this.#numberCache.set(text, number);
    return number;
  }

  #lastPage(): Page {
    if (this.#last) return this.#last;
    const first = this.#firstsOfPages().at(-1);
    return (this.#last = first === undefined ? { first: 1, texts: [], chars: 0 } : this.#read(first));
  }

  #pageOf(number: number): Page {
    const last = this.#lastPage();
    if (number >= last.first) return last;
    for (const page of this.#unsaved) if (isWithin(number, page)) return page;
    const firsts = this.#firstsOfPages();
    const first = firsts[binIndex(firsts, number)] ?? 1;
    const cached = this.#pageCache.get(String(first));
    if (cached) return cached;
    const page = this.#read(first);
    this.#pageCache.set(String(first), page);
    return page;
  }

  #firstsOfPages(): number[] {
    return (this.#firsts ??= this.#pages.keys());
  }

  #read(first: number): Page {
    const text = decoder.decode(this.#pages.get(first) ?? new Uint8Array());
    return { first, texts: JSON.parse(text) as string[], chars: text.length };
  }
}

function isWithin(number: number, { first, texts }: Page): boolean {
  return number >= first && number < first + texts.length;
}

/** 52 bits of a text (cyrb53). Texts are compared, so that two of one digest do no harm. */
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
