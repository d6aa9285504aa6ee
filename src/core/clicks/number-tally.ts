/**
 * Click counts by number, as of links, whose keys are too many for texts: ascending numbers with their human and
 * non-human clicks. Exact: no number is ever folded into another. Pure.
 */
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

/** Numbers are below 2^32, ascending, and have a count each. Never changed once it is made. */
export interface NumberTally {
  readonly numbers: Uint32Array;
  readonly human: Float64Array;
  /** Declared bots and prefetches. */
  readonly nonHuman: Float64Array;
}

const NUMBER_TALLY_FORMAT = 1;

export const EMPTY_NUMBER_TALLY: NumberTally = newTally(0);

/** @param values  each number once, in any order; those without clicks are left out */
export function numberTallyOf(
  values: readonly number[],
  human: ArrayLike<number>,
  nonHuman: ArrayLike<number>,
): NumberTally {
  const order = values.map((_, i) => i).filter((i) => (human[i] ?? 0) + (nonHuman[i] ?? 0) > 0);
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const tally = newTally(order.length);
  for (const [n, i] of order.entries()) setCount(tally, n, values[i] ?? 0, human[i] ?? 0, nonHuman[i] ?? 0);
  return tally;
}

/** The sum of two tallies, or their difference with `sign` -1. Numbers whose clicks cancel out are left out. */
export function mergeNumberTallies(a: NumberTally, b: NumberTally, sign: 1 | -1 = 1): NumberTally {
  const merged = newTally(a.numbers.length + b.numbers.length);
  let size = 0;
  for (let i = 0, j = 0; i < a.numbers.length || j < b.numbers.length;) {
    const [one, other] = [a.numbers[i] ?? Infinity, b.numbers[j] ?? Infinity];
    const number = Math.min(one, other);
    const human = (one === number ? (a.human[i] ?? 0) : 0) + (other === number ? sign * (b.human[j] ?? 0) : 0);
    const nonHuman = (one === number ? (a.nonHuman[i] ?? 0) : 0) + (other === number ? sign * (b.nonHuman[j] ?? 0) : 0);
    if (one === number) i++;
    if (other === number) j++;
    if (human !== 0 || nonHuman !== 0) setCount(merged, size++, number, human, nonHuman);
  }
  return firstOf(merged, size);
}

/**
 * The number of the format and of numbers; for each its distance to the one before, `2 * human + (nonHuman > 0 ? 1 : 0)`,
 * and `nonHuman` if that bit is set. Some 4 bytes a number.
 */
export function encodeNumberTally({ numbers, human, nonHuman }: NumberTally): Uint8Array {
  const bytes = new ByteWriter();
  bytes.varint(NUMBER_TALLY_FORMAT);
  bytes.varint(numbers.length);
  let last = 0;
  for (let i = 0; i < numbers.length; i++) {
    const [number = 0, others = 0] = [numbers[i], nonHuman[i]];
    bytes.varint(number - last);
    bytes.varint((human[i] ?? 0) * 2 + (others > 0 ? 1 : 0));
    if (others > 0) bytes.varint(others);
    last = number;
  }
  return bytes.toBytes();
}

export function decodeNumberTally(bytes: Uint8Array): NumberTally {
  const reader = new ByteReader(bytes);
  if (reader.varint() !== NUMBER_TALLY_FORMAT) throw new Error("a tally of numbers has a format that is not known");
  const tally = newTally(reader.varint());
  for (let i = 0, number = 0; i < tally.numbers.length; i++) {
    number += reader.varint();
    const human = reader.varint();
    setCount(tally, i, number, Math.floor(human / 2), human % 2 === 1 ? reader.varint() : 0);
  }
  return tally;
}

function newTally(size: number): NumberTally {
  return { numbers: new Uint32Array(size), human: new Float64Array(size), nonHuman: new Float64Array(size) };
}

function firstOf({ numbers, human, nonHuman }: NumberTally, size: number): NumberTally {
  return { numbers: numbers.subarray(0, size), human: human.subarray(0, size), nonHuman: nonHuman.subarray(0, size) };
}

function setCount(tally: NumberTally, i: number, number: number, human: number, nonHuman: number): void {
  tally.numbers[i] = number;
  tally.human[i] = human;
  tally.nonHuman[i] = nonHuman;
}
