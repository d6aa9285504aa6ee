/** The clicks of the whole account. */
import type { AccountClick, AccountClickPage } from "./api-types.ts";
import type { ApiPromise } from "./api-promise.ts";
import { exportFormat } from "./exports.ts";
import { clickListOf, type List } from "./list.ts";
import type { RequestOptions, Transport } from "./transport.ts";
import type { ClicksQuery, ExportOf } from "./types.ts";
import { joinedFilters } from "./urls.ts";

export class Clicks {
  readonly #api: Transport;

  constructor(api: Transport) {
    this.#api = api;
  }

  /** In the order of time. */
  list(query: ClicksQuery = {}, options?: RequestOptions): List<AccountClick, AccountClickPage> {
    return clickListOf(this.#api, ["clicks"], joinedFilters(query), options);
  }

  /** As a file. */
  export(
    { format, ...query }: ExportOf<ClicksQuery>,
    options?: RequestOptions,
  ): ApiPromise<ReadableStream<Uint8Array>> {
    const accept = exportFormat(format);
    return this.#api.download({ method: "GET", path: ["clicks"], query: joinedFilters(query), accept }, options);
  }
}
