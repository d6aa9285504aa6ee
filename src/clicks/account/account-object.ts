/**
 * The logic of an account's click object (../account-clicks.ts). It answers queries from its log, and brings the log
 * up to date when a query arrives, and once a day. Participation begins with the first query and ends thirty
 * days after the last one. While the account participates, its links announce that they have clicks.
 */
import type {
  AccountAnswer,
  AccountEraseResult,
  AccountProgress,
  AccountQuestion,
  AccountReference,
  ClickedLinksAnswer,
  ClicksByLinkAnswer,
  LinkToDraw,
  NewsAnnouncement,
  NewsResult,
} from "../../core/clicks/protocol/account-object-rpc.ts";
import { needsScan } from "../../core/clicks/counting/stats.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { countLinksToDraw, saveParticipation } from "../../store/links/account-statistics.ts";
import { withTimeout } from "../../store/timeout.ts";
import { ScanQueue } from "../scan-queue.ts";
import { AccountLog } from "./account-log.ts";
import { DrawRounds, type StepResult } from "./draw-rounds.ts";
import { DrawState, TagCache } from "./account-state.ts";

/** Maximum age of a result, unless links cannot be reached or past clicks are still being read. */
const AS_OF_AGE_MAX_MS = MINUTE_MS;
/** Age at which the log is old enough that a query starts the next round in the background. */
const REFRESH_AGE_MS = 50_000;
/** How long a query waits for a round. */
const WAIT_MAX_MS = 10_000;
/** Delay after a round in which a link did not respond. */
const RETRY_MS = 10_000;
const PARTICIPATION_MS = 30 * DAY_MS;
/**
 * Redirects stop notifying links later than the object's participation ends, so that no clicks are missed in between.
 */
const PARTICIPATION_LEAD_MS = DAY_MS;
const DAILY_MS = DAY_MS;

/** The tables of an account that participates, or did. */
interface Opened {
  state: DrawState;
  log: AccountLog;
  rounds: DrawRounds;
}

export class AccountObject {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #tags: TagCache;
  readonly scans: ScanQueue;
  #opened: Opened | null = null;
  #joining: Promise<void> | null = null;
  /** Statistics that are being counted, by their question. */
  readonly #counting = new Map<string, ReturnType<AccountLog["stats"]>>();
  #failedAt = -Infinity;
  /** Callbacks that resolve when the current round is over. */
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.#tags = new TagCache(env);
    this.scans = new ScanQueue((part) => env.ACCOUNT_CLICKS.get(ctx.id).readPart(part));
    const state = DrawState.open(ctx.storage.sql);
    if (state) this.#opened = this.#open(state);
  }

  #open(state: DrawState): Opened {
    const log = new AccountLog(this.#ctx.storage, undefined, this.scans);
    return { state, log, rounds: new DrawRounds(this.#env, state, log) };
  }

  /** Called before the storage is erased. */
  close(): void {
    this.#isClosed = true;
    this.#opened?.rounds.close();
    this.#opened?.log.close();
    this.#opened = null;
    this.#endWaiting();
  }

  async stats({ request, tagChanges, ...account }: AccountQuestion<"stats">): Promise<AccountAnswer<"stats">> {
    const opened = await this.#bringUpToDate(account, request.to);
    if (!opened) return { kind: "unavailable" };
    const { log } = opened;
    const tagsOf = await this.#tags.tagsOf(account, tagChanges);
    // The same log and tags give the same answer: simultaneous views of a shared page cost one scan.
    const key = JSON.stringify([request, tagChanges, log.asOf]);
    const counting = this.#counting.get(key) ?? log.stats(request, tagsOf).finally(() => this.#counting.delete(key));
    this.#counting.set(key, counting);
    const { asOf, ...answer } = await counting;
    return answer.kind === "stats" ? { ...answer, ...progressOf(opened, asOf) } : answer;
  }

  async clicks({ request, tagChanges, ...account }: AccountQuestion<"clicks">): Promise<AccountAnswer<"clicks">> {
    const isFirst = request.end === null;
    // Later pages show the same moment as the first one.
    const opened = await (isFirst ? this.#bringUpToDate(account, request.to) : this.#withoutErased(account));
    if (!opened) return { kind: "unavailable" };
    const { log } = opened;
    const known = progressOf(opened, log.asOf);
    const isComplete = known.asOf >= neededUntil(request.to) && !opened.state.isBehind;
    if (isFirst && !isComplete) return { kind: "incomplete", ...known };
    const tagsOf = await this.#tags.tagsOf(account, tagChanges);
    const read = () => log.clicks(request, tagsOf);
    // Exports are rare, and one that has begun is never rejected as busy.
    const page = await (isFirst && needsScan(request) ? log.scans.run(read) : read());
    if (page === "busy") return { kind: page };
    return page
      ? { kind: "clicks", asOf: known.asOf, ...page }
      : { kind: "incomplete", ...progressOf(opened, log.asOf) };
  }

  async clicksByLink({ after, limit, asOf, ...account }: AccountQuestion<"clicksByLink">): Promise<ClicksByLinkAnswer> {
    const opened = await this.#bringUpToDate(account, asOf ?? null);
    if (!opened) return { kind: "unavailable" };
    const until = Math.min(asOf ?? Infinity, opened.log.asOf);
    const page = opened.log.ranking(until).page(after, limit);
    return { kind: "links", ...page, ...progressOf(opened, opened.log.asOf), asOf: until };
  }

  async clickedLinks({ ids, asOf, ...account }: AccountQuestion<"clickedLinks">): Promise<ClickedLinksAnswer> {
    const opened = await this.#bringUpToDate(account, asOf);
    if (!opened) return { kind: "unavailable" };
    const ranking = opened.log.ranking(Math.min(asOf, opened.log.asOf));
    return { kind: "clicked", ids: ids.filter((id) => ranking.has(id)), ...progressOf(opened, opened.log.asOf) };
  }

  announce({ link, isImport = false }: NewsAnnouncement): NewsResult {
    if (!this.#opened || this.#opened.state.members.since === 0) return { kind: "nobody" };
    return { kind: "noted", floor: this.#opened.rounds.announced(link, isImport) };
  }

  async eraseLink(linkId: string): Promise<AccountEraseResult> {
    if (!this.#opened) return { kind: "erased" };
    const { log, rounds } = this.#opened;
    rounds.erase([linkId]);
    if (!log.isRewritten) return { kind: "erased" };
    await this.#wakeAt(Date.now());
    return { kind: "more" };
  }

  async redrawLinks(links: readonly LinkToDraw[]): Promise<AccountEraseResult> {
    this.#opened?.rounds.redraw(links);
    await this.#wakeAt(Date.now());
    return { kind: "erased" };
  }

  /** Continues a round or begins the daily one. Ends the participation of an account without recent queries. */
  async alarm(): Promise<void> {
    if (!this.#opened) return;
    const { state, log } = this.#opened;
    if (state.members.since > 0 && Date.now() >= state.members.until) endPart(state);
    const isIdle = state.members.since === 0 && log.asOf >= state.members.drawn;
    if (isIdle && !log.isRewritten) return;
    const result = await this.#tryStep(this.#opened);
    if (result !== "more") await this.#wakeAt(this.#nextRoundAt(result));
  }

  /** @returns null when the account could not begin to participate */
  async #bringUpToDate(account: AccountReference, to: number | null): Promise<Opened | null> {
    try {
      const opened = await this.#takePart(account);
      await opened.rounds.takeNews();
      await this.#awaitRounds(opened, to);
      // The database was restored, so the round has ended the participation.
      if (opened.state.members.since === 0) await this.#awaitRounds(await this.#takePart(account), to);
      return this.#opened;
    } catch (error) {
      console.error("account's clicks not read", { account: account.accountId, error: String(error) });
      return null;
    }
  }

  /**
   * Returns the log as it is, without clicks that were erased in the meantime.
   * @returns null when the database does not respond
   */
  async #withoutErased({ accountId }: AccountReference): Promise<Opened | null> {
    try {
      await this.#opened?.rounds.takeNews();
      return this.#opened;
    } catch (error) {
      console.error("account's erased clicks not read", { account: accountId, error: String(error) });
      return null;
    }
  }

  async #takePart(account: AccountReference): Promise<Opened> {
    this.#joining ??= this.#join(account).finally(() => (this.#joining = null));
    await this.#joining;
    if (!this.#opened) throw new Error("the account was erased");
    return this.#opened;
  }

  async #join(account: AccountReference): Promise<void> {
    const now = Date.now();
    const known = this.#opened?.state.members;
    if (known && known.since > 0 && known.until - now > PARTICIPATION_MS - DAILY_MS) return;
    const isNew = !known || known.since === 0 || now >= known.until;
    // Clicks of this millisecond are in the first result.
    const since = isNew ? Math.max(now + 1, known?.drawn ?? 0) : known.since;
    const until = now + PARTICIPATION_MS;
    const links = isNew ? await countLinksToDraw(this.#env, account) : 0;
    try {
      await saveParticipation(this.#env, account, { since, until: until + PARTICIPATION_LEAD_MS });
    } catch (error) {
      if (isNew) throw error;
      // A later query renews participation. This one does not need the database.
      return console.warn("statistics of an account not renewed", { error: String(error) });
    }
    // The account was closed in the meantime: its object must store nothing from now on.
    if (this.#isClosed) return;
    const { state } = (this.#opened ??= this.#open(DrawState.create(this.#ctx.storage.sql, account)));
    state.set({ since, until });
    if (!isNew) return;
    state.set({ pass: "fill", passUntil: since, passAfter: "", passSeen: 0, passLinks: links });
    await this.#wakeAt(now + MINUTE_MS);
  }

  /**
   * Waits for rounds if the log is not recent enough for a query. When a pass that began long ago ends, its clicks
   * are as old as its beginning, so another round follows; also after a step that was running when the query came.
   * @param to  end of the query's range
   */
  async #awaitRounds(opened: Opened, to: number | null): Promise<void> {
    const { state, log, rounds } = opened;
    const { drawn } = state.members;
    const wasRunning = rounds.isRunning;
    const hasWaited = await this.#awaitRound(opened, to);
    // Imports in the meantime must not hold up a query indefinitely.
    const isComplete = log.asOf >= state.members.drawn && !state.isBehind;
    if (hasWaited && isComplete && (wasRunning || state.members.drawn > drawn)) await this.#awaitRounds(opened, to);
  }

  /** @returns whether a step was awaited */
  async #awaitRound(opened: Opened, to: number | null): Promise<boolean> {
    const { state, log } = opened;
    const now = Date.now();
    const asOf = Math.min(log.asOf, state.members.drawn);
    const isFilled = state.members.pass !== "fill" && log.asOf >= state.members.drawn && !state.isBehind;
    if (isFilled && to !== null && to <= asOf) return false;
    if (isFilled && now - asOf < REFRESH_AGE_MS) return false;
    if (now - this.#failedAt < RETRY_MS) return false;
    const over = new Promise<void>((done) => this.#waiting.push(done));
    this.#ctx.waitUntil(this.#tryStep(opened));
    if (isFilled && now - asOf < AS_OF_AGE_MAX_MS) return false;
    // If the step takes longer, the result is as of an earlier time.
    await withTimeout(WAIT_MAX_MS, over).catch(() => undefined);
    return true;
  }

  /** Runs a step of the round. An alarm continues with the rest. */
  async #tryStep({ rounds, state }: Opened): Promise<StepResult> {
    const result = await rounds.step().catch((error: unknown): StepResult => {
      console.error("account's clicks not drawn", { account: state.account.accountId, error: String(error) });
      return "failed";
    });
    if (result === "failed") this.#failedAt = Date.now();
    if (result === "more") await this.#wakeAt(Date.now());
    else this.#endWaiting();
    if (rounds.sweepAt !== null && result === "done") await this.#wakeAt(rounds.sweepAt);
    return result;
  }

  #endWaiting(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  #nextRoundAt(result: StepResult): number {
    const now = Date.now();
    return result === "failed" ? now + MINUTE_MS : (this.#opened?.rounds.sweepAt ?? now + DAILY_MS);
  }

  /** Sets the alarm, unless an earlier one is set: each is billed as a written row. */
  async #wakeAt(at: number): Promise<void> {
    const { storage } = this.#ctx;
    const known = await storage.getAlarm();
    if (this.#opened && (known === null || known > at)) await storage.setAlarm(at);
  }
}

/** Returns the time until which clicks must be known for a range. @param to  end of the range */
function neededUntil(to: number | null): number {
  return Math.min(to ?? Infinity, Date.now() - AS_OF_AGE_MAX_MS - WAIT_MAX_MS);
}

/**
 * Progress is the share of drawn links while past clicks are read. Drawing is most of the work; the rest is merging.
 */
const MERGING_PROGRESS = 0.9;

function progressOf({ state }: Opened, asOf: number): AccountProgress {
  const { pass, passSeen, passLinks, drawn } = state.members;
  if (pass === "fill") return { asOf, progress: (MERGING_PROGRESS * passSeen) / Math.max(passLinks, passSeen, 1) };
  return asOf < drawn || state.isBehind ? { asOf, progress: MERGING_PROGRESS } : { asOf };
}

function endPart(state: DrawState): void {
  state.deleteAllWaiting();
  state.set({ since: 0, pass: "none", passAfter: null });
}
