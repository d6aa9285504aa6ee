/**
 * What is said between a link's Durable Object and those who call it. Plain data, safe to pass through RPC.
 *
 * While a release is rolled out, Workers and objects of two releases speak with each other. So each call has one
 * object as its message; members are only added, and those that are not known are left alone; methods are only added.
 * An outcome that a caller does not know means that nothing was done. A batch in a later format than the object
 * knows, or for an object that already stores what a later release made, is refused as `too_new`: its sender keeps it
 * and tries again.
 */
import type { VisitFact } from "./facts.ts";
import type { PackedClicks } from "./click-batch.ts";
import type { LinkSnapshot, RouteKeys } from "../links/link-snapshot.ts";
import { boundedPage } from "../bounded-page.ts";
import type { StatsData } from "./stats.ts";
import type { ClickClass } from "../visitors/visitor.ts";

/** Which link is meant. Left out by Workers of earlier releases. */
export interface LinkReference {
  linkId?: string;
}

/**
 * The object of this address stores the clicks of another link, which the database has lost (it was set back in time), so
 * nothing was done. The link has an object of its own then (`ownObjectName`).
 */
export type OtherLink = { kind: "other_link" };

export interface ClickBatch extends LinkReference {
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

export type RecordResult =
  | {
      kind: "recorded";
      /** The link as it is now, when the sender decided under an older revision. */
      newer: LinkSnapshot | null;
      /** How long to gather before the next call, ms (core/clicks/call-pacing.ts); not told by objects of earlier releases. */
      gatherMs?: number;
    }
  | { kind: "snapshot_missing" }
  | { kind: "too_new" }
  | OtherLink;

/** What became of the news of a change. `too_new`: it is to be told again. */
export type LearnResult = { kind: "learned" } | { kind: "too_new" } | OtherLink;

/** The link as its object last heard of it. `successorId`: the link that has been given the address since. */
export type LastKnownLink = LinkSnapshot & { successorId?: string };

/** `erased`: nothing of the link is stored here any more. */
export type EraseResult = { kind: "erased" } | OtherLink;

/** An object that cannot read what is stored, or does not know what is asked, for as long as two releases run. */
export type Unavailable = { kind: "unavailable" };

export type StatsResult = ({ kind: "stats" } & StatsData) | { kind: "too_many_bins" } | Unavailable | OtherLink;

export interface ScansRequest extends LinkReference {
  /** Id of the QR code. */
  qr: string;
}

export type ScansResult = { kind: "scans"; scans: number } | Unavailable | OtherLink;

export interface ClicksRequest extends LinkReference {
  /** Sequence number: clicks after it. */
  after: number;
  limit: number;
}

/** A click as listed, with its route worded. Empty strings are facts not known. */
export interface ListedClick extends Record<VisitFact | "qr", string>, RouteKeys {
  position: number;
  at: number;
  class: ClickClass;
}

/** `hasMore` when the page is full: it ends after `limit` clicks, or earlier when they are long. */
export type ClicksResult = { kind: "clicks"; clicks: ListedClick[]; hasMore: boolean } | Unavailable | OtherLink;

/** Of a page as JSON: about 1,000 ordinary clicks twice over: rules and destinations may take 70 KB each time. */
const PAGE_MAX_CHARS = 1024 * 1024;

/** As many clicks as go into one answer; always one if there is any. */
export function clickPage(clicks: Iterable<ListedClick>, limit: number): ListedClick[] {
  return boundedPage(clicks, { items: limit, weight: PAGE_MAX_CHARS }, (click) => JSON.stringify(click).length);
}
