/** The Cloudflare account of a deployment: login, selection of the account, its plan and workers.dev subdomain. */
import { visibleText } from "../../client/cli/terminal-text.ts";
import { randomText } from "../../core/identifiers.ts";
import { CloudflareApi, CloudflareApiError, unlessCode } from "../cloudflare/api.ts";
import { EXIT, SetupError } from "../command.ts";
import { endOfWrangler, runWrangler, startWrangler } from "../wrangler.ts";
import type { Dialog } from "./dialog.ts";

const NO_SUBDOMAIN_CODES = [10_007, 10_063];
const SUBDOMAIN_TAKEN_CODE = 10_031;
const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUFFIX_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const SUFFIX_CHARS = 6;
const TRIES = 5;
const ACCOUNTS_LISTED_MAX = 50;

interface CloudAccount {
  id: string;
  name: string;
}

/** The account, and Cloudflare's API. */
export interface CloudConnection {
  api: CloudflareApi;
  account: CloudAccount;
}

/**
 * @param known  id of the previously chosen account
 * @throws SetupError if no one is logged in
 */
export async function connectAccount(known: string | null, dialog: Dialog): Promise<CloudConnection> {
  const api = new CloudflareApi(await dialog.step("Cloudflare login", () => signIn(dialog)));
  const choose = () => chooseAccount(api, known, dialog);
  const account = await dialog.step("Account", choose, ({ id, name }) => name || id);
  return { api, account };
}

/** @returns the token for the API */
async function signIn(dialog: Dialog): Promise<string> {
  let token = await storedToken();
  if (token === null && (await dialog.confirm("You are not logged in to Cloudflare. Open the browser now?"))) {
    const code = await endOfWrangler(startWrangler(["login"], "inherit"));
    if (code !== 0) throw new Error("The login was not completed.");
    token = await storedToken();
  }
  if (token !== null) return token;
  dialog.note("");
  throw new SetupError(
    "You are not logged in to Cloudflare: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
    EXIT.questionOpen,
  );
}

/** @returns null if no one is logged in */
async function storedToken(): Promise<string | null> {
  if (process.env.CLOUDFLARE_API_TOKEN) return process.env.CLOUDFLARE_API_TOKEN;
  const printed = await runWrangler(["auth", "token", "--json"]).catch(() => "{}");
  return (JSON.parse(printed) as { token?: string }).token ?? null;
}

async function chooseAccount(api: CloudflareApi, known: string | null, dialog: Dialog): Promise<CloudAccount> {
  const wanted = process.env.CLOUDFLARE_ACCOUNT_ID;
  if (wanted) {
    // The name is only displayed. If there is a problem with the account, the next step fails.
    const found = await api.get<CloudAccount>(`/accounts/${wanted}`).catch(() => null);
    return { id: wanted, name: found?.name ?? "" };
  }
  const accounts = await api.get<CloudAccount[]>(`/accounts?per_page=${ACCOUNTS_LISTED_MAX}`);
  const [first, ...others] = accounts;
  if (!first) throw new SetupError("Cloudflare lists no account for this token. Set CLOUDFLARE_ACCOUNT_ID.");
  if (others.length === 0) return first;
  return accounts.find(({ id }) => id === known) ?? askForAccount(accounts, dialog);
}

async function askForAccount(accounts: readonly CloudAccount[], dialog: Dialog): Promise<CloudAccount> {
  const list = accounts.map(({ id, name }, i) => `  ${i + 1}  ${visibleText(name)} (${id})`).join("\n");
  for (;;) {
    const answer = await dialog.ask(`Which account?\n${list}\nNumber:`, "1");
    if (answer === null)
      throw new SetupError(
        `You have several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of these IDs:\n${list}`,
        EXIT.questionOpen,
      );
    const chosen = accounts[Number(answer) - 1];
    if (chosen) return chosen;
  }
}

/** @returns the account's workers.dev subdomain; null if it has none */
export async function readWorkersDevName({ api, account }: CloudConnection): Promise<string | null> {
  const found = await api.get<{ subdomain?: string }>(subdomainPath(account)).catch(unlessCode(...NO_SUBDOMAIN_CODES));
  return found?.subdomain ?? null;
}

/**
 * @param wanted  the name to register, or `yes` to choose one without asking
 * @returns the account's workers.dev subdomain, registered now if it had none
 */
export async function ensureWorkersDevName(
  cloud: CloudConnection,
  worker: string,
  { workersDev: wanted, yes }: { workersDev?: string | undefined; yes?: true | undefined },
  dialog: Dialog,
): Promise<string> {
  const present = await readWorkersDevName(cloud);
  if (present) return present;
  const ask = (free: string) => dialog.ask("A workers.dev subdomain for this account, for all its Workers:", free);
  for (let tried = 0; tried < TRIES; tried++) {
    // Not derived from the account's name, which is often an email address.
    const free = `${worker}-${randomText(SUFFIX_ALPHABET, crypto.getRandomValues(new Uint32Array(SUFFIX_CHARS)))}`;
    const subdomain = wanted ?? (yes ? free : await ask(free));
    if (subdomain === null)
      throw new SetupError(
        "The account has no workers.dev subdomain. Choose one with --workers-dev NAME, or pass --yes to generate one.",
        EXIT.questionOpen,
      );
    if (!SUBDOMAIN.test(subdomain))
      throw new SetupError(`${subdomain} isn't a valid workers.dev subdomain. Use 1 to 63 of a-z, 0-9 and -.`);
    const unlessTaken = unlessCode(...(wanted === undefined ? [SUBDOMAIN_TAKEN_CODE] : []));
    if (await cloud.api.send("PUT", subdomainPath(cloud.account), { subdomain }).catch(unlessTaken)) return subdomain;
  }
  throw new SetupError("No available workers.dev subdomain was found. Choose one with --workers-dev NAME.");
}

function subdomainPath({ id }: CloudAccount): string {
  return `/accounts/${id}/workers/subdomain`;
}

/** @returns true, false, or null if the token may not read it */
export async function hasPaidPlan({ api, account }: CloudConnection): Promise<boolean | null> {
  const subscriptions = await api
    .get<{ rate_plan?: { id?: string } }[] | null>(`/accounts/${account.id}/subscriptions`)
    .catch(() => null);
  return subscriptions && subscriptions.some(({ rate_plan }) => rate_plan?.id?.startsWith("workers_paid"));
}

/** For `catch` in optional steps. */
export function unlessUnavailable(error: unknown): null {
  if (error instanceof CloudflareApiError && (error.isUnavailable || error.status === 404)) return null;
  throw error;
}
