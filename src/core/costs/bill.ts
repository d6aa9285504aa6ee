/** Charges what is used in a month by the price list, beyond what a month includes. Pure. */
import { PRICES, STORAGE_PRICES } from "./prices.ts";

/** @returns dollars. @param product  whose included amount is used up; each has one of its own */
export type Bill = (item: keyof typeof PRICES, count: number, product?: string) => number;

const BYTES_PER_GB = 1e9;

/** What was charged before counts: a month includes each amount once. */
export function newBill(): Bill {
  const used = new Map<string, number>();
  return (item, count, product = "") => {
    const { perMillion, included } = PRICES[item];
    const before = used.get(item + product) ?? 0;
    used.set(item + product, before + count);
    const charged = Math.max(before + count - included, 0) - Math.max(before - included, 0);
    return (charged / 1e6) * perMillion;
  };
}

/** For a month. */
export function storageDollars(place: keyof typeof STORAGE_PRICES, bytes: number): number {
  const { perGb, includedGb } = STORAGE_PRICES[place];
  return Math.max(bytes / BYTES_PER_GB - includedGb, 0) * perGb;
}
