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

type AccountObjectStub = ReturnType<Env["ACCOUNT_CLICKS"]["getByName"]>;

/** Longer than the object waits for clicks of links. */
const QUESTION_TIMEOUT_MS = 30_000;
const ERASE_TIMEOUT_MS = 10_000;

/** What is asked of an account's clicks, by method of its object: the request, and the answer. */
interface AccountQuestions {
  stats: [AccountStatsQuestion, AccountStatsAnswer];
  clicks: [AccountClicksQuestion, AccountClicksAnswer];
  clicksByLink: [ClicksByLinkRequest, ClicksByLinkAnswer];
  clickedLinks: [ClickedLinksRequest, ClickedLinksAnswer];
}

type AccountAnswers = {
  [M in keyof AccountQuestions]: (request: AccountQuestions[M][0]) => Promise<AccountQuestions[M][1]>;
};

/** Asks an account's object. @throws UnavailableError when the object cannot answer now */
function question<M extends keyof AccountQuestions & keyof AccountObjectStub>(method: M) {
  type Answer = AccountQuestions[M][1];
  return async (
    env: Env,
    request: AccountQuestions[M][0],
  ): Promise<Exclude<Answer, Unavailable | { kind: "busy" }>> => {
    const object = env.ACCOUNT_CLICKS.getByName(feedName(request.accountId, request.mode));
    const ask = async (): Promise<Answer> => (object as unknown as AccountAnswers)[method](request);
    const answer = await withTimeout(QUESTION_TIMEOUT_MS, ask());
    if (answer.kind === "busy") throw new UnavailableError("too many questions wait for the clicks of this account");
    if (answer.kind === "unavailable") throw new UnavailableError("the clicks of this account cannot be read");
    return answer as Exclude<Answer, Unavailable | { kind: "busy" }>;
  };
}

export const askAccountStats = question("stats");
export const readClicksByLink = question("clicksByLink");
/** Which of some links people have clicked. */
export const findClickedLinks = question("clickedLinks");

const clicksPage = question("clicks");

/** A page of clicks. A failed request is repeated once: a deployment restarts every object. */
export function readAccountClicks(env: Env, request: AccountClicksQuestion): ReturnType<typeof clicksPage> {
  const read = () => clicksPage(env, request);
  return read().catch(read);
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
