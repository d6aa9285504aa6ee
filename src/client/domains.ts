/** Your own short domains. */
import type { CreateDomain, Domain, DomainPage, Queries, UpdateDomain } from "./api-types.ts";
import { type List, listOf } from "./list.ts";
import { type ApiPromise, type PostOptions, type RequestOptions, Resource } from "./transport.ts";

export type DomainsQuery = Queries["listDomains"];

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
