/**
 * What a link's page asks first, sent by the entry script: the link, and then its statistics, whose interval depends on
 * when the link was created. The addresses are those that the page itself asks for (use-link.ts, use-stats.ts).
 */
import type { Mode } from "../../../core/account.ts";
import type { Link } from "../../../core/contract/links.ts";
import { requestEarly } from "../../api/early-requests.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { hasFilters, parseStatsParams } from "./stats/stats-params.ts";
import { statsQuery } from "./stats/stats-query.ts";
import { defaultInterval } from "./stats/time-range.ts";

export async function requestLinkPageEarly(id: string, search: URLSearchParams, mode: Mode): Promise<void> {
  const response = await requestEarly(`/links/${id}`, mode);
  const params = parseStatsParams(search, BROWSER_TIME_ZONE);
  if (!response.ok || search.has("tab") || hasFilters(params.filters)) return;
  const link = (await response.clone().json()) as Link;
  const now = Date.now();
  const interval = params.interval ?? defaultInterval(params.range, Date.parse(link.created_at), now);
  for (const one of [interval, undefined]) {
    const query = new URLSearchParams(statsQuery(params, "country", one, now));
    void requestEarly(`/links/${id}/stats?${query}`, mode);
  }
}
