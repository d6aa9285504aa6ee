/** What callers name: queries, and options of calls beside those of every request. */
import type { BulkDeleteResult, BulkResult, operations } from "./api-types.ts";

type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;

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
export type LinksQuery = QueryOf<"listLinks">;
export type RevisionsQuery = QueryOf<"listLinkRevisions">;
export type TagsQuery = QueryOf<"listTags">;
export type QrCodesQuery = QueryOf<"listQrCodes">;
export type DomainsQuery = QueryOf<"listDomains">;
export type InheritedLinksQuery = QueryOf<"listInheritedLinks">;

export type LinkStatsQuery = Friendly<QueryOf<"getLinkStats">>;
export type StatsQuery = Friendly<QueryOf<"getAccountStats">>;
export type LinkClicksQuery = Friendly<QueryOf<"listClicks">>;
export type ClicksQuery = Friendly<QueryOf<"listAccountClicks">>;

/** `limit` is the most clicks of the file. */
export type ExportOf<Query> = Query & { format: "csv" | "ndjson" };

/** Of one link in a bulk request. */
export type LinkResult = BulkResult["results"][number];
export type DeleteResult = BulkDeleteResult["results"][number];
