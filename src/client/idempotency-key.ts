/** Names of requests. `crypto.randomUUID` is missing on pages without TLS. */
const KEY_BYTES = 16;

export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
