/**
 * The time of visits, as the conditions `after`, `before` and `time` test it. Between two moments at which an outcome
 * may change, all clicks have the same number. Pure.
 */
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { CONDITIONS, type ConditionValues, isInWindow } from "../links/conditions.ts";
import { DAY_MS, MINUTE_MS, clockAt, offsetAt } from "../time.ts";
import type { RoutingRule } from "../links/routing.ts";
import { simulatedVisitor } from "../visitors/simulated-visitor.ts";
import { OutcomeTable } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";

interface TimeTest extends RuleTest<unknown> {
  holds: (at: number) => boolean;
}

/** All UTC offsets are multiples of 15 minutes, and change at such a multiple. */
const QUARTER_HOUR_MINUTES = 15;
const QUARTER_HOUR_MS = QUARTER_HOUR_MINUTES * MINUTE_MS;
const NUMBERS_MAX = 20_000;

export class TimeFact {
  readonly table: OutcomeTable<TimeTest>;
  /** Instants of `after` and `before`, ascending, epoch ms. */
  readonly #instants: readonly number[];
  /** Step in which no other outcome changes; Infinity without `time`. */
  readonly #stepMs: number;
  #number = 0;
  /** `#number` applies to visits in `[#from, #until)`. */
  #from = 0;
  #until = 0;

  constructor(routing: readonly RoutingRule[]) {
    const windows = testsOf(routing, "time");
    const tests = [...windowTests(windows), ...instantTests(routing)];
    this.table = new OutcomeTable(tests, routing.length);
    const instants = instantTests(routing).map(({ wanted }) => Date.parse(String(wanted)));
    this.#instants = instants.sort((a, b) => a - b);
    this.#stepMs = windows.length === 0 ? Infinity : stepOf(windows.map(({ wanted }) => wanted)) * MINUTE_MS;
  }

  /** The number of each chosen click, in `into`. */
  read(clicks: ScannedClicks, chosen: Uint16Array, into: Uint32Array): void {
    if (this.table.size > NUMBERS_MAX) this.#forget();
    const times = clicks.times();
    const delays = clicks.numbers("delay");
    for (let n = 0; n < chosen.length; n++) {
      const i = chosen[n] ?? 0;
      into[n] = this.#numberAt((times[i] ?? 0) - (delays?.[i] ?? 0));
    }
  }

  #numberAt(at: number): number {
    if (at >= this.#from && at < this.#until) return this.#number;
    const begins = this.#stepMs === Infinity ? -Infinity : Math.floor(at / this.#stepMs) * this.#stepMs;
    const next = this.#instants.find((instant) => instant > at) ?? Infinity;
    const last = this.#instants.findLast((instant) => instant <= at) ?? -Infinity;
    this.#from = Math.max(begins, last);
    this.#until = Math.min(begins === -Infinity ? Infinity : begins + this.#stepMs, next);
    this.#number = this.table.numberOf((test) => test.holds(at));
    return this.#number;
  }

  #forget(): void {
    this.table.clear();
    this.#until = this.#from;
  }
}

/** Windows in the same zone share its offsets: a hundred rules may name a hundred zones. */
function windowTests(windows: readonly RuleTest<ConditionValues["time"]>[]): TimeTest[] {
  const offsets = new Map(windows.map(({ wanted: { tz } }) => [tz, new ZoneOffsets(tz)]));
  return windows.map((test) => {
    const zone = offsets.get(test.wanted.tz) ?? new ZoneOffsets(test.wanted.tz);
    return { ...test, holds: (at) => isInWindow(test.wanted, clockAt(at + zone.at(at))) };
  });
}

function instantTests(routing: readonly RoutingRule[]): TimeTest[] {
  return (["after", "before"] as const).flatMap((key) =>
    testsOf(routing, key).map((test) => {
      const holds = CONDITIONS[key].test(test.wanted);
      return { ...test, holds: (at: number) => holds(simulatedVisitor({}, at)) };
    }),
  );
}

/** Step in minutes that divides 15 and the start and end of every window. */
function stepOf(windows: readonly ConditionValues["time"][]): number {
  const minutes = windows.flatMap(({ from, to }) => [from, to]).map((clock) => Number(clock?.slice(3) ?? 0));
  return minutes.reduce(commonDivisor, QUARTER_HOUR_MINUTES);
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

const SPAN_MS = 32 * DAY_MS;

/**
 * Offsets of a time zone for many instants in nearly ascending order. The runtime's zone data is slow to open and fast
 * to read, so a month is read at a time. Otherwise rules in a hundred zones would open it again for every 15 minutes.
 * @internal
 */
export class ZoneOffsets {
  readonly #zone: string;
  readonly #days = new OffsetTable(SPAN_MS, DAY_MS);
  /** Offsets of a day on which the clock changes. */
  readonly #quarters = new OffsetTable(DAY_MS, QUARTER_HOUR_MS);

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Local time minus UTC at the instant `at`, in ms. */
  at(at: number): number {
    const offset = this.#days.read(this.#zone, at);
    // No zone has ever changed its clock and changed it back within a day.
    return this.#days.isChanged ? this.#quarters.read(this.#zone, at) : offset;
  }
}

/** The offsets at the steps of one span. */
class OffsetTable {
  /** Whether the offset at the end of the last step read is different. */
  isChanged = false;
  readonly #spanMs: number;
  readonly #stepMs: number;
  #start = NaN;
  #offsets: number[] = [];

  constructor(spanMs: number, stepMs: number) {
    this.#spanMs = spanMs;
    this.#stepMs = stepMs;
  }

  read(zone: string, at: number): number {
    const start = Math.floor(at / this.#spanMs) * this.#spanMs;
    if (start !== this.#start) {
      const steps = this.#spanMs / this.#stepMs;
      this.#start = start;
      this.#offsets = Array.from({ length: steps + 1 }, (_, i) => offsetAt(zone, start + i * this.#stepMs));
    }
    const step = Math.floor((at - start) / this.#stepMs);
    const offset = this.#offsets[step] ?? 0;
    this.isChanged = this.#offsets[step + 1] !== offset;
    return offset;
  }
}
