/**
 * Click counts by key, human and non-human clicks separately: how tallies are added, stored in the objects' summaries,
 * and listed as buckets of statistics. A stored tally is bounded in size; keys beyond the bound are counted as `other`.
 * Pure.
 */
import { ByteReader, ByteWriter } from "./varint-bytes.ts";
import { BUCKETS_MAX, OTHER_KEY } from "./groupings.ts";

export interface ClickCount {
  human: number;
  /** Declared bots and prefetches. */
  nonHuman: number;
}

export type Tally = Map<string, ClickCount>;

/**
 * Size limit of a stored tally, unless its caller gives another. Keys that do not fit are counted as `other`, so that a
 * flood of made-up referrers costs bounded storage. Room for some 3,000 cities. A row of summaries has a tally of each
 * field, and Cloudflare takes rows of 2 MB.
 */
const TALLY_MAX_BYTES = 64 * 1024;
/**
 * Bytes charged for a key besides its text. Counts are charged at their largest size, so a key that was kept is not
 * dropped when they grow.
 */
const KEY_OVERHEAD_BYTES = 9;
const TALLY_FORMAT = 1;

export function addClicks(tally: Tally, key: string, human: number, nonHuman: number): void {
  const count = tally.get(key);
  if (count) {
    count.human += human;
    count.nonHuman += nonHuman;
  } else tally.set(key, { human, nonHuman });
}

/** Adds `other` to `tally`, or subtracts it with `sign` -1. */
export function mergeTally(tally: Tally, other: Tally, sign: 1 | -1 = 1): void {
  for (const [key, { human, nonHuman }] of other) addClicks(tally, key, sign * human, sign * nonHuman);
}

/**
 * A tally as stored: the number of the format; the number of keys; for each key a varint `2 * human + (nonHuman > 0 ? 1
 * : 0)`, followed by `nonHuman` if that bit is set; then the keys, separated by line breaks, which no key contains
 * (click-batch.ts). Half as long as JSON.
 */
export function encodeTally(tally: Tally, maxBytes = TALLY_MAX_BYTES): Uint8Array {
  const bounded = exceedsBytes(tally, maxBytes) ? foldLateKeys(tally, maxBytes) : tally;
  const bytes = new ByteWriter();
  bytes.varint(TALLY_FORMAT);
  bytes.varint(bounded.size);
  for (const { human, nonHuman } of bounded.values()) {
    bytes.varint(human * 2 + (nonHuman > 0 ? 1 : 0));
    if (nonHuman > 0) bytes.varint(nonHuman);
  }
  bytes.text([...bounded.keys()].join("\n"));
  return bytes.toBytes();
}

export function decodeTally(bytes: Uint8Array): Tally {
  const tally: Tally = new Map();
  mergeEncodedTally(tally, bytes, 1);
  return tally;
}

/** Adds a stored tally to `tally`, or subtracts it, without building it first. */
export function mergeEncodedTally(tally: Tally, bytes: Uint8Array, sign: 1 | -1): void {
  const reader = new ByteReader(bytes);
  if (reader.varint() !== TALLY_FORMAT) throw new Error("a tally has a format that is not known");
  const counts = Array.from({ length: reader.varint() }, () => {
    const human = reader.varint();
    return { human: Math.floor(human / 2), nonHuman: human % 2 === 1 ? reader.varint() : 0 };
  });
  const keys = reader.remainingText().split("\n");
  for (const [i, { human, nonHuman }] of counts.entries())
    addClicks(tally, keys[i] ?? "", sign * human, sign * nonHuman);
}

/**
 * Keeps the first keys, in order of insertion: a key that was kept stays in every later tally that builds on this one.
 * "" is always kept: clicks without a QR code must not be counted with those that have one.
 */
function foldLateKeys(tally: Tally, maxBytes: number): Tally {
  const folded: Tally = new Map();
  let bytes = 0;
  for (const [key, { human, nonHuman }] of tally) {
    bytes += keyBytes(key);
    addClicks(folded, isAlwaysNamed(key) || bytes <= maxBytes ? key : OTHER_KEY, human, nonHuman);
  }
  return folded;
}

function exceedsBytes(tally: Tally, maxBytes: number): boolean {
  let bytes = 0;
  for (const key of tally.keys()) bytes += keyBytes(key);
  return bytes > maxBytes;
}

function isAlwaysNamed(key: string): boolean {
  return key === "" || key === OTHER_KEY;
}

/**
 * Upper bound of the bytes of a key and its counts. Keys that are always kept are not charged, so that they displace no
 * other.
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

/**
 * Buckets by descending clicks, then by key; those after the first `BUCKETS_MAX` are summed as `other`. `other` may
 * also be an ordinary key (a device): the remainder is added to it.
 */
export function bucketsOf(tally: Tally, includeBots: boolean): Bucket[] {
  const counts = [...tally].map(([key, { human, nonHuman }]) => ({
    key,
    clicks: human + (includeBots ? nonHuman : 0),
  }));
  const named = counts.filter(({ clicks }) => clicks > 0).sort(byClicksThenKey);
  const listed = named.slice(0, BUCKETS_MAX);
  // Subtracting an older tally leaves a negative count for a key that the newer one folded into `other`.
  const leftOver = sum(named.slice(BUCKETS_MAX)) + sum(counts.filter(({ clicks }) => clicks < 0));
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
