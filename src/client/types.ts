/** What callers name: queries, and options of calls beside those of every request. */
import type { BulkDeleteResult, BulkResult, Queries } from "./api-types.ts";

/** Members of such queries that are no filters. */
type Frame = "group_by" | "from" | "to" | "interval" | "timezone" | "include" | "after" | "limit";

/** A filter takes several values; flags are booleans. */
type Friendly<Query> = {
  [Name in keyof Query]: Name extends "include_bots"
    ? boolean | undefined
    : Name extends Frame
      ? Query[Name]
      : Query[Name] | readonly string[];
};

/** In lists `cursor` is where to begin, and `limit` the size of a page. */
export type LinksQuery = Queries["listLinks"];
export type RevisionsQuery = Queries["listLinkRevisions"];
export type TagsQuery = Queries["listTags"];
export type QrCodesQuery = Queries["listQrCodes"];
export type DomainsQuery = Queries["listDomains"];

export type LinkStatsQuery = Friendly<Queries["getLinkStats"]>;
export type StatsQuery = Friendly<Queries["getAccountStats"]>;
export type LinkClicksQuery = Friendly<Queries["listClicks"]>;
export type ClicksQuery = Friendly<Queries["listAccountClicks"]>;

/** `limit` is the most clicks of the file. */
export type ExportOf<Query> = Query & { format: "csv" | "ndjson" };

/** Of one link in a bulk request. */
export type LinkResult = BulkResult["results"][number];
export type DeleteResult = BulkDeleteResult["results"][number];
