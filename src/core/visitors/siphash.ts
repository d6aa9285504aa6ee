/**
 * SipHash-2-4 (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012): without the key, no one can compute a hash
 * or find the hashed text. Implemented here, since packages for it allocate several objects in each round, and
 * redirects hash every click. Pure.
 */
const KEY_BYTES = 16;
const BLOCK_BYTES = 8;

/** "somepseudorandomlygeneratedbytes", the initial state for a key of zeros. */
const START = Int32Array.of(
  0x70736575,
  0x736f6d65,
  0x6e646f6d,
  0x646f7261,
  0x6e657261,
  0x6c796765,
  0x79746573,
  0x74656462,
);

/** Hashes one message at a time: pieces are added, then `digest` returns the hash and starts over. */
export class SipHash {
  /** The key as 32-bit words, the lowest first. */
  readonly #key: Int32Array;
  /** v0 to v3, the lower half of each before the upper one. */
  readonly #state = new Int32Array(8);
  /** The block that is being filled. */
  #low = 0;
  #high = 0;
  #length = 0;

  constructor(key: Uint8Array) {
    const view = new DataView(key.buffer, key.byteOffset, KEY_BYTES);
    this.#key = Int32Array.from({ length: KEY_BYTES / 4 }, (_, i) => view.getInt32(i * 4, true));
    this.#start();
  }

  /** Adds a text whose characters are bytes, such as a header's: only the lowest byte of any other character counts. */
  text(text: string): this {
    for (let i = 0; i < text.length; i++) this.#byte(text.charCodeAt(i) & 0xff);
    return this;
  }

  /** Adds a whole number of up to 48 bits. */
  number48(value: number): this {
    for (let byte = 0, rest = value; byte < 6; byte++, rest = Math.floor(rest / 256)) this.#byte(rest % 256);
    return this;
  }

  /** The six lowest bytes of the hash. */
  digest(): number {
    this.#finish();
    const hash = (this.#half(1) & 0xffff) * 2 ** 32 + (this.#half(0) >>> 0);
    this.#start();
    return hash;
  }

  /** The whole hash. */
  digest64(): bigint {
    this.#finish();
    const hash = (BigInt(this.#half(1) >>> 0) << 32n) | BigInt(this.#half(0) >>> 0);
    this.#start();
    return hash;
  }

  #finish(): void {
    const state = this.#state;
    this.#compress(this.#low, this.#high | (this.#length << 24));
    state[4] = at(state, 4) ^ 0xff;
    rounds(state, 4);
  }

  /** The lower half of the hash (0) or the upper one (1). */
  #half(half: number): number {
    const state = this.#state;
    return at(state, half) ^ at(state, half + 2) ^ at(state, half + 4) ^ at(state, half + 6);
  }

  #start(): void {
    for (let i = 0; i < START.length; i++) this.#state[i] = at(this.#key, i % 4) ^ at(START, i);
    this.#low = this.#high = this.#length = 0;
  }

  #byte(byte: number): void {
    const place = this.#length++ % BLOCK_BYTES;
    if (place < 4) this.#low |= byte << (place * 8);
    else this.#high |= byte << (place * 8 - 32);
    if (place < BLOCK_BYTES - 1) return;
    this.#compress(this.#low, this.#high);
    this.#low = this.#high = 0;
  }

  #compress(low: number, high: number): void {
    const state = this.#state;
    state[6] = at(state, 6) ^ low;
    state[7] = at(state, 7) ^ high;
    rounds(state, 2);
    state[0] = at(state, 0) ^ low;
    state[1] = at(state, 1) ^ high;
  }
}

function at(state: Int32Array, i: number): number {
  return state[i] ?? 0;
}

/**
 * Each 64-bit number is two halves: `a0` and `a1` are v0's lower and upper half; `b`, `c`, `d` are those of v1 to v3.
 */
function rounds(state: Int32Array, count: number): void {
  let [a0, a1, b0, b1] = [at(state, 0), at(state, 1), at(state, 2), at(state, 3)];
  let [c0, c1, d0, d1] = [at(state, 4), at(state, 5), at(state, 6), at(state, 7)];
  let sum = 0;
  let low = 0;
  for (let round = 0; round < count; round++) {
    sum = (a0 >>> 0) + (b0 >>> 0);
    a1 = (a1 + b1 + carry(sum)) | 0;
    a0 = sum | 0;
    low = (b0 << 13) | (b1 >>> 19);
    b1 = ((b1 << 13) | (b0 >>> 19)) ^ a1;
    b0 = low ^ a0;
    [a0, a1] = [a1, a0];

    sum = (c0 >>> 0) + (d0 >>> 0);
    c1 = (c1 + d1 + carry(sum)) | 0;
    c0 = sum | 0;
    low = (d0 << 16) | (d1 >>> 16);
    d1 = ((d1 << 16) | (d0 >>> 16)) ^ c1;
    d0 = low ^ c0;

    sum = (a0 >>> 0) + (d0 >>> 0);
    a1 = (a1 + d1 + carry(sum)) | 0;
    a0 = sum | 0;
    low = (d0 << 21) | (d1 >>> 11);
    d1 = ((d1 << 21) | (d0 >>> 11)) ^ a1;
    d0 = low ^ a0;

    sum = (c0 >>> 0) + (b0 >>> 0);
    c1 = (c1 + b1 + carry(sum)) | 0;
    c0 = sum | 0;
    low = (b0 << 17) | (b1 >>> 15);
    b1 = ((b1 << 17) | (b0 >>> 15)) ^ c1;
    b0 = low ^ c0;
    [c0, c1] = [c1, c0];
  }
  state[0] = a0;
  state[1] = a1;
  state[2] = b0;
  state[3] = b1;
  state[4] = c0;
  state[5] = c1;
  state[6] = d0;
  state[7] = d1;
}

function carry(sum: number): number {
  return sum > 0xffffffff ? 1 : 0;
}
