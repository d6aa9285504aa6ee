/**
 * The Durable Object of the live stream of one account and mode. Links announce their clicks here while a client
 * streams the account. It also counts the open streams of each key, including those of single links. Each stream holds
 * a WebSocket here, so the count is the number of open sockets and cannot drift: when a Worker dies, its socket closes
 * and its slot is free. As in a link's object, data from a later release is not touched (link-clicks.ts).
 */
import { retryable } from "cloudflare:durable-objects";
import { DurableObject } from "cloudflare:workers";
import type { EraseResult, LinkReference, Unavailable } from "../core/clicks/protocol/link-object-rpc.ts";
import { HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { GenerationCache } from "../core/memory/caches.ts";
import { eventPage, EVENTS_FORMAT, RETENTION_MS, unpackEvents } from "../core/streams/event-log.ts";
import {
  type AnnouncementResult,
  type Announcement,
  CLOSE_CODE_FINAL,
  CLOSE_CODE_RESUME,
  type FeedEraseResult,
  type FeedRestoreResult,
  REFUSAL_STATUSES,
  FEED_SINCE_HEADER,
  UNAVAILABLE_STATUS,
} from "../core/streams/stream-protocol.ts";
import { FeedLog } from "./feed-log.ts";
import { eraseStorage, migrate } from "./schema.ts";
import { Subscribers } from "./subscribers.ts";
import { PROBE_MESSAGE } from "../core/streams/stream-protocol.ts";

/**
 * Interval of the alarm that renews the period while clients are connected. The log outlives the last client by a day
 * plus at most this interval.
 */
const ALARM_INTERVAL_MS = HOUR_MS;
/** Turns of the event loop that one `eraseLink` call may take: 100,000 rows of one event take ten calls. */
const ERASE_TURNS_MAX = 50;
/** How long after its erasure announcements of a link may still arrive. */
const LATE_ANNOUNCEMENTS_MS = MINUTE_MS;
/** Entries in each of two generations. */
const ERASED_LINKS_CACHE_MAX_ENTRIES = 5_000;

export class AccountFeed extends DurableObject<Env> {
  static {
    retryable(this.prototype.erase);
  }

  /** Null, like the subscribers, when the storage was written by a later release. */
  #log: FeedLog | null = null;
  #subscribers: Subscribers | null = null;
  /** Rounds of `#probe` in progress, by the tag of their sockets. */
  readonly #probeRounds = new Map<string | undefined, Promise<void>>();
  /**
   * Time at which each link was erased, epoch ms. Not stored: an announcement in flight does not outlive the instance.
   */
  readonly #erasedAt = new GenerationCache<number>(ERASED_LINKS_CACHE_MAX_ENTRIES);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (migrate(ctx.storage, "period")) this.#openLog();
  }

  #openLog(): void {
    this.#log = new FeedLog(this.ctx.storage.sql, this.ctx.id.name);
    this.#subscribers = new Subscribers(this.ctx, this.#log);
  }

  /** Called in the installation that restores a backup, if the account had a stream open. Safe to repeat. */
  restore(): FeedRestoreResult {
    this.#log?.beginPositionsAt(Date.now());
    return { kind: this.#log ? "restored" : "unavailable" };
  }

  /** Erases the storage, whatever its release, and ends all streams, because the account was closed. */
  async erase(): Promise<EraseResult> {
    this.#subscribers?.closeAll(CLOSE_CODE_FINAL, "account closed");
    await eraseStorage(this.ctx);
    this.#openLog();
    return { kind: "erased" };
  }

  /**
   * Erases a link's events and its position, in several turns so that other calls are served in between. Positions of
   * events do not change, and streams continue. The link's object must be erased first. A feed without the link writes
   * nothing.
   * @returns `more` when rows remain: call again
   */
  async eraseLink({ linkId }: Required<LinkReference>): Promise<FeedEraseResult | Unavailable> {
    this.#erasedAt.set(linkId, Date.now());
    let from: number | null = 0;
    for (let turn = 0; turn < ERASE_TURNS_MAX; turn++) {
      // Between turns the log may have been replaced: the account was closed.
      if (!this.#log) return { kind: "unavailable" };
      from = this.#log.eraseSomeRows(linkId, from);
      if (from === null) return { kind: "erased" };
      await new Promise((done) => setTimeout(done, 0));
    }
    return { kind: "more" };
  }

  /**
   * Opens a stream of the account, or takes a slot for a link's stream (`seat`). If no slot is free, streams whose
   * clients have left are closed first. A slot is taken in the turn that finds it free, so that no other request gets
   * it.
   */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const key = url.searchParams.get("key") ?? "";
    const [ofKey, ofAccount] = [url.searchParams.get("limit"), url.searchParams.get("account_limit")];
    const isFull = (limit: string | null, tag?: string) =>
      limit !== null && this.ctx.getWebSockets(tag).length >= Number(limit);
    for (let round = 0; isFull(ofKey, key) || isFull(ofAccount); round++) {
      if (round === PROBE_ROUNDS) return new Response(null, { status: REFUSAL_STATUSES.too_many_streams });
      await this.#probe(isFull(ofKey, key) ? key : undefined);
    }
    return this.#open(url, key);
  }

  /**
   * Finds streams whose client has left. Behind a proxy that keeps its own connection open, the Worker learns this only
   * from a failed write, and between clicks it writes only heartbeats. So when no slot is free, the Workers that hold
   * slots are asked to write a comment. Those whose client has left close their sockets. Requests that wait at the same
   * time share a round, so that a stream gets no more comments however many requests there are.
   * @param tag  tag of the sockets; undefined for all sockets
   */
  #probe(tag: string | undefined): Promise<void> {
    const running = this.#probeRounds.get(tag);
    if (running) return running;
    for (const socket of this.ctx.getWebSockets(tag)) sendQuietly(socket, PROBE_MESSAGE);
    const round = new Promise<void>((done) => setTimeout(done, ROUND_MS));
    const ended = round.then(() => void this.#probeRounds.delete(tag));
    this.#probeRounds.set(tag, ended);
    return ended;
  }

  #open(url: URL, key: string): Response {
    if (url.searchParams.has("seat")) {
      const { 0: client, 1: server } = new WebSocketPair();
      this.ctx.acceptWebSocket(server, [key]);
      return new Response(null, { status: 101, webSocket: client });
    }
    if (!this.#log || !this.#subscribers) return new Response(null, { status: UNAVAILABLE_STATUS });
    if (this.#log.listenedSince === 0) {
      this.#log.beginPeriod(Date.now());
      void this.ctx.storage.setAlarm(Date.now() + ALARM_INTERVAL_MS);
    }
    const response = this.#subscribers.accept(url, [key]);
    response.headers.set(FEED_SINCE_HEADER, String(this.#log.listenedSince));
    return response;
  }

  /** Appends the new ones among a link's events, and returns the next position expected of that link. Idempotent. */
  announce({ linkId, from, format, events, since }: Announcement): AnnouncementResult {
    if (!this.#log || format > EVENTS_FORMAT) return { kind: "too_new" };
    if (this.#log.listenedSince === 0 || this.#isRecentlyErased(linkId)) return { kind: "nobody" };
    const expected = this.#log.nextPositionOf(linkId);
    if (expected === null && since !== this.#log.listenedSince)
      return { kind: "unknown", since: this.#log.listenedSince };
    const next = expected ?? from;
    const fresh = from <= next && events !== null ? eventPage(unpackEvents(events).slice(next - from)) : [];
    if (fresh.length > 0) {
      this.#log.append(fresh, linkId, next + fresh.length, Date.now());
      this.#subscribers?.publish();
    }
    return { kind: "next", next: next + fresh.length };
  }

  /**
   * Whether a link was erased recently. Applies only for a limited time: a database that is restored to an earlier time
   * has the link again.
   */
  #isRecentlyErased(linkId: string): boolean {
    const at = this.#erasedAt.get(linkId);
    return at !== undefined && Date.now() - at < LATE_ANNOUNCEMENTS_MS;
  }

  override webSocketMessage(socket: WebSocket): void {
    if (this.#subscribers) this.#subscribers.sendNextPage(socket);
    else socket.close(CLOSE_CODE_RESUME, "too new");
  }

  override webSocketClose(socket: WebSocket): void {
    if (!this.#log || !this.#subscribers) return;
    const before = this.#subscribers.count;
    this.#subscribers.remove(socket);
    if (before > 0 && this.#subscribers.count === 0 && this.#log.listenedSince > 0) this.#log.renewPeriod(Date.now());
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
  }

  /** Ends the period when no client has streamed for a day. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    if (this.#log && this.#subscribers) {
      if (this.#log.listenedSince === 0) return;
      if (this.#subscribers.count > 0) this.#log.renewPeriod(now);
      if (now >= this.#log.lastListenedAt + RETENTION_MS + ALARM_INTERVAL_MS) return this.#log.endPeriod();
      this.#log.trim(now);
    }
    await this.ctx.storage.setAlarm(now + ALARM_INTERVAL_MS);
  }
}

/**
 * A reset in response to a write, after the client has left, makes only the next write fail. So detection takes two
 * rounds.
 */
const PROBE_ROUNDS = 4;
/** Longer than most round trips to a client. */
const ROUND_MS = 250;

function sendQuietly(socket: WebSocket, message: string): void {
  try {
    socket.send(message);
  } catch {
    // The socket is closing.
  }
}
