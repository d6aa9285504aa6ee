/** Filters of the list of links. They are stored in the URL, so that they survive a reload and can be shared. */
import type { ListLinksQuery } from "../../../core/contract/links.ts";

export type LinkFilters = Pick<ListLinksQuery, "search" | "domain" | "status" | "sort">;

const DEFAULT_FILTERS: LinkFilters = { sort: "-created_at" };

export const SEARCH_MAX_CHARS = 200;

export function filtersFromSearchParams(address: URLSearchParams): LinkFilters {
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

export function filtersToSearchParams({ search, domain, status, sort }: LinkFilters): URLSearchParams {
  const shown = { search, domain, status, sort: sort === DEFAULT_FILTERS.sort ? undefined : sort };
  return new URLSearchParams(Object.entries(shown).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

export function isFiltered({ search, domain, status }: LinkFilters): boolean {
  return search !== undefined || domain !== undefined || status !== undefined;
}
