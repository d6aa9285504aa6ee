/**
 * Reads and writes the stored formats of clicks: varints (LEB128), and UTF-8 text at the end. Pure.
 * A reader does not check bounds: past the end every number is 0.
 */
/** Appends small numbers in as few bytes as they need, seven bits each (LEB128). */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  varint(value: number): void {
    this.#reserve(8);
    while (value >= 128) {
      this.#bytes[this.#length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[this.#length++] = value;
  }

  /** Several at once. Nearly all fit one byte, and a busy link's batch has tens of thousands. */
  varints(values: readonly number[]): void {
    let bytes = this.#bytes;
    let length = this.#length;
    for (const value of values) {
      if (value < 128 && length < bytes.length) {
        bytes[length++] = value;
      } else {
        this.#length = length;
        this.varint(value);
        bytes = this.#bytes;
        length = this.#length;
      }
    }
    this.#length = length;
  }

  text(text: string): void {
    const encoded = new TextEncoder().encode(text);
    this.#reserve(encoded.length);
    this.#bytes.set(encoded, this.#length);
    this.#length += encoded.length;
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

const utf8 = new TextDecoder();

export class ByteReader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }

  /** As many numbers under `size`, without a copy where each is one byte: a log is read by the hundred thousand. */
  indexes(count: number, size: number): ArrayLike<number> {
    if (size > 128) return Array.from({ length: count }, () => this.varint());
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  /** What is left, as UTF-8. */
  remainingText(): string {
    return utf8.decode(this.#bytes.subarray(this.#at));
  }
}
