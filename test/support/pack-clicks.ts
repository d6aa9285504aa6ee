/** Clicks in batches, for those who write to a log without visitors. */
import { BatchBuilder } from "../../src/core/clicks/batch-builder.ts";
import type { PackedClicks } from "../../src/core/clicks/click-batch.ts";
import type { NewClick, VisitFact } from "../../src/core/clicks/facts.ts";
import type { ClickClass } from "../../src/core/visitors/visitor.ts";

/** A click as it comes out of a log again: "" is "not known". */
export interface Click extends Record<VisitFact | "qr" | "rule", string> {
  at: number;
  class: ClickClass;
}

/** A click as it is packed. */
export function newClick(click: Click): NewClick {
  return { visit: click, rule: click.rule, qr: click.qr };
}

export function packClicks(clicks: readonly Click[]): PackedClicks {
  const batch = new BatchBuilder();
  for (const click of clicks) batch.add(newClick(click));
  return batch.pack();
}
