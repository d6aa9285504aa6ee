/**
 * The state of one link inside its Durable Object: click log, revisions, statistics, streams and announcements. Runs
 * only on tables that this release understands (link-clicks.ts).
 */
import { knowsConditions } from "../core/backtest/rule-tests.ts";
import { isKnownFormat } from "../core/clicks/encoding/click-batch.ts";
import { linkGroupings } from "../core/clicks/counting/groupings.ts";
import type { NewsResult } from "../core/clicks/protocol/account-object-rpc.ts";
import type {
  ClickBatch,
  LearnResult,
  LinkAnswer,
  LinkQuestion,
  RecordResult,
} from "../core/clicks/protocol/link-object-rpc.ts";
import { knowsGroupings, type StatsRequest } from "../core/clicks/counting/stats.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { feedName } from "../core/streams/event-log.ts";
import {
  type Announcement,
  type AnnouncementResult,
  CLOSE_CODE_FINAL,
  REFUSAL_STATUSES,
} from "../core/streams/stream-protocol.ts";
import { Announcer, DrawAnnouncer } from "./announcer.ts";
import type { drawClicks } from "./click-draw.ts";
import type { exportPage } from "./click-export.ts";
import type * as imports from "./click-import.ts";
import { ClickLog } from "./click-log.ts";
import { ClickReader } from "./click-reader.ts";
import { JoinedLog } from "./joined-log.ts";
import { Revisions, StoredTimes } from "./link-state.ts";
import { FIRST_CLICK_TABLES, tableNames } from "./schema.ts";
import { ScanQueue } from "./scan-queue.ts";
import { answerStats, earliestScannable } from "./stats.ts";
import { Subscribers } from "./subscribers.ts";

/** The stored floor is set this far ahead, so that polling writes at most one row per interval: each row is billed. */
const FLOOR_LEAD_MS = 10_000;

export class LinkHistory {
  readonly #env: Env;
  readonly #storage: DurableObjectStorage;
  /** The recorded clicks. */
  readonly #log: ClickLog;
  /** All clicks: imported ones, then those of `#log`. */
  #all: JoinedLog;
  /** How many imports were undone: clicks that a scan reads may be among them. */
  #undone = 0;
  readonly #revisions: Revisions;
  readonly #times: StoredTimes;
  readonly #reader: ClickReader;
  readonly subscribers: Subscribers;
  readonly #announcer: Announcer;
  readonly #drawAnnouncer: DrawAnnouncer;
  readonly #scans: ScanQueue;
  #isOpen = true;
  /** Earliest time that a new click is given, epoch ms: statistics up to it have been returned. */
  #floor: number;

  /** @param scans  shared by all instances of an object, so that its calls to itself find their scan */
  constructor(ctx: DurableObjectState, env: Env, scans = new ScanQueue(), tables = tableNames(ctx.storage.sql)) {
    const { sql } = ctx.storage;
    this.#env = env;
    this.#storage = ctx.storage;
    this.#scans = scans;
    this.#log = new ClickLog(sql, tables);
    this.#all = new JoinedLog(sql, tables, this.#log);
    this.#revisions = new Revisions(sql, tables);
    this.#times = new StoredTimes(sql, tables);
    // The stored floor is ahead of the last returned range, but no returned range ends later than now.
    this.#floor = Math.min(this.#times.get("floor"), Date.now());
    const isRestored = this.#times.get("restored") > 0;
    this.#reader = new ClickReader(env, this.#log, () => this.#all, this.#revisions, isRestored);
    this.subscribers = new Subscribers(ctx, this.#reader);
    const send = (announcement: Announcement) => this.#sendAnnouncement(announcement);
    this.#announcer = new Announcer(ctx, this.#times, this.#log, this.#reader, send);
    this.#drawAnnouncer = new DrawAnnouncer(ctx.storage, this.#times, {
      object: (link, isImport) => this.#announceToAccount(link, isImport),
      database: async (link) => (await import("../store/links/stats-news.ts")).addStatsNews(env, link),
    });
  }

  /** Whether no click was ever stored. The object then stores nothing at all. */
  get isEmpty(): boolean {
    return this.#all.count === 0;
  }

  /** Null when no link is known. */
  get linkId(): string | null {
    return this.snapshot()?.id ?? null;
  }

  /** Called before the storage is erased: ends streams, announcements and scans, so that pending calls do nothing. */
  close(): void {
    this.#isOpen = false;
    this.subscribers.closeAll(CLOSE_CODE_FINAL, "link erased");
    this.#announcer.stop();
  }

  /**
   * Notifies the account's click object of upcoming clicks, if that must happen before they are stored.
   * @returns null if it need not happen
   */
  notifyAccount(
    { statsSince, snapshot }: Pick<ClickBatch, "statsSince" | "snapshot">,
    isImport = false,
  ): Promise<void> | null {
    if (!this.#drawAnnouncer.mustNotify(statsSince)) return null;
    const link = this.snapshot() ?? snapshot;
    return link ? this.#drawAnnouncer.notify(link, statsSince, isImport) : null;
  }

  /** Called before an import: the account may be notified again even if that has failed. */
  beginImport(): void {
    this.#drawAnnouncer.retry();
  }

  /**
   * Stores a batch. A batch that is already stored changes nothing.
   * @returns the current link when the sender's is older
   */
  record(batch: ClickBatch): RecordResult {
    if (!isKnownFormat(batch.clicks)) return { kind: "too_new" };
    const link = this.#revisions.get(batch.revision) ?? batch.snapshot;
    if (!link) return { kind: "snapshot_missing" };
    this.#revisions.add(link);
    const { count } = this.#log;
    const isFirst = this.isEmpty;
    const floor = Math.max(this.#floor, this.#drawAnnouncer.floor, this.#all.imported.lastAt);
    this.#log.append({ ...batch, snapshot: link }, floor);
    if (isFirst) this.#revisions.startStoring(link.revision);
    if (batch.feedSince !== undefined) this.startAnnouncing(batch.feedSince);
    if (this.#log.count > count) this.#drawAnnouncer.store();
    if (this.#log.count > count) this.#notifyFollowers(count);
    return { kind: "recorded", newer: batch.revision < this.#revisions.latest ? this.snapshot() : null };
  }

  /** Adds clicks of an import, of which the account was notified. */
  importClicks(
    request: LinkQuestion<"importClicks">,
    { importClicks }: Pick<typeof imports, "importClicks">,
  ): LinkAnswer<"importClicks"> {
    if (this.#drawAnnouncer.isFailed) return { kind: "unavailable" };
    const isFirst = this.isEmpty;
    const { count } = this.#all;
    this.#revisions.learn(request.snapshot);
    const result = this.#changeImports((sql) => importClicks(sql, this.#all, request, this.#log.count > 0));
    if (this.#all.count === count) return result;
    if (isFirst) this.#revisions.startStoring(request.snapshot.revision, FIRST_CLICK_TABLES[0]);
    this.#drawAnnouncer.store();
    return result;
  }

  undoImport(
    importId: string,
    { undoImport, importedRevision }: Pick<typeof imports, "undoImport" | "importedRevision">,
  ): LinkAnswer<"undoImport"> {
    if (this.#all.imported.count === 0) return { kind: "undone" };
    const hasClicks = this.#log.count > 0;
    // Its row is that of the first imported click, and recorded clicks may have it too.
    const link = this.#revisions.get(importedRevision(this.#storage.sql));
    const result = this.#changeImports((sql) => undoImport(sql, this.#all, importId, hasClicks));
    this.#undone++;
    this.#revisions.reopen();
    if (hasClicks && link) this.#revisions.add(link);
    return result;
  }

  #changeImports<T>(change: (sql: SqlStorage) => T): T {
    const { sql } = this.#storage;
    try {
      return this.#storage.transactionSync(() => change(sql));
    } finally {
      this.#all = new JoinedLog(sql, tableNames(sql), this.#log);
    }
  }

  /** Stores a new revision of the link. Called before the API responds to the change. */
  learn(snapshot: LinkSnapshot): LearnResult {
    this.#revisions.learn(snapshot);
    if (snapshot.state === "deleted") this.subscribers.closeAll(CLOSE_CODE_FINAL, "link deleted");
    return { kind: "learned" };
  }

  /** Announces clicks to the account's feed from now on. @param since  start of the feed's period, epoch ms */
  startAnnouncing(since: number): void {
    const isNewPeriod = this.#announcer.start(since);
    // Clicks may have been stored before this object learned of the period.
    if (isNewPeriod && this.#log.lastAt >= since) this.#announcer.announce(this.#log.positionAt(since));
  }

  /** Opens a stream of this link's clicks. */
  subscribe(request: Request): Response {
    // The link may have been deleted after the Worker looked it up.
    if (this.snapshot()?.state === "deleted") return new Response(null, { status: REFUSAL_STATUSES.link_not_found });
    return this.subscribers.accept(new URL(request.url));
  }

  async alarm(): Promise<void> {
    const link = this.snapshot();
    if (link) await this.#drawAnnouncer.alarm(link, this.#all.lastAt);
    if (this.#isOpen) await this.#announcer.alarm();
  }

  /** The newest known snapshot of the link; null when this object knows none. */
  snapshot(): LinkSnapshot | null {
    return this.#revisions.newest;
  }

  /**
   * Returns the clicks of a range, grouped and as a time series.
   * @returns null when the log was closed in the meantime
   */
  stats(sent: StatsRequest): LinkAnswer<"stats"> | Promise<LinkAnswer<"stats"> | null> {
    if (!knowsGroupings(sent)) return { kind: "unavailable" };
    const request = { ...sent, from: this.#startOf(sent) };
    const to = request.to ?? Math.max(this.#nowAfterLastClick(), request.from);
    const keysOfGrouping = linkGroupings(this.#reader);
    const question = { log: this.#all, request, keysOfGrouping, to, isOpen: this.#openUntilUndo(), scans: this.#scans };
    const answer = answerStats(question);
    if (answer instanceof Promise || answer.kind === "stats") this.#raiseFloor(to);
    if (request.from === sent.from) return answer;
    const withStart = <T extends { kind: string } | null>(stats: T): T =>
      stats?.kind === "stats" ? { ...stats, from: request.from } : stats;
    return answer instanceof Promise ? answer.then(withStart) : withStart(answer);
  }

  /** Imported clicks may be earlier than the default start. */
  #startOf({ from, sinceFirst = false }: StatsRequest): number {
    return sinceFirst && this.#all.imported.count > 0 ? Math.min(from, this.#all.timeAt(0)) : from;
  }

  /** Returns a function that says whether the clicks at each position are still the same. */
  #openUntilUndo(): () => boolean {
    const undone = this.#undone;
    return () => this.#isOpen && undone === this.#undone;
  }

  /**
   * Returns what other rules would have done with the clicks of a range. The range does not become final.
   * @returns null when the log was closed in the meantime
   */
  backtest(request: LinkQuestion<"backtest">): LinkAnswer<"backtest"> | Promise<LinkAnswer<"backtest"> | null> {
    if (!knowsConditions(request.routing)) return { kind: "unavailable" };
    const to = request.to ?? Math.max(this.#nowAfterLastClick(), request.from);
    const [log, isOpen] = [this.#all, this.#openUntilUndo()];
    const range = { first: log.positionAt(request.from), end: log.positionAt(to) };
    const from = earliestScannable(log, range);
    if (from !== null) return { kind: "too_many_clicks", from };
    const scan = this.#scans.run(async (pieces) => {
      const { scanBacktest } = await import("./backtest.ts");
      const { includeBots, url, routing } = request;
      const logged = {
        routes: this.#reader.routeKeysOf,
        revisionOf: (revision: number) => this.#revisions.get(revision),
      };
      const tried = { url, routing };
      return scanBacktest({ log, logged, tried, includeBots, range, isOpen, pieces });
    });
    return scan.then((data) => {
      if (data === "erased") return null;
      return typeof data === "string" ? { kind: data } : { kind: "backtested", to, ...data };
    });
  }

  /** Number of human scans of a QR code. */
  scans(qr: string): number {
    return this.#all.tally("qr", 0, this.#all.count).get(qr)?.human ?? 0;
  }

  /** Number of human clicks. The `device` field has few values, so its summaries are short. */
  humanClicks(): number {
    const devices = this.#all.tally("device", 0, this.#all.count);
    return [...devices.values()].reduce((sum, { human }) => sum + human, 0);
  }

  /**
   * Returns at most a page of clicks after a sequence number, in order.
   * @returns null when the log was closed in the meantime
   */
  async clicks(request: LinkQuestion<"clicks">): Promise<LinkAnswer<"clicks"> | null> {
    if (!knowsGroupings(request)) return { kind: "unavailable" };
    if (request.to !== undefined) this.#raiseFloor(request.to);
    const { matchingPage } = await import("./click-export.ts");
    const read = () => matchingPage(this.#reader, request, this.#openUntilUndo());
    const page = await (request.filters?.length ? this.#scans.run(read) : read());
    return page === "busy" ? { kind: page } : page;
  }

  /** Returns the rows of an export, page by page. Each page is read when its client is ready for it. */
  async exportClicks(
    request: LinkQuestion<"exportClicks">,
    readPage: typeof exportPage,
  ): Promise<LinkAnswer<"exportClicks">> {
    if (!knowsGroupings(request)) return { kind: "unavailable" };
    if (request.to !== null) this.#raiseFloor(request.to);
    return readPage(this.#reader, request, this.#openUntilUndo());
  }

  /** Returns clicks for the account's log. */
  draw(request: LinkQuestion<"draw">, draw: typeof drawClicks): LinkAnswer<"draw"> {
    const drawn = draw(this.#all, this.#reader.routeKeysOf, request);
    this.#drawAnnouncer.draw(request.before, !drawn.more && !this.isEmpty);
    return { ...drawn, address: this.#reader.address };
  }

  /** Sends the clicks from a position onward to the streams and the feed. Runs in the turn that appended them. */
  #notifyFollowers(from: number): void {
    this.subscribers.publish();
    this.#announcer.announce(from);
  }

  async #announceToAccount(link: LinkSnapshot, isImport: boolean): Promise<NewsResult> {
    const { accountId, mode, id, domain, slug, objectName } = link;
    const address = objectName === undefined ? { domain, slug } : { domain, slug, objectName };
    const object = this.#env.ACCOUNT_CLICKS.getByName(feedName(accountId, mode));
    return object.announce({ accountId, mode, link: { id, ...address }, isImport });
  }

  async #sendAnnouncement(announcement: Announcement): Promise<AnnouncementResult> {
    const link = this.snapshot();
    if (!link) return { kind: "nobody" };
    return this.#env.ACCOUNT_FEED.getByName(feedName(link.accountId, link.mode)).announce(announcement);
  }

  /** The current time, but after every stored click: a range "until now" includes the click recorded last. */
  #nowAfterLastClick(): number {
    return Math.max(Date.now(), this.#all.lastAt + 1);
  }

  /**
   * Finalizes a returned range: no later click gets a time before `to`. The floor is never set in the future, because
   * that would postdate clicks. A range that ends in the future is not final anyway.
   */
  #raiseFloor(to: number): void {
    const floor = Math.min(to, this.#nowAfterLastClick());
    if (floor <= this.#floor) return;
    this.#floor = floor;
    if (floor > this.#times.get("floor") && !this.isEmpty) this.#times.set("floor", floor + FLOOR_LEAD_MS);
  }
}
