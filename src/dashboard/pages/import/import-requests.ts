/** The requests of an import under the session, repeated until they are answered or refused. */
import { retryDelayMs } from "../../../core/imports/retry.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { type ApiClient, unwrap } from "../../api/client.ts";
import { newIdempotencyKey } from "../../api/mutations.ts";
import type { ApiCall } from "./import-messages.ts";

/**
 * @param cancelled  ends waits, not requests: one that was sent may have been carried out
 * @param onWait  told before each wait, with its reason and length; null when it is over
 * @throws ApiError where the request has failed for good
 */
export async function sendCall(
  api: ApiClient,
  call: ApiCall,
  signal: AbortSignal,
  cancelled: AbortSignal,
  onWait: (wait: { reason: string; seconds: number } | null) => void,
): Promise<unknown> {
  const idempotencyKey = newIdempotencyKey();
  for (let attempts = 1; ; attempts++) {
    try {
      const value = await send(api, call, idempotencyKey, signal);
      if (attempts > 1) onWait(null);
      return value;
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = error instanceof ApiError ? retryDelayMs(error, attempts, Math.random()) : null;
      if (delayMs === null) throw error;
      onWait({ reason: errorMessage(error), seconds: Math.ceil(delayMs / 1_000) });
      await wait(delayMs, AbortSignal.any([signal, cancelled]));
    }
  }
}

/** All attempts share one `Idempotency-Key`: links whose response was lost are not created twice. */
function send(api: ApiClient, call: ApiCall, idempotencyKey: string, signal: AbortSignal): Promise<unknown> {
  const options = { headers: { "Idempotency-Key": idempotencyKey }, init: { signal } };
  if (call.method === "listLinks") return unwrap(api.links.$get({ query: call.argument }, { init: { signal } }));
  if (call.method === "createLinks") return unwrap(api.links.bulk.$post({ json: { links: call.argument } }, options));
  return unwrap(api.links["bulk-update"].$post({ json: { links: call.argument } }, options));
}

/** Ends at once when the signal does. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
