/** Bulk requests of any length, cut into pieces of what one may hold, which are sent one after the other. */
import { BODY_MAX_BYTES, BULK_LINKS_MAX } from "../core/limits.ts";

import { givenIdempotencyKey, newIdempotencyKey, type PostOptions, type Transport } from "./transport.ts";

export interface BulkOptions<Result> extends PostOptions {
  /** Called after each piece. When a later one fails, the call throws, and these are done. */
  onResults?: ((results: Result[]) => void) | undefined;
}

/** What a body has around its items. */
const FRAME_BYTES = 100;

export async function sendInPieces<Item, Result>(
  api: Transport,
  path: readonly string[],
  items: readonly Item[],
  { onResults, ...options }: BulkOptions<Result> = {},
  more: object = {},
): Promise<Result[]> {
  const start = givenIdempotencyKey(options) ?? newIdempotencyKey();
  const all: Result[] = [];
  for (const [number, links] of piecesOf(items).entries()) {
    const request = { method: "POST", path, body: { links, ...more } } as const;
    // Called again with the same key and items, it gets the results of the pieces that were done.
    const idempotencyKey = `${start}-${number}`;
    const { results } = await api.json<{ results: Result[] }>(request, { ...options, idempotencyKey });
    onResults?.(results);
    all.push(...results);
  }
  return all;
}

/** @param bodyOf  what is sent of an item @returns the items of one request each */
export function piecesOf<Item>(items: readonly Item[], bodyOf: (item: Item) => unknown = (item) => item): Item[][] {
  const pieces: Item[][] = [];
  const encoder = new TextEncoder();
  let bytes = Infinity;
  for (const item of items) {
    const size = encoder.encode(JSON.stringify(bodyOf(item))).length + 1;
    bytes += size;
    const piece = pieces.at(-1);
    if (piece && piece.length < BULK_LINKS_MAX && bytes <= BODY_MAX_BYTES) {
      piece.push(item);
    } else {
      pieces.push([item]);
      bytes = FRAME_BYTES + size;
    }
  }
  return pieces;
}
