/** Click logs of the account and of single links, as pages and as files, click filters, and imports of clicks. */
import type {
  AccountClick,
  AccountClickPage,
  Import,
  ImportedLink,
  ImportLink,
  ImportUndo,
  Queries,
} from "./api-types.ts";
import {
  type ApiPromise,
  clickListOf,
  type List,
  listOf,
  type QueryValue,
  type RequestOptions,
  Resource,
  type Transport,
} from "./transport.ts";

/** Query members that are not filters. */
type Frame = "group_by" | "from" | "to" | "interval" | "timezone" | "include" | "after" | "limit";

/** A filter accepts several values; flags are booleans. */
export type Filtered<Query> = {
  [Name in keyof Query]: Name extends "include_bots"
    ? boolean | undefined
    : Name extends Frame
      ? Query[Name]
      : Query[Name] | readonly string[];
};

export type StatsQuery = Filtered<Queries["getAccountStats"]>;
export type ClicksQuery = Filtered<Queries["listAccountClicks"]>;

/** `limit` is the maximum number of clicks in the file. */
export type ExportOf<Query> = Query & { format: "csv" | "ndjson" };

export class Clicks extends Resource {
  /** In chronological order. */
  list(query: ClicksQuery = {}, options?: RequestOptions): List<AccountClick, AccountClickPage> {
    return clickListOf(this.api, ["clicks"], joinedFilters(query), options);
  }

  /** Streams the log as a file. */
  export(query: ExportOf<ClicksQuery>, options?: RequestOptions): ApiPromise<ReadableStream<Uint8Array>> {
    return clickFile(this.api, ["clicks"], query, options);
  }
}

const MEDIA_TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

/** Streams a click log as a file. */
export function clickFile(
  api: Transport,
  path: readonly string[],
  { format, ...query }: ExportOf<object>,
  options?: RequestOptions,
): ApiPromise<ReadableStream<Uint8Array>> {
  return api.download({ method: "GET", path, query: joinedFilters(query), accept: MEDIA_TYPES[format] }, options);
}

/** Joins several values of one filter with commas, as statistics and click logs expect. */
export function joinedFilters(query: object): Record<string, QueryValue> {
  const join = (value: QueryValue) =>
    typeof value === "object" ? value.map((one) => one.replace(/[\\,]/g, "\\$&")).join(",") : value;
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, join(value as QueryValue)]));
}

/** Imports of clicks that another service has counted. */
export class Imports extends Resource {
  /** @param id  chosen by you: `imp_` and 32 hexadecimal digits. Clicks that the link already has are skipped */
  addClicks(id: string, linkId: string, body: ImportLink, options?: RequestOptions): ApiPromise<ImportedLink> {
    return this.api.json({ method: "PUT", path: ["imports", id, "links", linkId], body }, options);
  }

  /** The links that an import has reached, with its clicks. */
  links(id: string, query: Queries["getImport"] = {}, options?: RequestOptions): List<Import["data"][number], Import> {
    return listOf(this.api, ["imports", id], query, options);
  }

  /** Removes clicks of an import. Repeat it until `remaining` is 0. */
  undo(id: string, options?: RequestOptions): ApiPromise<ImportUndo> {
    return this.api.json({ method: "DELETE", path: ["imports", id] }, options);
  }
}
