/** Calls to the object that holds all clicks of an account and mode. */
import { MODES } from "../core/account.ts";
import type {
  AccountClicksAnswer,
  AccountClicksQuestion,
  AccountEraseResult,
  AccountStatsAnswer,
  AccountStatsQuestion,
  ClickedLinksAnswer,
  ClickedLinksRequest,
  ClicksByLinkAnswer,
  ClicksByLinkRequest,
} from "../core/clicks/protocol/account-object-rpc.ts";
import type { Unavailable } from "../core/clicks/protocol/link-object-rpc.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { feedName } from "../core/streams/event-log.ts";
import { UnavailableError, withTimeout } from "./timeout.ts";

/** Longer than the object waits for clicks of links. */
const QUESTION_TIMEOUT_MS = 30_000;
const ERASE_TIMEOUT_MS = 10_000;

/** @throws UnavailableError when the object cannot answer now */
export async function readAccountStats(
  env: Env,
  question: AccountStatsQuestion,
): Promise<Exclude<AccountStatsAnswer, Unavailable | { kind: "busy" }>> {
  const object = env.ACCOUNT_CLICKS.getByName(feedName(question.accountId, question.mode));
  const ask = async (): Promise<AccountStatsAnswer> => object.stats(question);
  return requireAnswer(await withTimeout(QUESTION_TIMEOUT_MS, ask()));
}

/**
 * A page of clicks. A failed request is repeated once: a deployment restarts every object.
 * @throws UnavailableError when the object cannot answer now
 */
export async function readAccountClicks(
  env: Env,
  question: AccountClicksQuestion,
): Promise<Exclude<AccountClicksAnswer, Unavailable | { kind: "busy" }>> {
  const ask = async (): Promise<AccountClicksAnswer> =>
    env.ACCOUNT_CLICKS.getByName(feedName(question.accountId, question.mode)).clicks(question);
  const read = () => withTimeout(QUESTION_TIMEOUT_MS, ask());
  return requireAnswer(await read().catch(read));
}

/** @throws UnavailableError when the object cannot answer now */
export async function readClicksByLink(
  env: Env,
  request: ClicksByLinkRequest,
): Promise<Exclude<ClicksByLinkAnswer, Unavailable | { kind: "busy" }>> {
  const object = env.ACCOUNT_CLICKS.getByName(feedName(request.accountId, request.mode));
  const ask = async (): Promise<ClicksByLinkAnswer> => object.clicksByLink(request);
  return requireAnswer(await withTimeout(QUESTION_TIMEOUT_MS, ask()));
}

/** Which of some links people have clicked. @throws UnavailableError when the object cannot answer now */
export async function findClickedLinks(env: Env, request: ClickedLinksRequest): Promise<string[]> {
  const object = env.ACCOUNT_CLICKS.getByName(feedName(request.accountId, request.mode));
  const ask = async (): Promise<ClickedLinksAnswer> => object.clickedLinks(request);
  return requireAnswer(await withTimeout(QUESTION_TIMEOUT_MS, ask())).ids;
}

function requireAnswer<T extends { kind: string }>(answer: T): Exclude<T, Unavailable | { kind: "busy" }> {
  if (answer.kind === "busy") throw new UnavailableError("too many questions wait for the clicks of this account");
  if (answer.kind === "unavailable") throw new UnavailableError("the clicks of this account cannot be read");
  return answer as Exclude<T, Unavailable | { kind: "busy" }>;
}

/**
 * Erases a link's clicks from the account's. The link's object must be erased first.
 * @throws when the object cannot be reached, or is not done yet: the caller retries
 */
export async function eraseFromAccountClicks(env: Env, { accountId, mode, id }: LinkSnapshot): Promise<void> {
  const object = env.ACCOUNT_CLICKS.getByName(feedName(accountId, mode));
  const erase = async (): Promise<AccountEraseResult> => object.eraseLink({ linkId: id });
  const { kind } = await withTimeout(ERASE_TIMEOUT_MS, erase());
  if (kind !== "erased") throw new UnavailableError(`the account's object answered ${kind}`);
}

/** Erases the clicks of a closed account. */
export async function eraseAccountClicks(env: Env, accountId: string): Promise<void> {
  await Promise.all(MODES.map((mode) => env.ACCOUNT_CLICKS.getByName(feedName(accountId, mode)).erase()));
}
