/**
 * RPC messages between a link's Durable Object and its callers. Plain data.
 *
 * During a rollout, Workers and objects of two releases call each other. So each call passes one object as its message,
 * methods and members are only ever added, and receivers ignore unknown members. An outcome unknown to the caller means
 * that nothing was done. A batch is refused as `too_new` if the object does not know its format or the object's storage
 * was written by a later release. Its sender keeps it and retries.
 */
import type { BacktestData, TriedRules } from "../../backtest/backtest.ts";
import type { CopiedBatch, CopiedRevision, LogPart, LogPlace } from "../../contract/backup.ts";
import type { Filter } from "../counting/filters.ts";
import type { NewClick, VisitFact } from "../facts.ts";
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
 * earlier time. Nothing was done; the link has a separate object (`ownObjectName`).
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
  /** Start of the current period of the account's feed, epoch ms; omitted while no client streams. */
  feedSince?: number;
  /**
   * When the account began to participate in account statistics, epoch ms. Omitted if it does not; null if the sender
   * does not know because the database is down.
   */
  statsSince?: number | null;
}

export type RecordResult =
  | {
      kind: "recorded";
      /** The current link, when the sender decided under an older revision. */
      newer: LinkSnapshot | null;
      /** Delay before the next call, ms (call-pacing.ts); objects of earlier releases omit it. */
      gatherMs?: number;
    }
  | { kind: "snapshot_missing" }
  | { kind: "too_new" }
  | OtherLink;

/** Result of announcing a changed link to its object. `too_new`: the object runs an older release; send again later. */
export type LearnResult = { kind: "learned" } | { kind: "too_new" } | OtherLink;

/** `erased`: the object no longer stores anything of the link. */
export type EraseResult = { kind: "erased" } | OtherLink;

/** The object runs an older release than its stored data or the request needs. Happens only during a rollout. */
export type Unavailable = { kind: "unavailable" };

/** The range has too many clicks to read one by one. It must begin at `from` (epoch ms) or later. */
type TooManyClicks = { kind: "too_many_clicks"; from: number };

/**
 * Retry later. `busy`: other scans are running. `packing`: the log is being packed for such queries, and the next one
 * continues the packing; or clicks were erased.
 */
export type Busy = { kind: "busy" | "packing" };

/** Outcome of a statistics request to the log of a link or an account. */
export type StatsOutcome = ({ kind: "stats" } & StatsData) | { kind: "too_many_bins" } | TooManyClicks | Busy;

export type BacktestRequest = LinkReference & TriedRules & Pick<StatsRequest, "from" | "to" | "includeBots">;

/** `unavailable` also if the rules have conditions that the object does not know. */
export type BacktestResult = ({ kind: "backtested"; to: number } & BacktestData) | TooManyClicks | Busy;

export interface ClicksRequest extends LinkReference {
  /** Sequence number; the page begins after it. */
  after: number;
  limit: number;
  /** Only clicks of this half-open range, epoch ms; a missing bound is open. */
  from?: number;
  to?: number;
  /** All filters must match. Omitted if there are none. */
  filters?: Filter[];
}

/** A listed click, with the keys of its route and its address. "" is an unknown fact. */
export interface ListedClick extends Record<VisitFact | "qr", string>, RouteKeys {
  /** The key of the grouping `address`. */
  address: string;
  position: number;
  at: number;
  class: ClickClass;
  /** Revision of the link whose rules decided. */
  revision: number;
  /** Omitted if false. */
  imported?: boolean;
}

/** A page ends after `limit` clicks, or earlier if rules and destinations are long or few clicks match. */
export type ClicksResult =
  | {
      kind: "clicks";
      clicks: ListedClick[];
      hasMore: boolean;
      /** `after` of the next request if there are filters. Otherwise `after` is the last click of the page. */
      next?: number;
    }
  | Busy;

export type RowFormat = "csv" | "ndjson";

export interface ExportRequest extends LinkReference {
  format: RowFormat;
  /** Sequence number; the rows begin after it. */
  after: number;
  /** Maximum number of rows; null for all. */
  limit: number | null;
  /** Only clicks of this half-open range, epoch ms; null for an open bound. */
  from: number | null;
  to: number | null;
  /** All filters must match, the same on every page. Omitted if there are none. */
  filters?: Filter[];
  /** `end` of the first page; null in the request for the first page. */
  end: number | null;
}

export type ExportResult =
  | {
      kind: "exported";
      /** Encoded in UTF-8. */
      bytes: Uint8Array;
      rows: number;
      /** `after` of the next request; null when this was the last page. */
      next: number | null;
      /** Sequence number of the last click of the export, so that all pages reflect one moment. */
      end: number;
      /** Clicks from `after` to `end`, whether they match or not. */
      clicks: number;
    }
  /** The log has fewer clicks than when the export began: it was erased. */
  | { kind: "erased_meanwhile" };

export interface CopyLogRequest extends LinkReference {
  from: LogPlace;
  /** Number of clicks at which the copy ends, so that it reflects one moment; null in the first request: all clicks. */
  end: number | null;
  /** Approximate limit of the returned characters; at least one row is returned. */
  maxChars: number;
}

export interface CopyLogResult extends Pick<LogPart, "imports"> {
  kind: "copied";
  batches: CopiedBatch[];
  revisions: CopiedRevision[];
  /** Null when the copy is complete. */
  next: LogPlace | null;
  end: number;
  /** No later click is dated before this, epoch ms; 0 when no statistics were returned. */
  floor: number;
}

export interface RestoreLogRequest extends Pick<LogPart, "imports"> {
  linkId: string;
  batches: CopiedBatch[];
  revisions: CopiedRevision[];
  floor: number;
  /** The link as it will be in the database; sent with the last rows. */
  snapshot: LinkSnapshot | null;
}

/**
 * `conflict`: the object's clicks differ from these rows, or it lacks those before them. `unknown_format`: the rows are
 * damaged or from a later release.
 */
export type RestoreLogResult = { kind: "restored"; count: number } | { kind: "conflict" } | { kind: "unknown_format" };

export interface ImportRequest extends LinkReference {
  importId: string;
  /** Number of clicks of the import before these. */
  offset: number;
  /** In order of time. */
  clicks: NewClick[];
  snapshot: LinkSnapshot;
}

/** `clicks`: number of clicks of the import that the link has, also if these were refused. */
export interface ImportResult {
  kind: "imported" | "offset_too_high" | "out_of_order" | "link_has_clicks" | "later_undone" | "too_many" | "erased";
  clicks: number;
}

export type UndoResult = { kind: "undone" | "later_imports" };

/** Maximum clicks of one response. A block has fewer than 65,536. */
export const DRAW_CLICKS_MAX = 16_384;

export interface DrawRequest extends LinkReference {
  /** Sequence number; the clicks begin after it. */
  from: number;
  /** Clicks before this are requested, epoch ms. New clicks are not dated before it from now on. */
  before: number;
  /** Approximate limit of the returned bytes; at least one batch is returned. */
  maxBytes: number;
}

export interface DrawResult {
  kind: "drawn";
  /** core/clicks/encoding/click-block.ts; at most `DRAW_CLICKS_MAX` clicks. */
  clicks: Uint8Array;
  /** Keys of the routes in `clicks`, by `<revision>.<rule>`. */
  routes: Record<string, RouteKeys>;
  /** The address of the link's own slug; omitted by objects of earlier releases. */
  address?: string;
  /** `from` of the next request. */
  next: number;
  /** Whether there are more clicks before `before`. */
  more: boolean;
  /** Whether there are later clicks, which the object will not announce. */
  hasLater: boolean;
}

/** A password that a visitor sent. Must not be logged. */
export interface PasswordAttempt extends LinkReference {
  password: string;
  /** Keyed digest of the visitor's network. */
  network: string;
  /** The link's record of its password at this revision. */
  record: string;
  revision: number;
}

/**
 * `locked`: too many wrong passwords, from this network or in total; `seconds` until the next attempt is allowed.
 * `everyoneUntil`: until when attempts of all networks are refused, epoch ms. `isBusy`: too many passwords wait to be
 * checked instead. Not a kind of its own: callers of the previous release would open the link.
 */
export type PasswordResult =
  | { kind: "right" | "wrong" }
  | { kind: "locked"; seconds: number; everyoneUntil?: number | null; isBusy?: true };

type OrRefusal<T> = T | Unavailable | OtherLink;

/** Queries about a link's clicks, by method of its object: the request and the result. */
export interface LinkQuestions {
  stats: [StatsRequest & LinkReference, OrRefusal<StatsOutcome>];
  backtest: [BacktestRequest, OrRefusal<BacktestResult>];
  clicks: [ClicksRequest, OrRefusal<ClicksResult>];
  exportClicks: [ExportRequest, OrRefusal<ExportResult>];
  /** `qr`: id of the QR code. */
  scans: [LinkReference & { qr: string }, OrRefusal<{ kind: "scans"; scans: number }>];
  /**
   * Total human clicks. Unlike statistics until now, this makes no range final, so lists may request it for many
   * links.
   */
  humanClicks: [LinkReference, OrRefusal<{ kind: "human_clicks"; clicks: number }>];
  checkPassword: [PasswordAttempt, OrRefusal<PasswordResult>];
  /** `until`: when a link that is locked for all visitors accepts passwords again, epoch ms. */
  passwordLock: [LinkReference, OrRefusal<{ kind: "password_lock"; until: number | null }>];
  copyLog: [CopyLogRequest, OrRefusal<CopyLogResult>];
  draw: [DrawRequest, OrRefusal<DrawResult>];
  restoreLog: [RestoreLogRequest, OrRefusal<RestoreLogResult>];
  importClicks: [ImportRequest, OrRefusal<ImportResult>];
  undoImport: [LinkReference & { importId: string }, OrRefusal<UndoResult>];
}

export type LinkQuestion<M extends keyof LinkQuestions> = LinkQuestions[M][0];
export type LinkAnswer<M extends keyof LinkQuestions> = LinkQuestions[M][1];
