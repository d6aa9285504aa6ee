/** Clicks in batches, for code that writes to a log without visitors. */
import { BatchBuilder } from "../../src/core/clicks/encoding/batch-builder.ts";
import type { PackedClicks } from "../../src/core/clicks/encoding/click-batch.ts";
import { mapFacts, type NewClick, type VisitFact } from "../../src/core/clicks/facts.ts";
import { UNKNOWN_SPLIT } from "../../src/core/visitors/split.ts";
import type { ClickClass } from "../../src/core/visitors/fact-values.ts";

/** A click with its known facts; "" means "not known", as do omitted facts. */
export interface Click extends Partial<Record<VisitFact, string>> {
  at: number;
  class: ClickClass;
  qr: string;
  rule: string;
  query?: string;
  split?: number;
  visitor?: NewClick["visitor"];
  /** Of the alias that was visited. */
  address?: string;
}

const NOTHING_KNOWN = { ...mapFacts(() => null), split: UNKNOWN_SPLIT };

/** A click as it is packed. */
export function newClick({ rule, qr, query = "", visitor = 0, address, ...visit }: Click): NewClick {
  return { visit: { ...NOTHING_KNOWN, ...visit }, rule, qr, query, visitor, alias: address };
}

export function packClicks(clicks: readonly Click[]): PackedClicks {
  const batch = new BatchBuilder();
  for (const click of clicks) batch.add(newClick(click));
  return batch.pack();
}
