/**
 * Shows that a deployment works for its users: creates a link through the API, follows it and deletes it. The account
 * for the check is kept, without keys.
 */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import { createAccount, findAccountByEmail } from "../../store/accounts/accounts.ts";
import { issueKeyText, listKeys, revokeKey } from "../../store/accounts/api-keys.ts";
import type { Dialog } from "./dialog.ts";
import { outlineOf, type Place } from "./health.ts";
import { type HostReply, type HostRequest, requestHost } from "./host-request.ts";
import { SetupError, textOf } from "./setup-error.ts";

type Database = Pick<Env, "DB">;

const DESTINATION = "https://example.com/";

/** @returns the short URL that was followed */
export function followNewLink(database: Database, place: Place, dialog: Dialog): Promise<string> {
  const follow = async () => {
    const account =
      (await createAccount(database, SETUP_CHECK_EMAIL, "free")) ??
      (await findAccountByEmail(database, SETUP_CHECK_EMAIL));
    if (!account) throw new SetupError("The account for the check is missing. Run the command again.");
    const key = await issueKeyText(database, account.id, "live", "Setup check");
    try {
      return await followLink(place, key);
    } finally {
      for (const { id } of await listKeys(database, account.id)) await revokeKey(database, id, account.id);
    }
  };
  return dialog.step("Link created, followed and deleted", follow, (url) => url);
}

async function followLink({ baseUrl, headers }: Place, key: string): Promise<string> {
  const ownHeaders = { ...headers, Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ url: DESTINATION });
  const created = await request(`${baseUrl}/v1/links`, 201, { method: "POST", headers: ownHeaders, body });
  const link = JSON.parse(created.body) as { id: string; short_url: string };
  try {
    const visited = await request(link.short_url, 302, { ...(headers && { headers }) });
    if (visited.location !== DESTINATION)
      throw new SetupError(`${link.short_url} redirects to ${visited.location} instead of ${DESTINATION}.`);
  } finally {
    await requestHost(`${baseUrl}/v1/links/${link.id}`, { method: "DELETE", headers: ownHeaders });
  }
  return link.short_url;
}

/** @throws SetupError if the response has another status */
async function request(url: string, expected: number, init: HostRequest): Promise<HostReply> {
  const reply = await requestHost(url, init).catch((error: unknown) => {
    throw new SetupError(`${url} did not respond (${textOf(error)}). Run the command again.`);
  });
  if (reply.status === expected) return reply;
  throw new SetupError(
    `${init.method ?? "GET"} ${url} returned ${outlineOf(reply)} instead of ${expected}. Check the output of \`npx wrangler tail\`, then run the command again.`,
  );
}
