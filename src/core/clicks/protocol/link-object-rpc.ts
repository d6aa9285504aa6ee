/**
 * RPC messages between a link's Durable Object and its callers. Plain data.
 *
 * During a rollout Workers and objects of two releases call each other. So each call has one object as its message;
 * methods and members are only ever added, and receivers ignore members that they do not know. An outcome that a caller
 * does not know means that nothing was done. A batch in a format that the object does not know, or for an object whose
 * storage is of a later release, is refused as `too_new`: its sender keeps it and retries.
 */
import type { BacktestData, TriedRules } from "../../backtest/backtest.ts";
import type { CopiedBatch, CopiedRevision, LogPlace } from "../../contract/backup.ts";
import type { Filter } from "../counting/filters.ts";
import type { VisitFact } from "../facts.ts";
import type { PackedClicks } from "../encoding/click-batch.ts";
import type { LinkSnapshot, RouteKeys } from "../../links/link-snapshot.ts";
import type { StatsData, StatsRequest } from "../counting/stats.ts";
import type { ClickClass } from "../../visitors/fact-values.ts";

/** The addressed link. */
export interface LinkReference {
  linkId?: string;
}

/**
 * The object of this address stores the clicks of another link, which the database lost when it was restored to an
 * earlier time. Nothing was done; the link has an object of its own (`ownObjectName`).
 */
export type OtherLink = { kind: "other_link" };

export interface ClickBatch extends LinkReference {
  /** Chosen at random by the sender and kept through retries, so that the batch counts once. */
  id: number;
  /** Revision of the link under which the destinations were chosen. */
  revision: number;
  clicks: PackedClicks;
  /** Sent until the object has acknowledged a batch of this revision. */
  snapshot?: LinkSnapshot;
  /** Start of the current period of the account's feed, epoch ms; left out while no client streams. */
  feedSince?: number;
  /**
   * Since when the account takes part in statistics of all its links, epoch ms; left out while it does not, null where
   * the sender does not know, as the database is down.
   */
  statsSince?: number | null;
}

export type RecordResult =
  | {
      kind: "recorded";
      /** The current link, when the sender decided under an older revision. */
      newer: LinkSnapshot | null;
      /** Delay before the next call, ms (call-pacing.ts); objects of earlier releases leave it out. */
      gatherMs?: number;
    }
  | { kind: "snapshot_missing" }
  | { kind: "too_new" }
  | OtherLink;

/** Result of announcing a changed link to its object. `too_new`: the object runs an older release; send again later. */
export type LearnResult = { kind: "learned" } | { kind: "too_new" } | OtherLink;

/** `erased`: the object stores nothing of the link any more. */
export type EraseResult = { kind: "erased" } | OtherLink;

/** The object runs an older release than its stored data or the request needs. Happens only during a rollout. */
export type Unavailable = { kind: "unavailable" };

/** Clicks would be read one by one of a range that begins at `from` (epoch ms) or later. */
type TooManyClicks = { kind: "too_many_clicks"; from: number };

/** Ask again: others are read; or the log is not ready: packed for such questions, with which the next one goes on, or erased. */
export type Busy = { kind: "busy" | "packing" };

/** What the log of a link or of an account answers. */
export type StatsOutcome = ({ kind: "stats" } & StatsData) | { kind: "too_many_bins" } | TooManyClicks | Busy;

export type BacktestRequest = LinkReference & TriedRules & Pick<StatsRequest, "from" | "to" | "includeBots">;

/** `unavailable` also where the rules have conditions that the object does not know. */
export type BacktestResult = ({ kind: "backtested"; to: number } & BacktestData) | TooManyClicks | Busy;

export interface ClicksRequest extends LinkReference {
  /** Sequence number; the page begins after it. */
  after: number;
  limit: number;
  /** Only clicks of the half-open range, epoch ms; not bounded where left out. */
  from?: number;
  to?: number;
  /** All must hold. Left out without filters. */
  filters?: Filter[];
}

/** A click as listed, with the keys of its route. "" is a fact that is not known. */
export interface ListedClick extends Record<VisitFact | "qr", string>, RouteKeys {
  position: number;
  at: number;
  class: ClickClass;
  /** Of the link: the one whose rules decided. */
  revision: number;
}

/** A page ends after `limit` clicks, or earlier when rules and destinations are long, or when few clicks match. */
export type ClicksResult =
  | {
      kind: "clicks";
      clicks: ListedClick[];
      hasMore: boolean;
      /** `after` of the next request under filters; without them it is the last click of the page. */
      next?: number;
    }
  | Busy;

export type RowFormat = "csv" | "ndjson";

export interface ExportRequest extends LinkReference {
  format: RowFormat;
  /** Sequence number; the rows begin after it. */
  after: number;
  /** Most rows; null when all are wanted. */
  limit: number | null;
  /** Only clicks of the half-open range, epoch ms; null where it is not bounded. */
  from: number | null;
  to: number | null;
  /** All must hold, on every page. Left out without filters. */
  filters?: Filter[];
  /** As the first page has it; null in the request for that. */
  end: number | null;
}

export type ExportResult =
  | {
      kind: "exported";
      /** In UTF-8. */
      bytes: Uint8Array;
      rows: number;
      /** `after` of the next request; null when this was the last page. */
      next: number | null;
      /** Sequence number of the last click of the export, so that all pages are of one moment. */
      end: number;
      /** Clicks from `after` to `end`, whether they match or not. */
      clicks: number;
    }
  /** The log has fewer clicks than when the export began: it was erased. */
  | { kind: "erased_meanwhile" };

export interface CopyLogRequest extends LinkReference {
  from: LogPlace;
  /** Number of clicks at which the copy ends, so that it is of one moment; null in the first request: all there are. */
  end: number | null;
  /** About as many are returned, but at least one row. */
  maxChars: number;
}

export interface CopyLogResult {
  kind: "copied";
  batches: CopiedBatch[];
  revisions: CopiedRevision[];
  /** Null when the copy is complete. */
  next: LogPlace | null;
  end: number;
  /** No later click is dated before this, epoch ms; 0 when no statistics were answered. */
  floor: number;
}

export interface RestoreLogRequest {
  linkId: string;
  batches: CopiedBatch[];
  revisions: CopiedRevision[];
  floor: number;
  /** The link as the database will have it; sent with the last rows. */
  snapshot: LinkSnapshot | null;
}

/**
 * `conflict`: the object has other clicks than these rows, or lacks those before them. `unknown_format`: the rows are
 * damaged or of a later release.
 */
export type RestoreLogResult = { kind: "restored"; count: number } | { kind: "conflict" } | { kind: "unknown_format" };

/** Clicks of one answer. A block has fewer than 65,536. */
export const DRAW_CLICKS_MAX = 16_384;

export interface DrawRequest extends LinkReference {
  /** Position of the first click that is wanted. */
  from: number;
  /** Epoch ms: clicks before are wanted, and none is dated before it from now on. */
  before: number;
  /** About as many are returned, but at least one batch. */
  maxBytes: number;
}

export interface DrawResult {
  kind: "drawn";
  /** core/clicks/encoding/click-block.ts; at most `DRAW_CLICKS_MAX` clicks. */
  clicks: Uint8Array;
  /** What the routes in it are, each `<revision>.<rule>`. */
  routes: Record<string, RouteKeys>;
  /** `from` of the next request. */
  next: number;
  /** Whether there are more clicks before `before`. */
  more: boolean;
  /** Whether there are clicks that are dated later: the object will not announce those. */
  hasLater: boolean;
}

type OrRefusal<T> = T | Unavailable | OtherLink;

/** What is asked of a link's clicks, by method of its object: the request, and the result. */
export interface LinkQuestions {
  stats: [StatsRequest & LinkReference, OrRefusal<StatsOutcome>];
  backtest: [BacktestRequest, OrRefusal<BacktestResult>];
  clicks: [ClicksRequest, OrRefusal<ClicksResult>];
  exportClicks: [ExportRequest, OrRefusal<ExportResult>];
  /** `qr`: id of the QR code. */
  scans: [LinkReference & { qr: string }, OrRefusal<{ kind: "scans"; scans: number }>];
  /** Clicks by people, ever. Unlike statistics until now it makes no range final, so lists may ask it of many links. */
  humanClicks: [LinkReference, OrRefusal<{ kind: "human_clicks"; clicks: number }>];
  copyLog: [CopyLogRequest, OrRefusal<CopyLogResult>];
  draw: [DrawRequest, OrRefusal<DrawResult>];
  restoreLog: [RestoreLogRequest, OrRefusal<RestoreLogResult>];
}

export type LinkQuestion<M extends keyof LinkQuestions> = LinkQuestions[M][0];
export type LinkAnswer<M extends keyof LinkQuestions> = LinkQuestions[M][1];
