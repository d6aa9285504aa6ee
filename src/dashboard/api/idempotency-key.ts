/** A new value for `Idempotency-Key`. Browsers have `crypto.randomUUID` over HTTPS alone. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
