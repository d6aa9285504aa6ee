/**
 * The first script of every page, small enough to run while the application is still downloading. It requests the code
 * and data for the page's address in parallel rather than one after the other.
 */
import type { Mode } from "../core/account.ts";
import type { Link } from "../core/contract/links.ts";
import { loadEarly, requestEarly } from "./early-loads.ts";
import { browserTimeZone } from "./formatting/time-zones.ts";
import { statsQueryOf } from "./pages/link/stats/stats-query.ts";
import { defaultInterval, parseRange, timeBounds } from "./pages/link/stats/time-range.ts";
import { isSignedOutPath } from "./signed-out-paths.ts";
import { storedMode } from "./stored-mode.ts";

/** Parameters of a link's page for which this script sends the requests. */
const UNDERSTOOD_NAMES = ["range", "from", "to"];

/** Styles of the Mantine components that the overview and the list of links do without. */
const laterStyles = () => import("./mantine-later.css");
const noStyles = async () => {};

const mode: Mode = storedMode();
const path = location.pathname.replace(/^\/dashboard/, "");
const linkId = /^\/links\/([\w-]+)$/.exec(path)?.[1];

import("./main.tsx").catch((error: unknown) => {
  console.error(error);
  const message = document.querySelector<HTMLTemplateElement>("#load-failed");
  if (message) document.querySelector("#root")?.replaceChildren(message.content.cloneNode(true));
});

// The same in both modes, and requested in live mode (api/account.ts).
if (!isSignedOutPath(path)) void requestEarly("/account", "live");
if (linkId !== undefined) {
  const search = new URLSearchParams(location.search);
  // The page retries and shows any failure.
  requestLinkPageEarly(linkId, search, mode).catch(() => {});
  loadEarly("link", () => import("./pages/link/link.tsx"), laterStyles);
  if (!search.has("tab")) loadEarly("stats", () => import("./pages/link/stats/stats-panel.tsx"), laterStyles);
} else if (path === "/" || path === "") {
  loadEarly("overview", () => import("./pages/overview/overview.tsx"), noStyles);
  loadEarly("account-statistics", () => import("./pages/overview/account-statistics.tsx"), laterStyles);
} else if (path === "/links") {
  loadEarly("links", () => import("./pages/links/links.tsx"), noStyles);
}

/**
 * Sends the first requests of a link's page: the link, then its statistics, whose interval depends on when the link was
 * created. The URLs are those that the page itself requests (use-link.ts, use-stats.ts). With other parameters, the
 * page sends the requests: this script must stay small.
 */
async function requestLinkPageEarly(id: string, search: URLSearchParams, mode: Mode): Promise<void> {
  const response = await requestEarly(`/links/${id}`, mode);
  if (!response.ok || [...search.keys()].some((name) => !UNDERSTOOD_NAMES.includes(name))) return;
  const link = (await response.clone().json()) as Link;
  const now = Date.now();
  const range = parseRange(search);
  const bounds = timeBounds(range, browserTimeZone(), now);
  const params = { zone: browserTimeZone(), includeBots: false };
  for (const interval of [defaultInterval(range, browserTimeZone(), Date.parse(link.created_at), now), undefined]) {
    const query = new URLSearchParams(statsQueryOf(params, bounds, "country", interval));
    void requestEarly(`/links/${id}/stats?${query}`, mode);
  }
}
