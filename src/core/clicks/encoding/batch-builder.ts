/**
 * Collects clicks column by column and packs them as one batch (click-batch.ts). Keeps a few small numbers per click
 * and no objects, however busy the isolate is. Pure.
 */
import { keepHiddenClass } from "../../hidden-classes.ts";
import { utcDay } from "../../time.ts";
import { UNKNOWN_SPLIT } from "../../visitors/split.ts";
import {
  UNKNOWN_VISITOR,
  type UnhashedVisitor,
  type VisitorHashes,
  type VisitorOwner,
} from "../../visitors/visitor-hashes.ts";
import { CLICK_TEXTS, type ClickField, type NewClick } from "../facts.ts";
import { type BatchLayout, type PackedClicks, packTimes, writeLayout } from "./click-batch.ts";
import { CLICK_FIELDS } from "./click-formats.ts";
import { NumberColumn, packIndexes, SPLIT_BYTES, ByteWriter, VISITOR_BYTES } from "./column-encoding.ts";

/** Limits of one batch: clicks, and approximate bytes of text. With its indexes a row stays below 500 KB. */
const BATCH_MAX_CLICKS = 4_096;
const BATCH_MAX_TEXT_BYTES = 256 * 1024;
/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const CHAR_MAX_BYTES = 3;

/**
 * Upper estimates of V8's memory: an empty builder, an array's element (arrays over-allocate by half), an empty Map,
 * its entry.
 */
const BUILDER_BYTES = 600;
const ELEMENT_BYTES = 12;
const MAP_BYTES = 350;
const ENTRY_BYTES = 60;

export class BatchBuilder {
  readonly #times: number[] = [];
  readonly #columns = CLICK_FIELDS.map((field) => new ColumnBuilder(field));
  readonly #splits = new NumberColumn(SPLIT_BYTES, UNKNOWN_SPLIT);
  readonly #visitors: VisitorColumn;
  /** Number of distinct values in all columns, and number of their characters. */
  #values = 0;
  #chars = 0;
  /** Number of columns with an index for each click. */
  #indexed = 0;

  /** @param hashing  null if visitors are not distinguished, or the clicks already have their hashes */
  constructor(hashing: VisitorHashing | null = null) {
    this.#visitors = new VisitorColumn(hashing);
  }

  get count(): number {
    return this.#times.length;
  }

  /** A UTC day whose salt is needed to hash visitors that are not hashed yet. */
  get missingSaltDay(): number | null {
    return this.#visitors.missingDay;
  }

  /** Whether the batch must be packed before another click is added. */
  get isFull(): boolean {
    return this.count >= BATCH_MAX_CLICKS || this.#chars * CHAR_MAX_BYTES >= BATCH_MAX_TEXT_BYTES;
  }

  /** Estimated memory, at two bytes per character. */
  get bytes(): number {
    const numbers = 1 + (this.#splits.isUsed ? 1 : 0) + (this.#visitors.isUsed ? 1 : 0);
    const elements = (numbers + this.#indexed) * this.count * ELEMENT_BYTES;
    const texts = this.#values * ENTRY_BYTES + 2 * this.#chars;
    return BUILDER_BYTES + this.#indexed * MAP_BYTES + elements + texts + this.#visitors.bytes;
  }

  /**
   * Adds a click. A time before the previous click's (the clock was set back) is raised to it, because times are stored
   * as differences.
   */
  add(click: NewClick): void {
    const before = this.#times.length;
    // Loops by index: an iterator would allocate on every visit.
    for (let i = 0; i < CLICK_FIELDS.length; i++) {
      const column = this.#columns[i];
      const chars = column?.add(click, before) ?? 0;
      if (chars === 0) continue;
      this.#values++;
      this.#chars += chars;
      if (column?.size === 2) this.#indexed++;
    }
    this.#splits.add(click.visit.split, before);
    this.#visitors.add(click, before);
    const last = before > 0 ? (this.#times[before - 1] ?? 0) : 0;
    this.#times.push(Math.max(click.visit.at, last));
  }

  pack(): PackedClicks {
    const bytes = new ByteWriter();
    this.#visitors.hashRest(this.count);
    const layout = this.#writeLayout(bytes);
    if (layout.hasSplits) this.#splits.write(bytes);
    if (layout.hasVisitors) this.#visitors.write(bytes);
    const texts: string[] = [];
    for (const column of this.#columns.slice(0, layout.fields.length)) {
      bytes.varint(column.size);
      if (column.indexes) bytes.bytes(packIndexes(column.indexes, column.size));
      for (const value of column.values()) texts.push(value.replaceAll("\n", " "));
    }
    bytes.text(texts.join("\n"));
    return { at: this.#times[0] ?? 0, count: this.count, times: packTimes(this.#times), columns: bytes.toBytes() };
  }

  /** Leaves out the fields after the last known one. */
  #writeLayout(bytes: ByteWriter): BatchLayout {
    const used = this.#columns.findLastIndex((column) => column.isUsed) + 1;
    const layout = {
      count: this.count,
      fields: CLICK_FIELDS.slice(0, used),
      hasSplits: this.#splits.isUsed,
      hasVisitors: this.#visitors.isUsed,
    };
    writeLayout(bytes, layout);
    return layout;
  }
}

/**
 * One column. Consecutive clicks often share a value, so a value is compared with the previous one before the map is
 * used.
 */
class ColumnBuilder {
  /** Index of each click's value; null while all clicks share one. */
  indexes: number[] | null = null;
  readonly #textOf: (click: NewClick) => string;
  /** Index by value; null while there is at most one value, so that a lone click needs no map. */
  #byValue: Map<string, number> | null = null;
  #last = "";
  #lastIndex = -1;

  constructor(field: ClickField) {
    this.#textOf = CLICK_TEXTS[field];
  }

  /** Number of distinct values. */
  get size(): number {
    return this.#byValue?.size ?? this.#lastIndex + 1;
  }

  /** Whether the field is known for any click. */
  get isUsed(): boolean {
    return this.size > 1 || this.#last !== "";
  }

  /** Distinct values in the order of their indexes. */
  values(): Iterable<string> {
    return this.#byValue?.keys() ?? [this.#last].slice(0, this.size);
  }

  /**
   * @param before  number of clicks before this one
   * @returns the characters of a new value; 0 for a value that the column already has
   */
  add(click: NewClick, before: number): number {
    const value = this.#textOf(click);
    const chars = value === this.#last && before > 0 ? 0 : this.#setLast(value, before);
    this.indexes?.push(this.#lastIndex);
    return chars;
  }

  /**
   * Selects another value as the last one.
   * @returns the same as `add`
   */
  #setLast(value: string, before: number): number {
    const byValue = before > 0 ? this.#valueMap(before) : null;
    const known = byValue?.get(value);
    this.#lastIndex = known ?? this.size;
    this.#last = value;
    if (known !== undefined) return 0;
    byValue?.set(value, this.#lastIndex);
    return value.length + 1;
  }

  /** The map from value to index, created with the second distinct value. */
  #valueMap(before: number): Map<string, number> {
    this.indexes ??= Array.from({ length: before }, () => 0);
    return (this.#byValue ??= new Map([[this.#last, 0]]));
  }
}

/**
 * The visitors of a batch's clicks, as hashes of the day (core/visitors/visitor-hashes.ts). A click that arrives before
 * its day's salt is hashed when the batch is packed. Until then its network is held only in memory.
 */

/** Memory of an unhashed visitor: about 50 bytes for the text of the network, the rest for objects. */
const UNHASHED_BYTES = 200;

export interface VisitorHashing {
  hashes: VisitorHashes;
  owner: VisitorOwner;
}

export class VisitorColumn {
  readonly #hashing: VisitorHashing | null;
  readonly #column = new NumberColumn(VISITOR_BYTES, UNKNOWN_VISITOR);
  #unhashed: { click: number; visitor: UnhashedVisitor }[] | null = null;

  /** @param hashing  null if visitors are not distinguished */
  constructor(hashing: VisitorHashing | null) {
    this.#hashing = hashing;
  }

  get isUsed(): boolean {
    return this.#column.isUsed;
  }

  /** Memory in addition to the numbers. */
  get bytes(): number {
    return (this.#unhashed?.length ?? 0) * UNHASHED_BYTES;
  }

  /** A UTC day whose salt is needed and unknown. */
  get missingDay(): number | null {
    const day = this.#unhashed?.at(-1)?.visitor.day;
    return day === undefined || this.#hashing?.hashes.has(day) ? null : day;
  }

  /** @param before  number of clicks before this one */
  add(click: NewClick, before: number): void {
    const { visitor } = click;
    if (typeof visitor === "number") return this.#column.add(visitor, before);
    const { network } = visitor;
    if (network === null || !this.#hashing) return this.#column.add(UNKNOWN_VISITOR, before);
    const { hashes, owner } = this.#hashing;
    const day = utcDay(click.visit.at);
    hashes.forget(click.visit.at);
    const hash = hashes.hash(owner, day, network, visitor.userAgentDigest);
    this.#column.add(hash ?? UNKNOWN_VISITOR, before);
    if (hash === null) this.#keepUnhashed(before, { day, network, userAgentDigest: visitor.userAgentDigest });
  }

  /** Hashes the visitors whose salt is known by now; the rest stay unknown. Call before `isUsed` and `write`. */
  hashRest(count: number): void {
    for (const { click, visitor } of this.#unhashed ?? []) {
      const { day, network } = visitor;
      const hash = this.#hashing?.hashes.hash(this.#hashing.owner, day, network, visitor.userAgentDigest) ?? null;
      if (hash !== null) this.#column.set(click, hash, count);
    }
    this.#unhashed = null;
  }

  write(bytes: ByteWriter): void {
    this.#column.write(bytes);
  }

  #keepUnhashed(click: number, visitor: UnhashedVisitor): void {
    (this.#unhashed ??= []).push({ click, visitor });
  }
}

keepHiddenClass(new BatchBuilder());
