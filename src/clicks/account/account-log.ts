/**
 * The clicks of all links of an account and mode, in the order of time, in the SQLite of the account's object. Clicks are
 * drawn from the links' objects, staged as runs (click-merge.ts), and merged into the log once every link was drawn up to
 * the same time. A link's clicks are erased by writing the log anew without them.
 */
import { ClickBlock } from "../../core/clicks/encoding/click-block.ts";
import { nextTurn, ScanQueue } from "../scan-queue.ts";
import type { AccountClicksPage, AccountClicksRequest } from "../../core/clicks/protocol/account-object-rpc.ts";
import { accountGroupings, type AccountLookup } from "../../core/clicks/counting/groupings.ts";
import { LinkRanking } from "../../core/clicks/counting/link-ranking.ts";
import type { AccountStatsRequest } from "../../core/clicks/counting/stats.ts";
import type { StatsOutcome } from "../../core/clicks/protocol/link-object-rpc.ts";
import { answerStats } from "../stats.ts";
import { accountPage } from "./account-pages.ts";
import { AccountState } from "./account-state.ts";
import { ClickMerge, type EarlierGeneration, runRanges, takeRun, writeRun } from "./click-merge.ts";
import { type DrawnClicks, drawnColumns, type DrawnLink, type StagedClicks } from "./drawn-clicks.ts";
import { Generation } from "./generation.ts";

/** How much the log does at once. */
interface LogSizes {
  /** Drawn clicks are kept in memory until there are so many, or so many packed bytes and characters of their routes. */
  stagedClicks: number;
  stagedBytes: number;
  /** Clicks merged in one transaction, about. */
  pieceClicks: number;
}

export const MERGED_PIECE_CLICKS = 65_536;
const SIZES: LogSizes = { stagedClicks: 200_000, stagedBytes: 16 * 1024 * 1024, pieceClicks: MERGED_PIECE_CLICKS };
/** Pieces that take as long as moving a run, which has about `stagedClicks`. */
const TAKEN_RUN_PIECES = 2;

/** How often a question is asked of the log while clicks are erased: one who erases link after link holds none up. */
const STATS_TRIES_MAX = 3;

interface Staged {
  packets: StagedClicks[];
  clicks: number;
  bytes: number;
  routeChars: number;
  /** Of each link, the position of its first click that was not drawn. */
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
  /** How many times links were erased: a merge begins anew then, without them. */
  #erasures = 0;
  /** Links were erased whose clicks the log that is being written has already: nothing of it answers. */
  #isVoid = false;
  #isClosed = false;

  constructor(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">, sizes = SIZES, scans = new ScanQueue()) {
    this.#storage = storage;
    this.#sizes = sizes;
    this.scans = scans;
    [this.#state, this.#generation] = this.#read();
    this.#isVoid = this.#hasErasedClicks();
  }

  /** Called before the storage is erased: nothing is written any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Every click before this is in the log, epoch ms. Falls while the log is written anew. */
  get asOf(): number {
    return this.#isVoid ? 0 : this.#state.merged;
  }

  /** Position of the first click of a link that was not drawn. */
  positionOf(linkId: string): number {
    return this.#staged.positions.get(linkId) ?? this.#state.positionOf(linkId);
  }

  /**
   * Takes the clicks of a link from `positionOf` to before position `next`. They are stored now or with later ones;
   * `merge` stores all.
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

  /** Whether clicks that were erased are still stored: the log is being written anew without them. */
  get isRewritten(): boolean {
    return this.#state.earlier.length > 0;
  }

  /**
   * Brings the log up to `until`, up to which every link was drawn. In pieces, between which other calls run.
   * @param budget  how many pieces may be merged; less by those that were
   * @returns false when more are left
   */
  async merge(until: number, budget = { pieces: Infinity }): Promise<boolean> {
    this.save();
    while (this.#hasWork(until)) {
      const [generation, erasures] = [this.#generation, this.#erasures];
      const merge = this.#openMerge();
      // Late clicks begin another generation, and so does the end of one that is void.
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

  /** Links by their clicks before an instant. The last one is kept: who asks for its first page asks for the others. */
  ranking(until: number): LinkRanking {
    const generation = this.#generation;
    const kept = this.#ranking;
    if (kept && kept.until === until && kept.generation === generation) return kept.ranking;
    const tally = generation.tally("link", 0, generation.positionAt(until));
    const ranking = new LinkRanking(tally, generation.texts.link);
    this.#ranking = { until, generation, ranking };
    return ranking;
  }

  /**
   * Clicks of a range, grouped and as a time series, and up to when they are known.
   * @param tagsOf  the tags that a link has now, by its id
   */
  async stats(request: AccountStatsRequest, tagsOf: TagsOf): Promise<StatsOutcome & { asOf: number }> {
    for (let tries = 0; tries < STATS_TRIES_MAX; tries++) {
      const { generation: log, asOf, isOpen, lookup } = this.#open(tagsOf);
      const to = Math.min(request.to ?? asOf, asOf);
      const question = { log, request, keysOfGrouping: accountGroupings(lookup), to, isOpen, scans: this.scans };
      const answer = await answerStats(question);
      // Asked again where clicks were erased while they were counted.
      if (answer) return { ...answer, asOf };
    }
    return { kind: "packing", asOf: this.asOf };
  }

  /**
   * A page of the clicks in the order of time.
   * @param tagsOf  the tags that a link has now, by its id
   * @returns null while clicks are erased: the log does not have the others up to the end of the export
   */
  clicks(request: AccountClicksRequest, tagsOf: TagsOf): Promise<AccountClicksPage | null> {
    return accountPage({ request, ...this.#open(tagsOf) });
  }

  /** The log as it answers now. */
  #open(tagsOf: TagsOf) {
    const [generation, erasures] = [this.#generation, this.#erasures];
    const isOpen = () => generation === this.#generation && erasures === this.#erasures;
    const textOf: AccountLookup["textOf"] = (field, number) => generation.texts[field].textOf(number);
    return { generation, asOf: this.asOf, isOpen, lookup: { textOf, tagsOf } };
  }

  /**
   * Erases the clicks of links. They are in no answer from now on; `asOf` falls until `merge` has written the log anew.
   * While it is being written anew, links that it has already wait for the end of that: a log for each of them would
   * be as many tables.
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
      // One that is being written, and has none of these clicks yet, goes on.
      this.#isVoid ||= erased.some((id) => hasClicksOf(this.#generation, id));
      // Those that are noted already are left out.
      if (this.#isVoid !== wasVoid || erased.some((id) => !noted.has(id))) this.#erasures++;
      if (this.#isVoid && !this.isRewritten) this.#startGeneration();
    });
  }

  #hasErasedClicks(): boolean {
    return [...this.#state.erasedLinks()].some((id) => hasClicksOf(this.#generation, id));
  }

  #hasWork(until: number): boolean {
    if (this.#state.merged < until) return true;
    // Until then the logs of earlier generations have clicks that are to be merged.
    return this.isRewritten && this.#state.earlier.every(({ merged }) => merged <= until);
  }

  /** Stores what was staged, and with it the positions of the links. */
  save(): void {
    const { packets, positions, bytes } = this.#staged;
    if (positions.size === 0) return;
    this.#write(() => {
      const first = packets.reduce((least, { block }) => Math.min(least, block.times()[0] ?? Infinity), Infinity);
      // Clicks of a link that was not known to have any: the log is written anew, with them in their place.
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

  /** Takes over what earlier generations have of clicks that are not to be merged yet; drops them when nothing is left. */
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

  /** One transaction. When it fails, what is in memory is read anew; links are drawn again from their stored positions. */
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
