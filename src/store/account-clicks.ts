/** The clicks of all links of an account and mode. What tags its links have now is in the database, not in its object. */
import type { AccountClicksRequest } from "../core/clicks/protocol/account-object-rpc.ts";
import { readAccountClicks } from "./account-object-client.ts";
import type { Caller } from "./accounts/caller.ts";
import { countTagChanges } from "./links/tags.ts";

/** A page of the clicks that a request asks for. */
export type ReadAccountPage = (
  request: Pick<AccountClicksRequest, "after" | "limit" | "end">,
) => ReturnType<typeof readAccountClicks>;

/**
 * All pages are filtered by tags of one state, as far as the account's object has read them.
 * @returns reads a page. @throws UnavailableError when the object cannot answer now
 */
export async function openAccountClicks(
  env: Env,
  { accountId, mode }: Caller,
  wanted: Omit<AccountClicksRequest, "after" | "limit" | "end">,
): Promise<ReadAccountPage> {
  const hasTags = wanted.filters?.some(({ grouping }) => grouping === "tag") ?? false;
  const tagChanges = hasTags ? await countTagChanges(env, accountId) : null;
  return (request) => readAccountClicks(env, { accountId, mode, tagChanges, request: { ...wanted, ...request } });
}
