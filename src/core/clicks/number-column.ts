/**
 * A number of each click of a batch, in a fixed number of bytes, the lowest first. Nothing is kept while it is not known
 * for any click. Pure.
 */
import type { ByteWriter } from "./varint-bytes.ts";

/** Bytes of a click's numbers. */
export const SPLIT_BYTES = 2;
export const VISITOR_BYTES = 6;

export class NumberColumn {
  /** Null while none is known. */
  #values: number[] | null = null;
  readonly #width: number;
  readonly #unknown: number;

  /** @param width  bytes a number, at most 6 @param unknown  stands for "not known" */
  constructor(width: number, unknown: number) {
    this.#width = width;
    this.#unknown = unknown;
  }

  get isUsed(): boolean {
    return this.#values !== null;
  }

  /** @param before  number of clicks before this one */
  add(value: number, before: number): void {
    if (value !== this.#unknown) this.#values ??= this.#unknowns(before);
    this.#values?.push(value);
  }

  /** @param count  number of all clicks */
  set(click: number, value: number, count: number): void {
    (this.#values ??= this.#unknowns(count))[click] = value;
  }

  write(bytes: ByteWriter): void {
    for (const value of this.#values ?? []) bytes.fixedWidth(value, this.#width);
  }

  #unknowns(count: number): number[] {
    return Array.from({ length: count }, () => this.#unknown);
  }
}

/** The number of the i-th click. */
export function numberAt(bytes: Uint8Array, width: number, i: number): number {
  let value = 0;
  for (let at = (i + 1) * width - 1; at >= i * width; at--) value = value * 256 + (bytes[at] ?? 0);
  return value;
}
