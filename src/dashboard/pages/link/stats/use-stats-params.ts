/** The parameters of the statistics, kept in the page's address. Each change is a step of the browser's history. */
import { useMemo } from "react";
import { useSearchParams } from "wouter";

import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { LINK_SCOPE, parseStatsParams, type StatsParams, writeStatsParams } from "./stats-params.ts";

export type ChangeStatsParams = (changes: Partial<StatsParams>) => void;

export function useStatsParams(scope = LINK_SCOPE): [StatsParams, ChangeStatsParams] {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  // The search object is new at each render; the parameters are new when the address is.
  const params = useMemo(() => parseStatsParams(new URLSearchParams(text), BROWSER_TIME_ZONE, scope), [text, scope]);
  const change: ChangeStatsParams = (changes) =>
    setSearch((current) => {
      const changed = { ...parseStatsParams(current, BROWSER_TIME_ZONE, scope), ...changes };
      return writeStatsParams(current, changed, BROWSER_TIME_ZONE, scope);
    });
  return [params, change];
}
