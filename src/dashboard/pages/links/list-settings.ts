/** What people choose for the list of links: the columns that this browser shows, and the account's saved views. */
import { useLocalStorage } from "@mantine/hooks";
import { queryOptions } from "@tanstack/react-query";
import { useCallback } from "react";

import type { SavedViewList } from "../../../core/contract/dashboard.ts";
import { apiClients, unwrap } from "../../api/client.ts";

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
  queryFn: async ({ signal }) =>
    (await unwrap<SavedViewList>(apiClients.live["saved-views"].$get({}, { init: { signal } }))).data,
});
