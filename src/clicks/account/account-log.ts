/**
 * The clicks of all links of an account and mode, in chronological order, in the SQLite of the account's object. Clicks
 * are drawn from the links' objects and staged as runs (click-merge.ts). They are merged into the log once every link
 * was drawn up to the same time. A link's clicks are erased by rewriting the log without them.
 */
import { ClickBlock } from "../../core/clicks/encoding/click-block.ts";
import { nextTurn, ScanQueue } from "../scan-queue.ts";
import type { AccountClicksPage, AccountClicksRequest } from "../../core/clicks/protocol/account-object-rpc.ts";
import { accountGroupings, type AccountLookup, linkIdIn } from "../../core/clicks/counting/groupings.ts";
import { LinkRanking } from "../../core/clicks/counting/link-ranking.ts";
import type { AccountStatsRequest } from "../../core/clicks/counting/stats.ts";
import type { StatsOutcome } from "../../core/clicks/protocol/link-object-rpc.ts";
import { answerStats } from "../stats.ts";
import { accountPage } from "./account-pages.ts";
import { AccountState } from "./account-state.ts";
import { ClickMerge, type EarlierGeneration, runRanges, takeRun, writeRun } from "./click-merge.ts";
import { type DrawnClicks, drawnColumns, type DrawnLink, type StagedClicks } from "./drawn-clicks.ts";
import { Generation } from "./generation.ts";

/** How much work the log does at a time. */
interface LogSizes {
  /**
   * Drawn clicks are kept in memory up to this number of clicks, or up to `stagedBytes` of packed bytes and route
   * characters.
   */
  stagedClicks: number;
  stagedBytes: number;
  /** Approximate number of clicks merged in one transaction. */
  pieceClicks: number;
}

export const MERGED_PIECE_CLICKS = 65_536;
const SIZES: LogSizes = { stagedClicks: 200_000, stagedBytes: 16 * 1024 * 1024, pieceClicks: MERGED_PIECE_CLICKS };
/** Moving a run of about `stagedClicks` takes as long as merging this many pieces. */
const TAKEN_RUN_PIECES = 2;

/**
 * Attempts at one query while clicks are being erased. Bounded, because a caller that erases one link after another
 * could otherwise hold up a query indefinitely.
 */
const STATS_TRIES_MAX = 3;

interface Staged {
  packets: StagedClicks[];
  clicks: number;
  bytes: number;
  routeChars: number;
  /** Position of each link's first undrawn click. */
  positions: Map<string, number>;
}

type TagsOf = AccountLookup["tagsOf"];

const nothingStaged = (): Staged => ({ packets: [], clicks: 0, bytes: 0, routeChars: 0, positions: new Map() });

export class AccountLog {
  readonly #storage: Pick<DurableObjectStorage, "sql" | "transactionSync">;
  readonly #sizes: LogSizes;
  readonly scans: ScanQueue;
  #state: AccountState;
  #generation: Generation;
  #staged = nothingStaged();
  #ranking: { until: number; generation: Generation; ranking: LinkRanking } | null = null;
  /** How many times links were erased. After each erasure a merge restarts without those links. */
  #erasures = 0;
  /** The log being written contains clicks of erased links, so none of it may be used in results. */
  #isVoid = false;
  #isClosed = false;

  constructor(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">, sizes = SIZES, scans = new ScanQueue()) {
    this.#storage = storage;
    this.#sizes = sizes;
    this.scans = scans;
    [this.#state, this.#generation] = this.#read();
    this.#isVoid = this.#hasErasedClicks();
  }

  /** Called before the storage is erased. Nothing is written afterwards. */
  close(): void {
    this.#isClosed = true;
  }

  /** Every click before this is in the log, epoch ms. Decreases while the log is being rewritten. */
  get asOf(): number {
    return this.#isVoid ? 0 : this.#state.merged;
  }

  /** Position of a link's first undrawn click. */
  positionOf(linkId: string): number {
    return this.#staged.positions.get(linkId) ?? this.#state.positionOf(linkId);
  }

  /**
   * Stages the clicks of a link from `positionOf` to before position `next`. They are stored now or with later ones;
   * `merge` stores all staged clicks.
   */
  stage(link: DrawnLink, drawn: DrawnClicks, next: number): void {
    const block = new ClickBlock(drawn.clicks);
    const staged = this.#staged;
    if (block.count > 0) staged.packets.push({ link, block, position: next - block.count, routes: drawn.routes });
    staged.clicks += block.count;
    staged.bytes += drawn.clicks.length;
    for (const { rule, destination } of Object.values(drawn.routes))
      staged.routeChars += rule.length + destination.length;
    staged.positions.set(link.id, next);
    const isFull = staged.bytes + staged.routeChars >= this.#sizes.stagedBytes;
    if (isFull || staged.clicks >= this.#sizes.stagedClicks) this.save();
  }

  /** Whether erased clicks are still stored: the log is being rewritten without them. */
  get isRewritten(): boolean {
    return this.#state.earlier.length > 0;
  }

  /** Whether clicks of a link are being erased. Those that are drawn from it now would be erased too. */
  isErasing(linkId: string): boolean {
    return this.isRewritten && this.#state.erasedLinks().has(linkId);
  }

  /**
   * Merges clicks up to `until`, up to which every link was drawn. Works in pieces, between which other calls run.
   * @param budget  how many pieces may be merged; reduced by each merged piece
   * @returns false when there are more to merge
   */
  async merge(until: number, budget = { pieces: Infinity }): Promise<boolean> {
    this.save();
    while (this.#hasWork(until)) {
      const [generation, erasures] = [this.#generation, this.#erasures];
      const merge = this.#openMerge();
      // The generation changes when late clicks begin a new one, or when a void one is complete.
      while (this.#hasWork(until) && generation === this.#generation && erasures === this.#erasures) {
        if (budget.pieces < 1) return false;
        const isBehind = this.#state.merged < until;
        budget.pieces -= isBehind ? 1 : TAKEN_RUN_PIECES;
        this.#write(() => (isBehind ? this.#state.setMerged(merge.step(until)) : this.#takeRun()));
        await nextTurn();
      }
    }
    return true;
  }

  /**
   * Returns the ranking of links by their clicks before an instant. The last ranking is cached: a client that requests
   * the first page usually requests the others.
   */
  ranking(until: number): LinkRanking {
    const generation = this.#generation;
    const kept = this.#ranking;
    if (kept && kept.until === until && kept.generation === generation) return kept.ranking;
    const tally = generation.tally("link", 0, generation.positionAt(until));
    const { link } = generation.texts;
    const ids = { textOf: (number: number) => linkIdIn(link.textOf(number)), find: (id: string) => link.find(id) };
    const ranking = new LinkRanking(tally, ids);
    this.#ranking = { until, generation, ranking };
    return ranking;
  }

  /**
   * Returns the clicks of a range, grouped and as a time series, and the time up to which they are known.
   * @param tagsOf  returns a link's current tags
   */
  async stats(request: AccountStatsRequest, tagsOf: TagsOf): Promise<StatsOutcome & { asOf: number }> {
    for (let tries = 0; tries < STATS_TRIES_MAX; tries++) {
      const { generation: log, asOf, isOpen, lookup } = this.#open(tagsOf);
      const to = Math.min(request.to ?? asOf, asOf);
      const question = { log, request, keysOfGrouping: accountGroupings(lookup), to, isOpen, scans: this.scans };
      const answer = await answerStats(question);
      // No answer means that clicks were erased while they were counted: try again.
      if (answer) return { ...answer, asOf };
    }
    return { kind: "packing", asOf: this.asOf };
  }

  /**
   * Returns a page of the clicks in chronological order.
   * @param tagsOf  returns a link's current tags
   * @returns null while clicks are being erased and the log lacks others before the end of the export
   */
  clicks(request: AccountClicksRequest, tagsOf: TagsOf): Promise<AccountClicksPage | null> {
    return accountPage({ request, ...this.#open(tagsOf) });
  }

  /** The log that currently answers queries. */
  #open(tagsOf: TagsOf) {
    const [generation, erasures] = [this.#generation, this.#erasures];
    const isOpen = () => generation === this.#generation && erasures === this.#erasures;
    const textOf: AccountLookup["textOf"] = (field, number) => generation.texts[field].textOf(number);
    return { generation, asOf: this.asOf, isOpen, lookup: { textOf, tagsOf } };
  }

  /**
   * Erases the clicks of links. No result includes them from now on; `asOf` decreases until `merge` has rewritten the
   * log. If a rewrite already includes clicks of such a link, erasing them waits for that rewrite to end: one log per
   * link would take as many tables.
   */
  erase(linkIds: readonly string[]): void {
    this.save();
    this.#write(() => {
      const generations = [...this.#earlier().map(({ log }) => log), this.#generation];
      const erased = linkIds.filter((id) => generations.some((generation) => hasClicksOf(generation, id)));
      const noted = this.#state.erasedLinks();
      for (const id of linkIds) this.#state.forgetPosition(id);
      for (const id of erased) this.#state.addErased(id);
      const wasVoid = this.#isVoid;
      // A rewrite that has none of these clicks yet continues.
      this.#isVoid ||= erased.some((id) => hasClicksOf(this.#generation, id));
      // Links already recorded as erased are ignored.
      if (this.#isVoid !== wasVoid || erased.some((id) => !noted.has(id))) this.#erasures++;
      if (this.#isVoid && !this.isRewritten) this.#startGeneration();
    });
  }

  #hasErasedClicks(): boolean {
    return [...this.#state.erasedLinks()].some((id) => hasClicksOf(this.#generation, id));
  }

  #hasWork(until: number): boolean {
    if (this.#state.merged < until) return true;
    // Earlier generations' logs have clicks up to their `merged`, which must be merged first.
    return this.isRewritten && this.#state.earlier.every(({ merged }) => merged <= until);
  }

  /** Stores the staged clicks together with the positions of their links. */
  save(): void {
    const { packets, positions, bytes } = this.#staged;
    if (positions.size === 0) return;
    this.#write(() => {
      const first = packets.reduce((least, { block }) => Math.min(least, block.times()[0] ?? Infinity), Infinity);
      // A link that was not known to have clicks has early ones: the log is rewritten with them in their place.
      if (first < this.#state.merged) this.#startGeneration();
      const { texts } = this.#generation;
      if (packets.length > 0)
        writeRun(
          this.#generation,
          packets.map((packet) => drawnColumns(packet, texts)),
          bytes,
        );
      this.#generation.saveTexts();
      for (const [id, next] of positions) this.#state.setPosition(id, next);
    });
    this.#staged = nothingStaged();
  }

  #startGeneration(): void {
    this.#state.startGeneration();
    this.#generation = new Generation(this.#storage.sql, this.#state.generation);
    this.#isVoid = false;
  }

  #openMerge(): ClickMerge {
    const { merged } = this.#state;
    const erased = this.#state.erasedLinks();
    return new ClickMerge(this.#generation, this.#earlier(), erased, merged, this.#sizes.pieceClicks);
  }

  /**
   * Moves a run of clicks that must not be merged yet from an earlier generation. Drops the earlier generations when
   * they have none left.
   */
  #takeRun(): void {
    for (const earlier of this.#earlier()) {
      const [run] = runRanges(earlier.log);
      if (run) return takeRun(this.#generation, earlier, this.#state.erasedLinks(), this.asOf, run);
    }
    for (const { log } of this.#earlier()) log.drop();
    this.#state.endEarlierGenerations();
    if (this.#isVoid) this.#startGeneration();
    else this.#state.forgetErased();
  }

  #earlier(): EarlierGeneration[] {
    return this.#state.earlier.map(({ generation, merged }) => {
      return { log: new Generation(this.#storage.sql, generation), merged };
    });
  }

  /**
   * Runs `work` in one transaction. If it fails, the state in memory is read again, and links are drawn again from
   * their stored positions.
   */
  #write(work: () => void): void {
    if (this.#isClosed) throw new Error("the account's log was erased");
    try {
      this.#storage.transactionSync(work);
    } catch (error) {
      this.#staged = nothingStaged();
      [this.#state, this.#generation] = this.#read();
      this.#isVoid = this.#hasErasedClicks();
      throw error;
    }
  }

  #read(): [AccountState, Generation] {
    return this.#storage.transactionSync(() => {
      const state = new AccountState(this.#storage.sql);
      return [state, new Generation(this.#storage.sql, state.generation)];
    });
  }
}

function hasClicksOf({ texts }: Generation, linkId: string): boolean {
  return texts.link.find(linkId) !== null;
}
