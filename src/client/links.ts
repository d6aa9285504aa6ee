/** Links, alone and in bulk, with their click logs, revisions, tags and QR codes; your own short domains. */
import { piecesOf } from "../core/links/bulk-pieces.ts";
import type {
  Backtest,
  BacktestLink,
  BulkDeleteItem,
  BulkDeleteResult,
  BulkResult,
  BulkUpdateItem,
  Click,
  ClickPage,
  CreateDomain,
  CreateLink,
  CreateQrCode,
  Domain,
  DomainPage,
  Link,
  LinkPage,
  LinkRevision,
  LinkRevisionPage,
  QrCode,
  QrCodePage,
  Queries,
  Resolution,
  ResolveLink,
  Stats,
  Tag,
  TagPage,
  UpdateDomain,
  UpdateLink,
  UpdateQrCode,
} from "./api-types.ts";
import { clickFile, type ExportOf, type Filtered, joinedFilters } from "./clicks.ts";
import { isHoplinkError } from "./errors.ts";
import {
  type ApiPromise,
  type ChangeOptions,
  clickListOf,
  type FileContent,
  givenIdempotencyKey,
  type List,
  listOf,
  newIdempotencyKey,
  type PostOptions,
  type RequestOptions,
  Resource,
  type Transport,
} from "./transport.ts";

export interface BulkOptions<Result> extends PostOptions {
  /** Called after each request. If a later request fails, the call throws, but these results stand. */
  onResults?: ((results: Result[]) => void) | undefined;
}

/** Bulk requests of any length, split into requests of the permitted size and sent one after the other. */
async function sendInPieces<Item, Result>(
  api: Transport,
  path: readonly string[],
  items: readonly Item[],
  { onResults, ...options }: BulkOptions<Result> = {},
  more: object = {},
): Promise<Result[]> {
  const given = givenIdempotencyKey(options);
  const start = given ?? newIdempotencyKey();
  const all: Result[] = [];
  for (const [number, links] of piecesOf(items).entries()) {
    const request = { method: "POST", path, body: { links, ...more } } as const;
    // A second call with the same key and items gets the stored results of the requests that succeeded.
    const idempotencyKey = `${start}-${number}`;
    const { results } = await api
      .json<{ results: Result[] }>(request, { ...options, idempotencyKey })
      .catch((error: unknown) => {
        // The response is too long to store for a key, so nothing was done. Callers who chose the key get the error.
        const isTooLong = isHoplinkError(error, "quota_exceeded") && error.param === "Idempotency-Key";
        if (!isTooLong || given !== null) throw error;
        return api.json<{ results: Result[] }>({ ...request, isUnkeyed: true }, options);
      });
    onResults?.(results);
    all.push(...results);
  }
  return all;
}

/** For lists, `cursor` is the start and `limit` the page size. */
export type LinksQuery = Queries["listLinks"];
export type RevisionsQuery = Queries["listLinkRevisions"];
export type TagsQuery = Queries["listTags"];
export type QrCodesQuery = Queries["listQrCodes"];
export type LinkStatsQuery = Filtered<Queries["getLinkStats"]>;
export type LinkClicksQuery = Filtered<Queries["listClicks"]>;

/** The result for one link of a bulk request. */
export type LinkResult = BulkResult["results"][number];
export type DeleteResult = BulkDeleteResult["results"][number];

export class Links extends Resource {
  create(body: CreateLink, options?: PostOptions): ApiPromise<Link> {
    return this.api.json({ method: "POST", path: ["links"], body }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Link> {
    return this.api.json({ method: "GET", path: ["links", id] }, options);
  }

  /** Uploads the image of the link's preview: a PNG, JPEG or WebP file. */
  uploadSocialImage(id: string, image: FileContent, options?: ChangeOptions): ApiPromise<Link> {
    return this.api.json({ method: "PUT", path: ["links", id, "social", "image"], file: image }, options);
  }

  /** Members that `changes` does not contain stay as they are; `null` clears a member. */
  update(id: string, changes: UpdateLink, options?: ChangeOptions): ApiPromise<Link> {
    return this.api.json({ method: "PATCH", path: ["links", id], body: changes }, options);
  }

  /** @param options  `erase` also erases the link's clicks */
  delete(id: string, { erase, ...options }: ChangeOptions & { erase?: boolean | undefined } = {}): ApiPromise<void> {
    return this.api.json({ method: "DELETE", path: ["links", id], query: { erase } }, options);
  }

  list(query: LinksQuery = {}, options?: RequestOptions): List<Link, LinkPage> {
    return listOf(this.api, ["links"], query, options);
  }

  /** Creates any number of links. @returns one result for each, in order: a refused link does not stop the others */
  createMany(links: readonly CreateLink[], options?: BulkOptions<LinkResult>): Promise<LinkResult[]> {
    return sendInPieces(this.api, ["links", "bulk"], links, options);
  }

  /** Like `createMany`. With `revision`, a link is changed only if it still has that revision. */
  updateMany(changes: readonly BulkUpdateItem[], options?: BulkOptions<LinkResult>): Promise<LinkResult[]> {
    return sendInPieces(this.api, ["links", "bulk-update"], changes, options);
  }

  /** Like `createMany`. @param options  `erase` also erases the links' clicks */
  deleteMany(
    links: readonly BulkDeleteItem[],
    { erase, ...options }: BulkOptions<DeleteResult> & { erase?: boolean | undefined } = {},
  ): Promise<DeleteResult[]> {
    return sendInPieces(this.api, ["links", "bulk-delete"], links, options, erase === undefined ? {} : { erase });
  }

  /** Simulates where a visitor would be sent. Nothing is counted. */
  resolve(id: string, visitor: ResolveLink = {}, options?: PostOptions): ApiPromise<Resolution> {
    return this.api.json(
      { method: "POST", path: ["links", id, "resolve"], body: visitor, isRepeatable: true },
      options,
    );
  }

  /** Evaluates where past clicks would have gone under other rules. */
  backtest(id: string, body: BacktestLink, options?: PostOptions): ApiPromise<Backtest> {
    return this.api.json({ method: "POST", path: ["links", id, "backtest"], body, isRepeatable: true }, options);
  }

  stats(id: string, query: LinkStatsQuery = {}, options?: RequestOptions): ApiPromise<Stats> {
    return this.api.json({ method: "GET", path: ["links", id, "stats"], query: joinedFilters(query) }, options);
  }

  /** The click log, in order. */
  clicks(id: string, query: LinkClicksQuery = {}, options?: RequestOptions): List<Click, ClickPage> {
    return clickListOf(this.api, ["links", id, "clicks"], joinedFilters(query), options);
  }

  /** Streams the click log as a file. */
  exportClicks(
    id: string,
    query: ExportOf<LinkClicksQuery>,
    options?: RequestOptions,
  ): ApiPromise<ReadableStream<Uint8Array>> {
    return clickFile(this.api, ["links", id, "clicks"], query, options);
  }

  /** Previous versions of the link, newest first. */
  revisions(id: string, query: RevisionsQuery = {}, options?: RequestOptions): List<LinkRevision, LinkRevisionPage> {
    return listOf(this.api, ["links", id, "revisions"], query, options);
  }

  /** Restores an earlier version of the link, as a new revision. */
  restore(id: string, revision: number, options?: PostOptions & ChangeOptions): ApiPromise<Link> {
    return this.api.json({ method: "POST", path: ["links", id, "revisions", revision, "restore"], body: {} }, options);
  }
}

/** The tags of all links. */
export class Tags extends Resource {
  list(query: TagsQuery = {}, options?: RequestOptions): List<Tag, TagPage> {
    return listOf(this.api, ["tags"], query, options);
  }
}

/** QR codes of links. */
export class QrCodes extends Resource {
  create(body: CreateQrCode, options?: PostOptions): ApiPromise<QrCode> {
    return this.api.json({ method: "POST", path: ["qr"], body }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<QrCode> {
    return this.api.json({ method: "GET", path: ["qr", id] }, options);
  }

  /** Renames or archives a code. */
  update(id: string, body: UpdateQrCode, options?: RequestOptions): ApiPromise<QrCode> {
    return this.api.json({ method: "PATCH", path: ["qr", id], body }, options);
  }

  /** Newest first. */
  list(query: QrCodesQuery = {}, options?: RequestOptions): List<QrCode, QrCodePage> {
    return listOf(this.api, ["qr"], query, options);
  }

  /** Streams the image. */
  image({ url }: Pick<QrCode, "url">, options?: RequestOptions): ApiPromise<ReadableStream<Uint8Array>> {
    return this.api.file(url, options);
  }
}

export type DomainsQuery = Queries["listDomains"];

/** Your own short domains. */
export class Domains extends Resource {
  create(body: CreateDomain, options?: PostOptions): ApiPromise<Domain> {
    return this.api.json({ method: "POST", path: ["domains"], body }, options);
  }

  /** Checks the domain's records again if the last check was more than 10 seconds ago. */
  get(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.json({ method: "GET", path: ["domains", id] }, options);
  }

  list(query: DomainsQuery = {}, options?: RequestOptions): List<Domain, DomainPage> {
    return listOf(this.api, ["domains"], query, options);
  }

  update(id: string, changes: UpdateDomain, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.json({ method: "PATCH", path: ["domains", id], body: changes }, options);
  }

  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.api.json({ method: "DELETE", path: ["domains", id] }, options);
  }
}
