/**
 * Brings an account's log up to date. A round draws from every link that may have clicks before one instant; then the log
 * is merged up to it. A link that does not answer keeps the log where it is. A round is done in steps, each of as many
 * calls as one invocation may make.
 *
 * Links that may have clicks: those that have announced some since they were drawn, those that could only tell the
 * database, and in a pass all links of the account (account-state.ts).
 */
import type { LinkToDraw } from "../../core/clicks/protocol/account-object-rpc.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { GenerationCache } from "../../core/memory/caches.ts";
import { linkHost } from "../../core/hosts.ts";
import { objectCallsMax } from "../../core/deployment/settings.ts";
import { deleteNews, findErasedLinks, listLinksToDraw, readNews } from "../../store/links/account-statistics.ts";
import { drawFromLink } from "../../store/link-object-client.ts";
import { withTimeout } from "../../store/timeout.ts";
import { DRAW_CLICKS_MAX } from "../../core/clicks/protocol/link-object-rpc.ts";
import { type AccountLog, MERGED_PIECE_CLICKS } from "./account-log.ts";
import type { DrawState } from "./account-state.ts";

const DRAWS_AT_ONCE = 16;
const DRAW_TIMEOUT_MS = 5_000;
/** Of one answer of a link's object. */
const DRAW_MAX_BYTES = 1024 * 1024;
/** How often a round asks a link that does not answer. */
const TRIES_MAX = 2;
/** Draws are stored together, as a run of clicks each time: so many, or those of a time, which a kill makes undone. */
const STORED_DRAWS = 5_000;
const STORED_DRAWS_MS = 5_000;
/**
 * Work of a step, in pieces of clicks that are drawn or merged: some 200 ms of CPU each on the machine of the benchmarks. An
 * invocation may take 30 s; a step stays below a tenth of that on a machine of half the speed.
 */
const STEP_PIECES_MAX = 6;
/** Drawn at the same time at most: a step begins no draw with less left. */
const PIECES_IN_FLIGHT = (DRAWS_AT_ONCE * DRAW_CLICKS_MAX) / MERGED_PIECE_CLICKS;
/**
 * An isolate learns within ten seconds that links announce their clicks, and a link's object asks for itself when its
 * first clicks are thirty seconds late. What came before is drawn by the sweep after that.
 */
const SWEEP_DELAY_MS = 45_000;
/** Entries of each of two generations. */
const ERASED_LINKS_CACHE_MAX_ENTRIES = 5_000;
/** How long what is drawn from an erased link may still arrive, and be waiting to be stored. */
const LATE_DRAWS_MS = MINUTE_MS;

/** A draw that is under way, or whose result is not stored yet. */
interface Draw {
  link: LinkToDraw;
  isDrawn: boolean;
  /** The link has clicks that were not drawn, and does not announce them again. */
  hasLater: boolean;
}

/** Kept in memory: after an eviction another one begins. */
interface Round {
  /** Clicks before are drawn, epoch ms. */
  until: number;
  /** Last link that the pass has seen; null without a pass, or when it has seen all. */
  passAfter: string | null;
  passSeen: number;
  /** Last waiting link that this try has seen. */
  after: string;
  tries: number;
  /** A step ended before it had all of a link's clicks. */
  isInterrupted: boolean;
}

/** What is left of a step: calls to objects, and pieces. */
interface StepBudget {
  calls: number;
  pieces: number;
}

/** `failed`: a link did not answer, so the log stays where it is. */
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
  /** A round up to here may have begun. */
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

  /** When the sweep is due, epoch ms; null when none is to come. */
  get sweepAt(): number | null {
    const { pass, since } = this.#state.members;
    return pass === "wait" ? since + SWEEP_DELAY_MS : null;
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * A link is about to store clicks.
   * @returns the time before which none of them may be dated, as a round up to it may be under way without the link
   */
  announced(link: LinkToDraw): number {
    this.#addWaiting(link, this.#floor);
    return this.#floor;
  }

  /** Storing a draw that the link's news may have missed does not end its waiting. */
  #addWaiting(link: LinkToDraw, since: number): void {
    this.#state.addWaiting(link, since);
    const draw = this.#draws.get(link.id);
    if (draw) draw.hasLater = true;
  }

  /** Erases the clicks of links. What is still being drawn from them is dropped. */
  erase(linkIds: readonly string[]): void {
    for (const id of linkIds) {
      this.#erasedAt.set(id, Date.now());
      this.#state.deleteWaiting(id);
    }
    this.#log.erase(linkIds);
  }

  /** Only for a limited time: a database that is restored to an earlier time has the link again. */
  #isJustErased(linkId: string): boolean {
    const at = this.#erasedAt.get(linkId);
    return at !== undefined && Date.now() - at < LATE_DRAWS_MS;
  }

  /** Begins a round, or goes on with it. */
  step(): Promise<StepResult> {
    return (this.#running ??= this.#step().finally(() => (this.#running = null)));
  }

  async #step(): Promise<StepResult> {
    const budget = { calls: objectCallsMax(this.#env), pieces: STEP_PIECES_MAX };
    // What is drawn is merged before more is: else the draws of a busy account would leave no time for it.
    const isBetweenRounds = !this.#round && !this.#isClosed;
    if (isBetweenRounds && !(await this.#log.merge(this.#state.members.drawn, budget))) return "more";
    let result: StepResult = "failed";
    try {
      result = await this.#draw(budget);
    } finally {
      if (result !== "more") this.#round = null;
      // After an error: what was not stored is drawn again.
      if (result !== "more") this.#draws.clear();
    }
    if (result === "more" || this.#isClosed) return result;
    return (await this.#log.merge(this.#state.members.drawn, budget)) ? result : "more";
  }

  async #draw(budget: StepBudget): Promise<StepResult> {
    if (this.#state.members.since === 0) return "done";
    const round = (this.#round ??= await this.#begin());
    if (!round) return "done";
    for (;;) {
      // One call lists links; another one is left to draw from the first.
      if (budget.calls < 2 || isSpent(budget)) return "more";
      const isPass = round.passAfter !== null;
      const links = await this.#nextLinks(round, budget.calls--);
      if (this.#isClosed) return "failed";
      if (!links) break;
      const begun = await this.#drawFrom(links, round, budget);
      if (this.#isClosed) return "failed";
      const last = links[begun - 1];
      if (last && begun < links.length) {
        // The next step continues after the last link that was begun.
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

  /** @returns null when there is nothing to do: between the passes, or where the account does not take part */
  async #begin(): Promise<Round | null> {
    // Clicks of this millisecond are in it.
    const now = Date.now() + 1;
    if (this.sweepAt !== null && now < this.sweepAt) return null;
    if (this.sweepAt !== null) {
      this.#state.set({ pass: "sweep", passUntil: Math.max(now, this.#floor), passAfter: "", passSeen: 0 });
    }
    const { pass, passUntil, passAfter, passSeen } = this.#state.members;
    // Chosen before the news are read: a link's object that adds some dates its clicks later.
    const until = pass === "none" ? Math.max(now, this.#floor) : passUntil;
    this.#floor = Math.max(this.#floor, until);
    if (!(await this.takeNews())) return null;
    this.#storedAt = performance.now();
    return { until, passAfter, passSeen, after: "", tries: 0, isInterrupted: false };
  }

  /**
   * Reads what only the database was told: which links have clicks that they could not announce, and the clicks of which
   * are erased. Those that are when this is called are in no answer afterwards.
   * @returns false when the account does not take part any more
   */
  async takeNews(): Promise<boolean> {
    const { since } = this.#state.members;
    for (;;) {
      const news = await readNews(this.#env, this.#state.account);
      if (this.#isClosed) return false;
      if (news.erased.length > 0) this.erase(news.erased);
      // Another question has begun anew meanwhile.
      if (this.#state.members.since !== since) return false;
      if (news.participation?.since !== since) {
        // The database was restored to an earlier time, so links may not have announced all clicks. The next question
        // begins anew.
        this.#state.set({ since: 0, pass: "none" });
        return false;
      }
      for (const link of news.links) this.#addWaiting(link, 0);
      await deleteNews(this.#env, this.#state.account, news);
      if (this.#isClosed) return false;
      // One that was drawn meanwhile may have told the database again, in the row that was deleted.
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
      // The sweep is for those that had no clicks: the others know that they were drawn.
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

  /** Links that are to be erased have their clicks for another minute, and announce those that come. */
  async #withoutErased(links: readonly LinkToDraw[]): Promise<LinkToDraw[]> {
    const erased = await findErasedLinks(this.#env, this.#state.account, links);
    if (!this.#isClosed) for (const id of erased) this.#state.deleteWaiting(id);
    return links.filter(({ id }) => !erased.has(id));
  }

  /** @returns how many links were begun, in their order: all, unless the budget was spent before */
  async #drawFrom(links: readonly LinkToDraw[], round: Round, budget: StepBudget): Promise<number> {
    let begun = 0;
    const drawNext = async () => {
      for (let link = links[begun]; link && !isSpent(budget); link = links[begun]) {
        begun++;
        const draw = { link, isDrawn: false, hasLater: false };
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
      // The log was read anew meanwhile, after an error.
      if (this.#isClosed || !drawn || this.#log.positionOf(link.id) !== from) return false;
      budget.pieces -= (drawn.next - from) / MERGED_PIECE_CLICKS;
      if (this.#isJustErased(link.id)) return true;
      if (drawn.next > from) this.#log.stage({ id: link.id, domain: linkHost(link.domain) }, drawn, drawn.next);
      if (drawn.hasLater) draw.hasLater = true;
      if (!drawn.more) return true;
    }
  }

  /** Stores what was drawn, and that those links wait no more. */
  #storeDraws(round: Round): void {
    this.#log.save();
    for (const { link, isDrawn, hasLater } of this.#draws.values()) {
      if (this.#isJustErased(link.id)) this.#state.deleteWaiting(link.id);
      else if (!isDrawn) this.#state.addWaiting(link, 0);
      else if (hasLater) this.#state.setWaitingSince(link, round.until);
      else this.#state.deleteWaiting(link.id);
    }
    this.#draws.clear();
    this.#storedAt = performance.now();
    const { pass, passAfter } = this.#state.members;
    if (pass !== "none" && passAfter !== round.passAfter) {
      this.#state.set({ passAfter: round.passAfter, passSeen: round.passSeen });
    }
  }

  /** All clicks before the round's instant are stored. */
  #end({ until }: Round): void {
    const { pass } = this.#state.members;
    this.#state.set({ drawn: until, pass: pass === "fill" ? "wait" : "none", passAfter: null });
  }
}

function isSpent({ calls, pieces }: StepBudget): boolean {
  return calls <= 0 || pieces < PIECES_IN_FLIGHT;
}
