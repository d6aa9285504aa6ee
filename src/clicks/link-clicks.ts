/**
 * The Durable Object of one link. It is the only writer of the link's click log, and also stores the link's last known
 * snapshot. Its name consists of domain and slug (core/links/link-snapshot.ts), so it can be called without the
 * database. Outcomes are returned, never thrown: RPC loses an error's class.
 *
 * During a rollout the object may run older code than the code that wrote its tables. It then neither reads nor writes
 * them, and returns `too_new` or `unavailable`; callers retry.
 *
 * An erased object stores nothing, not even a tombstone: that row is in D1. This instance drops late clicks because it
 * has the tombstone in memory. A later instance looks the tombstone up in D1 when clicks arrive late.
 */
import { retryable } from "cloudflare:durable-objects";
import { DurableObject } from "cloudflare:workers";

import type {
  ClickBatch,
  EraseResult,
  LearnResult,
  LinkAnswer,
  LinkQuestion,
  LinkReference,
  OtherLink,
  RecordResult,
  Unavailable,
} from "../core/clicks/protocol/link-object-rpc.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { CallPacer } from "../core/clicks/protocol/call-pacing.ts";
import { CLOSE_CODE_RESUME, OTHER_LINK_STATUS, UNAVAILABLE_STATUS } from "../core/streams/stream-protocol.ts";
import { callReadPart } from "../store/link-object-client.ts";
import { findLateLink } from "../store/links/erased-links.ts";
import { LinkHistory } from "./link-history.ts";
import type { PasswordChecks } from "./password-checks.ts";
import { ScanQueue } from "./scan-queue.ts";
import { eraseStorage, FIRST_CLICK_TABLES, migrate, tableNames } from "./schema.ts";

const TOO_NEW_ALARM_RETRY_MS = MINUTE_MS;
/** Clicks that arrive this late may belong to an erased link: links are erased a minute after their end. */
const LATE_BATCH_AGE_MS = 30_000;

const LOST_ADDRESS_KEY = "lost_address_at";

export class LinkClicks extends DurableObject<Env> {
  static {
    // These methods are idempotent: a batch keeps its id. The runtime repeats calls that a deployment has interrupted.
    const { record, learn, erase, stats, clicks, draw, importClicks, undoImport } = this.prototype;
    retryable(record, learn, erase, stats, clicks, draw, importClicks, undoImport);
  }

  /** Null when the storage was written by a later release. */
  #history: LinkHistory | null;
  readonly #pacer = CallPacer.ofObject();
  readonly #scans = new ScanQueue((part) => callReadPart(this.env, this.ctx.id, part));
  /** When another link was first known to have the address, epoch ms; undefined until read from storage. */
  #lostAddressAt: number | null | undefined;
  #checks: PasswordChecks | undefined;
  /** Tombstone of the link whose clicks were erased here; null if none were. */
  #tombstone: LinkSnapshot | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const tables = tableNames(ctx.storage.sql);
    const isReadable =
      tables.size === 0 || migrate(ctx.storage, ...FIRST_CLICK_TABLES.filter((name) => tables.has(name)));
    this.#history = isReadable ? new LinkHistory(ctx, env, this.#scans, tables) : null;
  }

  /**
   * Stores a batch. A batch that is already stored changes nothing. The result specifies when to call again, and
   * contains the current link if the sender's is older.
   */
  record(batch: ClickBatch): RecordResult | Promise<RecordResult> {
    if (!this.#history) return { kind: "too_new" };
    if (this.#tombstone) return this.#recordAfterErasing(batch, this.#tombstone);
    const id = batch.linkId ?? batch.snapshot?.id;
    if (this.#holdsAnotherLink(id)) return this.#refuseOther(batch.clicks.at);
    this.#regainAddress(batch.clicks.at);
    if (this.#history.isEmpty && Date.now() - batch.clicks.at > LATE_BATCH_AGE_MS) return this.#recordLate(batch);
    return this.#storeBatch(batch);
  }

  #storeBatch(batch: ClickBatch): RecordResult | Promise<RecordResult> {
    const notified = this.#history?.notifyAccount(batch);
    // Recorded as if it had just arrived: the link may have been erased or drawn in the meantime.
    if (notified) return notified.then(() => this.record(batch));
    const gatherMs = this.#pacer.reserve(performance.now());
    const recorded = this.#history?.record(batch) ?? { kind: "too_new" };
    return recorded.kind === "recorded" ? { ...recorded, gatherMs } : recorded;
  }

  /** Accepts and drops clicks of an erased link, so that their sender does not retry. */
  #recordAfterErasing(batch: ClickBatch, erased: LinkSnapshot): RecordResult | Promise<RecordResult> {
    if (!batch.snapshot) return { kind: "snapshot_missing" };
    const { id, revision } = batch.snapshot;
    if (id === erased.id && revision <= erased.revision) return { kind: "recorded", newer: erased };
    // The tombstone is lost when D1 is restored to an earlier time. This link, or another one, has the address again.
    this.#tombstone = null;
    return this.record(batch);
  }

  /** @throws when the database does not respond: the sender keeps the batch and retries */
  async #recordLate(batch: ClickBatch): Promise<RecordResult> {
    if (!batch.snapshot) return { kind: "snapshot_missing" };
    const { erased, statsSince } = await findLateLink(this.env, batch.snapshot);
    if (erased) return { kind: "recorded", newer: erased };
    // Clicks of another link may have been stored here in the meantime.
    const { id } = batch.snapshot;
    if (this.#holdsAnotherLink(id)) return this.#refuseOther(batch.clicks.at);
    // The sender may have read the account long ago.
    return this.#storeBatch(statsSince > 0 ? { ...batch, statsSince } : batch);
  }

  /** Erases the storage, whatever its release, and ends the link's streams. */
  async erase(tombstone: LinkSnapshot): Promise<EraseResult> {
    if (this.#holdsAnotherLink(tombstone.id)) return { kind: "other_link" };
    this.#lostAddressAt = null;
    this.#tombstone = tombstone;
    this.#history?.close();
    await eraseStorage(this.ctx);
    this.#history = new LinkHistory(this.ctx, this.env, this.#scans);
    // The tombstone is kept in memory for isolates that redirect without the database. An object without clicks stores
    // nothing.
    this.#history.learn(tombstone);
    return { kind: "erased" };
  }

  /**
   * Stores the snapshot of a changed link. Called before the API responds to the change; if that fails, the outbox
   * calls it later.
   */
  learn(snapshot: LinkSnapshot): LearnResult {
    if (this.#holdsAnotherLink(snapshot.id)) return this.#refuseOther(Date.now());
    return this.#history?.learn(snapshot) ?? { kind: "too_new" };
  }

  /** Announces clicks to the account's feed. @param since  start of the feed's period, epoch ms */
  listen({ since, linkId }: { since: number } & LinkReference): LearnResult {
    if (this.#holdsAnotherLink(linkId)) return { kind: "other_link" };
    if (!this.#history) return { kind: "too_new" };
    this.#history.startAnnouncing(since);
    return { kind: "learned" };
  }

  /** The newest known snapshot of the link; null when this object knows none or another link has the address. */
  snapshot(): LinkSnapshot | null {
    return this.#readLostAddressAt() === null ? (this.#history?.snapshot() ?? null) : null;
  }

  stats(question: LinkQuestion<"stats">): LinkAnswer<"stats"> | Promise<LinkAnswer<"stats">> {
    return this.#ask(question, (history) => history.stats(question));
  }

  /** Returns what other rules would have done with the clicks of a range. */
  backtest(request: LinkQuestion<"backtest">): LinkAnswer<"backtest"> | Promise<LinkAnswer<"backtest">> {
    return this.#ask(request, (history) => history.backtest(request));
  }

  /** Reads a part of a scan. The object calls itself: each call has its own CPU budget. */
  async readPart(part: number): Promise<void> {
    await this.#scans.readPart(part);
  }

  /** Number of human scans of a QR code. */
  scans({ qr, linkId }: LinkQuestion<"scans">): LinkAnswer<"scans"> {
    return this.#answer(linkId, (history) => ({ kind: "scans", scans: history.scans(qr) }));
  }

  /** Total number of human clicks. */
  humanClicks({ linkId }: LinkReference): LinkAnswer<"humanClicks"> {
    return this.#answer(linkId, (history) => ({ kind: "human_clicks", clicks: history.humanClicks() }));
  }

  /** Checks a password, by the newest revision of the link that is known. */
  async checkPassword(attempt: LinkQuestion<"checkPassword">): Promise<LinkAnswer<"checkPassword">> {
    const checks = await this.#passwordChecks();
    return this.#answer(attempt.linkId, async (history) => {
      const newest = history.snapshot();
      const record = newest && newest.revision > attempt.revision ? newest.password : attempt.record;
      return checks.check(record ?? attempt.record, attempt);
    });
  }

  async passwordLock({ linkId }: LinkQuestion<"passwordLock">): Promise<LinkAnswer<"passwordLock">> {
    const checks = await this.#passwordChecks();
    return this.#answer(linkId, () => ({ kind: "password_lock", until: checks.lockedUntil() }));
  }

  async #passwordChecks(): Promise<PasswordChecks> {
    const { PasswordChecks } = await import("./password-checks.ts");
    return (this.#checks ??= new PasswordChecks(this.env, this.ctx.storage));
  }

  /** Returns at most a page of clicks after a sequence number, in order. */
  clicks(question: LinkQuestion<"clicks">): LinkAnswer<"clicks"> | Promise<LinkAnswer<"clicks">> {
    return this.#ask(question, (history) => history.clicks(question));
  }

  /** Returns a page of an export. */
  async exportClicks(request: LinkQuestion<"exportClicks">): Promise<LinkAnswer<"exportClicks">> {
    // Imported lazily, like the imports below: redirects load this class but need none of them.
    const { exportPage } = await import("./click-export.ts");
    return this.#answer(request.linkId, (history) => history.exportClicks(request, exportPage));
  }

  /** Returns clicks for the account's log. */
  async draw(request: LinkQuestion<"draw">): Promise<LinkAnswer<"draw">> {
    const { drawClicks } = await import("./click-draw.ts");
    return this.#answer(request.linkId, (history) => history.draw(request, drawClicks));
  }

  /** Adds clicks of an import, before all recorded ones. */
  async importClicks(request: LinkQuestion<"importClicks">): Promise<LinkAnswer<"importClicks">> {
    const [imports, { erased, statsSince }] = await Promise.all([
      import("./click-import.ts"),
      findLateLink(this.env, request.snapshot),
    ]);
    if (erased) return { kind: "erased", clicks: 0 };
    const { linkId, snapshot } = request;
    this.#answer(linkId, (history) => history.beginImport());
    // The link may be drawn again while the account is notified.
    for (;;) {
      const notified = this.#answer(linkId, (history) => history.notifyAccount({ statsSince, snapshot }, true));
      if (notified && "kind" in notified) return notified;
      if (!notified) break;
      await notified;
    }
    return this.#answer(linkId, (history) => history.importClicks(request, imports));
  }

  /** Removes the clicks of an import. */
  async undoImport({ linkId, importId }: LinkQuestion<"undoImport">): Promise<LinkAnswer<"undoImport">> {
    const imports = await import("./click-import.ts");
    return this.#answer(linkId, (history) => history.undoImport(importId, imports));
  }

  /** Returns a part of the log for a backup. */
  async copyLog(request: LinkQuestion<"copyLog">): Promise<LinkAnswer<"copyLog">> {
    const { copyLog } = await import("./log-copy.ts");
    return this.#answer(request.linkId, () => copyLog(this.ctx.storage.sql, request));
  }

  /** Appends a part of a backup to the log of a link that is not in the database yet. */
  async restoreLog(request: LinkQuestion<"restoreLog">): Promise<LinkAnswer<"restoreLog">> {
    const { restoreLog } = await import("./log-copy.ts");
    return this.#answer(request.linkId, () => {
      const result = restoreLog(this.ctx.storage, request);
      this.#openAnew();
      return result;
    });
  }

  /** Opens a stream of this link's clicks. */
  override fetch(request: Request): Response {
    const linkId = new URL(request.url).searchParams.get("log") ?? undefined;
    if (this.#holdsAnotherLink(linkId)) return new Response(null, { status: OTHER_LINK_STATUS });
    return this.#history?.subscribe(request) ?? new Response(null, { status: UNAVAILABLE_STATUS });
  }

  #answer<T>(linkId: string | undefined, work: (history: LinkHistory) => T): T | Unavailable | OtherLink {
    if (this.#holdsAnotherLink(linkId)) return { kind: "other_link" };
    return this.#history ? work(this.#history) : { kind: "unavailable" };
  }

  /** Like `#answer`, but retries if the log was erased or replaced while it was read. */
  #ask<T>(
    question: LinkReference,
    work: (history: LinkHistory) => T | Promise<T | null>,
  ): T | Unavailable | OtherLink | Promise<T | Unavailable | OtherLink> {
    const result = this.#answer(question.linkId, work);
    return result instanceof Promise ? result.then((answer) => answer ?? this.#ask(question, work)) : result;
  }

  #openAnew(): void {
    this.#history?.close();
    this.#history = new LinkHistory(this.ctx, this.env, this.#scans);
  }

  /**
   * Whether this object stores another link's clicks. This happens after D1 was restored to an earlier time. Clicks of
   * two links are never mixed. Side effect: the snapshot of another link without clicks is discarded.
   */
  #holdsAnotherLink(id: string | undefined): boolean {
    const known = this.#history?.linkId ?? null;
    if (!this.#history || id === undefined || known === null || known === id) return false;
    if (!this.#history.isEmpty) return true;
    this.#openAnew();
    return false;
  }

  /**
   * Records that another link has the address. From now on, no redirect uses this object's link while D1 is down.
   * @param at  epoch ms
   */
  #refuseOther(at: number): OtherLink {
    if (this.#readLostAddressAt() === null) this.ctx.storage.kv.put(LOST_ADDRESS_KEY, (this.#lostAddressAt = at));
    return { kind: "other_link" };
  }

  /** Later clicks mean that D1 was restored again and now has this object's link. */
  #regainAddress(at: number): void {
    const lostAt = this.#readLostAddressAt();
    if (lostAt === null || at <= lostAt) return;
    this.#lostAddressAt = null;
    this.ctx.storage.kv.delete(LOST_ADDRESS_KEY);
  }

  /** Reads the time from storage once. An object without clicks has never stored it. */
  #readLostAddressAt(): number | null {
    if (this.#history?.isEmpty) return null;
    if (this.#lostAddressAt === undefined) {
      this.#lostAddressAt = this.ctx.storage.kv.get<number>(LOST_ADDRESS_KEY) ?? null;
    }
    return this.#lostAddressAt;
  }

  override webSocketMessage(socket: WebSocket): void {
    if (this.#history) this.#history.subscribers.sendNextPage(socket);
    else socket.close(CLOSE_CODE_RESUME, "too new");
  }

  override webSocketClose(socket: WebSocket): void {
    this.#history?.subscribers.remove(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#history?.subscribers.remove(socket);
  }

  override async alarm(): Promise<void> {
    if (this.#history) await this.#history.alarm();
    // The alarm's work is still pending: it is retried until this object runs the newer release.
    else await this.ctx.storage.setAlarm(Date.now() + TOO_NEW_ALARM_RETRY_MS);
  }
}
