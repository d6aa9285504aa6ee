/**
 * Counts of clicks by key, people apart from the rest, and how they are stored, merged and listed.
 * Pure.
 */
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

/** A tally as stored: keys, counts of people, counts of the rest, side by side. */
export function encodeTally(tally: Tally): string {
  const bounded = tally.size > TALLY_MAX_KEYS ? foldLateKeys(tally) : tally;
  const counts = [...bounded.values()];
  return JSON.stringify([[...bounded.keys()], counts.map(({ human }) => human), counts.map(({ rest }) => rest)]);
}

export function decodeTally(text: string): Tally {
  const [keys, human, rest] = JSON.parse(text) as [string[], number[], number[]];
  return new Map(keys.map((key, i) => [key, { human: human[i] ?? 0, rest: rest[i] ?? 0 }]));
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
