/** Names of requests. `crypto.randomUUID` is missing on pages without TLS. */
import { hexOf } from "../core/encoding/hex.ts";
import type { PostOptions } from "./transport.ts";

const KEY_BYTES = 16;

export function newIdempotencyKey(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/** The caller's own, as an option or as a header. @returns null where there is none */
export function givenIdempotencyKey({ idempotencyKey, headers }: PostOptions): string | null {
  return idempotencyKey ?? new Headers(headers).get("Idempotency-Key");
}
