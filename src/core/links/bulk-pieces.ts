/** Splits bulk requests of any length into requests within the limits on links, passwords and bytes. Pure. */
import { BODY_MAX_BYTES, BULK_LINKS_MAX, BULK_PASSWORDS_MAX } from "../limits.ts";

/** Size of a body around its items. */
const FRAME_BYTES = 100;

/** @param bodyOf  the part of an item that is sent @returns the items of each request */
export function piecesOf<Item>(items: readonly Item[], bodyOf: (item: Item) => unknown = (item) => item): Item[][] {
  const pieces: Item[][] = [];
  const encoder = new TextEncoder();
  let bytes = Infinity;
  let passwords = 0;
  for (const item of items) {
    const body = bodyOf(item);
    const size = encoder.encode(JSON.stringify(body)).length + 1;
    const added = (body as { password?: unknown } | null)?.password ? 1 : 0;
    bytes += size;
    passwords += added;
    const piece = pieces.at(-1);
    if (piece && piece.length < BULK_LINKS_MAX && bytes <= BODY_MAX_BYTES && passwords <= BULK_PASSWORDS_MAX) {
      piece.push(item);
    } else {
      pieces.push([item]);
      bytes = FRAME_BYTES + size;
      passwords = added;
    }
  }
  return pieces;
}
