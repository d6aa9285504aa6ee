/**
 * Counts distinct visitors, in total, in each bucket and in each bin. A visitor's value changes every UTC day, so only
 * the values of one day are in memory, in tables of numbers. Pure.
 */
import { utcDay } from "../../time.ts";

const MIN_BITS = 10;

export class UniqueVisitors {
  total = 0;
  readonly buckets: number[];
  readonly bins: number[];
  #day = -1;
  #size = 0;
  #bits = MIN_BITS;
  /** 0 is a free slot. */
  #values = new Float64Array(2 ** MIN_BITS);
  #firstBuckets = new Int32Array(2 ** MIN_BITS);
  #lastBins = new Int32Array(2 ** MIN_BITS);
  /** The additional buckets of visitors who are in several. */
  readonly #more = new NumberPairSet();

  constructor(buckets: number, bins: number) {
    this.buckets = Array.from({ length: buckets }, () => 0);
    this.bins = Array.from({ length: bins }, () => 0);
  }

  /**
   * Adds a click. Times and bins must never decrease.
   * @param value  value of the visitor, not 0
   * @param bin  -1 without a series
   */
  add(at: number, value: number, bucket: number, bin: number): void {
    const day = utcDay(at);
    if (day !== this.#day) this.#startDay(day);
    const slot = this.#slot(value);
    if (this.#values[slot] === 0) {
      this.#insert(slot, value, bucket, bin);
      return;
    }
    if (this.#lastBins[slot] !== bin) {
      this.#lastBins[slot] = bin;
      increment(this.bins, bin);
    }
    if (this.#firstBuckets[slot] !== bucket && this.#more.add(value, bucket)) increment(this.buckets, bucket);
  }

  #insert(slot: number, value: number, bucket: number, bin: number): void {
    this.#values[slot] = value;
    this.#firstBuckets[slot] = bucket;
    this.#lastBins[slot] = bin;
    this.total++;
    increment(this.buckets, bucket);
    if (bin >= 0) increment(this.bins, bin);
    if (++this.#size * 2 > this.#values.length) this.#grow();
  }

  /** The slot of a value, or the free slot where it belongs. */
  #slot(value: number): number {
    const last = this.#values.length - 1;
    let slot = slotOf(value, 0, this.#bits);
    for (let found = this.#values[slot]; found !== 0 && found !== value; found = this.#values[slot]) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #grow(): void {
    const [values, buckets, bins] = [this.#values, this.#firstBuckets, this.#lastBins];
    const length = 2 ** ++this.#bits;
    this.#values = new Float64Array(length);
    this.#firstBuckets = new Int32Array(length);
    this.#lastBins = new Int32Array(length);
    for (const [i, value] of values.entries()) {
      if (value === 0) continue;
      const slot = this.#slot(value);
      this.#values[slot] = value;
      this.#firstBuckets[slot] = buckets[i] ?? 0;
      this.#lastBins[slot] = bins[i] ?? 0;
    }
  }

  #startDay(day: number): void {
    this.#day = day;
    if (this.#size === 0) return;
    this.#size = 0;
    this.#values.fill(0);
    this.#more.clear();
  }
}

function increment(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

const PAIRS_MIN_BITS = 8;

/** A slot of an open-addressed table with 2^bits slots. */
function slotOf(value: number, tag: number, bits: number): number {
  const high = Math.floor(value / 2 ** 32);
  const mixed = Math.imul((value >>> 0) ^ Math.imul(high + tag * 31, 0x85ebca6b), 0x9e3779b1);
  return mixed >>> (32 - bits);
}

/**
 * A set of pairs of a number above 0 and below 2^53 and a 31-bit number, in typed arrays: at most 24 bytes per pair.
 * @internal
 */
export class NumberPairSet {
  #bits = PAIRS_MIN_BITS;
  #size = 0;
  /** 0 is a free slot. */
  #values = new Float64Array(2 ** PAIRS_MIN_BITS);
  #tags = new Int32Array(2 ** PAIRS_MIN_BITS);

  /** @returns whether the pair was not in the set */
  add(value: number, tag: number): boolean {
    const slot = this.#slot(value, tag);
    if (this.#values[slot] !== 0) return false;
    this.#values[slot] = value;
    this.#tags[slot] = tag;
    if (++this.#size * 2 > this.#values.length) this.#grow();
    return true;
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#size = 0;
    this.#values.fill(0);
  }

  #slot(value: number, tag: number): number {
    const last = this.#values.length - 1;
    let slot = slotOf(value, tag, this.#bits);
    while (this.#values[slot] !== 0 && (this.#values[slot] !== value || this.#tags[slot] !== tag)) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #grow(): void {
    const [values, tags] = [this.#values, this.#tags];
    this.#values = new Float64Array(2 ** ++this.#bits);
    this.#tags = new Int32Array(2 ** this.#bits);
    for (const [i, value] of values.entries()) {
      if (value === 0) continue;
      const slot = this.#slot(value, tags[i] ?? 0);
      this.#values[slot] = value;
      this.#tags[slot] = tags[i] ?? 0;
    }
  }
}
