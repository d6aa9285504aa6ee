/**
 * What a link's page asks first, sent by the entry script: the link, and then its statistics, whose interval depends on
 * when the link was created. The addresses are those that the page itself asks for (use-link.ts, use-stats.ts). For an
 * address that says more than when and where, the page asks itself: this script must stay small.
 */
import type { Mode } from "../../../core/account.ts";
import type { Link } from "../../../core/contract/links.ts";
import { requestEarly } from "../../early-loads.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { statsQuery } from "./stats/stats-query.ts";
import { defaultInterval, parseRange } from "./stats/time-range.ts";

const UNDERSTOOD_NAMES = ["range", "from", "to"];

export async function requestLinkPageEarly(id: string, search: URLSearchParams, mode: Mode): Promise<void> {
  const response = await requestEarly(`/links/${id}`, mode);
  if (!response.ok || [...search.keys()].some((name) => !UNDERSTOOD_NAMES.includes(name))) return;
  const link = (await response.clone().json()) as Link;
  const now = Date.now();
  const params = { range: parseRange(search), zone: BROWSER_TIME_ZONE, includeBots: false };
  for (const interval of [defaultInterval(params.range, Date.parse(link.created_at), now), undefined]) {
    const query = new URLSearchParams(statsQuery(params, "country", interval, now));
    void requestEarly(`/links/${id}/stats?${query}`, mode);
  }
}
