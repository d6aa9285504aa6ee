/**
 * Pieces of many links' logs in one sequence of bytes: for each a line of JSON that says what follows, then the bytes.
 * Requests, responses and the files of a backup have this form. Pure.
 */
const LINE_END = 10;

export interface Entry<Header> {
  header: Header;
  bytes: Uint8Array;
}

/** Adds the number of the bytes to the header, as `bytes`. */
export function encodeEntry(header: object, bytes: Uint8Array): Uint8Array[] {
  return [new TextEncoder().encode(`${JSON.stringify({ ...header, bytes: bytes.length })}\n`), bytes];
}

/**
 * @param parseHeader  checks a header
 * @throws Error when the bytes are damaged
 */
export function decodeEntries<Header extends { bytes: number }>(
  bytes: Uint8Array,
  parseHeader: (json: unknown) => Header,
): Entry<Header>[] {
  const entries: Entry<Header>[] = [];
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd < 0) throw new Error("a line of JSON does not end");
    const header = parseHeader(JSON.parse(new TextDecoder().decode(bytes.subarray(at, lineEnd))));
    at = lineEnd + 1 + header.bytes;
    if (at > bytes.length) throw new Error("the bytes of an entry are cut off");
    entries.push({ header, bytes: bytes.subarray(lineEnd + 1, at) });
  }
  return entries;
}
