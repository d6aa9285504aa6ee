/** Waits until a deployment serves, and requests the health of each of its parts, with a token issued for that. */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import type { HealthCheck } from "../../core/contract/operator.ts";
import { jsonIn } from "../../core/encoding/bytes.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { createAccount, findAccountByEmail } from "../../store/accounts/accounts.ts";
import { issueKeyText, listKeys, revokeKey } from "../../store/accounts/api-keys.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import { SetupError, textOf } from "../command.ts";
import type { Dialog } from "./dialog.ts";
import { type HostReply, type HostRequest, requestHost } from "./host-request.ts";

type Rows = Pick<Env, "DB">;

const TOKEN_TTL_MS = 10 * MINUTE_MS;
const SERVES_MS = 5 * MINUTE_MS;
/** A deployment takes seconds to spread everywhere. */
const SPREADS_MS = MINUTE_MS;
const NOTE_EVERY_MS = 15_000;
const POLL_MS = 500;

export interface Place {
  baseUrl: string;
  /** Additional request headers. */
  headers?: Record<string, string>;
  /** Replaces `EDGE_ADDRESS`. */
  edgeAddress?: string;
}

/** Part of a report of `/health?deep`, of this release or another. */
export type ReportedCheck = Pick<HealthCheck, "name" | "ok" | "warning" | "message">;

interface Report {
  version?: string;
  checks: ReportedCheck[];
}

/** The header that sends a request to a version, regardless of its share. */
export function pinTo(worker: string, version: string): Record<string, string> {
  return { "Cloudflare-Workers-Version-Overrides": `${worker}="${version}"` };
}

/** Waits for the first response, which may need a DNS record and a certificate. @throws SetupError after minutes */
export async function waitUntilServing(baseUrl: string, dialog: Dialog): Promise<void> {
  let noted = performance.now();
  const isServing = async () => {
    dialog.signal?.throwIfAborted();
    const reply = await requestHost(`${baseUrl}/health`).catch((error: Error) => error);
    if ("status" in reply && reply.status === 200) return true;
    const outcome = "status" in reply ? outlineOf(reply) : reply.message;
    if (performance.now() - noted > NOTE_EVERY_MS) {
      noted = performance.now();
      dialog.note(`    still waiting for ${baseUrl} (${outcome})`);
    }
    return `${baseUrl} is not ready yet (${outcome}). New hostnames and certificates can take a few minutes: run the command again later.`;
  };
  await dialog.step("First response", () => poll(isServing, SERVES_MS), baseUrl);
}

/** @throws Error if the response has no report */
export async function healthOf(rows: Rows, place: Place): Promise<ReportedCheck[]> {
  const { report, fault } = await requestHealth(place, await issueToken(rows));
  if (!report) throw new Error(fault);
  return report.checks;
}

/** Waits until requests reach the version. @throws SetupError if they do not */
export async function waitForHealth(
  rows: Rows,
  place: Place,
  { version, spreadsMs = SPREADS_MS, signal }: { version: string; spreadsMs?: number; signal?: AbortSignal },
): Promise<ReportedCheck[]> {
  const token = await issueToken(rows);
  let parts: ReportedCheck[] = [];
  await poll(async () => {
    signal?.throwIfAborted();
    const { report, fault } = await requestHealth(place, token);
    parts = report?.checks ?? [];
    if (report?.version === version) return true;
    return report ? `Requests still reach version ${report.version ?? "(unknown)"}.` : `${fault}.`;
  }, spreadsMs);
  return parts;
}

/** @param isDone  returns true, or a message @throws SetupError with that message after the time limit */
async function poll(isDone: () => Promise<true | string>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const outcome = await isDone();
    if (outcome === true) return;
    if (performance.now() > deadline) throw new SetupError(outcome);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

/** The status, and the message of an API error. */
function outlineOf({ status, body }: HostReply): string {
  const message = /"message":"([^"]{1,200})/.exec(body)?.[1];
  return message === undefined ? String(status) : `${status}, “${message}”`;
}

function issueToken(rows: Rows): Promise<string> {
  return issueOperatorToken(rows, "operator", TOKEN_TTL_MS, Date.now());
}

/** @returns the report, or null if the request fails or the response contains none; `fault` describes the response */
async function requestHealth({ baseUrl, headers, edgeAddress }: Place, token: string) {
  const url = `${baseUrl}/health?deep`;
  const init = { headers: { ...headers, Authorization: `Bearer ${token}` } };
  const reply = await requestHost(url, init, edgeAddress).catch(() => null);
  const outcome = reply ? `returned ${reply.status}` : "did not respond";
  const report = jsonIn(reply?.body ?? "") as Partial<Report> | null | undefined;
  return { report: Array.isArray(report?.checks) ? (report as Report) : null, fault: `${url} ${outcome}` };
}

/** Of the link that is followed. */
const DESTINATION = "https://example.com/";

/**
 * Shows that a deployment works for its users: creates a link through the API, follows it and deletes it. The account
 * for the check is kept, without keys.
 * @returns the short URL that was followed
 */
export function followNewLink(database: Rows, place: Place, dialog: Dialog): Promise<string> {
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
