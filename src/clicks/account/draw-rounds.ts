/**
 * Brings an account's log up to date. A round draws from every link that may have clicks before one instant. Then the
 * log is merged up to that instant. A link that does not respond keeps the log where it is. A round runs in steps, each
 * limited to the calls that one invocation may make.
 *
 * Links that may have clicks are those that announced some after their last draw, and those that could only notify the
 * database. In a pass, they are all links of the account (account-state.ts).
 */
import type { LinkToDraw } from "../../core/clicks/protocol/account-object-rpc.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { GenerationCache } from "../../core/memory/caches.ts";
import { linkHost, shortAddress } from "../../core/hosts.ts";
import { objectCallsMax } from "../../core/deployment/settings.ts";
import { deleteNews, findErasedLinks, listLinksToDraw, readNews } from "../../store/links/account-statistics.ts";
import { drawFromLink } from "../../store/link-object-client.ts";
import { withTimeout } from "../../store/timeout.ts";
import { DRAW_CLICKS_MAX } from "../../core/clicks/protocol/link-object-rpc.ts";
import { type AccountLog, MERGED_PIECE_CLICKS } from "./account-log.ts";
import type { DrawState } from "./account-state.ts";

const DRAWS_AT_ONCE = 16;
const DRAW_TIMEOUT_MS = 5_000;
/** Limit of one response from a link's object. */
const DRAW_MAX_BYTES = 1024 * 1024;
/** How often a round tries a link that does not respond. */
const TRIES_MAX = 2;
/**
 * Draws are stored together, each time as a run of clicks: after this many draws or this much time, which bounds the
 * work lost when the object is killed.
 */
const STORED_DRAWS = 5_000;
const STORED_DRAWS_MS = 5_000;
/**
 * Work of a step, in pieces of clicks that are drawn or merged: about 250 ms of CPU each on the benchmark machine. An
 * invocation may take 30 s; a step stays below a tenth of that on a machine half as fast.
 * @internal
 */
export const STEP_PIECES_MAX = 5;
/** Maximum drawn at the same time. A step with less budget left begins no draw. */
const PIECES_IN_FLIGHT = (DRAWS_AT_ONCE * DRAW_CLICKS_MAX) / MERGED_PIECE_CLICKS;
/**
 * An isolate learns within ten seconds that links announce their clicks. A link's object checks this itself when its
 * first clicks are thirty seconds late. The sweep after this delay draws earlier clicks.
 */
const SWEEP_DELAY_MS = 45_000;
/** Entries in each of two generations. */
const ERASED_LINKS_CACHE_MAX_ENTRIES = 5_000;
/** How long clicks drawn from an erased link may still arrive and wait to be stored. */
const LATE_DRAWS_MS = MINUTE_MS;

/** A draw that is in progress, or whose result is not stored yet. */
interface Draw {
  link: LinkToDraw;
  isDrawn: boolean;
  /** The link has undrawn clicks that it does not announce again, none of them before this; Infinity if it has none. */
  laterSince: number;
  /** The link has lost clicks in the meantime, which may be among the drawn ones. */
  isVoid: boolean;
}

/** Kept in memory only: after an eviction a new round begins. */
interface Round {
  /** When the participation began in which the round did. */
  since: number;
  /** Clicks before this are drawn, epoch ms. */
  until: number;
  /** Last link that the pass has processed; null without a pass, or when it has processed all. */
  passAfter: string | null;
  passSeen: number;
  /** Last waiting link that this attempt has processed. */
  after: string;
  tries: number;
  /** A step ended before it had drawn all of a link's clicks. */
  isInterrupted: boolean;
}

/** Remaining budget of a step: calls to objects, and pieces. */
interface StepBudget {
  calls: number;
  pieces: number;
}

/** `failed`: a link did not respond, so the log stays where it is. */
export type StepResult = "more" | "done" | "failed";

export class DrawRounds {
  readonly #env: Env;
  readonly #state: DrawState;
  readonly #log: AccountLog;
  readonly #draws = new Map<string, Draw>();
  /** When links were erased, epoch ms. Not stored: a draw does not outlive the instance. */
  readonly #erasedAt = new GenerationCache<number>(ERASED_LINKS_CACHE_MAX_ENTRIES);
  #round: Round | null = null;
  #running: Promise<StepResult> | null = null;
  /** A round up to this time may have begun. */
  #floor: number;
  /** When draws were last stored, by `performance.now()`. */
  #storedAt = 0;
  #isClosed = false;

  constructor(env: Env, state: DrawState, log: AccountLog) {
    this.#env = env;
    this.#state = state;
    this.#log = log;
    this.#floor = Math.max(state.members.drawn, log.asOf);
  }

  /** When the sweep is due, epoch ms; null when none is pending. */
  get sweepAt(): number | null {
    const { pass, since } = this.#state.members;
    return pass === "wait" ? since + SWEEP_DELAY_MS : null;
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * Called when a link is about to store clicks. Until it is drawn, imported ones are missing from finished ranges.
   * @returns the earliest time that they may be given, because a round up to it may be in progress without the link
   */
  announced(link: LinkToDraw, isImport: boolean): number {
    this.#addWaiting(link, isImport ? 0 : this.#floor);
    return this.#floor;
  }

  /** The link stays waiting even if a draw that may lack these clicks is stored afterwards. */
  #addWaiting(link: LinkToDraw, since: number): void {
    this.#state.addWaiting(link, since);
    const draw = this.#draws.get(link.id);
    if (draw) draw.laterSince = Math.min(draw.laterSince, since);
  }

  /** Erases the clicks of links. Clicks still being drawn from them are dropped. */
  erase(linkIds: readonly string[]): void {
    for (const id of linkIds) {
      this.#erasedAt.set(id, Date.now());
      this.#state.deleteWaiting(id);
    }
    this.#log.erase(linkIds);
  }

  /** Draws links from their beginning, because their logs have lost clicks. */
  redraw(links: readonly LinkToDraw[]): void {
    this.#log.erase(links.map(({ id }) => id));
    for (const link of links) {
      const draw = this.#draws.get(link.id);
      if (draw) draw.isVoid = true;
      this.#addWaiting(link, 0);
    }
  }

  /** True only for a limited time: a database that is restored to an earlier time has the link again. */
  #isJustErased(linkId: string): boolean {
    const at = this.#erasedAt.get(linkId);
    return at !== undefined && Date.now() - at < LATE_DRAWS_MS;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Begins or continues a round, or joins the running step. */
  step(): Promise<StepResult> {
    return (this.#running ??= this.#step().finally(() => (this.#running = null)));
  }

  async #step(): Promise<StepResult> {
    const budget = { calls: objectCallsMax(this.#env), pieces: STEP_PIECES_MAX };
    // Drawn clicks are merged before more are drawn. Otherwise the draws of a busy account would leave no time for
    // merging.
    const isBetweenRounds = !this.#round && !this.#isClosed;
    if (isBetweenRounds && !(await this.#log.merge(this.#state.members.drawn, budget))) return "more";
    let result: StepResult = "failed";
    try {
      result = await this.#draw(budget);
    } finally {
      if (result !== "more") this.#round = null;
      // After an error, clicks that were not stored are drawn again.
      if (result !== "more") this.#draws.clear();
    }
    if (result === "more" || this.#isClosed) return result;
    return (await this.#log.merge(this.#state.members.drawn, budget)) ? result : "more";
  }

  async #draw(budget: StepBudget): Promise<StepResult> {
    const { since } = this.#state.members;
    if (since === 0) return "done";
    if (this.#round?.since !== since) {
      this.#round = null;
      this.#draws.clear();
    }
    const round = (this.#round ??= await this.#begin());
    if (!round) return "done";
    // Its end would stand for that of the pass over all links, which begins with a new participation.
    const isOutdated = () => this.#state.members.since !== round.since;
    for (;;) {
      // One call lists links, and at least one must be left to draw from the first.
      if (budget.calls < 2 || isSpent(budget)) return "more";
      const isPass = round.passAfter !== null;
      const links = await this.#nextLinks(round, budget.calls--);
      if (this.#isClosed) return "failed";
      if (isOutdated()) return this.#draw(budget);
      if (!links) break;
      const begun = await this.#drawFrom(links, round, budget);
      if (this.#isClosed) return "failed";
      if (isOutdated()) return this.#draw(budget);
      const last = links[begun - 1];
      if (last && begun < links.length) {
        // The next step continues after the last link that was started.
        round[isPass ? "passAfter" : "after"] = last.id;
        if (isPass) round.passSeen -= links.length - begun;
      }
      const isDue = this.#draws.size >= STORED_DRAWS || performance.now() - this.#storedAt >= STORED_DRAWS_MS;
      if (isDue) this.#storeDraws(round);
    }
    if (this.#state.waitingLinks(round.until, "", 1).length > 0) return "failed";
    this.#end(round);
    return "done";
  }

  /**
   * Between the passes, a round only draws what an import or an undo has changed before the last instant.
   * @returns null when there is nothing to do: between the passes, or if the account does not participate
   */
  async #begin(): Promise<Round | null> {
    // The round includes clicks of this millisecond.
    const now = Date.now() + 1;
    const isSweepDue = this.sweepAt !== null && now >= this.sweepAt;
    if (this.sweepAt !== null && !isSweepDue && !this.#state.isBehind) return null;
    if (isSweepDue) {
      this.#state.set({ pass: "sweep", passUntil: Math.max(now, this.#floor), passAfter: "", passSeen: 0 });
    }
    const { since, pass, passUntil, passAfter, passSeen } = this.#state.members;
    // Chosen before the news is read: a link's object that adds news afterwards gives its clicks later times.
    const until = pass === "none" ? Math.max(now, this.#floor) : passUntil;
    this.#floor = Math.max(this.#floor, until);
    if (!(await this.takeNews())) return null;
    this.#storedAt = performance.now();
    return { since, until, passAfter, passSeen, after: "", tries: 0, isInterrupted: false };
  }

  /**
   * Reads the news that only the database received: which links have clicks that they could not announce, and which
   * links' clicks are erased. No later result includes clicks that were erased when this is called.
   * @returns false when the account no longer participates
   */
  async takeNews(): Promise<boolean> {
    const { since } = this.#state.members;
    for (;;) {
      const news = await readNews(this.#env, this.#state.account);
      if (this.#isClosed) return false;
      if (news.erased.length > 0) this.erase(news.erased);
      // Another query has restarted participation in the meantime.
      if (this.#state.members.since !== since) return false;
      if (news.participation?.since !== since) {
        // The database was restored to an earlier time, so links may not have announced all clicks. The next query
        // restarts participation.
        this.#state.set({ since: 0, pass: "none" });
        return false;
      }
      for (const link of news.links) this.#addWaiting(link, 0);
      await deleteNews(this.#env, this.#state.account, news);
      if (this.#isClosed) return false;
      // A link drawn in the meantime may have notified the database again, in the row that was deleted.
      for (const link of news.links) if (!this.#isJustErased(link.id)) this.#addWaiting(link, 0);
      if (!news.hasMore) return true;
    }
  }

  /** @returns null when there are no more */
  async #nextLinks(round: Round, limit: number): Promise<LinkToDraw[] | null> {
    if (round.passAfter !== null) {
      const links = await listLinksToDraw(this.#env, this.#state.account, round.passAfter, limit);
      round.passAfter = links.length < limit ? null : (links.at(-1)?.id ?? null);
      round.passSeen += links.length;
      // The sweep is for links that had no clicks. The others know that they were drawn.
      const { pass } = this.#state.members;
      return pass === "sweep" ? links.filter(({ id }) => this.#log.positionOf(id) === 0) : links;
    }
    if (round.after === "") this.#storeDraws(round);
    const links = this.#state.waitingLinks(round.until, round.after, limit);
    const last = links.at(-1);
    if (last) {
      round.after = last.id;
      return this.#withoutErased(links);
    }
    this.#storeDraws(round);
    if (!round.isInterrupted) round.tries++;
    round.after = "";
    round.isInterrupted = false;
    const isOver = round.tries >= TRIES_MAX || this.#state.waitingLinks(round.until, "", 1).length === 0;
    return isOver ? null : this.#nextLinks(round, limit);
  }

  /** Links awaiting erasure keep their clicks for another minute, and announce new ones. */
  async #withoutErased(links: readonly LinkToDraw[]): Promise<LinkToDraw[]> {
    const erased = await findErasedLinks(this.#env, this.#state.account, links);
    if (!this.#isClosed) for (const id of erased) this.#state.deleteWaiting(id);
    return links.filter(({ id }) => !erased.has(id));
  }

  /** @returns how many links were started, in their order: all, unless the budget ran out earlier */
  async #drawFrom(links: readonly LinkToDraw[], round: Round, budget: StepBudget): Promise<number> {
    let begun = 0;
    const drawNext = async () => {
      for (let link = links[begun]; link && !isSpent(budget); link = links[begun]) {
        begun++;
        const draw = { link, isDrawn: false, laterSince: Infinity, isVoid: false };
        this.#draws.set(link.id, draw);
        draw.isDrawn = await this.#drawLink(draw, round, budget);
      }
    };
    await Promise.all(Array.from({ length: DRAWS_AT_ONCE }, drawNext));
    return begun;
  }

  /** @returns whether all clicks of the link were drawn */
  async #drawLink(draw: Draw, round: Round, budget: StepBudget): Promise<boolean> {
    const { link } = draw;
    if (this.#log.isErasing(link.id)) return false;
    for (;;) {
      if (isSpent(budget)) {
        round.isInterrupted = true;
        return false;
      }
      budget.calls--;
      const from = this.#log.positionOf(link.id);
      const request = { from, before: round.until, maxBytes: DRAW_MAX_BYTES };
      const drawn = await withTimeout(DRAW_TIMEOUT_MS, drawFromLink(this.#env, link, request)).catch(
        (error: unknown) => {
          console.warn("link not drawn", { link: link.id, error: String(error) });
          return null;
        },
      );
      // The log was read again in the meantime, after an error.
      if (this.#isClosed || !drawn || draw.isVoid || this.#log.positionOf(link.id) !== from) return false;
      budget.pieces -= (drawn.next - from) / MERGED_PIECE_CLICKS;
      if (this.#isJustErased(link.id)) return true;
      if (drawn.next > from) {
        const address = drawn.address ?? shortAddress(link);
        this.#log.stage({ id: link.id, domain: linkHost(link.domain), address }, drawn, drawn.next);
      }
      if (drawn.hasLater) draw.laterSince = Math.min(draw.laterSince, round.until);
      if (!drawn.more) return true;
    }
  }

  /** Stores drawn clicks, and records that their links are no longer waiting. */
  #storeDraws(round: Round): void {
    this.#log.save();
    const { pass, passAfter, drawn } = this.#state.members;
    for (const { link, isDrawn, laterSince, isVoid } of this.#draws.values()) {
      if (this.#isJustErased(link.id)) this.#state.deleteWaiting(link.id);
      else if (isVoid) this.#state.addWaiting(link, 0);
      // A link that does not respond holds back later results, but does not make earlier ones incomplete.
      else if (!isDrawn) this.#state.addWaiting(link, pass === "fill" ? 0 : drawn);
      else if (laterSince < Infinity) this.#state.setWaitingSince(link, Math.min(laterSince, round.until));
      else this.#state.deleteWaiting(link.id);
    }
    this.#draws.clear();
    this.#storedAt = performance.now();
    if (pass !== "none" && passAfter !== round.passAfter) {
      this.#state.set({ passAfter: round.passAfter, passSeen: round.passSeen });
    }
  }

  /** Ends a round. All clicks before its instant are stored. */
  #end({ until }: Round): void {
    const { pass } = this.#state.members;
    const isSweepLeft = pass === "fill" || pass === "wait";
    this.#state.set({ drawn: until, pass: isSweepLeft ? "wait" : "none", passAfter: null });
  }
}

function isSpent({ calls, pieces }: StepBudget): boolean {
  return calls <= 0 || pieces < PIECES_IN_FLIGHT;
}
