/** What is said between a link's Durable Object and those who call it. Plain data, safe to pass through RPC. */
import type { ClickField, PackedClicks } from "./click-batch.ts";
import type { LinkSnapshot, Route } from "./link-snapshot.ts";
import type { StatsAnswer } from "./stats.ts";
import type { ClickClass } from "./visitor.ts";

export interface ClickBatch {
  /** Chosen at random by the sender and kept through retries, so that the batch counts once. */
  id: number;
  /** Revision of the link under which the destinations were chosen. */
  revision: number;
  clicks: PackedClicks;
  /** Sent until an answer shows that the object has this revision. */
  snapshot?: LinkSnapshot;
  /** Since when somebody listens to the account's live stream, epoch ms; left out when nobody does. */
  feedSince?: number;
}

/** `newer` is the link as it is now, when the sender decided under an older revision. */
export type Recorded = { kind: "recorded"; newer: LinkSnapshot | null } | { kind: "snapshot_missing" };

export type StatsOutcome = ({ kind: "stats" } & StatsAnswer) | { kind: "too_many_bins" };

export type ClickFact = Exclude<ClickField, "rule" | "class">;

/** A click as listed, with its route worded. Empty strings are facts not known. */
export interface ListedClick extends Record<ClickFact, string>, Route {
  position: number;
  at: number;
  class: ClickClass;
}

export interface ListedClicks {
  clicks: ListedClick[];
  hasMore: boolean;
}
