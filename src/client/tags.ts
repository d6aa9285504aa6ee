/** The tags of all links. */
import type { Tag, TagPage } from "./api-types.ts";
import { type List, listOf } from "./list.ts";
import type { RequestOptions, Transport } from "./transport.ts";
import type { TagsQuery } from "./types.ts";

export class Tags {
  readonly #api: Transport;

  constructor(api: Transport) {
    this.#api = api;
  }

  list(query: TagsQuery = {}, options?: RequestOptions): List<Tag, TagPage> {
    return listOf(this.#api, ["tags"], query, options);
  }
}
