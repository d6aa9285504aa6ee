/** Short domains of one's own. */
import type {
  CreateDomain,
  Domain,
  DomainPage,
  InheritedLink,
  InheritedLinkPage,
  Link,
  TakeOverLink,
  UpdateDomain,
} from "./api-types.ts";
import type { ApiPromise } from "./api-promise.ts";
import { type List, listOf } from "./list.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";
import type { DomainsQuery, InheritedLinksQuery } from "./types.ts";

export class Domains {
  readonly #api: Transport;

  constructor(api: Transport) {
    this.#api = api;
  }

  create(body: CreateDomain, options?: PostOptions): ApiPromise<Domain> {
    return this.#api.json({ method: "POST", path: ["domains"], body }, options);
  }

  /** Looks at the domain's records again, if the last look was more than 10 seconds ago. */
  get(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.#api.json({ method: "GET", path: ["domains", id] }, options);
  }

  list(query: DomainsQuery = {}, options?: RequestOptions): List<Domain, DomainPage> {
    return listOf(this.#api, ["domains"], query, options);
  }

  update(id: string, changes: UpdateDomain, options?: RequestOptions): ApiPromise<Domain> {
    return this.#api.json({ method: "PATCH", path: ["domains", id], body: changes }, options);
  }

  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.#api.json({ method: "DELETE", path: ["domains", id] }, options);
  }

  /** Links that another account made on a domain that is now yours. */
  inheritedLinks(
    id: string,
    query: InheritedLinksQuery = {},
    options?: RequestOptions,
  ): List<InheritedLink, InheritedLinkPage> {
    return listOf(this.#api, ["domains", id, "links"], query, options);
  }

  disableLink(id: string, slug: string, options?: RequestOptions): ApiPromise<InheritedLink> {
    const path = ["domains", id, "links", slug, "disable"];
    return this.#api.json({ method: "POST", path, isRepeatable: true }, options);
  }

  /** Makes an inherited slug a link of yours. */
  takeOverLink(id: string, slug: string, body: TakeOverLink, options?: PostOptions): ApiPromise<Link> {
    return this.#api.json({ method: "POST", path: ["domains", id, "links", slug, "take-over"], body }, options);
  }
}
