/** Splits bulk requests of any length into requests within the limits on links, passwords, aliases and bytes. Pure. */
import { BODY_MAX_BYTES, BULK_ALIASES_MAX, BULK_LINKS_MAX, BULK_PASSWORDS_MAX } from "../limits.ts";

/** Size of a body around its items. */
const FRAME_BYTES = 100;

/** @param bodyOf  the part of an item that is sent @returns the items of each request */
export function piecesOf<Item>(items: readonly Item[], bodyOf: (item: Item) => unknown = (item) => item): Item[][] {
  const pieces: Item[][] = [];
  const encoder = new TextEncoder();
  let bytes = Infinity;
  let [passwords, aliases] = [0, 0];
  for (const item of items) {
    const body = bodyOf(item) as { password?: unknown; aliases?: unknown } | null;
    const size = encoder.encode(JSON.stringify(body)).length + 1;
    const added = {
      passwords: body?.password ? 1 : 0,
      aliases: Array.isArray(body?.aliases) ? body.aliases.length : 0,
    };
    bytes += size;
    passwords += added.passwords;
    aliases += added.aliases;
    const piece = pieces.at(-1);
    const isFull = !piece || piece.length >= BULK_LINKS_MAX || bytes > BODY_MAX_BYTES;
    if (isFull || passwords > BULK_PASSWORDS_MAX || aliases > BULK_ALIASES_MAX) {
      pieces.push([item]);
      bytes = FRAME_BYTES + size;
      ({ passwords, aliases } = added);
    } else {
      piece.push(item);
    }
  }
  return pieces;
}
