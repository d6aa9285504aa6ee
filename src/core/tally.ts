/**
 * Counts of clicks by key, people apart from the rest, and how they are stored, merged and listed.
 * Pure.
 */
import { ByteReader, ByteWriter } from "./click-batch.ts";
import { BUCKETS_MAX, REST_KEY } from "./groupings.ts";

export interface Count {
  human: number;
  /** Declared bots and prefetches. */
  rest: number;
}

export type Tally = Map<string, Count>;

/**
 * What one stored tally takes at most, if nothing else is said; keys that no longer fit are counted as `other`, so that
 * a flood of made-up referrers costs bounded storage. Room for some 3,000 cities. A row has a tally of each field, and
 * may take 2 MB.
 */
const TALLY_MAX_BYTES = 64 * 1024;
/** Beside its text a key needs a line break and two counts. As if they were large: a key that fits once fits for ever. */
const KEY_MORE_BYTES = 9;
const FORMAT = 1;

export function add(tally: Tally, key: string, human: number, rest: number): void {
  const count = tally.get(key);
  if (count) {
    count.human += human;
    count.rest += rest;
  } else tally.set(key, { human, rest });
}

/** Adds `other` to `tally`, or takes it away with `sign` -1. */
export function merge(tally: Tally, other: Tally, sign: 1 | -1 = 1): void {
  for (const [key, { human, rest }] of other) add(tally, key, sign * human, sign * rest);
}

/**
 * A tally as stored: the number of the format, how many keys, for each the people (twice, and one more when there is a rest), the rest, if any;
 * then the keys, in lines. Half as long as JSON. A key has no line break (core/click-batch.ts sees to that).
 */
export function encodeTally(tally: Tally, maxBytes = TALLY_MAX_BYTES): Uint8Array {
  const bounded = isLonger(tally, maxBytes) ? foldLateKeys(tally, maxBytes) : tally;
  const bytes = new ByteWriter();
  bytes.varint(FORMAT);
  bytes.varint(bounded.size);
  for (const { human, rest } of bounded.values()) {
    bytes.varint(human * 2 + (rest > 0 ? 1 : 0));
    if (rest > 0) bytes.varint(rest);
  }
  bytes.text([...bounded.keys()].join("\n"));
  return bytes.take();
}

export function decodeTally(bytes: Uint8Array): Tally {
  const tally: Tally = new Map();
  mergeStored(tally, bytes, 1);
  return tally;
}

/** Adds a stored tally to `tally`, or takes it away, without building it first. */
export function mergeStored(tally: Tally, bytes: Uint8Array, sign: 1 | -1): void {
  const reader = new ByteReader(bytes);
  if (reader.varint() !== FORMAT) throw new Error("a tally has a format that is not known");
  const counts = Array.from({ length: reader.varint() }, () => {
    const people = reader.varint();
    return { human: Math.floor(people / 2), rest: people % 2 === 1 ? reader.varint() : 0 };
  });
  const keys = reader.rest().split("\n");
  for (const [i, { human, rest }] of counts.entries()) add(tally, keys[i] ?? "", sign * human, sign * rest);
}

/**
 * Keeps the keys that came first: once named, a key stays named in every later tally that builds on this one.
 * "" is kept wherever it stands: clicks without a QR code must not be counted among those with one.
 */
function foldLateKeys(tally: Tally, maxBytes: number): Tally {
  const folded: Tally = new Map();
  let bytes = 0;
  for (const [key, { human, rest }] of tally) {
    bytes += bytesOf(key);
    add(folded, isAlwaysNamed(key) || bytes <= maxBytes ? key : REST_KEY, human, rest);
  }
  return folded;
}

function isLonger(tally: Tally, maxBytes: number): boolean {
  let bytes = 0;
  for (const key of tally.keys()) bytes += bytesOf(key);
  return bytes > maxBytes;
}

function isAlwaysNamed(key: string): boolean {
  return key === "" || key === REST_KEY;
}

/** Of a key and its counts, at most. Those that are always named are on top: they must push no other out. */
function bytesOf(key: string): number {
  if (isAlwaysNamed(key)) return 0;
  let bytes = key.length + KEY_MORE_BYTES;
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
 * Buckets by clicks, most first, then by key; those after the first thousand in one `other`.
 * `other` is also an ordinary key (a device, say), so what is left over joins it where it stands.
 */
export function bucketsOf(tally: Tally, includeBots: boolean): Bucket[] {
  const counts = [...tally].map(([key, { human, rest }]) => ({ key, clicks: human + (includeBots ? rest : 0) }));
  const named = counts.filter(({ clicks }) => clicks > 0).sort(byClicksThenKey);
  const listed = named.slice(0, BUCKETS_MAX);
  // A key that a newer tally no longer names comes out negative; `other` holds its clicks.
  const leftOver = sum(named.slice(BUCKETS_MAX)) + sum(counts.filter(({ clicks }) => clicks < 0));
  if (leftOver === 0) return listed;
  const rest = listed.find(({ key }) => key === REST_KEY);
  if (!rest) return [...listed, { key: REST_KEY, clicks: leftOver }];
  rest.clicks += leftOver;
  return listed.filter(({ clicks }) => clicks !== 0).sort(byClicksThenKey);
}

function byClicksThenKey(a: Bucket, b: Bucket): number {
  return b.clicks - a.clicks || (a.key < b.key ? -1 : 1);
}

function sum(buckets: readonly Bucket[]): number {
  return buckets.reduce((total, { clicks }) => total + clicks, 0);
}
