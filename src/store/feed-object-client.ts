/** Calls to the object of an account's feed, which holds the log of the account's stream. */
import { type Mode, MODES } from "../core/account.ts";
import type { Unavailable } from "../core/clicks/protocol/link-object-rpc.ts";
import { type LocationHint, regionOf } from "../core/deployment/settings.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { feedName } from "../core/streams/event-log.ts";
import type { FeedEraseResult } from "../core/streams/stream-protocol.ts";
import { UnavailableError, withTimeout } from "./timeout.ts";

const ERASE_TIMEOUT_MS = 10_000;

/** @param near  where the feed is created if this is its first call */
export function feedObject(env: Env, name: string, near?: LocationHint) {
  return env.ACCOUNT_FEED.getByName(name, regionOf(env, near));
}

/**
 * Erases a link's events from the feed. The link's object must be erased first.
 * @throws when the feed cannot be reached, runs another release, or has rows left: the caller retries
 */
export async function eraseFromFeed(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  const feed = feedObject(env, feedName(accountId, mode));
  // An object that runs an earlier release lacks the method, so the call throws too.
  const erase = async (): Promise<FeedEraseResult | Unavailable> => feed.eraseLink({ linkId: id });
  const { kind } = await withTimeout(ERASE_TIMEOUT_MS, erase());
  if (kind !== "erased") throw new UnavailableError(`the feed returned ${kind}`);
}

/** Makes old cursors of a feed that is not in the backup lead to a gap. @throws when the feed cannot be reached */
export async function restoreFeed(env: Env, accountId: string, mode: Mode): Promise<void> {
  const { kind } = await feedObject(env, feedName(accountId, mode)).restore();
  if (kind !== "restored") throw new UnavailableError("the feed runs an earlier release");
}

/** Erases the feeds of a closed account and ends its streams. */
export async function eraseFeeds(env: Env, accountId: string): Promise<void> {
  await Promise.all(MODES.map((mode) => feedObject(env, feedName(accountId, mode)).erase()));
}
