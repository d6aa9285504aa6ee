/** The versions that are compared, kept in the page's address. */
import { useSearchParams } from "wouter";

import { type HistoryParams, parseHistoryParams, writeHistoryParams } from "./history-params.ts";

export interface HistoryView {
  params: HistoryParams;
  change: (params: HistoryParams) => void;
}

export function useHistoryParams(): HistoryView {
  const [search, setSearch] = useSearchParams();
  return {
    params: parseHistoryParams(search),
    change: (params) => setSearch((current) => writeHistoryParams(current, params)),
  };
}
