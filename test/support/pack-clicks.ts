/** Clicks in batches, for those who write to a log without visitors. */
import { BatchBuilder, type ClickFacts, type PackedClicks } from "../../src/core/clicks/click-batch.ts";

/** A click as it comes out of a log again: "" is "not known". */
export type Click = { -readonly [F in keyof ClickFacts]: NonNullable<ClickFacts[F]> };

export function packClicks(clicks: readonly Click[]): PackedClicks {
  const batch = new BatchBuilder();
  for (const click of clicks) batch.add(click);
  return batch.pack();
}
