/**
 * Opens live streams: a WebSocket to the object whose log is followed. Every stream also holds a WebSocket to the
 * account's feed: that is its slot, counted per key and account. While an account's stream is open, a row in `feeds` is
 * kept; redirects read it with the link and pass it to the link's object in each batch. The API writes to the client.
 */
import { HOUR_MS } from "../core/time.ts";
import { ACCOUNT_LIMIT_FACTOR, STREAMS_MAX } from "../core/limits.ts";
import { type LocationHint, isFreePlan } from "../core/deployment/settings.ts";
import { type Cursor, feedName } from "../core/streams/event-log.ts";
import {
  REFUSAL_STATUSES,
  FEED_SINCE_HEADER,
  UNAVAILABLE_STATUS,
  type Refusal,
  REFUSALS,
} from "../core/streams/stream-protocol.ts";
import type { BackgroundContext, Caller } from "./accounts/api-keys.ts";
import { changeHome } from "./directory/home-copies.ts";
import { feedObject } from "./account-object-client.ts";
import { type LinkIdentity, subscribeToLink, notifyLinkOfListener } from "./link-object-client.ts";
import { listNewestLinks } from "./links/links.ts";
import { UnavailableError, withTimeout } from "./timeout.ts";
import { queryRow } from "./statements.ts";

export interface StreamRequest {
  /** Null for the stream of the whole account. */
  link: LinkIdentity | null;
  /** Null to start with the next event. */
  after: Cursor | null;
  includeBots: boolean;
  /** Whether the account's stream includes clicks on links created in the dashboard. A link's stream does. */
  includeDashboard?: boolean;
  /** Where the account's feed is created if this is its first stream. */
  locationHint?: LocationHint | undefined;
}

export interface OpenStream {
  kind: "open";
  /** Receives the events (core/streams/stream-protocol.ts). Not accepted yet, like `slot`. */
  events: WebSocket;
  /** Holds the slot of the stream; the same socket as `events` for an account's stream. */
  slot: WebSocket;
}

export type StreamOutcome = OpenStream | { kind: Refusal };

/**
 * The service object's response in place of a stream, as JSON with `TICKET_HEADER`: it has checked the request, and the
 * Worker opens the stream (api/streams/stream-bridge.ts). Never sent to a client.
 */
export interface StreamTicket {
  /** Streams with the same id share their access checks. */
  id: string;
  caller: Caller;
  /** Null for an API key. */
  sessionId: string | null;
  request: StreamRequest;
}

const OPEN_TIMEOUT_MS = 5_000;
/**
 * Lifetime of the row in `feeds`. Each new stream renews it, at most once an hour. A feed keeps its log for 26 hours
 * after the last subscriber, who may have opened the stream twenty minutes earlier.
 */
const LISTENING_TTL_MS = 28 * HOUR_MS;
const RENEW_BEFORE_MS = 27 * HOUR_MS;
/** Links whose objects are notified of a new subscriber immediately; others learn of it with their next click batch. */
const NOTIFIED_LINKS_MAX = 100;

/** Whether the key or session of a ticket is still valid, and its account not suspended. */
export async function isTicketValid(
  { DB }: Pick<Env, "DB">,
  { caller: { accountId, rateKey }, sessionId }: StreamTicket,
): Promise<boolean> {
  const sql = `SELECT 1 FROM accounts a WHERE id = ?1
    AND NOT EXISTS (SELECT 1 FROM account_states WHERE account_id = a.id)
    AND (EXISTS (SELECT 1 FROM api_keys WHERE id = ?2 AND account_id = a.id AND revoked_at IS NULL)
      OR EXISTS (SELECT 1 FROM sessions WHERE id = ?3 AND account_id = a.id AND expires_at > ?4))`;
  const found = queryRow(DB, sql, [accountId, rateKey, sessionId, new Date().toISOString()]);
  return (await withTimeout(OPEN_TIMEOUT_MS, found)) !== null;
}

export async function openStream(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  request: StreamRequest,
): Promise<StreamOutcome> {
  const { link } = request;
  const params = link ? new URLSearchParams({ seat: "" }) : subscriptionParams(feedNameOf(caller), request);
  const ofFeed = await withTimeout(OPEN_TIMEOUT_MS, subscribeToFeed(env, caller, params, request));
  const slot = ofFeed.webSocket;
  if (!slot) return refusalOutcome(ofFeed);
  try {
    if (!link) {
      await beginListening(env, ctx, caller, Number(ofFeed.headers.get(FEED_SINCE_HEADER)));
      return { kind: "open", events: slot, slot };
    }
    const ofLink = await withTimeout(OPEN_TIMEOUT_MS, subscribeToLink(env, link, subscriptionParams(link.id, request)));
    if (ofLink.webSocket) return { kind: "open", events: ofLink.webSocket, slot };
    closeUnopened(slot);
    return refusalOutcome(ofLink);
  } catch (error) {
    closeUnopened(slot);
    throw error;
  }
}

async function beginListening(env: Env, ctx: BackgroundContext, caller: Caller, since: number): Promise<void> {
  const isFirst = await withTimeout(OPEN_TIMEOUT_MS, recordListening(env, caller, since));
  // One call per link: twice as many as an invocation may make on the Free plan.
  if (isFirst && !isFreePlan(env)) ctx.waitUntil(notifyNewestLinks(env, caller, since));
}

async function subscribeToFeed(
  env: Env,
  caller: Caller,
  params: URLSearchParams,
  { locationHint }: StreamRequest,
): Promise<Response> {
  params.set("key", caller.rateKey);
  params.set("limit", String(STREAMS_MAX[caller.plan]));
  params.set("account_limit", String(STREAMS_MAX[caller.plan] * ACCOUNT_LIMIT_FACTOR));
  const feed = feedObject(env, feedNameOf(caller), locationHint);
  return feed.fetch(`https://feed/?${params}`, { headers: { Upgrade: "websocket" } });
}

/** @param log  name of the log, as in cursors */
function subscriptionParams(
  log: string,
  { link, after, includeBots, includeDashboard }: StreamRequest,
): URLSearchParams {
  return new URLSearchParams({
    log,
    ...(after ? { position: String(after.position), at: String(after.at) } : {}),
    ...(includeBots ? { bots: "" } : {}),
    ...(includeDashboard || link ? { dashboard: "" } : {}),
  });
}

/** Stores that the account's stream has a subscriber. @returns false when a current row exists */
async function recordListening(env: Env, { accountId, mode }: Caller, since: number): Promise<boolean> {
  const now = Date.now();
  const statement = env.DB.prepare(
    `INSERT INTO feeds (account_id, mode, since, until) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (account_id, mode) DO UPDATE SET since = excluded.since, until = excluded.until
     WHERE since <> excluded.since OR until < ?5`,
  ).bind(accountId, mode, since, now + LISTENING_TTL_MS, now + RENEW_BEFORE_MS);
  const { results } = await changeHome(env, [accountId], [statement]);
  return results[0]?.meta.changes !== 0;
}

/**
 * Isolates cache links for ten seconds and would report the subscriber only after that. The newest links are notified
 * directly.
 */
async function notifyNewestLinks(env: Env, { accountId, mode }: Caller, since: number): Promise<void> {
  const links = await listNewestLinks(env, { accountId, mode }, NOTIFIED_LINKS_MAX);
  await Promise.all(links.map((link) => notifyLinkOfListener(env, link, since)));
}

function refusalOutcome({ status }: Response): StreamOutcome {
  const kind = REFUSALS.find((known) => status === REFUSAL_STATUSES[known]);
  if (kind) return { kind };
  if (status === UNAVAILABLE_STATUS) throw new UnavailableError("the object runs an earlier release");
  throw new Error(`the object returned ${status} to a stream request`);
}

function closeUnopened(socket: WebSocket): void {
  socket.accept();
  socket.close();
}

function feedNameOf({ accountId, mode }: Caller): string {
  return feedName(accountId, mode);
}
