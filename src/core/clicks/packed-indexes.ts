/** Indexes below a known size, in as few bits each as that needs, the first in the lowest bits. Pure. */

/** Bits an index, at most 16; 0 where all are 0. */
function bitsFor(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1);
}

/** Bytes that so many indexes take. */
export function packedLength(count: number, size: number): number {
  return Math.ceil((count * bitsFor(size)) / 8);
}

/** @param size  at most 65,536 */
export function packIndexes(indexes: ArrayLike<number>, size: number): Uint8Array {
  const bytes = new Uint8Array(packedLength(indexes.length, size));
  const bits = bitsFor(size);
  let [at, rest, restBits] = [0, 0, 0];
  for (let i = 0; i < indexes.length; i++) {
    rest |= (indexes[i] ?? 0) << restBits;
    for (restBits += bits; restBits >= 8; restBits -= 8) {
      bytes[at++] = rest & 255;
      rest >>>= 8;
    }
  }
  if (restBits > 0) bytes[at] = rest;
  return bytes;
}

/** @returns null where all are 0; a view where an index is a byte */
export function unpackIndexes(bytes: Uint8Array, count: number, size: number): Uint8Array | Uint16Array | null {
  const bits = bitsFor(size);
  if (bits === 0) return null;
  if (bits === 8) return bytes;
  const indexes = bits < 8 ? new Uint8Array(count) : new Uint16Array(count);
  const mask = (1 << bits) - 1;
  let [at, rest, restBits] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    for (; restBits < bits; restBits += 8) rest |= (bytes[at++] ?? 0) << restBits;
    indexes[i] = rest & mask;
    rest >>>= bits;
    restBits -= bits;
  }
  return indexes;
}
