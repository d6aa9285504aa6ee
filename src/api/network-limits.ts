/**
 * What one network may ask of the database before anybody has said who they are: made-up keys have a right checksum,
 * and refused tries to sign in cost queries too. Counted in the isolate's memory (store/network-limit.ts).
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { ApiError } from "../core/errors.ts";
import { NetworkLimit, saltedHash } from "../store/network-limit.ts";

export const FAILED_KEYS_MAX = 100;
/** Far above what the people of an office need, who share an address. */
export const SIGN_IN_REQUESTS_MAX = 300;
const KEYS_REMEMBERED = 5_000;

const failedKeys = new NetworkLimit(FAILED_KEYS_MAX);
const signInRequests = new NetworkLimit(SIGN_IN_REQUESTS_MAX);

/**
 * Keys that were right when they were last looked up, or are being looked up for the first time; by hash, the key
 * itself is not kept. Nothing is allowed because of it but another look-up.
 */
const keys = new GenerationCache<"right" | "asked">(KEYS_REMEMBERED);

/**
 * Looks a key up, unless too many of this network failed. A key that was right before is looked up in any case:
 * customers share addresses with others. One that is new counts from the start, or as many as are sent at once would
 * pass; one that is new and sent many times at once counts once until it fails.
 * @param find  null when the key is unknown, wrong or revoked
 * @throws ApiError rate_limited
 */
export async function findKey<T>(headers: Headers, key: string, find: () => Promise<T | null>): Promise<T | null> {
  const hash = saltedHash(key);
  const isNew = !keys.get(hash);
  const askedAt = Date.now();
  if (isNew) {
    refuseOver(failedKeys, headers, "Too many wrong keys were sent from here within a minute");
    failedKeys.count(headers);
    keys.set(hash, "asked");
  }
  try {
    const found = await find();
    if (found) keys.set(hash, "right");
    else keys.delete(hash);
    if (isNew && found) failedKeys.takeBack(headers, askedAt);
    if (!isNew && !found) failedKeys.count(headers);
    return found;
  } catch (error) {
    // The database gave no answer: nothing was learnt about the key.
    if (keys.get(hash) === "asked") keys.delete(hash);
    if (isNew) failedKeys.takeBack(headers, askedAt);
    throw error;
  }
}

/** Ahead of the library's own limits, which ask the database about every request. @throws ApiError rate_limited */
export function countSignInRequest(headers: Headers): void {
  refuseOver(signInRequests, headers, "Too many requests to sign in were sent from here within a minute");
  signInRequests.count(headers);
}

function refuseOver(limit: NetworkLimit, headers: Headers, message: string): void {
  const seconds = limit.secondsToWait(headers);
  if (seconds > 0) throw new ApiError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
}
