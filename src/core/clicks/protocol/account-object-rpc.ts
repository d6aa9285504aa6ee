/**
 * RPC messages of the object that holds all clicks of an account and mode (clicks/account-clicks.ts). Plain data; as for
 * a link's object (link-object-rpc.ts), methods and members are only ever added.
 */
import type { Mode } from "../../account.ts";
import type { LinkSnapshot } from "../../links/link-snapshot.ts";
import type { AccountStatsRequest } from "../counting/stats.ts";
import type { Busy, ExportRequest, ExportResult, StatsOutcome, Unavailable } from "./link-object-rpc.ts";
import type { AccountFilter } from "../counting/filters.ts";
import type { ClickPlace } from "../click-place.ts";

export interface AccountReference {
  accountId: string;
  mode: Mode;
}

/**
 * Buckets and filters of `link` are ids, of `domain` hosts as the API shows them, of `tag` the keys of tags
 * (core/links/case-folding.ts).
 */
export interface AccountStatsQuestion extends AccountReference {
  request: AccountStatsRequest;
  /** `link_counts.tag_changes`, where the request groups or filters by tags; else null. The object keeps tags until it grows. */
  tagChanges: number | null;
}

/** How far an account's clicks are known. */
export interface AccountProgress {
  /** Every click before is in the answer, epoch ms; 0 before there is any. */
  asOf: number;
  /** From 0 to 1, while the clicks of the past are read for the first time, or again; `asOf` grows meanwhile. */
  progress?: number;
}

export type AccountStatsAnswer =
  | Exclude<StatsOutcome, { kind: "stats" }>
  | (Extract<StatsOutcome, { kind: "stats" }> & AccountProgress)
  | Unavailable;

export interface AccountClicksQuestion extends AccountReference {
  request: AccountClicksRequest;
  /** As for statistics: where the request filters by tags. */
  tagChanges: number | null;
}

export type AccountClicksAnswer =
  | ({ kind: "clicks"; asOf: number } & AccountClicksPage)
  /** Some clicks of the range are not known yet, or not any more while others are erased. */
  | ({ kind: "incomplete" } & AccountProgress)
  | Busy
  | Unavailable;

/** A place in the order of links by clicks. */
export interface LinkClickCount {
  id: string;
  /** By people, ever. */
  clicks: number;
}

interface ClicksByLinkRequest extends AccountReference {
  /** The last link of the page before; null for the first page. */
  after: LinkClickCount | null;
  limit: number;
  /** As the first page has it, so that clicks that arrive between pages move no link; left out for that. */
  asOf?: number;
}

/** Most clicked links first, of as many clicks the newest (highest id) first. Only those that people have clicked. */
export type ClicksByLinkAnswer =
  | ({ kind: "links"; links: LinkClickCount[]; hasMore: boolean } & AccountProgress)
  | Busy
  | Unavailable;

interface ClickedLinksRequest extends AccountReference {
  ids: string[];
  /** Of the first page. */
  asOf: number;
}

/** Which of some links people had clicked by then. */
export type ClickedLinksAnswer = ({ kind: "clicked"; ids: string[] } & Partial<AccountProgress>) | Unavailable;

/** What names the object of a link that is to be drawn from. */
export type LinkToDraw = Pick<LinkSnapshot, "id" | "domain" | "slug" | "objectName">;

/** A link's object has clicks again, for the first time since it was drawn. */
export interface NewsAnnouncement extends AccountReference {
  link: LinkToDraw;
}

export type NewsResult =
  /** No click of the link may be dated before `floor` (epoch ms) from now on: the account may answer up to it. */
  | { kind: "noted"; floor: number }
  /** Nobody asks for the account's statistics. */
  | { kind: "nobody" }
  | Unavailable;

/** `more`: the log is being written anew without the links; call again. */
export type AccountEraseResult = { kind: "erased" } | { kind: "more" } | Unavailable;

export interface AccountClicksRequest extends Pick<ExportRequest, "format" | "limit" | "from" | "to" | "end"> {
  /** The rows begin after it; null for all. */
  after: ClickPlace | null;
  /** All must hold, on every page. */
  filters?: AccountFilter[];
}

type ExportedPage = Extract<ExportResult, { kind: "exported" }>;

export interface AccountClicksPage extends Pick<ExportedPage, "bytes" | "rows" | "clicks"> {
  /** Of the last click that was looked at: where the next page begins. As it was sent where there was none. */
  next: ClickPlace | null;
  /** Whether no click follows. */
  isLast: boolean;
  /** Only clicks before are in it, so that all pages are of one moment, epoch ms. */
  end: number;
}

/** What is asked of an account's clicks, by method of its object: the request, and the answer. */
export interface AccountQuestions {
  stats: [AccountStatsQuestion, AccountStatsAnswer];
  clicks: [AccountClicksQuestion, AccountClicksAnswer];
  clicksByLink: [ClicksByLinkRequest, ClicksByLinkAnswer];
  clickedLinks: [ClickedLinksRequest, ClickedLinksAnswer];
}

export type AccountQuestion<M extends keyof AccountQuestions> = AccountQuestions[M][0];
export type AccountAnswer<M extends keyof AccountQuestions> = AccountQuestions[M][1];
