/**
 * The package `hoplink`: the API for Node, Deno, Bun, browsers and Workers. It uses only web APIs, and relies only on
 * what the OpenAPI document specifies.
 */
import type { AccountStats, Me } from "./api-types.ts";
import { Clicks, Imports, joinedFilters, type StatsQuery } from "./clicks.ts";
import { Events } from "./events.ts";
import { Domains, Links, QrCodes, Tags } from "./links.ts";
import { type ApiPromise, type HoplinkSettings, type RequestOptions, Transport, webUrl } from "./transport.ts";

export type * from "./api-types.ts";
export type { ClicksQuery, ExportOf, StatsQuery } from "./clicks.ts";
export {
  type FieldProblem,
  HoplinkConnectionError,
  HoplinkError,
  type HoplinkErrorCode,
  isHoplinkError,
} from "./errors.ts";
export type { StreamEvent, StreamOptions } from "./events.ts";
export type {
  BulkOptions,
  DeleteResult,
  DomainsQuery,
  LinkClicksQuery,
  LinkResult,
  LinksQuery,
  LinkStatsQuery,
  QrCodesQuery,
  RevisionsQuery,
  TagsQuery,
} from "./links.ts";
export type {
  Answer,
  ApiPromise,
  ChangeOptions,
  HoplinkSettings,
  List,
  PostOptions,
  RequestOptions,
} from "./transport.ts";

export class Hoplink {
  readonly links: Links;
  readonly clicks: Clicks;
  readonly tags: Tags;
  readonly qrCodes: QrCodes;
  readonly imports: Imports;
  readonly domains: Domains;
  readonly events: Events;
  readonly #api: Transport;

  constructor(settings: HoplinkSettings) {
    const { apiKey, baseUrl } = settings;
    const api = new Transport({ ...settings, apiKey: checkedKey(apiKey), baseUrl: checkedUrl(baseUrl) });
    this.#api = api;
    this.links = new Links(api);
    this.clicks = new Clicks(api);
    this.tags = new Tags(api);
    this.qrCodes = new QrCodes(api);
    this.imports = new Imports(api);
    this.domains = new Domains(api);
    this.events = new Events(api);
  }

  /** The account, its plan and limits, and what this key may do. */
  me(options?: RequestOptions): ApiPromise<Me> {
    return this.#api.json({ method: "GET", path: ["me"] }, options);
  }

  /** Statistics of the whole account. For a single link, use `links.stats`. */
  stats(query: StatsQuery = {}, options?: RequestOptions): ApiPromise<AccountStats> {
    return this.#api.json({ method: "GET", path: ["stats"], query: joinedFilters(query) }, options);
  }
}

/** The error does not contain the key: runtimes quote a header that they reject in their errors, and thus in logs. */
function checkedKey(apiKey: string): string {
  // In untyped code, an unset variable arrives as undefined.
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("apiKey must be an API key, without spaces");
  return apiKey;
}

function checkedUrl(baseUrl: string): string {
  const url = webUrl(baseUrl);
  const address = baseUrl.replace(/\/+$/, "");
  if (url && !url.search && !url.hash && !address.endsWith("/v1")) return address;
  throw new TypeError("baseUrl must be the service's address without /v1, such as https://hop.example.com");
}
