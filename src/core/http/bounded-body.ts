/** Reads a body of bounded length. Pure. */

/** Stops reading at the limit. @returns null beyond it */
export async function readUpTo(
  maxBytes: number,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}
