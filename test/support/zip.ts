/** Reads a ZIP archive strictly, with Node's zlib: any mistake of the writer fails here. */
import { Buffer } from "node:buffer";
import { crc32, inflateRawSync } from "node:zlib";

/** @returns the files' texts by name @throws Error that names the first mistake */
export function readZip(bytes: Uint8Array): Map<string, string> {
  const zip = Buffer.from(bytes);
  const end = zip.length - 22;
  assertZip(zip.readUInt32LE(end) === 0x06054b50, "an end record without a comment");
  const [count, size, start] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 12), zip.readUInt32LE(end + 16)];
  assertZip(start + size === end && zip.readUInt16LE(end + 8) === count, "a directory before the end");
  const files = new Map<string, string>();
  let [at, expected] = [start, 0];
  for (let i = 0; i < count; i++) {
    assertZip(zip.readUInt32LE(at) === 0x02014b50, "an entry of the directory");
    const nameBytes = zip.readUInt16LE(at + 28);
    const offset = zip.readUInt32LE(at + 42);
    assertZip(offset === expected && zip.readUInt32LE(offset) === 0x04034b50, "files without gaps");
    // Version, flags, method, time, checksum, sizes and the lengths of the name and of extra fields.
    const facts = zip.subarray(at + 6, at + 32);
    assertZip(facts.equals(zip.subarray(offset + 4, offset + 30)), "the same facts at the file");
    const name = zip.subarray(at + 46, at + 46 + nameBytes);
    assertZip(name.equals(zip.subarray(offset + 30, offset + 30 + nameBytes)), "the same name at the file");
    const content = offset + 30 + nameBytes;
    const text = inflateRawSync(zip.subarray(content, content + facts.readUInt32LE(14)));
    assertZip(text.length === facts.readUInt32LE(18) && crc32(text) === facts.readUInt32LE(10), "size and checksum");
    files.set(name.toString("utf8"), text.toString("utf8"));
    expected = content + facts.readUInt32LE(14);
    at += 46 + nameBytes;
  }
  assertZip(expected === start && at === end && files.size === count, "nothing else");
  return files;
}

function assertZip(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`not a good ZIP: ${rule}`);
}
