/** What of the links is on show: kept in the page's address, so that it survives a reload and can be passed on. */
import type { ListLinksQuery } from "../../../core/contract/contract.ts";

export type Filters = Pick<ListLinksQuery, "search" | "domain" | "status" | "sort">;

const NEWEST_FIRST: Filters = { sort: "-created_at" };

const SEARCH_MAX_CHARS = 200;

export function filtersOf(address: URLSearchParams): Filters {
  const search = address.get("search")?.slice(0, SEARCH_MAX_CHARS);
  const domain = address.get("domain");
  const status = address.get("status");
  return {
    ...(search ? { search } : {}),
    ...(domain ? { domain } : {}),
    ...(status === "active" || status === "expired" ? { status } : {}),
    sort: address.get("sort") === "created_at" ? "created_at" : "-created_at",
  };
}

export function addressOf({ search, domain, status, sort }: Filters): URLSearchParams {
  const shown = { search, domain, status, sort: sort === NEWEST_FIRST.sort ? undefined : sort };
  return new URLSearchParams(Object.entries(shown).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

export function isFiltered({ search, domain, status }: Filters): boolean {
  return search !== undefined || domain !== undefined || status !== undefined;
}
