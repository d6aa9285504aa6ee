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
 * Most keys one stored tally keeps by name; later ones are counted as `other`, so that a flood of made-up
 * referrers costs bounded storage. Ordinary links stay two orders of magnitude below.
 */
const TALLY_MAX_KEYS = 20_000;

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
 * A tally as stored: how many keys, for each the people (twice, and one more when there is a rest), the rest, if any;
 * then the keys, in lines. Half as long as JSON. A key has no line break (core/click-batch.ts sees to that).
 */
export function encodeTally(tally: Tally): Uint8Array {
  const bounded = tally.size > TALLY_MAX_KEYS ? foldLateKeys(tally) : tally;
  const bytes = new ByteWriter();
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
  const counts = Array.from({ length: reader.varint() }, () => {
    const people = reader.varint();
    return { human: Math.floor(people / 2), rest: people % 2 === 1 ? reader.varint() : 0 };
  });
  const keys = reader.rest().split("\n");
  for (const [i, { human, rest }] of counts.entries()) add(tally, keys[i] ?? "", sign * human, sign * rest);
}

/** Keeps the keys that came first: once named, a key stays named in every later tally that builds on this one. */
function foldLateKeys(tally: Tally): Tally {
  const folded: Tally = new Map();
  for (const [key, { human, rest }] of tally) {
    add(folded, folded.size < TALLY_MAX_KEYS ? key : REST_KEY, human, rest);
  }
  return folded;
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
