/** One link as its object has it: what its clicks are recorded in and read from, and who is told of them. */
import { binIndex, binStarts } from "../core/clicks/calendar.ts";
import { classAt, isKnownFormat, valueAt } from "../core/clicks/click-batch.ts";
import { mapFacts } from "../core/clicks/facts.ts";
import { GROUPING_RULES, SERIES_BINS_MAX } from "../core/clicks/groupings.ts";
import { clickEvent } from "../core/clicks/wire-click.ts";
import {
  type Cursor,
  feedName,
  type LoggedEvent,
  loggedEvent,
  PAGE_EVENTS_MAX,
  eventPage,
} from "../core/streams/event-log.ts";
import { type Hosts, hostsOf } from "../core/hosts.ts";
import {
  type AnnouncementResult,
  type Announcement,
  CLOSE_CODE_FINAL,
  REFUSAL_STATUSES,
} from "../core/streams/stream-protocol.ts";
import {
  type ClickBatch,
  type ClicksRequest,
  type LearnResult,
  type ListedClick,
  type ClicksResult,
  clickPage,
  type RecordResult,
  type StatsResult,
} from "../core/clicks/link-object-rpc.ts";
import { type LinkSnapshot, type RouteKeys, routeKeys } from "../core/links/link-snapshot.ts";
import { type StatsData, type StatsRequest, tallyByKey } from "../core/clicks/stats.ts";
import { bucketsOf } from "../core/clicks/tally.ts";
import { Announcer } from "./announcer.ts";
import { ClickLog } from "./click-log.ts";
import { StoredTimes } from "./stored-times.ts";
import { Revisions } from "./revisions.ts";
import { type EventLog, Subscribers } from "./subscribers.ts";
import type { ClickSlice } from "./summaries.ts";

/** How far ahead a stored floor is set, so that frequent polling costs one row in so many ms. */
const FLOOR_LEAD_MS = 10_000;

export class LinkHistory {
  readonly #env: Env;
  readonly #log: ClickLog;
  readonly #revisions: Revisions;
  readonly #times: StoredTimes;
  #hosts: Hosts | undefined;
  readonly #subscribers: Subscribers;
  readonly #announcer: Announcer;
  /** No click is dated before this: statistics up to here have been answered. */
  #floor: number;

  constructor(ctx: DurableObjectState, env: Env) {
    const { sql } = ctx.storage;
    this.#env = env;
    this.#log = new ClickLog(sql);
    this.#revisions = new Revisions(sql);
    this.#times = new StoredTimes(sql);
    // The stored floor runs ahead of what was answered, but no answer can be later than this moment.
    this.#floor = Math.min(this.#times.get("floor"), Date.now());
    const events = this.#createEventLog();
    this.#subscribers = new Subscribers(ctx, events);
    this.#announcer = new Announcer(ctx, this.#times, this.#log, events, (words) => this.#sendAnnouncement(words));
  }

  /** Whether no click was ever stored: then nothing is. */
  get isEmpty(): boolean {
    return this.#log.count === 0;
  }

  /** What is known and stored here is about to go: what is under way must store nothing more. */
  close(): void {
    this.#subscribers.closeAll(CLOSE_CODE_FINAL, "link erased");
    this.#announcer.stop();
  }

  /** Null while it has not heard of a link. */
  get linkId(): string | null {
    return this.snapshot()?.id ?? null;
  }

  /** Stores a batch, once, and tells a sender that is behind what the link is now. */
  record(batch: ClickBatch): RecordResult {
    if (!isKnownFormat(batch.clicks)) return { kind: "too_new" };
    if (batch.snapshot) this.learn(batch.snapshot);
    const link = this.#revisions.get(batch.revision) ?? batch.snapshot;
    if (!link) return { kind: "snapshot_missing" };
    const { count } = this.#log;
    this.#log.append({ ...batch, snapshot: link }, this.#floor);
    if (count === 0) this.#revisions.startStoring(link.revision);
    if (batch.feedSince !== undefined) this.startAnnouncing(batch.feedSince);
    if (this.#log.count > count) this.#notifyFollowers(count);
    return { kind: "recorded", newer: batch.revision < this.#revisions.latest ? this.snapshot() : null };
  }

  /** Takes in a changed link before its change is answered. */
  learn(snapshot: LinkSnapshot): LearnResult {
    this.#revisions.add(snapshot);
    if (snapshot.state === "deleted") this.#subscribers.closeAll(CLOSE_CODE_FINAL, "link deleted");
    return { kind: "learned" };
  }

  /** Takes in that somebody listens to the account's stream since then, epoch ms. */
  startAnnouncing(since: number): void {
    const isNews = this.#announcer.start(since);
    // Clicks may have been stored before the news of who is to hear of them.
    if (isNews && this.#log.lastAt >= since) this.#announceFrom(this.#log.positionAt(since));
  }

  /** Opens a stream of this link's clicks. */
  subscribe(request: Request): Response {
    // It may have been deleted after the Worker looked it up.
    if (this.snapshot()?.state === "deleted") return new Response(null, { status: REFUSAL_STATUSES.link_not_found });
    return this.#subscribers.accept(new URL(request.url));
  }

  /** A stream has room for more. */
  sendNextPage(socket: WebSocket): void {
    this.#subscribers.sendNextPage(socket);
  }

  unsubscribe(socket: WebSocket): void {
    this.#subscribers.remove(socket);
  }

  async alarm(): Promise<void> {
    await this.#announcer.alarm();
  }

  /** The link as last heard of; null when this object never heard of it. */
  snapshot(): LinkSnapshot | null {
    return this.#revisions.get(this.#revisions.latest);
  }

  /** Clicks in a range, grouped and over time. Reads a few rows, whatever the range holds. */
  stats(question: StatsRequest): StatsResult {
    // A sender may be a release ahead, with a grouping that is not known yet.
    if (!Object.hasOwn(GROUPING_RULES, question.groupBy)) return { kind: "unavailable" };
    const to = question.to ?? Math.max(this.#nowAfterLastClick(), question.from);
    const starts = question.interval
      ? binStarts(question.interval, question.timezone, question.from, to, SERIES_BINS_MAX)
      : [];
    if (!starts) return { kind: "too_many_bins" };
    this.#raiseFloor(to);
    const [first, end] = [this.#log.positionAt(question.from), this.#log.positionAt(to)];
    const stored = this.#log.tally(GROUPING_RULES[question.groupBy].field, first, end);
    const buckets = bucketsOf(
      tallyByKey(stored, question.groupBy, (route) => this.#routeOf(route)),
      question.includeBots,
    );
    return {
      kind: "stats",
      total: buckets.reduce((total, { clicks }) => total + clicks, 0),
      buckets,
      series: this.#series(starts, first, end, question),
      to,
    };
  }

  /** People who scanned a QR code, ever. */
  scans(qr: string): number {
    return this.#log.tally("qr", 0, this.#log.count).get(qr)?.human ?? 0;
  }

  /** Clicks after a sequence number, in order. `seq` counts from 1: it is the position plus one. */
  clicks({ after, limit }: ClicksRequest): ClicksResult {
    const clicks = clickPage(this.#readClicks(after, Math.min(after + limit, this.#log.count)), limit);
    return { kind: "clicks", clicks, hasMore: after + clicks.length < this.#log.count };
  }

  *#readClicks(from: number, to: number): Generator<ListedClick> {
    for (const slice of this.#log.slices(from, to)) {
      for (let i = slice.from; i < slice.to; i++) yield this.#listedClick(slice, i);
    }
  }

  /** Tells those who listen of the clicks from a position on, which were appended in this same turn. */
  #notifyFollowers(from: number): void {
    this.#subscribers.publish();
    this.#announceFrom(from);
  }

  /** Only links that the API made take part in the account's stream. */
  #announceFrom(position: number): void {
    if (this.snapshot()?.origin === "api") this.#announcer.announce(position);
  }

  /** The click log as the stream has it: nothing of it is ever lost. */
  #createEventLog(): EventLog {
    const [log, snapshot] = [this.#log, () => this.snapshot()];
    return {
      first: { position: 0, at: 0 },
      get name(): string {
        return snapshot()?.id ?? "";
      },
      get end(): Cursor {
        return { position: log.count, at: log.lastAt };
      },
      page: (from) => eventPage(this.#readEvents(from, Math.min(from + PAGE_EVENTS_MAX, log.count))),
    };
  }

  *#readEvents(from: number, to: number): Generator<LoggedEvent> {
    const link = this.snapshot();
    const hosts = (this.#hosts ??= hostsOf(this.#env));
    for (const click of link ? this.#readClicks(from, to) : []) {
      if (link) yield loggedEvent(click.at, click.class === "human", clickEvent(link, click, hosts));
    }
  }

  /** A word to the feed of the account. */
  async #sendAnnouncement(announcement: Announcement): Promise<AnnouncementResult> {
    const link = this.snapshot();
    if (!link) return { kind: "nobody" };
    return this.#env.ACCOUNT_FEED.getByName(feedName(link.accountId, link.mode)).announce(announcement);
  }

  #series(starts: number[], first: number, end: number, question: StatsRequest): StatsData["series"] {
    const series = starts.map((start) => ({ start, clicks: 0 }));
    if (series.length === 0) return series;
    for (const { bins } of this.#log.histograms(first, end, question.interval === "minute")) {
      for (const slot of bins) {
        const bin = series[binIndex(starts, slot.start)];
        if (bin) bin.clicks += slot.human + (question.includeBots ? slot.nonHuman : 0);
      }
    }
    return series;
  }

  /** Now, and after every click there is: one that was just answered belongs to "until now". */
  #nowAfterLastClick(): number {
    return Math.max(Date.now(), this.#log.lastAt + 1);
  }

  /**
   * Keeps what was answered true: no later click is dated before `to`. A floor in the future would hold clicks up,
   * and is not needed: whoever asks about the future cannot take the answer for final.
   */
  #raiseFloor(to: number): void {
    const floor = Math.min(to, this.#nowAfterLastClick());
    if (floor <= this.#floor) return;
    this.#floor = floor;
    if (floor > this.#times.get("floor") && this.#log.count > 0) this.#times.set("floor", floor + FLOOR_LEAD_MS);
  }

  #routeOf(route: string): RouteKeys | null {
    const dot = route.indexOf(".");
    const snapshot = this.#revisions.get(Number(route.slice(0, dot)));
    return snapshot && routeKeys(snapshot, route.slice(dot + 1));
  }

  #listedClick({ position, revision, columns, times }: ClickSlice, i: number): ListedClick {
    const route = this.#routeOf(`${revision}.${valueAt(columns.rule, i)}`);
    return {
      position: position + i,
      at: times[i] ?? 0,
      class: classAt(columns.class, i),
      ...mapFacts((fact) => valueAt(columns[fact], i)),
      qr: valueAt(columns.qr, i),
      rule: route?.rule ?? "",
      destination: route?.destination ?? "",
    };
  }
}
