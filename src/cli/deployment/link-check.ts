/**
 * Shows that a deployment works as its users would: waits until it serves, makes a link through the API, follows it and
 * deletes it. The account of the check stays, without a key.
 */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import { createAccount, findAccountByEmail } from "../../store/accounts/accounts.ts";
import { issueKeyText, listKeys, revokeAccountKey } from "../../store/accounts/api-keys.ts";
import { type HostReply, type HostRequest, requestHost } from "./host-request.ts";
import { SetupError } from "./setup-error.ts";

type Database = Pick<Env, "DB">;

const DESTINATION = "https://example.com/";
const SERVES_MS = 300_000;
const NOTE_EVERY_MS = 15_000;
const POLL_MS = 1_000;

/** @param note  told from time to time what is waited for */
export async function waitUntilServing(baseUrl: string, note: (text: string) => void): Promise<void> {
  const begun = performance.now();
  let noted = begun;
  let last = "no answer";
  while (performance.now() - begun < SERVES_MS) {
    const reply = await requestHost(`${baseUrl}/health`).catch((error: unknown) => {
      last = error instanceof Error ? error.message : String(error);
      return null;
    });
    if (reply?.status === 200) return;
    if (reply) last = outlineOf(reply);
    if (performance.now() - noted > NOTE_EVERY_MS) {
      noted = performance.now();
      note(`still waiting for ${baseUrl} (${Math.round((noted - begun) / 1_000)} s; ${last})`);
    }
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new SetupError(
    `${baseUrl} does not serve yet (${last}). New names and certificates can take a while: run this again in some minutes.`,
  );
}

/**
 * @param headers  that each request has
 * @returns the short URL that was followed
 */
export async function followNewLink(
  database: Database,
  baseUrl: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const account =
    (await createAccount(database, SETUP_CHECK_EMAIL, "free")) ??
    (await findAccountByEmail(database, SETUP_CHECK_EMAIL));
  if (!account) throw new SetupError("The account of the check is missing: run this again.");
  const key = await issueKeyText(database, account.id, "live", "Setup check");
  try {
    return await followLink(baseUrl, key, headers);
  } finally {
    for (const { id } of await listKeys(database, account.id)) await revokeAccountKey(database, account.id, id);
  }
}

async function followLink(baseUrl: string, key: string, extra: Record<string, string>): Promise<string> {
  const call = (method: string, path: string, body?: object) =>
    request(`${baseUrl}${path}`, {
      method,
      headers: { ...extra, Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const created = await call("POST", "/v1/links", { url: DESTINATION });
  expectReply("POST /v1/links", created, 201);
  const link = JSON.parse(created.body) as { id: string; short_url: string };
  try {
    const visited = await request(link.short_url, { headers: extra });
    expectReply(`GET ${link.short_url}`, visited, 302);
    if (visited.location !== DESTINATION)
      throw new SetupError(`${link.short_url} leads to ${visited.location} instead of ${DESTINATION}.`);
  } finally {
    await call("DELETE", `/v1/links/${link.id}`);
  }
  return link.short_url;
}

async function request(url: string, init?: HostRequest): Promise<HostReply> {
  return requestHost(url, init).catch((error: unknown) => {
    throw new SetupError(
      `${url} did not answer (${error instanceof Error ? error.message : "no answer"}). Run this again.`,
    );
  });
}

function expectReply(call: string, reply: HostReply, expected: number): void {
  if (reply.status === expected) return;
  throw new SetupError(
    `${call} was answered with ${outlineOf(reply)} instead of ${expected}. Look at \`npx wrangler tail\`, then run this again.`,
  );
}

/** Status, and the message of an error of the API. */
function outlineOf({ status, body }: HostReply): string {
  const message = /"message":"([^"]{1,200})/.exec(body)?.[1];
  return message === undefined ? String(status) : `${status}, “${message}”`;
}
