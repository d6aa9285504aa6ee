/**
 * The state of the list of links: filters, order, page and the open dialog. It is stored in the URL, so that reload,
 * Back and a shared address show the same. Also the columns that this browser shows, and the account's saved views.
 */
import { useLocalStorage } from "@mantine/hooks";
import { queryOptions } from "@tanstack/react-query";
import { useCallback } from "react";
import { useSearchParams } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";

import { LINK_STATUSES } from "../../../core/links/link-members.ts";
import { TAG_MAX_CHARS, TAGS_MAX } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { apiClients, unwrap } from "../../api/client.ts";

export const PAGE_SIZES = [20, 50, 100] as const;

export const SORTS = ["-created_at", "created_at", "-clicks"] as const;

/** The API's, and `archived`, which is a separate parameter there. */
export const STATUSES = [...LINK_STATUSES, "archived"] as const;
export const RULES = ["true", "false"] as const;
export const ORIGINS = ["dashboard", "api"] as const;
const DIALOGS = ["link", "many", "export"] as const;

export const SEARCH_MAX_CHARS = 200;
const CURSOR_PATTERN = /^[\w-]{1,100}$/;

export interface LinkFilters {
  search?: string;
  domain?: string;
  /** A link must have all of them. */
  tag?: string[];
  status?: (typeof STATUSES)[number];
  /** Whether a link has rules. */
  rules?: (typeof RULES)[number];
  /** What created it. */
  origin?: (typeof ORIGINS)[number];
}

/** In the order in which addresses have them. */
const FILTER_NAMES = ["search", "domain", "tag", "status", "rules", "origin"] as const;

/** A place in the list: the API's cursors only lead forward, and do not say how many links precede them. */
export interface PagePosition {
  /** Null for the first page. */
  cursor: string | null;
  /** Number of the page's first link, from 1. */
  first: number;
}

export type LinksView = ReturnType<typeof parseLinksView>;

const FIRST_PAGE: PagePosition = { cursor: null, first: 1 };

/** Omits unknown and out-of-range values. */
export function parseLinksView(params: URLSearchParams) {
  const filters = {
    search: params.get("search")?.trim().slice(0, SEARCH_MAX_CHARS),
    domain: params.get("domain"),
    tag: params
      .getAll("tag")
      .filter((one) => one !== "" && [...one].length <= TAG_MAX_CHARS)
      .slice(0, TAGS_MAX),
    status: oneOf(STATUSES, params.get("status")),
    rules: oneOf(RULES, params.get("rules")),
    origin: oneOf(ORIGINS, params.get("origin")),
  };
  return {
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value?.length)) as LinkFilters,
    sort: oneOf(SORTS, params.get("sort")) ?? "-created_at",
    size: oneOf(PAGE_SIZES, Number(params.get("size"))) ?? PAGE_SIZES[0],
    position: parsePosition(params.get("after"), Number(params.get("first"))),
    dialog: oneOf(DIALOGS, params.get("dialog")) ?? null,
  };
}

/** @internal */
export function printLinksView({ filters, sort, size, position, dialog }: LinksView): URLSearchParams {
  const shown = {
    ...Object.fromEntries(FILTER_NAMES.map((name) => [name, filters[name]])),
    sort: sort === "-created_at" ? undefined : sort,
    size: size === PAGE_SIZES[0] ? undefined : String(size),
    after: position.cursor,
    first: position.cursor === null ? undefined : String(position.first),
    dialog,
  };
  return new URLSearchParams(
    Object.entries(shown).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one])),
  );
}

/**
 * Changing filters, order or size returns to the first page, because a cursor is valid in one list only.
 * @internal
 */
export function changeLinksView(
  view: LinksView,
  change: Partial<Pick<LinksView, "filters" | "sort" | "size">>,
): LinksView {
  return { ...view, ...change, position: FIRST_PAGE };
}

/** The part of the URL's query that a saved view contains. */
export function savedQuery({ filters, sort }: Pick<LinksView, "filters" | "sort">): string {
  const view = { filters, sort, size: PAGE_SIZES[0], position: FIRST_PAGE, dialog: null };
  return printLinksView(view).toString();
}

/** Query of the API, without `limit` and `cursor`. */
export function linksQuery({ filters: { status, ...filters }, sort }: Pick<LinksView, "filters" | "sort">) {
  const chosen = status === "archived" ? { archived: "true" as const } : { ...(status && { status }) };
  return { ...filters, ...chosen, sort };
}

export function isFiltered(filters: LinkFilters): boolean {
  return Object.keys(filters).length > 0;
}

/** Each tag once, ignoring case. */
export function withTag(filters: LinkFilters, tag: string): LinkFilters {
  const others = (filters.tag ?? []).filter((one) => tagKey(one) !== tagKey(tag));
  return { ...filters, tag: [...others, tag].slice(-TAGS_MAX) };
}

/**
 * The pages before this one, from `history.state`: it survives a reload, but a shared address has none.
 * @internal
 */
export function parseTrail(state: unknown): PagePosition[] {
  const trail = typeof state === "object" && state !== null && "trail" in state ? state.trail : null;
  return Array.isArray(trail) ? trail.filter(isPagePosition) : [];
}

function isPagePosition(value: unknown): value is PagePosition {
  if (typeof value !== "object" || value === null || !("cursor" in value) || !("first" in value)) return false;
  return (value.cursor === null || typeof value.cursor === "string") && typeof value.first === "number";
}

function parsePosition(cursor: string | null, first: number): PagePosition {
  if (cursor === null || !CURSOR_PATTERN.test(cursor)) return FIRST_PAGE;
  return { cursor, first: Number.isSafeInteger(first) && first > 1 ? first : 2 };
}

function oneOf<T>(values: readonly T[], value: unknown): T | undefined {
  return values.find((one) => one === value);
}

/** The view of the list in the URL, and how it changes. */
export function useLinksView() {
  const [params, setParams] = useSearchParams();
  const view = parseLinksView(params);
  const trail = parseTrail(useHistoryState());
  const show = (next: LinksView, replace: boolean, nextTrail: readonly PagePosition[] = trail) =>
    setParams(printLinksView(next), { replace, state: { trail: nextTrail } });
  return {
    view,
    /** Pages before this one, first to last. Empty on the first page, and if the address was opened directly. */
    trail,
    change: (change: Partial<Pick<LinksView, "filters" | "sort" | "size">>) =>
      show(changeLinksView(view, change), true, []),
    goToNext: (position: PagePosition) => show({ ...view, position }, false, [...trail, view.position]),
    goToPrevious: () => {
      const previous = trail.at(-1);
      show(previous ? { ...view, position: previous } : changeLinksView(view, {}), false, trail.slice(0, -1));
    },
    openDialog: (dialog: LinksView["dialog"]) => show({ ...view, dialog }, false),
    closeDialog: () => show({ ...view, dialog: null }, true),
  };
}

export type LinksViewState = ReturnType<typeof useLinksView>;

export const COLUMNS = ["title", "destination", "created", "creator", "tags", "rules", "clicks"] as const;
export type ListColumn = (typeof COLUMNS)[number];

/** Most accounts create links in one way only. */
const HIDDEN_AT_FIRST: ListColumn[] = ["creator"];

/** @param text  as stored, or any other text @internal */
export function parseHiddenColumns(text: string | undefined): ListColumn[] {
  const names = (text ?? "").split(",");
  return COLUMNS.filter((name) => names.includes(name));
}

export function useColumns() {
  const [hidden, setHidden] = useLocalStorage<ListColumn[]>({
    key: "hoplink-hidden-columns",
    defaultValue: HIDDEN_AT_FIRST,
    getInitialValueInEffect: false,
    deserialize: parseHiddenColumns,
    serialize: (names) => names.join(","),
  });
  const isShown = useCallback((name: ListColumn) => !hidden.includes(name), [hidden]);
  const toggle = (name: ListColumn) =>
    setHidden((before) => (before.includes(name) ? before.filter((one) => one !== name) : [...before, name]));
  return { isShown, toggle };
}

/** The same in both modes. */
export const savedViewsQuery = queryOptions({
  queryKey: ["saved-views"],
  queryFn: async ({ signal }) => (await unwrap(apiClients.live["saved-views"].$get({}, { init: { signal } }))).data,
});
