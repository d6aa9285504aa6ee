/**
 * Click counts by value, human and non-human clicks separately: how tallies are added, stored in the objects'
 * summaries, and listed as buckets of statistics. Texts are counted in a map. The size of a stored text tally is
 * bounded: keys beyond the bound are counted as `other`. Numbers, of which an account may have a million, are counted
 * in arrays, and none is ever folded into another. Pure.
 */
import { type CountedField, isNumberField, type NumberField } from "../encoding/click-columns.ts";
import { ByteReader, ByteWriter } from "../encoding/column-encoding.ts";
import { BUCKETS_MAX, OTHER_KEY } from "./groupings.ts";

export interface ClickCount {
  human: number;
  /** Declared bots and prefetches. */
  nonHuman: number;
}

export type TextTally = Map<string, ClickCount>;

/** Numbers are below 2^32 and ascending, each with a count. Immutable once built. */
export interface NumberTally {
  readonly numbers: Uint32Array;
  readonly human: Float64Array;
  readonly nonHuman: Float64Array;
}

export type Tally = TextTally | NumberTally;
export type TallyOf<F extends CountedField> = F extends NumberField ? NumberTally : TextTally;

/**
 * Default size limit of a stored text tally. Keys that do not fit are counted as `other`, so that a flood of made-up
 * referrers costs bounded storage. Room for about 3,000 cities. A row of summaries has a tally of each field, and
 * Cloudflare limits rows to 2 MB.
 */
const TALLY_MAX_BYTES = 64 * 1024;
/**
 * Bytes charged for a key besides its text. Counts are charged at their largest size, so a key that was kept is not
 * dropped when they grow.
 */
const KEY_OVERHEAD_BYTES = 9;
const TALLY_FORMAT = 1;

export function emptyTally(field: CountedField): Tally {
  return isNumberField(field) ? newNumberTally(0) : new Map();
}

export function addClicks(tally: TextTally, key: string, human: number, nonHuman: number): void {
  const count = tally.get(key);
  if (count) {
    count.human += human;
    count.nonHuman += nonHuman;
  } else tally.set(key, { human, nonHuman });
}

/**
 * Adds the counts of values. Values without clicks are left out.
 * @param values  values of a text or number field, matching the tally; each number once
 * @returns the sum; may change `tally`
 */
export function addCounts(
  tally: Tally,
  values: readonly (string | number)[],
  human: ArrayLike<number>,
  nonHuman: ArrayLike<number>,
): Tally {
  if (!(tally instanceof Map)) return mergeNumbers(tally, numberTallyOf(values.map(Number), human, nonHuman), 1);
  // Loops by index: a block may span a thousand batches, each with every field.
  for (let i = 0; i < values.length; i++) {
    const people = human[i] ?? 0;
    const others = nonHuman[i] ?? 0;
    if (people + others > 0) addClicks(tally, String(values[i]), people, others);
  }
  return tally;
}

/** Adds `other`, or subtracts it with `sign` -1. @returns the sum; may change `tally`, never `other` */
export function addTally(tally: Tally, other: Tally, sign: 1 | -1 = 1): Tally {
  if (!(tally instanceof Map)) return other instanceof Map ? differentFields() : mergeNumbers(tally, other, sign);
  if (!(other instanceof Map)) return differentFields();
  for (const [key, { human, nonHuman }] of other) addClicks(tally, key, sign * human, sign * nonHuman);
  return tally;
}

function differentFields(): never {
  throw new Error("tallies of different fields");
}

/** @param values  each number once, in any order; those without clicks are left out @internal */
export function numberTallyOf(
  values: readonly number[],
  human: ArrayLike<number>,
  nonHuman: ArrayLike<number>,
): NumberTally {
  const order = values.map((_, i) => i).filter((i) => (human[i] ?? 0) + (nonHuman[i] ?? 0) !== 0);
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const tally = newNumberTally(order.length);
  for (const [n, i] of order.entries()) setCount(tally, n, values[i] ?? 0, human[i] ?? 0, nonHuman[i] ?? 0);
  return tally;
}

/** Numbers whose clicks cancel out are left out. */
function mergeNumbers(a: NumberTally, b: NumberTally, sign: 1 | -1): NumberTally {
  if (a.numbers.length === 0 && sign === 1) return b;
  const merged = newNumberTally(a.numbers.length + b.numbers.length);
  let size = 0;
  for (let i = 0, j = 0; i < a.numbers.length || j < b.numbers.length;) {
    const [one, other] = [a.numbers[i] ?? Infinity, b.numbers[j] ?? Infinity];
    const number = Math.min(one, other);
    const human = (one === number ? (a.human[i] ?? 0) : 0) + (other === number ? sign * (b.human[j] ?? 0) : 0);
    const nonHuman = (one === number ? (a.nonHuman[i] ?? 0) : 0) + (other === number ? sign * (b.nonHuman[j] ?? 0) : 0);
    if (one === number) i++;
    if (other === number) j++;
    if (human !== 0 || nonHuman !== 0) setCount(merged, size++, number, human, nonHuman);
  }
  const { numbers, human, nonHuman } = merged;
  return { numbers: numbers.subarray(0, size), human: human.subarray(0, size), nonHuman: nonHuman.subarray(0, size) };
}

function newNumberTally(size: number): NumberTally {
  return { numbers: new Uint32Array(size), human: new Float64Array(size), nonHuman: new Float64Array(size) };
}

function setCount(tally: NumberTally, i: number, number: number, human: number, nonHuman: number): void {
  tally.numbers[i] = number;
  tally.human[i] = human;
  tally.nonHuman[i] = nonHuman;
}

/**
 * Encodes a tally for storage: the format number; the number of values; for each value a varint `2 * human + (nonHuman
 * > 0 ? 1 : 0)`, followed by `nonHuman` if that bit is set. Numbers come before their counts, each as its distance from
 * the previous one. Texts come last, separated by line breaks, which none contains (click-batch.ts).
 * @param maxBytes  limit for texts
 */
export function encodeTally(tally: Tally, maxBytes = TALLY_MAX_BYTES): Uint8Array {
  const bytes = new ByteWriter();
  bytes.varint(TALLY_FORMAT);
  if (tally instanceof Map) writeTexts(bytes, exceedsBytes(tally, maxBytes) ? foldLateKeys(tally, maxBytes) : tally);
  else writeNumbers(bytes, tally);
  return bytes.toBytes();
}

function writeTexts(bytes: ByteWriter, tally: TextTally): void {
  bytes.varint(tally.size);
  for (const { human, nonHuman } of tally.values()) writeCount(bytes, human, nonHuman);
  bytes.text([...tally.keys()].join("\n"));
}

function writeNumbers(bytes: ByteWriter, { numbers, human, nonHuman }: NumberTally): void {
  bytes.varint(numbers.length);
  for (let i = 0, last = 0; i < numbers.length; i++) {
    const number = numbers[i] ?? 0;
    bytes.varint(number - last);
    writeCount(bytes, human[i] ?? 0, nonHuman[i] ?? 0);
    last = number;
  }
}

function writeCount(bytes: ByteWriter, human: number, nonHuman: number): void {
  bytes.varint(human * 2 + (nonHuman > 0 ? 1 : 0));
  if (nonHuman > 0) bytes.varint(nonHuman);
}

/** Adds a stored tally, or subtracts it. @returns the sum; may change `tally` */
export function addEncodedTally(tally: Tally, bytes: Uint8Array, sign: 1 | -1): Tally {
  const reader = new ByteReader(bytes);
  if (reader.varint() !== TALLY_FORMAT) throw new Error("a tally has an unknown format");
  const size = reader.varint();
  if (!(tally instanceof Map)) return mergeNumbers(tally, readNumbers(reader, size), sign);
  const counts = Array.from({ length: size }, () => readCount(reader));
  const keys = reader.remainingText().split("\n");
  for (const [i, { human, nonHuman }] of counts.entries()) {
    addClicks(tally, keys[i] ?? "", sign * human, sign * nonHuman);
  }
  return tally;
}

function readNumbers(reader: ByteReader, size: number): NumberTally {
  const tally = newNumberTally(size);
  for (let i = 0, number = 0; i < size; i++) {
    number += reader.varint();
    const { human, nonHuman } = readCount(reader);
    setCount(tally, i, number, human, nonHuman);
  }
  return tally;
}

function readCount(reader: ByteReader): ClickCount {
  const human = reader.varint();
  return { human: Math.floor(human / 2), nonHuman: human % 2 === 1 ? reader.varint() : 0 };
}

export interface ValueCount extends ClickCount {
  value: string | number;
}

export function countsOf(tally: Tally): ValueCount[] {
  if (tally instanceof Map) return Array.from(tally, ([value, count]) => ({ value, ...count }));
  const { numbers, human, nonHuman } = tally;
  return Array.from(numbers, (value, i) => ({ value, human: human[i] ?? 0, nonHuman: nonHuman[i] ?? 0 }));
}

/**
 * Keeps the first keys, in order of insertion: a key that was kept remains in every later tally that builds on this
 * one. "" is always kept: clicks without a QR code must not be counted with those that have one.
 */
function foldLateKeys(tally: TextTally, maxBytes: number): TextTally {
  const folded: TextTally = new Map();
  let bytes = 0;
  for (const [key, { human, nonHuman }] of tally) {
    bytes += keyBytes(key);
    addClicks(folded, isAlwaysNamed(key) || bytes <= maxBytes ? key : OTHER_KEY, human, nonHuman);
  }
  return folded;
}

function exceedsBytes(tally: TextTally, maxBytes: number): boolean {
  let bytes = 0;
  for (const key of tally.keys()) bytes += keyBytes(key);
  return bytes > maxBytes;
}

function isAlwaysNamed(key: string): boolean {
  return key === "" || key === OTHER_KEY;
}

/**
 * Upper bound of the bytes of a key and its counts. Keys that are always kept are not charged, so that they never
 * displace others.
 */
function keyBytes(key: string): number {
  if (isAlwaysNamed(key)) return 0;
  let bytes = key.length + KEY_OVERHEAD_BYTES;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    bytes += unit < 0x80 ? 0 : unit < 0x800 ? 1 : 2;
  }
  return bytes;
}

export interface Bucket {
  key: string;
  clicks: number;
}

/** Key for the clicks of all values with too few clicks to be listed. No value has this key. */
export const UNLISTED_KEY = "\0";

/**
 * Buckets by descending clicks, then by key; those after the first `BUCKETS_MAX` are summed as `other`. `other` may
 * also be an ordinary key (a device), to which the remainder is added.
 */
export function bucketsOf(tally: TextTally, includeBots: boolean): Bucket[] {
  const counts = [...tally].map(([key, { human, nonHuman }]) => ({
    key,
    clicks: human + (includeBots ? nonHuman : 0),
  }));
  const named = counts.filter(({ key, clicks }) => clicks > 0 && key !== UNLISTED_KEY).sort(byClicksThenKey);
  const listed = named.slice(0, BUCKETS_MAX);
  // Subtracting an older tally leaves a negative count for a key that the newer one folded into `other`.
  const leftOver =
    sum(named.slice(BUCKETS_MAX)) + sum(counts.filter(({ key, clicks }) => clicks < 0 || key === UNLISTED_KEY));
  if (leftOver === 0) return listed;
  const rest = listed.find(({ key }) => key === OTHER_KEY);
  if (!rest) return [...listed, { key: OTHER_KEY, clicks: leftOver }];
  rest.clicks += leftOver;
  return listed.filter(({ clicks }) => clicks !== 0).sort(byClicksThenKey);
}

export function byClicksThenKey(a: Bucket, b: Bucket): number {
  return b.clicks - a.clicks || (a.key < b.key ? -1 : 1);
}

function sum(buckets: readonly Bucket[]): number {
  return buckets.reduce((total, { clicks }) => total + clicks, 0);
}

/**
 * Clicks of an account by address, from its summaries, which count clicks by link and by alias: clicks on a link that
 * are not by an alias are by its own slug. By the numbers of `visitedColumn` (core/clicks/encoding/click-columns.ts).
 * @param linkOf  returns the number of an alias's link
 */
export function visitedTally(links: NumberTally, aliases: NumberTally, linkOf: (alias: number) => number): Tally {
  const changes: TextTally = new Map();
  for (const { value, human, nonHuman } of countsOf(aliases)) {
    const alias = Number(value);
    if (alias === 0) continue;
    addClicks(changes, String(2 * alias + 1), human, nonHuman);
    addClicks(changes, String(2 * linkOf(alias)), -human, -nonHuman);
  }
  const counts = countsOf(changes);
  return addCounts(
    { ...links, numbers: links.numbers.map((link) => 2 * link) },
    counts.map(({ value }) => value),
    counts.map(({ human }) => human),
    counts.map(({ nonHuman }) => nonHuman),
  );
}
