/**
 * The first script of every page, small enough to run while the application is still downloading. It requests the code
 * and data for the page's address in parallel rather than one after the other.
 */
import type { Mode } from "../core/account.ts";
import type { Link } from "../core/contract/links.ts";
import { loadEarly, requestEarly, storedMode } from "./early-loads.ts";
import { browserTimeZone } from "./formatting/dates.ts";
import { statsQueryOf } from "./pages/link/stats/stats-query.ts";
import {
  DEFAULT_RANGES,
  defaultInterval,
  parseRange,
  type RangePreset,
  timeBounds,
} from "./pages/link/stats/time-range.ts";
import { isSignedOutPath } from "./signed-out-paths.ts";

/** Parameters of statistics for which this script sends the requests. */
const UNDERSTOOD_NAMES = ["range", "from", "to"];

/** The first page of the list, as it requests it (link-page.ts). */
const FIRST_LINKS = { sort: "-created_at", include: "revision", limit: "20" };

/** Styles of the Mantine components that the overview and the list of links do without. */
const laterStyles = () => import("./mantine-later.css");
const noStyles = async () => {};

/** The page is shown with the application, unless it takes longer than this: then a placeholder is. */
const PAGE_WAIT_MS = 1_000;

const mode: Mode = storedMode();
const path = location.pathname.replace(/^\/dashboard/, "");
const linkId = /^\/links\/([\w-]+)$/.exec(path)?.[1];
const search = new URLSearchParams(location.search);

const application = import("./main.tsx");
requestData();
const page = loadPage();
application
  .then(async ({ render }) => {
    await Promise.race([page, new Promise((done) => setTimeout(done, PAGE_WAIT_MS))]);
    await render();
  })
  .catch((error: unknown) => {
    console.error(error);
    const message = document.querySelector<HTMLTemplateElement>("#load-failed");
    if (message) document.querySelector("#root")?.replaceChildren(message.content.cloneNode(true));
  });

/** Pages retry, and show any failure. */
function requestData(): void {
  if (isSignedOutPath(path)) return;
  // The same in both modes, and requested in live mode (api/account.ts).
  const account = requestEarly("/account", "live");
  if (linkId !== undefined) {
    const link = requestEarly(`/links/${linkId}`, mode);
    requestStatsEarly(link, `/links/${linkId}`, DEFAULT_RANGES.link).catch(() => {});
  } else if (path === "/" || path === "") {
    requestStatsEarly(account, "", DEFAULT_RANGES.account).catch(() => {});
  } else if (path === "/links" && search.size === 0) {
    void requestEarly(`/links?${new URLSearchParams(FIRST_LINKS)}`, mode);
  }
}

/** Resolves when the page's own code is here. The application arrives first, and starts meanwhile. */
async function loadPage(): Promise<void> {
  await Promise.all([...document.querySelectorAll<HTMLLinkElement>("link[rel=modulepreload]")].map(arrival));
  if (linkId !== undefined) {
    await loadEarly("link", () => import("./pages/link/link.tsx"), noStyles);
    void loadEarly("link-tabs", () => import("./pages/link/link-tabs.tsx"), laterStyles);
    if (!search.has("tab")) void loadEarly("stats", () => import("./pages/link/stats/stats-panel.tsx"), laterStyles);
  } else if (path === "/" || path === "") {
    await loadEarly("overview", () => import("./pages/overview/overview.tsx"), noStyles);
    void loadEarly("account-statistics", () => import("./pages/overview/account-statistics.tsx"), laterStyles);
  } else if (path === "/links") {
    await loadEarly("links", () => import("./pages/links/links.tsx"), noStyles);
  }
}

function arrival(file: HTMLLinkElement): Promise<unknown> | undefined {
  if (performance.getEntriesByName(file.href).length > 0) return undefined;
  return new Promise((done) => {
    file.addEventListener("load", done);
    file.addEventListener("error", done);
  });
}

/**
 * Sends the first requests of a subject's statistics, whose interval depends on when the link or the account was created.
 * The URLs are those that the page itself requests (use-link.ts, use-stats.ts). With other parameters, the page sends the
 * requests: this script must stay small.
 * @param subjectPath  of the link; empty for the account
 */
async function requestStatsEarly(
  subject: Promise<Response>,
  subjectPath: string,
  defaultRange: RangePreset,
): Promise<void> {
  const response = await subject;
  if (!response.ok || [...search.keys()].some((name) => !UNDERSTOOD_NAMES.includes(name))) return;
  const { created_at } = (await response.clone().json()) as Pick<Link, "created_at">;
  const now = Date.now();
  const zone = browserTimeZone();
  const range = parseRange(search, defaultRange);
  for (const interval of [defaultInterval(range, zone, Date.parse(created_at), now), undefined]) {
    const counted = statsQueryOf({ zone, includeBots: false }, timeBounds(range, zone, now), "country", interval);
    void requestEarly(`${subjectPath}/stats?${new URLSearchParams(counted)}`, mode);
  }
}
