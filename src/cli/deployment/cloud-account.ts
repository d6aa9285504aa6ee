/** The Cloudflare account that a deployment goes to: which one, and its name under workers.dev. */
import { randomText } from "../../core/identifiers.ts";
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import { escapeControls } from "../report.ts";
import type { Questions } from "./questions.ts";
import { EXIT, SetupError } from "./setup-error.ts";

const NO_SUBDOMAIN_CODES = new Set([10_007, 10_063]);
const SUBDOMAIN_TAKEN_CODE = 10_031;
const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUFFIX_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const SUFFIX_CHARS = 6;
const TRIES = 5;
const ACCOUNTS_PER_PAGE = 50;

export interface CloudAccount {
  id: string;
  name: string;
}

/**
 * @param known  id of the account where the deployment was made from here, which is not asked for again
 * @param wanted  id of another
 */
export async function chooseAccount(
  api: CloudflareApi,
  known: string | null,
  questions: Questions,
  wanted = process.env.CLOUDFLARE_ACCOUNT_ID,
): Promise<CloudAccount> {
  if (wanted) {
    // Its name is for the progress alone; what is wrong with the account shows in the next step.
    const found = await api.get<CloudAccount>(`/accounts/${wanted}`).catch(() => null);
    return { id: wanted, name: found?.name ?? "" };
  }
  const accounts = await listAccounts(api);
  const [first, ...others] = accounts;
  if (!first) throw new SetupError("The token belongs to no account. Set CLOUDFLARE_ACCOUNT_ID to the account's id.");
  if (others.length === 0) return first;
  return accounts.find(({ id }) => id === known) ?? askForAccount(accounts, questions);
}

async function listAccounts(api: CloudflareApi): Promise<CloudAccount[]> {
  const accounts: CloudAccount[] = [];
  for (let page = 1; ; page++) {
    const next = await api.get<CloudAccount[]>(`/accounts?per_page=${ACCOUNTS_PER_PAGE}&page=${page}`);
    accounts.push(...next);
    if (next.length < ACCOUNTS_PER_PAGE) return accounts;
  }
}

async function askForAccount(accounts: readonly CloudAccount[], questions: Questions): Promise<CloudAccount> {
  const list = accounts.map(({ id, name }, i) => `  ${i + 1}  ${escapeControls(name)} (${id})`).join("\n");
  for (;;) {
    const answer = await questions.ask(`Which account?\n${list}\nNumber:`, "1");
    if (answer === null)
      throw new SetupError(
        `There are several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of these ids:\n${list}`,
        EXIT.questionOpen,
      );
    const chosen = accounts[Number(answer) - 1];
    if (chosen) return chosen;
  }
}

/** @returns the account's name under workers.dev, chosen now where there was none */
export async function ensureWorkersDevName(
  api: CloudflareApi,
  account: CloudAccount,
  { wanted, worker, mayChoose }: { wanted: string | undefined; worker: string; mayChoose: boolean },
  questions: Questions,
): Promise<string> {
  const path = `/accounts/${account.id}/workers/subdomain`;
  const present = await api.get<{ subdomain: string }>(path).catch((error: unknown) => {
    if (error instanceof CloudflareApiError && NO_SUBDOMAIN_CODES.has(error.code)) return null;
    throw error;
  });
  if (present?.subdomain) return present.subdomain;
  for (let tried = 0; tried < TRIES; tried++) {
    const name = await subdomainToTry(wanted, worker, mayChoose, questions);
    if (!SUBDOMAIN.test(name))
      throw new SetupError(`${name} cannot be a name under workers.dev: 1 to 63 of a-z, 0-9 and -.`);
    const made = await api.send<{ subdomain: string }>("PUT", path, { subdomain: name }).catch((error: unknown) => {
      if (error instanceof CloudflareApiError && isTaken(error) && wanted === undefined) return null;
      throw error;
    });
    if (made) return made.subdomain ?? name;
  }
  throw new SetupError("No free name under workers.dev was found. Choose one with --workers-dev NAME.");
}

async function subdomainToTry(
  wanted: string | undefined,
  worker: string,
  mayChoose: boolean,
  questions: Questions,
): Promise<string> {
  if (wanted !== undefined) return wanted;
  // Not after the account, whose name often is an e-mail address.
  const suffix = randomText(SUFFIX_ALPHABET, crypto.getRandomValues(new Uint32Array(SUFFIX_CHARS)));
  const free = `${worker.replaceAll(/[^a-z0-9-]/g, "-")}-${suffix}`;
  const answer = mayChoose
    ? free
    : await questions.ask("A name for this account under workers.dev, for all its Workers:", free);
  if (answer !== null) return answer;
  throw new SetupError(
    "The account has no name under workers.dev. Choose one with --workers-dev NAME, or let --yes choose.",
    EXIT.questionOpen,
  );
}

function isTaken({ status, code }: CloudflareApiError): boolean {
  return status === 409 || code === SUBDOMAIN_TAKEN_CODE;
}

/** @returns true, false, or null where the token may not read it */
export async function hasPaidPlan(api: CloudflareApi, { id }: CloudAccount): Promise<boolean | null> {
  const subscriptions = await api
    .get<{ rate_plan?: { id?: string } }[] | null>(`/accounts/${id}/subscriptions`)
    .catch(() => null);
  if (!Array.isArray(subscriptions)) return null;
  return subscriptions.some(({ rate_plan }) => rate_plan?.id?.startsWith("workers_paid"));
}

/** For what is not indispensable. */
export function unlessUnavailable(error: unknown): null {
  if (error instanceof CloudflareApiError && (error.isUnavailable || error.status === 404)) return null;
  throw error;
}
