/**
 * The live stream of a whole account in one mode: links announce their clicks here while somebody listens.
 * Also counts the open streams of each key, those of single links too: each of them holds a socket here, so what is
 * counted is what is there, and a Worker that dies takes its count along.
 * Like a link's object it leaves alone what a later release has stored (link-clicks.ts).
 */
import { DurableObject } from "cloudflare:workers";

import type { Erased, OfLink, Unavailable } from "../core/link-object.ts";
import { GenerationCache } from "../core/generation-cache.ts";
import { EVENTS_FORMAT, pageOf, unpackEvents } from "../core/event-log.ts";
import {
  type Announced,
  type Announcement,
  CLOSED_FOR_GOOD,
  CLOSED_TO_RESUME,
  type LinkErased,
  REFUSALS,
  SINCE_HEADER,
  UNAVAILABLE,
} from "../core/live-stream.ts";
import { FeedLog, KEPT_MS } from "./feed-log.ts";
import { eraseStorage, upgrade } from "./schema.ts";
import { FEED_STEPS } from "./schema-steps.ts";
import { Subscribers } from "./subscribers.ts";

/** How often it is noted that somebody listens; the log is kept for so much longer than a day. */
const LOOK_MS = 3_600_000;
/** Turns of the event loop in one call: the rows of a feed with 100,000 events of one link take ten calls at most. */
const ERASING_TURNS = 50;
/** So long after a link was erased, words of it may still be on their way. */
const LATE_WORDS_MS = 60_000;
/** Two generations of so many. */
const REMEMBERED_LINKS = 5_000;

export class AccountFeed extends DurableObject<Env> {
  /** Null, as are the subscribers, when what is stored here is of a later release. */
  #log: FeedLog | null = null;
  #subscribers: Subscribers | null = null;
  /** When each link was erased, epoch ms. Not stored: what is on its way to an instance dies with it. */
  readonly #erasedAt = new GenerationCache<number>(REMEMBERED_LINKS);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (upgrade(ctx.storage, "period", FEED_STEPS)) this.#begin();
  }

  #begin(): void {
    this.#log = new FeedLog(this.ctx.storage.sql, this.ctx.id.name);
    this.#subscribers = new Subscribers(this.ctx, this.#log);
  }

  /** Erases all that is stored here, in whatever format, and ends all streams: the account was closed. */
  async erase(): Promise<Erased> {
    this.#subscribers?.closeAll(CLOSED_FOR_GOOD, "account closed");
    await eraseStorage(this.ctx);
    this.#begin();
    return { kind: "erased" };
  }

  /**
   * Erases the events of a link and what else tells of it, in turns between which others are served. Positions stay, and
   * streams go on. Its object has to be erased before. A feed that has nothing of the link is not written to.
   * @returns `more` when it is to be called again
   */
  async eraseLink({ linkId }: Required<OfLink>): Promise<LinkErased | Unavailable> {
    this.#erasedAt.set(linkId, Date.now());
    for (let turn = 0; turn < ERASING_TURNS; turn++) {
      // While others were served, the log may have become another: the account was closed.
      if (!this.#log) return { kind: "unavailable" };
      if (this.#log.eraseSome(linkId)) return { kind: "erased" };
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
      return new Response(null, { status: REFUSALS.too_many_streams });
    }
    if (url.searchParams.has("seat")) {
      const { 0: client, 1: server } = new WebSocketPair();
      this.ctx.acceptWebSocket(server, [key]);
      return new Response(null, { status: 101, webSocket: client });
    }
    if (!this.#log || !this.#subscribers) return new Response(null, { status: UNAVAILABLE });
    if (this.#log.since === 0) {
      this.#log.begin(Date.now());
      void this.ctx.storage.setAlarm(Date.now() + LOOK_MS);
    }
    const answer = this.#subscribers.accept(url, [key]);
    answer.headers.set(SINCE_HEADER, String(this.#log.since));
    return answer;
  }

  /** Takes what it does not have yet of a link's events, and says what it wants next. */
  announce({ linkId, from, format, events, since }: Announcement): Announced {
    if (!this.#log || format > EVENTS_FORMAT) return { kind: "too_new" };
    if (this.#log.since === 0 || this.#isErased(linkId)) return { kind: "nobody" };
    const expected = this.#log.nextOf(linkId);
    if (expected === null && since !== this.#log.since) return { kind: "unknown", since: this.#log.since };
    const next = expected ?? from;
    const fresh = from <= next && events !== null ? pageOf(unpackEvents(events).slice(next - from)) : [];
    if (fresh.length > 0) {
      this.#log.append(fresh, linkId, next + fresh.length, Date.now());
      this.#subscribers?.publish();
    }
    return { kind: "next", next: next + fresh.length };
  }

  /** Later, a database that was set back may have the link again. */
  #isErased(linkId: string): boolean {
    const at = this.#erasedAt.get(linkId);
    return at !== undefined && Date.now() - at < LATE_WORDS_MS;
  }

  override webSocketMessage(socket: WebSocket): void {
    if (this.#subscribers) this.#subscribers.send(socket);
    else socket.close(CLOSED_TO_RESUME, "too new");
  }

  override webSocketClose(socket: WebSocket): void {
    if (!this.#log || !this.#subscribers) return;
    const before = this.#subscribers.count;
    this.#subscribers.forget(socket);
    if (before > 0 && this.#subscribers.count === 0 && this.#log.since > 0) this.#log.heard(Date.now());
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
  }

  /** Ends the period when nobody has listened for a day. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    if (this.#log && this.#subscribers) {
      if (this.#log.since === 0) return;
      if (this.#subscribers.count > 0) this.#log.heard(now);
      if (now >= this.#log.heardAt + KEPT_MS + LOOK_MS) return this.#log.finish();
      this.#log.trim(now);
    }
    await this.ctx.storage.setAlarm(now + LOOK_MS);
  }
}
