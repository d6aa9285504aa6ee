/** Calls to the objects of an account: the one that holds its clicks, and the one that holds the log of its stream. */
import { type Mode, MODES } from "../core/account.ts";
import { BUCKETS_MAX } from "../core/clicks/counting/groupings.ts";
import type { AccountStatsRequest } from "../core/clicks/counting/stats.ts";
import { byClicksThenKey } from "../core/clicks/counting/tally.ts";
import { NONE_KEY } from "../core/clicks/facts.ts";
import type {
  AccountAnswer,
  AccountClicksRequest,
  AccountQuestion,
  AccountQuestions,
} from "../core/clicks/protocol/account-object-rpc.ts";
import type { Busy, Unavailable } from "../core/clicks/protocol/link-object-rpc.ts";
import { type LocationHint, regionOf } from "../core/deployment/settings.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { feedName } from "../core/streams/event-log.ts";
import type { Caller } from "./accounts/api-keys.ts";
import { countTagChanges, readTagNames } from "./links/tags.ts";
import { BusyError, UnavailableError, withTimeout } from "./timeout.ts";

type AccountObjectStub = ReturnType<Env["ACCOUNT_CLICKS"]["getByName"]>;

function accountObject(env: Env, accountId: string, mode: Mode): AccountObjectStub {
  return env.ACCOUNT_CLICKS.getByName(feedName(accountId, mode), regionOf(env));
}

/** Longer than the object waits for clicks of links. */
const QUESTION_TIMEOUT_MS = 30_000;
const ERASE_TIMEOUT_MS = 10_000;

type AccountAnswers = {
  [M in keyof AccountQuestions]: (request: AccountQuestions[M][0]) => Promise<AccountQuestions[M][1]>;
};

/**
 * Queries an account's object.
 * @throws UnavailableError when it cannot answer
 * @throws BusyError while it reads for others
 */
function question<M extends keyof AccountQuestions & keyof AccountObjectStub>(method: M) {
  type Answer = AccountQuestions[M][1];
  return async (env: Env, request: AccountQuestions[M][0]): Promise<Exclude<Answer, Unavailable | Busy>> => {
    const object = accountObject(env, request.accountId, request.mode);
    const ask = async (): Promise<Answer> => (object as unknown as AccountAnswers)[method](request);
    const answer = await withTimeout(QUESTION_TIMEOUT_MS, ask());
    if (answer.kind === "busy" || answer.kind === "packing") throw new BusyError(answer.kind);
    if (answer.kind === "unavailable") throw new UnavailableError("the clicks of this account cannot be read");
    return answer as Exclude<Answer, Unavailable | Busy>;
  };
}

const askAccountStats = question("stats");
export const readClicksByLink = question("clicksByLink");
/** Finds the given links that have human clicks. */
export const findClickedLinks = question("clickedLinks");

const clicksPage = question("clicks");

/** Reads a page of clicks. Retries once: a deployment restarts every object. */
function readAccountClicks(env: Env, request: AccountQuestion<"clicks">): ReturnType<typeof clicksPage> {
  const read = () => clicksPage(env, request);
  return read().catch((error: unknown) => {
    if (error instanceof BusyError) throw error;
    return read();
  });
}

/** @throws when an object cannot be reached, runs another release, or has not finished: the caller retries */
async function requireErased(erase: () => Promise<{ kind: string }>): Promise<void> {
  const { kind } = await withTimeout(ERASE_TIMEOUT_MS, erase());
  if (kind !== "erased") throw new UnavailableError(`the object returned ${kind}`);
}

/** Erases a link's clicks from the account's. The link's object must be erased first. @throws like `requireErased` */
export async function eraseFromAccountClicks(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  await requireErased(async () => accountObject(env, accountId, mode).eraseLink({ linkId: id }));
}

/**
 * Lets an account's object draw links again whose own logs have lost clicks. Their later results lack these clicks.
 * @throws like `requireErased`
 */
export async function redrawLinks(
  env: Env,
  { accountId, mode }: Caller,
  links: readonly LinkSnapshot[],
): Promise<void> {
  const named = links.map(({ id, domain, slug, objectName }) => {
    return { id, domain, slug, ...(objectName !== undefined && { objectName }) };
  });
  await requireErased(async () => accountObject(env, accountId, mode).redrawLinks({ links: named }));
}

/** Erases the clicks of a closed account. */
export async function eraseAccountClicks(env: Env, accountId: string): Promise<void> {
  await Promise.all(MODES.map((mode) => accountObject(env, accountId, mode).erase()));
}

/**
 * Statistics and clicks of all links of an account and mode, which the account's object has. The links' current tags
 * are in the database. Requests carry the count of tag changes, so the object knows whether it has read the latest.
 */

type Answer = Awaited<ReturnType<typeof askAccountStats>>;
type AccountStatsData = Extract<AccountAnswer<"stats">, { kind: "stats" }>;

/**
 * Buckets of `tag` have tags as last typed.
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
  // What exceeds the maximum number of buckets stays last.
  const listed = named.slice(0, BUCKETS_MAX).sort(byClicksThenKey);
  return { ...stats, buckets: [...listed, ...named.slice(BUCKETS_MAX)] };
}

/** Reads a page of the requested clicks. */
export type ReadAccountPage = (
  request: Pick<AccountClicksRequest, "after" | "limit" | "end">,
) => ReturnType<typeof readAccountClicks>;

/**
 * Filters all pages by the tags at one point in time, as far as the account's object has read them.
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

/** @param near  where the feed is created if this is its first call */
export function feedObject(env: Env, name: string, near?: LocationHint) {
  return env.ACCOUNT_FEED.getByName(name, regionOf(env, near));
}

/** Erases a link's events from the feed. The link's object must be erased first. @throws like `requireErased` */
export async function eraseFromFeed(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  // An object that runs an earlier release lacks the method, so the call throws too.
  await requireErased(async () => feedObject(env, feedName(accountId, mode)).eraseLink({ linkId: id }));
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
