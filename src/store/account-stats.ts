/**
 * Statistics and clicks of all links of an account and mode. The account's object has them; what tags its links have now is
 * in the database, and the object is told whether it has read the last of them.
 */
import type { AccountClicksRequest, AccountStatsAnswer } from "../core/clicks/protocol/account-object-rpc.ts";
import type { AccountStatsRequest } from "../core/clicks/counting/stats.ts";
import { NONE_KEY } from "../core/clicks/facts.ts";
import { BUCKETS_MAX } from "../core/clicks/counting/groupings.ts";
import { byClicksThenKey } from "../core/clicks/counting/tally.ts";
import { askAccountStats, readAccountClicks } from "./account-object-client.ts";
import type { Caller } from "./accounts/caller.ts";
import { countTagChanges, readTagNames } from "./links/tags.ts";

type Answer = Awaited<ReturnType<typeof askAccountStats>>;
type AccountStatsData = Extract<AccountStatsAnswer, { kind: "stats" }>;

/**
 * Buckets of `tag` have tags as they were typed last.
 * @throws UnavailableError when the object cannot answer now
 */
export async function readAccountStats(env: Env, caller: Caller, request: AccountStatsRequest): Promise<Answer> {
  const { accountId, mode } = caller;
  const hasTags = request.groupBy === "tag" || filtersTags(request);
  const tagChanges = hasTags ? await countTagChanges(env, accountId) : null;
  const answer = await askAccountStats(env, { accountId, mode, request, tagChanges });
  return answer.kind === "stats" && request.groupBy === "tag" ? withTagNames(env, caller, answer) : answer;
}

async function withTagNames(env: Env, caller: Caller, stats: AccountStatsData): Promise<AccountStatsData> {
  const keys = stats.buckets.map(({ key }) => key).filter((key) => key !== NONE_KEY);
  const names = keys.length > 0 ? await readTagNames(env, caller, keys) : new Map<string, string>();
  const named = stats.buckets.map((bucket) => ({ ...bucket, key: names.get(bucket.key) ?? bucket.key }));
  // What does not fit among them stays last.
  const listed = named.slice(0, BUCKETS_MAX).sort(byClicksThenKey);
  return { ...stats, buckets: [...listed, ...named.slice(BUCKETS_MAX)] };
}

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
  const tagChanges = filtersTags(wanted) ? await countTagChanges(env, accountId) : null;
  return (request) => readAccountClicks(env, { accountId, mode, tagChanges, request: { ...wanted, ...request } });
}

function filtersTags({ filters = [] }: { filters?: readonly { grouping: string }[] }): boolean {
  return filters.some(({ grouping }) => grouping === "tag");
}
