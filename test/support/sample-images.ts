/** Files of the types that can be uploaded: valid headers, and no pixels. */

const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0));
const big = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, i) => (value >>> (8 * (bytes - 1 - i))) & 255);
const little = (value: number, bytes: number) => big(value, bytes).reverse();

/** One red pixel, which browsers can draw. */
export const RED_PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
  (char) => char.charCodeAt(0),
);

export function pngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(RED_PNG);
  bytes.set([...big(width, 4), ...big(height, 4)], 16);
  return bytes;
}

/** @param before  bytes of segments before the frame */
export function jpegOf(width: number, height: number, before: number[] = []): Uint8Array<ArrayBuffer> {
  const frame = [0xff, 0xc2, ...big(17, 2), 8, ...big(height, 2), ...big(width, 2), 3, 1, 17, 0, 2, 17, 1, 3, 17, 1];
  return Uint8Array.from([0xff, 0xd8, ...before, ...frame, 0xff, 0xda, 0, 4, 1, 2, 3, 4, 0xff, 0xd9]);
}

export function webpOf(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Uint8Array<ArrayBuffer> {
  const [w, h] = [width - 1, height - 1];
  const chunk = {
    "VP8 ": [0x30, 1, 0, 0x9d, 1, 0x2a, ...little(width, 2), ...little(height, 2)],
    VP8L: [0x2f, ...little((w | (h << 14)) >>> 0, 4), 0, 0, 0, 0, 0],
    VP8X: [0x10, 0, 0, 0, ...little(w, 3), ...little(h, 3)],
  }[kind];
  return Uint8Array.from([...ascii("RIFF"), ...little(22, 4), ...ascii(`WEBP${kind}`), ...little(10, 4), ...chunk]);
}
