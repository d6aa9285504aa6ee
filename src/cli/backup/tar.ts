/** Reads and writes tar files (POSIX ustar) of small files without folders, so that `tar xf` opens a backup's images. */
import { Buffer } from "node:buffer";

const BLOCK_BYTES = 512;
/** Offset and length of the fields of a header. */
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE_OFFSET = 156;
const MAGIC_OFFSET = 257;

export interface TarFile {
  name: string;
  bytes: Uint8Array;
}

/** A file, padded to whole blocks. */
export function tarEntry({ name, bytes }: TarFile): Uint8Array[] {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, NAME[0], NAME[1]);
  header.write("0000644\0", MODE[0]);
  header.write(`${bytes.length.toString(8).padStart(SIZE[1] - 1, "0")}\0`, SIZE[0]);
  header.write("0", TYPE_OFFSET);
  header.write("ustar\x0000", MAGIC_OFFSET);
  header.fill(" ", CHECKSUM[0], CHECKSUM[0] + CHECKSUM[1]);
  let sum = 0;
  for (const byte of new Uint8Array(header)) sum += byte;
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, CHECKSUM[0]);
  return [header, bytes, Buffer.alloc(paddingOf(bytes.length))];
}

/** Two blocks of zeros end a tar file. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);

export function* tarFiles(tar: Uint8Array): Generator<TarFile> {
  const text = (from: number, length: number) =>
    Buffer.from(tar.subarray(from, from + length))
      .toString("latin1")
      .replace(/\0[^]*$/, "");
  for (let at = 0; at + BLOCK_BYTES <= tar.length && tar[at] !== 0;) {
    const size = Number.parseInt(text(at + SIZE[0], SIZE[1]), 8);
    yield { name: text(at + NAME[0], NAME[1]), bytes: tar.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + size) };
    at += BLOCK_BYTES + size + paddingOf(size);
  }
}

function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}
