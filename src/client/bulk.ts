/** Bulk requests of any length, cut into pieces of what one may hold, which are sent one after the other. */
import { piecesOf } from "../core/links/bulk-pieces.ts";
import { isHoplinkError } from "./errors.ts";
import { givenIdempotencyKey, newIdempotencyKey, type PostOptions, type Transport } from "./transport.ts";

export interface BulkOptions<Result> extends PostOptions {
  /** Called after each piece. When a later one fails, the call throws, and these are done. */
  onResults?: ((results: Result[]) => void) | undefined;
}

export async function sendInPieces<Item, Result>(
  api: Transport,
  path: readonly string[],
  items: readonly Item[],
  { onResults, ...options }: BulkOptions<Result> = {},
  more: object = {},
): Promise<Result[]> {
  const given = givenIdempotencyKey(options);
  const start = given ?? newIdempotencyKey();
  const all: Result[] = [];
  for (const [number, links] of piecesOf(items).entries()) {
    const request = { method: "POST", path, body: { links, ...more } } as const;
    // Called again with the same key and items, it gets the results of the pieces that were done.
    const idempotencyKey = `${start}-${number}`;
    const { results } = await api
      .json<{ results: Result[] }>(request, { ...options, idempotencyKey })
      .catch((error: unknown) => {
        // The answer is too long to be kept for a key, so nothing was done. Of a key of the caller's, it says so.
        const isTooLong = isHoplinkError(error, "quota_exceeded") && error.param === "Idempotency-Key";
        if (!isTooLong || given !== null) throw error;
        return api.json<{ results: Result[] }>({ ...request, isUnkeyed: true }, options);
      });
    onResults?.(results);
    all.push(...results);
  }
  return all;
}
