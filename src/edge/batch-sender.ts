/**
 * Sends a batch of clicks to its link's object, with the link's snapshot unless the object has acknowledged it. A newer
 * revision in the reply updates the isolate's cache of links. Retries and delays are decided by `recorder.ts`.
 */
import type { QueuedBatch } from "../core/clicks/click-queue.ts";
import type { LocationHint } from "../core/deployment/location-hint.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { recordBatch } from "../store/link-object-client.ts";
import { UnavailableError, withTimeout } from "../store/timeout.ts";
import { updateCachedLink } from "./link-lookup.ts";

export const RPC_TIMEOUT_MS = 5_000;

/** Snapshots that their object has acknowledged. */
const acknowledgedSnapshots = new WeakSet<LinkSnapshot>();

/**
 * @param locationHint  where the link's object is made if this is its first call
 * @returns the delay that the object asks for, ms; undefined from an object of an earlier release
 * @throws when the batch may not be stored: the caller retries with the same id
 */
export async function sendBatch(
  env: Env,
  { link, batch }: QueuedBatch,
  locationHint: LocationHint | undefined,
): Promise<number | undefined> {
  const optimistic = acknowledgedSnapshots.has(link) ? batch : { ...batch, snapshot: link };
  let recorded = await withTimeout(RPC_TIMEOUT_MS, recordBatch(env, link, optimistic, locationHint));
  if (recorded.kind === "snapshot_missing") {
    recorded = await withTimeout(RPC_TIMEOUT_MS, recordBatch(env, link, { ...batch, snapshot: link }, locationHint));
  }
  // Also `too_new`, from an object that runs an earlier release than this Worker, or than its own storage.
  if (recorded.kind !== "recorded") throw new Error(`the object refused a batch: ${recorded.kind}`);
  acknowledgedSnapshots.add(link);
  if (recorded.newer) updateCachedLink(recorded.newer);
  return recorded.gatherMs;
}

/**
 * Whether a call failed because the object has more calls than it can serve. A timeout counts: a retry adds to them.
 */
export function isOverloaded(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}
