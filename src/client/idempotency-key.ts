/** Names of requests. `crypto.randomUUID` is missing on pages without TLS. */
import { hexOf } from "../core/hex.ts";

const KEY_BYTES = 16;

export function newIdempotencyKey(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}
