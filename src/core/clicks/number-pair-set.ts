/** A set of pairs of a number above 0 and below 2^53 and one of 31 bits, in typed arrays: 24 bytes a pair at most. Pure. */
const MIN_BITS = 8;

/** A slot of an open-addressed table with 2^bits slots. */
export function slotOf(value: number, tag: number, bits: number): number {
  const high = Math.floor(value / 2 ** 32);
  const mixed = Math.imul((value >>> 0) ^ Math.imul(high + tag * 31, 0x85ebca6b), 0x9e3779b1);
  return mixed >>> (32 - bits);
}

export class NumberPairSet {
  #bits = MIN_BITS;
  #size = 0;
  /** 0 is a free slot. */
  #values = new Float64Array(2 ** MIN_BITS);
  #tags = new Int32Array(2 ** MIN_BITS);

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
