/**
 * Offsets of a time zone for many instants that hardly ever go back. The runtime's zone data is slow to open and fast to
 * read, so that a month is read at once: rules in a hundred zones would open it again for each quarter of an hour. Pure.
 */
import { DAY_MS, MINUTE_MS } from "../durations.ts";
import { offsetAt } from "../time-zone.ts";

const SPAN_MS = 32 * DAY_MS;
/** Offsets change only at full quarters of an hour. */
const QUARTER_HOUR_MS = 15 * MINUTE_MS;

export class ZoneOffsets {
  readonly #zone: string;
  readonly #days = new OffsetTable(SPAN_MS, DAY_MS);
  /** Of a day in which the clock is changed. */
  readonly #quarters = new OffsetTable(DAY_MS, QUARTER_HOUR_MS);

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Local time minus UTC at the instant `at`, in ms. */
  at(at: number): number {
    const offset = this.#days.read(this.#zone, at);
    // No zone has changed its clock and changed it back within a day.
    return this.#days.isChanged ? this.#quarters.read(this.#zone, at) : offset;
  }
}

/** The offsets at the steps of one span. */
class OffsetTable {
  /** Whether the offset at the end of the step that was read is another one. */
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
