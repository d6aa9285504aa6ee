/** How long an isolate keeps a link that it has read, and how much memory all of them may take. Pure. */
export const LINK_CACHE_MAX_AGE_MS = 10_000;
/** From this age on an entry is refreshed in the background, so that a busy link never waits. */
export const LINK_REFRESH_AGE_MS = 5_000;
/** Estimated bytes per generation; the cache holds two at most. */
export const LINK_CACHE_GENERATION_BYTES = 8 * 1024 * 1024;
