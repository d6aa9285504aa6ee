/** Bulk requests of any length, split into requests of the permitted size and sent one after the other. */
import { piecesOf } from "../core/links/bulk-pieces.ts";
import { isHoplinkError } from "./errors.ts";
import { givenIdempotencyKey, newIdempotencyKey, type PostOptions, type Transport } from "./transport.ts";

export interface BulkOptions<Result> extends PostOptions {
  /** Called after each request. If a later request fails, the call throws, but these results stand. */
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
    // A second call with the same key and items gets the stored results of the requests that succeeded.
    const idempotencyKey = `${start}-${number}`;
    const { results } = await api
      .json<{ results: Result[] }>(request, { ...options, idempotencyKey })
      .catch((error: unknown) => {
        // The response is too long to store for a key, so nothing was done. Callers who chose the key get the error.
        const isTooLong = isHoplinkError(error, "quota_exceeded") && error.param === "Idempotency-Key";
        if (!isTooLong || given !== null) throw error;
        return api.json<{ results: Result[] }>({ ...request, isUnkeyed: true }, options);
      });
    onResults?.(results);
    all.push(...results);
  }
  return all;
}
