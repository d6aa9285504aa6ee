/**
 * Splits bulk requests of any length into requests within the limits on links, passwords, aliases and bytes. Computes
 * the cost of a bulk request, which counts against its account's limits (store/accounts/quotas.ts). Pure.
 */
import {
  BODY_MAX_BYTES,
  BULK_ALIASES_MAX,
  BULK_LINKS_MAX,
  BULK_LINKS_PER_PASSWORD,
  BULK_PASSWORDS_MAX,
  IMPORT_BYTES_PER_BULK_LINK,
  IMPORT_CLICKS_PER_BULK_LINK,
  TAGS_PER_BULK_LINK,
} from "../limits.ts";

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

/**
 * Cost in links.
 * @param sent  items of the request, including refused ones
 * @param tags  changed tags: each is a row
 * @param passwords  new passwords: each takes CPU time
 * @param aliases  changed aliases
 */
export function bulkCost(sent: number, tags: number, passwords: number, aliases: number): number {
  return sent + Math.floor(tags / TAGS_PER_BULK_LINK) + BULK_LINKS_PER_PASSWORD * passwords + aliases;
}

/** Cost in links of a request that imports clicks. @param chars  of its body */
export function importCost(clicks: number, chars: number): number {
  return 1 + Math.floor(Math.max(clicks / IMPORT_CLICKS_PER_BULK_LINK, chars / IMPORT_BYTES_PER_BULK_LINK));
}

/** Number of removed and added tags. Compared as typed, because a new spelling is also written. */
export function countChangedTags(before: readonly string[], after: readonly string[]): number {
  const [old, present] = [new Set(before), new Set(after)];
  return [...old, ...present].filter((tag) => !old.has(tag) || !present.has(tag)).length;
}
