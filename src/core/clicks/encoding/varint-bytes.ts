/**
 * Reader and writer of the stored click formats: unsigned varints (LEB128) and numbers of a fixed width, with UTF-8 text
 * at the end. Pure. The reader does not check bounds: past the end every number reads as 0.
 */
import { keepHiddenClass } from "../../hidden-classes.ts";

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

  /** Writes the lowest byte first. */
  fixedWidth(value: number, width: number): void {
    this.#reserve(width);
    for (let byte = 0, rest = value; byte < width; byte++, rest = Math.floor(rest / 256)) {
      this.#bytes[this.#length++] = rest % 256;
    }
  }

  text(text: string): void {
    this.bytes(new TextEncoder().encode(text));
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
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

/** A byte order mark is a character of the text. */
const utf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

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

  /** A view without a copy; shorter than `count` where the bytes end. */
  bytes(count: number): Uint8Array {
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  remainingText(): string {
    return utf8.decode(this.#bytes.subarray(this.#at));
  }
}

keepHiddenClass(new ByteWriter());
keepHiddenClass(new ByteReader(new Uint8Array()));
