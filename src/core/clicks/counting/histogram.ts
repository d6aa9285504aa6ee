/**
 * Click counts by minute, stored as varints: for each slot with clicks, its distance from the previous slot, its human
 * and its non-human clicks. Long histograms use slots of 15 minutes, which add up to the hours of every time zone.
 * Pure.
 */
import { MINUTE_MS } from "../../time.ts";
import { keepHiddenClass } from "../../hidden-classes.ts";
import { ByteReader, ByteWriter } from "../encoding/column-encoding.ts";

const COARSE_MINUTES = 15;
/** A histogram with more minutes becomes coarse. No time series by minute has this many bins. */
const FINE_MAX_BINS = 4_096;
/** A longer histogram is not stored; those of its parts are read instead. Room for about 30,000 slots. */
const HISTOGRAM_MAX_BYTES = 128 * 1024;
const HISTOGRAM_FORMAT = 1;

export interface HistogramBin {
  /** Start of the slot, epoch ms. */
  start: number;
  human: number;
  nonHuman: number;
}

export interface Histogram {
  fine: boolean;
  bins: HistogramBin[];
}

/** Clicks must be added in chronological order. */
export class HistogramBuilder {
  readonly #bins: HistogramBin[] = [];
  readonly #slotMs: number;

  constructor(minutes = 1) {
    this.#slotMs = minutes * MINUTE_MS;
  }

  add(at: number, human: number, nonHuman: number): void {
    const start = at - (at % this.#slotMs);
    const last = this.#bins.at(-1);
    if (last?.start === start) {
      last.human += human;
      last.nonHuman += nonHuman;
    } else this.#bins.push({ start, human, nonHuman });
  }

  build(fine = true): Histogram {
    if (fine && this.#bins.length <= FINE_MAX_BINS) return { fine: true, bins: this.#bins };
    const coarse = new HistogramBuilder(COARSE_MINUTES);
    for (const { start, human, nonHuman } of this.#bins) coarse.add(start, human, nonHuman);
    return { fine: false, bins: coarse.#bins };
  }
}

/**
 * Joins histograms that are consecutive in time. The result is coarse if one of them is, or if it would be too long.
 * @returns null when one of them was too long to be stored
 */
export function joinHistograms(parts: readonly (Histogram | null)[]): Histogram | null {
  if (!parts.every((part) => part !== null)) return null;
  const builder = new HistogramBuilder();
  for (const { bins } of parts) for (const { start, human, nonHuman } of bins) builder.add(start, human, nonHuman);
  return builder.build(parts.every(({ fine }) => fine));
}

/** @returns null when it is too long to be stored */
export function encodeHistogram({ fine, bins }: Histogram): Uint8Array | null {
  const unit = fine ? 1 : COARSE_MINUTES;
  const bytes = new ByteWriter();
  bytes.varint(HISTOGRAM_FORMAT);
  bytes.varint(unit);
  let last = 0;
  for (const { start, human, nonHuman } of bins) {
    const slot = start / MINUTE_MS / unit;
    bytes.varint(slot - last);
    bytes.varint(human);
    bytes.varint(nonHuman);
    last = slot;
  }
  return bytes.length <= HISTOGRAM_MAX_BYTES ? bytes.toBytes() : null;
}

export function decodeHistogram(bytes: Uint8Array): Histogram {
  const reader = new ByteReader(bytes);
  if (reader.varint() !== HISTOGRAM_FORMAT) throw new Error("a histogram has an unknown format");
  const unit = reader.varint();
  const slots: HistogramBin[] = [];
  for (let slot = 0; !reader.done;) {
    slot += reader.varint();
    slots.push({ start: slot * unit * MINUTE_MS, human: reader.varint(), nonHuman: reader.varint() });
  }
  return { fine: unit === 1, bins: slots };
}

keepHiddenClass(new HistogramBuilder());
