/** Recognises images by their first bytes. Pure. */

/** The type that a server claims is not believed: bytes of another kind would be served from this service's host. */
const SIGNATURES: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/x-icon", at: 0, bytes: [0x00, 0x00, 0x01, 0x00] },
  // "RIFF", four bytes of length, "WEBP".
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** @returns null for anything but the kinds above; SVG, which is a document with scripts, is none of them */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return SIGNATURES.find(({ at, bytes: wanted }) => wanted.every((byte, i) => bytes[at + i] === byte))?.type ?? null;
}
