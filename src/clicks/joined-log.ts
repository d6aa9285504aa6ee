/**
 * The whole log of a link: the clicks that imports have added, then those that were recorded here. Each has separate
 * tables, so that undoing an import moves no recorded click. Positions are dense. Sequence numbers are not: those of an
 * undone import stay unused.
 */
import type { ClickSlice } from "../core/clicks/encoding/click-batch.ts";
import type { CountedField } from "../core/clicks/encoding/click-columns.ts";
import type { Histogram } from "../core/clicks/counting/histogram.ts";
import { clicksOfSlice, type ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { addClicks, addTally, countsOf, type TallyOf, type TextTally } from "../core/clicks/counting/tally.ts";
import { ClickLog } from "./click-log.ts";
import { IMPORTED_PREFIX } from "./schema.ts";
import type { ClickScanner, ReadableLog } from "./summaries.ts";

/** Where an import begins. The row with id "" is where the recorded clicks begin; it exists once there was an import. */
export interface LogStart {
  id: string;
  /** Sequence number of the last click before it, which may have been undone. */
  seq: number;
  /** Position of its first click. */
  position: number;
}

/** Consecutive positions whose sequence numbers are consecutive. */
interface LogRun {
  log: ClickLog;
  /** Position of the first click of `log`. */
  first: number;
  /** Position after the run. */
  end: number;
  clicksOf: (slice: ClickSlice) => ScannedClicks;
}

/** The start of the recorded clicks of a link that never had an import. */
export const NO_IMPORTS: LogStart = { id: "", seq: 0, position: 0 };

export class JoinedLog implements ReadableLog {
  readonly #own: ClickLog;
  readonly imported: ClickLog;
  /** In the order of the log. */
  readonly starts: readonly LogStart[];

  constructor(sql: SqlStorage, tables: ReadonlySet<string>, own: ClickLog) {
    this.#own = own;
    this.imported = new ClickLog(sql, tables, IMPORTED_PREFIX);
    this.starts = tables.has("imports")
      ? sql.exec<{ id: string; seq: number; position: number }>("SELECT * FROM imports ORDER BY seq").toArray()
      : [NO_IMPORTS];
  }

  get blockClicks(): number {
    return this.#own.blockClicks;
  }

  get count(): number {
    return this.imported.count + this.#own.count;
  }

  get lastAt(): number {
    return Math.max(this.imported.lastAt, this.#own.lastAt);
  }

  /** The sequence number of the last click before a position; 0 if there is none. */
  seqBefore(position: number): number {
    const start = this.starts.findLast((each) => each.position < position);
    return start ? start.seq + position - start.position : 0;
  }

  /** The position of the first click after a sequence number. */
  positionAfter(seq: number): number {
    const i = this.starts.findIndex((start, n) => {
      const next = this.starts[n + 1];
      return !next || seq < start.seq + next.position - start.position;
    });
    const start = this.starts[i] ?? NO_IMPORTS;
    return start.position + Math.max(seq - start.seq, 0);
  }

  runAt(position: number): LogRun {
    const first = this.imported.count;
    if (position >= first) return { log: this.#own, first, end: Infinity, clicksOf: clicksOfSlice };
    const end = this.starts.find((start) => start.position > position)?.position ?? first;
    return { log: this.imported, first: 0, end, clicksOf: (slice) => markImported(clicksOfSlice(slice)) };
  }

  positionAt(at: number): number {
    const { imported } = this;
    return at <= imported.lastAt ? imported.positionAt(at) : imported.count + this.#own.positionAt(at);
  }

  timeAt(position: number): number {
    const { log, first } = this.runAt(position);
    return log.timeAt(position - first);
  }

  *parts(from: number, to: number): Generator<ScannedClicks> {
    const ranges = this.#rangesOf(from, to);
    for (const clicks of this.imported.parts(...ranges.imported)) yield markImported(clicks);
    yield* this.#own.parts(...ranges.own);
  }

  tally<F extends CountedField>(field: F, from: number, to: number): TallyOf<F> {
    const ranges = this.#rangesOf(from, to);
    if (field === "imported") {
      const tally: TextTally = new Map();
      for (const [key, log] of [
        ["true", this.imported],
        ["", this.#own],
      ] as const) {
        const range = log === this.imported ? ranges.imported : ranges.own;
        // A field with few values, so that its summaries are short.
        for (const { human, nonHuman } of countsOf(log.tally("device", ...range)))
          addClicks(tally, key, human, nonHuman);
      }
      return tally as TallyOf<F>;
    }
    const tally = this.imported.tally(field, ...ranges.imported);
    return addTally(tally, this.#own.tally(field, ...ranges.own)) as TallyOf<F>;
  }

  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    const ranges = this.#rangesOf(from, to);
    yield* this.imported.histograms(...ranges.imported, fine);
    yield* this.#own.histograms(...ranges.own, fine);
  }

  async scanner(): Promise<ClickScanner> {
    const [imported, own] = [await this.imported.scanner(), await this.#own.scanner()];
    const rangesOf = (from: number, to: number) => this.#rangesOf(from, to);
    return {
      *scan(from, to) {
        const ranges = rangesOf(from, to);
        for (const clicks of imported.scan(...ranges.imported)) yield markImported(clicks);
        yield* own.scan(...ranges.own);
      },
      get packed() {
        return imported.packed + own.packed;
      },
    };
  }

  /** A range of this log as ranges of the two logs, of which one or both may be empty. */
  #rangesOf(from: number, to: number) {
    const { count } = this.imported;
    const imported: [number, number] = [Math.min(from, count), Math.min(to, count)];
    const own: [number, number] = [Math.max(from - count, 0), Math.max(to - count, 0)];
    return { imported, own };
  }
}

const IMPORTED_COLUMN = { values: ["true"], indexes: null };

function markImported(clicks: ScannedClicks): ScannedClicks {
  const column = ((field) =>
    field === "imported" ? IMPORTED_COLUMN : clicks.column(field)) as ScannedClicks["column"];
  const { from, to, count } = clicks;
  return { from, to, count, times: () => clicks.times(), numbers: (name) => clicks.numbers(name), column };
}
