/**
 * A ZIP archive whose files are compressed while they are written, one after another: only compressed data is held, and
 * browsers move large blobs to the disk.
 */
import { crc32 } from "../../core/encoding/bytes.ts";

export type ZippedFile = NonNullable<Awaited<ReturnType<typeof zipFile>>>;

/** A larger file or archive needs ZIP64. */
const FILE_MAX_BYTES = 2 ** 32 - 1;

/**
 * @param chunks  the file's content
 * @returns null for a file without content
 */
export async function zipFile(name: string, chunks: AsyncIterable<string> | Iterable<Uint8Array<ArrayBuffer>>) {
  const { readable, writable } = new CompressionStream("deflate-raw");
  const content = new Response(readable).blob();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  let crc = 0;
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      const part = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
      crc = crc32(part, crc);
      bytes += part.length;
      if (bytes > FILE_MAX_BYTES) throw new Error(`${name} is too large`);
      await writer.write(part);
    }
    await writer.close();
  } catch (error) {
    await Promise.allSettled([writer.abort(error), content]);
    throw error;
  }
  return bytes === 0 ? null : { name, crc, bytes, content: await content };
}

/** @param at  time of the files */
export function zipArchive(files: readonly ZippedFile[], at: Date): Blob {
  const parts: BlobPart[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(file.name);
    const facts: Field[] = [...factsOf(file, at), [2, name.length], [2, 0]];
    const head = record([4, 0x04034b50], ...facts);
    parts.push(head, name, file.content);
    directory.push(record([4, 0x02014b50], [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), name);
    offset += head.length + name.length + file.content.size;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  if (offset + size > FILE_MAX_BYTES) throw new Error("The archive is too large");
  const count: Field[] = Array.from({ length: 2 }, () => [2, files.length]);
  const end = record([4, 0x06054b50], [2, 0], [2, 0], ...count, [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

type Field = [bytes: 2 | 4, value: number];

/** Version, flags (names are UTF-8), method (deflate), time, checksum and sizes. */
function factsOf({ crc, bytes, content }: ZippedFile, at: Date): Field[] {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [
    [2, 20],
    [2, 0x0800],
    [2, 8],
    [2, time],
    [2, date],
    [4, crc],
    [4, content.size],
    [4, bytes],
  ];
}

/** Little-endian. */
function record(...fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    fields.flatMap(([bytes, value]) => Array.from({ length: bytes }, (_, i) => value >>> (8 * i))),
  );
}
