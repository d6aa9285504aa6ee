/**
 * RPC messages of the object that holds all clicks of an account and mode (clicks/account-clicks.ts). Plain data. As
 * for a link's object (link-object-rpc.ts), methods and members are only ever added.
 */
import type { Mode } from "../../account.ts";
import type { LinkSnapshot } from "../../links/link-snapshot.ts";
import { timestamp } from "../../time.ts";
import type { AccountStatsRequest } from "../counting/stats.ts";
import type { Busy, ExportRequest, ExportResult, StatsOutcome, Unavailable } from "./link-object-rpc.ts";
import type { AccountFilter } from "../counting/filters.ts";

export interface AccountReference {
  accountId: string;
  mode: Mode;
}

/**
 * Buckets and filters are ids for `link`, hosts as the API shows them for `domain`, and tag keys for `tag`
 * (core/links/case-folding.ts).
 */
export interface AccountStatsQuestion extends AccountReference {
  request: AccountStatsRequest;
  /**
   * `link_counts.tag_changes` if the request groups or filters by tags, else null. The object caches tags until it
   * grows.
   */
  tagChanges: number | null;
}

/** The time up to which an account's clicks are known. */
export interface AccountProgress {
  /** The result includes every click before this, epoch ms; 0 before there is any. */
  asOf: number;
  /** Progress from 0 to 1 while past clicks are read, for the first time or again. `asOf` grows in the meantime. */
  progress?: number;
}

export type AccountStatsAnswer =
  | Exclude<StatsOutcome, { kind: "stats" }>
  | (Extract<StatsOutcome, { kind: "stats" }> & AccountProgress)
  | Unavailable;

export interface AccountClicksQuestion extends AccountReference {
  request: AccountClicksRequest;
  /** As for statistics, if the request filters by tags. */
  tagChanges: number | null;
}

export type AccountClicksAnswer =
  | ({ kind: "clicks"; asOf: number } & AccountClicksPage)
  /** Some clicks of the range are not known yet, or unavailable while others are erased. */
  | ({ kind: "incomplete" } & AccountProgress)
  | Busy
  | Unavailable;

/** A place in the ranking of links by clicks. */
export interface LinkClickCount {
  id: string;
  /** Total human clicks. */
  clicks: number;
}

interface ClicksByLinkRequest extends AccountReference {
  /** The last link of the previous page; null for the first page. */
  after: LinkClickCount | null;
  limit: number;
  /** `asOf` of the first page, so that clicks arriving between pages move no link; omitted for the first page. */
  asOf?: number;
}

/**
 * Links by descending clicks; of equally clicked ones, the newest (highest id) first. Only links with human clicks.
 */
export type ClicksByLinkAnswer =
  | ({ kind: "links"; links: LinkClickCount[]; hasMore: boolean } & AccountProgress)
  | Busy
  | Unavailable;

interface ClickedLinksRequest extends AccountReference {
  ids: string[];
  /** `asOf` of the first page. */
  asOf: number;
}

/** The requested links that had human clicks by that time. */
export type ClickedLinksAnswer = ({ kind: "clicked"; ids: string[] } & Partial<AccountProgress>) | Unavailable;

/** Identifies the object of a link to draw from. */
export type LinkToDraw = Pick<LinkSnapshot, "id" | "domain" | "slug" | "objectName">;

/** Announces that a link's object has clicks, for the first time since it was drawn. */
export interface NewsAnnouncement extends AccountReference {
  link: LinkToDraw;
  /** The clicks are imported, so they may have any earlier time. */
  isImport?: boolean;
}

export type NewsResult =
  /** New clicks of the link must not be dated before `floor` (epoch ms): the account may answer up to it. */
  | { kind: "noted"; floor: number }
  /** The account's statistics are not in use. */
  | { kind: "nobody" }
  | Unavailable;

/** `more`: the log is being rewritten without the link; call again. */
export type AccountEraseResult = { kind: "erased" } | { kind: "more" } | Unavailable;

export interface AccountClicksRequest extends Pick<ExportRequest, "format" | "limit" | "from" | "to" | "end"> {
  /** The rows begin after this place; null for all. */
  after: ClickPlace | null;
  /** Only this many clicks, the latest before the end. */
  latest?: number;
  /** All filters must match. The same on every page. */
  filters?: AccountFilter[];
}

type ExportedPage = Extract<ExportResult, { kind: "exported" }>;

export interface AccountClicksPage extends Pick<ExportedPage, "bytes" | "rows" | "clicks"> {
  /** Place of the last click examined, after which the next page begins. If none was examined, the request's place. */
  next: ClickPlace | null;
  /** Whether this is the last page. */
  isLast: boolean;
  /** Only earlier clicks are included, so that all pages reflect one moment, epoch ms. */
  end: number;
}

/** Queries about an account's clicks, by method of its object: the request and the response. */
export interface AccountQuestions {
  stats: [AccountStatsQuestion, AccountStatsAnswer];
  clicks: [AccountClicksQuestion, AccountClicksAnswer];
  clicksByLink: [ClicksByLinkRequest, ClicksByLinkAnswer];
  clickedLinks: [ClickedLinksRequest, ClickedLinksAnswer];
}

export type AccountQuestion<M extends keyof AccountQuestions> = AccountQuestions[M][0];
export type AccountAnswer<M extends keyof AccountQuestions> = AccountQuestions[M][1];

/**
 * A place in the order of an account's clicks: by time, then by link id, then by the click's number in its log. It
 * consists of three columns of a click, so a client can continue after any row. It stays valid when clicks of other
 * links are erased.
 */
export interface ClickPlace {
  /** Epoch ms. */
  at: number;
  linkId: string;
  seq: number;
}

const PLACE =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z),(lnk_[0-9a-z]{1,60}),([1-9][0-9]{0,14})$/;

export function placeText({ at, linkId, seq }: ClickPlace): string {
  return `${timestamp(at)},${linkId},${seq}`;
}

/** @returns null if the text is not a place */
export function parsePlace(text: string): ClickPlace | null {
  const [, time = "", linkId = "", seq = ""] = PLACE.exec(text) ?? [];
  const at = Date.parse(time);
  return Number.isNaN(at) ? null : { at, linkId, seq: Number(seq) };
}

/** Negative if the first place is before the second. */
export function comparePlaces(one: ClickPlace, other: ClickPlace): number {
  return one.at - other.at || (one.linkId < other.linkId ? -1 : one.linkId > other.linkId ? 1 : one.seq - other.seq);
}
