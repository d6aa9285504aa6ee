/**
 * What one network may ask of the database before anybody has said who they are: made-up keys have a right checksum,
 * and refused tries to sign in cost queries too. Counted in the isolate's memory (store/network-limit.ts).
 */
import { GenerationCache } from "../../core/generation-cache.ts";
import { ApiError } from "../../core/errors.ts";
import { NetworkRateLimit, saltedHash } from "../../store/network-limit.ts";

const FAILED_KEYS_MAX_PER_MINUTE = 100;
/** Far above what the people of an office need, who share an address. */
const SIGN_IN_REQUESTS_MAX_PER_MINUTE = 300;
const KEY_CACHE_MAX_ENTRIES = 5_000;

const failedKeys = new NetworkRateLimit(FAILED_KEYS_MAX_PER_MINUTE);
const signInRequests = new NetworkRateLimit(SIGN_IN_REQUESTS_MAX_PER_MINUTE);

/**
 * Keys that were right when they were last looked up, or are being looked up for the first time; by hash, the key
 * itself is not kept. Nothing is allowed because of it but another look-up.
 */
const keyCache = new GenerationCache<"right" | "asked">(KEY_CACHE_MAX_ENTRIES);

/**
 * Looks a key up, unless too many of this network failed. A key that was right before is looked up in any case:
 * customers share addresses with others. One that is new counts from the start, or as many as are sent at once would
 * pass; one that is new and sent many times at once counts once until it fails.
 * @param find  null when the key is unknown, wrong or revoked
 * @throws ApiError rate_limited
 */
export async function limitedKeyLookup<T>(
  headers: Headers,
  key: string,
  find: () => Promise<T | null>,
): Promise<T | null> {
  const hash = saltedHash(key);
  const isNew = !keyCache.get(hash);
  const askedAt = Date.now();
  if (isNew) {
    throwIfOver(failedKeys, headers, "Too many wrong keys were sent from here within a minute");
    failedKeys.count(headers);
    keyCache.set(hash, "asked");
  }
  try {
    const found = await find();
    if (found) keyCache.set(hash, "right");
    else keyCache.delete(hash);
    if (isNew && found) failedKeys.takeBack(headers, askedAt);
    if (!isNew && !found) failedKeys.count(headers);
    return found;
  } catch (error) {
    // The database gave no answer: nothing was learnt about the key.
    if (keyCache.get(hash) === "asked") keyCache.delete(hash);
    if (isNew) failedKeys.takeBack(headers, askedAt);
    throw error;
  }
}

/** Ahead of the library's own limits, which ask the database about every request. @throws ApiError rate_limited */
export function limitSignInRequest(headers: Headers): void {
  throwIfOver(signInRequests, headers, "Too many requests to sign in were sent from here within a minute");
  signInRequests.count(headers);
}

function throwIfOver(limit: NetworkRateLimit, headers: Headers, message: string): void {
  const seconds = limit.secondsToWait(headers);
  if (seconds > 0) throw new ApiError("rate_limited", message, { retryAfterSeconds: seconds });
}
