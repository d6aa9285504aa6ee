/**
 * Limits the database queries that one network causes before it is authenticated: forged keys can have a valid
 * checksum, and refused sign-ins cost queries too. Counted in the isolate's memory (store/network-limit.ts).
 */
import { GenerationCache } from "../../core/memory/generation-cache.ts";
import { ApiError } from "../../core/errors.ts";
import { NetworkRateLimit, saltedHash } from "../../store/network-limit.ts";

const FAILED_KEYS_MAX_PER_MINUTE = 100;
/** Far above what an office needs whose people share one address. */
const SIGN_IN_REQUESTS_MAX_PER_MINUTE = 300;
/** A person mistypes a password more often than that only with a program's help. */
const SETUP_REQUESTS_MAX_PER_MINUTE = 20;
const KEY_CACHE_MAX_ENTRIES = 5_000;

const failedKeys = new NetworkRateLimit(FAILED_KEYS_MAX_PER_MINUTE);
const setupRequests = new NetworkRateLimit(SETUP_REQUESTS_MAX_PER_MINUTE);
const signInRequests = new NetworkRateLimit(SIGN_IN_REQUESTS_MAX_PER_MINUTE);

/**
 * Keys that were valid at their last look-up, or whose first one is in flight; by hash, so that no key is kept. An
 * entry grants nothing but another look-up.
 */
const keyCache = new GenerationCache<"valid" | "pending">(KEY_CACHE_MAX_ENTRIES);

/**
 * Looks a key up, unless too many of this network failed. A key that was valid before is looked up in any case, because
 * customers share addresses with attackers. An unknown key is counted as a failure before its look-up and refunded if it
 * proves valid; otherwise any number sent concurrently would pass. Concurrent look-ups of the same unknown key count
 * once, until one fails.
 * @param find  returns null when the key is unknown, wrong or revoked
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
    keyCache.set(hash, "pending");
  }
  try {
    const found = await find();
    if (found) keyCache.set(hash, "valid");
    else keyCache.delete(hash);
    if (isNew && found) failedKeys.takeBack(headers, askedAt);
    if (!isNew && !found) failedKeys.count(headers);
    return found;
  } catch (error) {
    // The look-up failed, so the key may still be valid.
    if (keyCache.get(hash) === "pending") keyCache.delete(hash);
    if (isNew) failedKeys.takeBack(headers, askedAt);
    throw error;
  }
}

/** Runs before better-auth's own limits, which query the database for every request. @throws ApiError rate_limited */
export function limitSignInRequest(headers: Headers): void {
  throwIfOver(signInRequests, headers, "Too many requests to sign in were sent from here within a minute");
  signInRequests.count(headers);
}

/** @throws ApiError rate_limited */
export function limitSetupRequest(headers: Headers): void {
  throwIfOver(setupRequests, headers, "Too many tries were made from here within a minute");
  setupRequests.count(headers);
}

function throwIfOver(limit: NetworkRateLimit, headers: Headers, message: string): void {
  const seconds = limit.secondsToWait(headers);
  if (seconds > 0) throw new ApiError("rate_limited", message, { retryAfterSeconds: seconds });
}
