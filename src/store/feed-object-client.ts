/** Calls to the feed of an account: the object that has the log of the account's stream. */
import { MODES } from "../core/account.ts";
import type { Unavailable } from "../core/clicks/link-object-rpc.ts";

import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { feedName } from "../core/streams/event-log.ts";
import type { FeedEraseResult } from "../core/streams/stream-protocol.ts";
import { UnavailableError, withTimeout } from "./timeout.ts";

const ERASE_TIMEOUT_MS = 10_000;

/**
 * Has the feed forget a link whose object was erased.
 * @throws when it cannot be reached, is of another release, or has not got to the end: it is to be called again
 */
export async function eraseFromFeed(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  const feed = env.ACCOUNT_FEED.getByName(feedName(accountId, mode));
  // An object of an earlier release does not have the method: that throws too.
  const erase = async (): Promise<FeedEraseResult | Unavailable> => feed.eraseLink({ linkId: id });
  const { kind } = await withTimeout(ERASE_TIMEOUT_MS, erase());
  if (kind !== "erased") throw new UnavailableError(`the feed answered ${kind}`);
}

/** Has the feeds of a closed account erase all that they store, and end its streams. */
export async function eraseFeeds(env: Env, accountId: string): Promise<void> {
  await Promise.all(MODES.map((mode) => env.ACCOUNT_FEED.getByName(feedName(accountId, mode)).erase()));
}
