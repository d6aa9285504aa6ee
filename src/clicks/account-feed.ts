/**
 * The live stream of a whole account in one mode: links announce their clicks here while somebody listens.
 * Also counts the open streams of each key, those of single links too: each of them holds a socket here, so what is
 * counted is what is there, and a Worker that dies takes its count along.
 * Like a link's object it leaves alone what a later release has stored (link-clicks.ts).
 */
import { DurableObject } from "cloudflare:workers";

import type { EraseResult, LinkReference, Unavailable } from "../core/clicks/link-object-rpc.ts";
import { GenerationCache } from "../core/generation-cache.ts";
import { eventPage, EVENTS_FORMAT, RETENTION_MS, unpackEvents } from "../core/streams/event-log.ts";
import {
  type AnnouncementResult,
  type Announcement,
  CLOSE_CODE_FINAL,
  CLOSE_CODE_RESUME,
  type FeedEraseResult,
  REFUSAL_STATUSES,
  FEED_SINCE_HEADER,
  UNAVAILABLE_STATUS,
} from "../core/streams/stream-protocol.ts";
import { FeedLog } from "./feed-log.ts";
import { eraseStorage, migrate } from "./schema.ts";
import { FEED_MIGRATIONS } from "./schema-migrations.ts";
import { Subscribers } from "./subscribers.ts";

/** How often it is noted that somebody listens; the log is kept for so much longer than a day. */
const ALARM_INTERVAL_MS = 3_600_000;
/** Turns of the event loop in one call: the rows of a feed with 100,000 events of one link take ten calls at most. */
const ERASE_TURNS_MAX = 50;
/** So long after a link was erased, words of it may still be on their way. */
const LATE_ANNOUNCEMENTS_MS = 60_000;
/** Two generations of so many. */
const ERASED_LINKS_CACHE_MAX_ENTRIES = 5_000;

export class AccountFeed extends DurableObject<Env> {
  /** Null, as are the subscribers, when what is stored here is of a later release. */
  #log: FeedLog | null = null;
  #subscribers: Subscribers | null = null;
  /** When each link was erased, epoch ms. Not stored: what is on its way to an instance dies with it. */
  readonly #erasedAt = new GenerationCache<number>(ERASED_LINKS_CACHE_MAX_ENTRIES);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (migrate(ctx.storage, "period", FEED_MIGRATIONS)) this.#openLog();
  }

  #openLog(): void {
    this.#log = new FeedLog(this.ctx.storage.sql, this.ctx.id.name);
    this.#subscribers = new Subscribers(this.ctx, this.#log);
  }

  /** Erases all that is stored here, in whatever format, and ends all streams: the account was closed. */
  async erase(): Promise<EraseResult> {
    this.#subscribers?.closeAll(CLOSE_CODE_FINAL, "account closed");
    await eraseStorage(this.ctx);
    this.#openLog();
    return { kind: "erased" };
  }

  /**
   * Erases the events of a link and what else tells of it, in turns between which others are served. Positions stay, and
   * streams go on. Its object has to be erased before. A feed that has nothing of the link is not written to.
   * @returns `more` when it is to be called again
   */
  async eraseLink({ linkId }: Required<LinkReference>): Promise<FeedEraseResult | Unavailable> {
    this.#erasedAt.set(linkId, Date.now());
    for (let turn = 0; turn < ERASE_TURNS_MAX; turn++) {
      // While others were served, the log may have become another: the account was closed.
      if (!this.#log) return { kind: "unavailable" };
      if (this.#log.eraseSomeRows(linkId)) return { kind: "erased" };
      await new Promise((done) => setTimeout(done, 0));
    }
    return { kind: "more" };
  }

  /** Opens a stream of the account, or takes in that one of a link is open (`seat`). */
  override fetch(request: Request): Response {
    const url = new URL(request.url);
    const key = url.searchParams.get("key") ?? "";
    const [ofKey, ofAccount] = [url.searchParams.get("limit"), url.searchParams.get("account_limit")];
    const isFull = (limit: string | null, tag?: string) =>
      limit !== null && this.ctx.getWebSockets(tag).length >= Number(limit);
    if (isFull(ofKey, key) || isFull(ofAccount)) {
      return new Response(null, { status: REFUSAL_STATUSES.too_many_streams });
    }
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
    const answer = this.#subscribers.accept(url, [key]);
    answer.headers.set(FEED_SINCE_HEADER, String(this.#log.listenedSince));
    return answer;
  }

  /** Takes what it does not have yet of a link's events, and says what it wants next. */
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

  /** Later, a database that was set back may have the link again. */
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

  /** Ends the period when nobody has listened for a day. */
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
