/** Counts over clicks of an account's log. Pure. */
import type { AccountColumns } from "./account-block.ts";
import { type CountedField, isNumberField } from "./account-fields.ts";
import { type Histogram, HistogramBuilder } from "./histogram.ts";
import { EMPTY_NUMBER_TALLY, mergeNumberTallies, type NumberTally, numberTallyOf } from "./number-tally.ts";
import { mergeTally, type Tally } from "./tally.ts";

/** Of a text field, or of a number field. */
export type AccountTally = Tally | NumberTally;

export function emptyAccountTally(field: CountedField): AccountTally {
  return isNumberField(field) ? EMPTY_NUMBER_TALLY : new Map();
}

/** @returns the sum; may change the first */
export function mergeAccountTallies(tally: AccountTally, other: AccountTally): AccountTally {
  if (tally instanceof Map && other instanceof Map) {
    mergeTally(tally, other);
    return tally;
  }
  if (tally instanceof Map || other instanceof Map) throw new Error("tallies of different fields");
  return mergeNumberTallies(tally, other);
}

/** Counts a field over the clicks at indexes from `from` to before `to`. */
export function accountTallyOf(field: CountedField, clicks: AccountColumns, from: number, to: number): AccountTally {
  const { values, indexes } = clicks.column(field);
  const isHuman = humansOf(clicks);
  const [human, nonHuman] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  for (let i = from; i < to; i++) {
    const value = indexes?.[i] ?? 0;
    if (isHuman(i)) human[value] = (human[value] ?? 0) + 1;
    else nonHuman[value] = (nonHuman[value] ?? 0) + 1;
  }
  if (isNumberField(field)) return numberTallyOf(values as number[], human, nonHuman);
  const tally: Tally = new Map();
  for (const [i, value] of (values as string[]).entries()) {
    const [people = 0, others = 0] = [human[i], nonHuman[i]];
    if (people + others > 0) tally.set(value, { human: people, nonHuman: others });
  }
  return tally;
}

export function accountHistogramOf(clicks: AccountColumns, from: number, to: number): Histogram {
  const builder = new HistogramBuilder();
  const isHuman = humansOf(clicks);
  const times = clicks.times();
  for (let i = from; i < to; i++) {
    const human = isHuman(i) ? 1 : 0;
    builder.add(times[i] ?? 0, human, 1 - human);
  }
  return builder.build();
}

function humansOf(clicks: AccountColumns): (i: number) => boolean {
  const { values, indexes } = clicks.column("class");
  const human = values.map((letter) => letter === "h");
  return (i) => human[indexes?.[i] ?? 0] ?? false;
}
