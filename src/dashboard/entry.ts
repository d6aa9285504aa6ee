/**
 * The first script of every page. It is small, so that it runs while the application is still being downloaded: asks for
 * the code and the data of the page's address, all at once instead of one after the other.
 */
import type { Mode } from "../core/account.ts";
import { loadEarly, requestEarly } from "./early-loads.ts";
import { isSignedOutPath } from "./signed-out-paths.ts";
import { storedMode } from "./stored-mode.ts";
import { requestLinkPageEarly } from "./pages/link/early-link-requests.ts";

const mode: Mode = storedMode();
const path = location.pathname.replace(/^\/dashboard/, "");
const linkId = /^\/links\/([\w-]+)$/.exec(path)?.[1];

import("./main.tsx").catch((error: unknown) => {
  console.error(error);
  const message = document.querySelector<HTMLTemplateElement>("#load-failed");
  if (message) document.querySelector("#root")?.replaceChildren(message.content.cloneNode(true));
});

// The same in both modes, and asked for in live mode (api/account.ts).
if (!isSignedOutPath(path)) void requestEarly("/account", "live");
if (linkId !== undefined) {
  const search = new URLSearchParams(location.search);
  // A failure is shown by the page, which asks again.
  requestLinkPageEarly(linkId, search, mode).catch(() => {});
  loadEarly("link", () => import("./pages/link/link.tsx"));
  if (!search.has("tab")) loadEarly("stats", () => import("./pages/link/stats/stats-panel.tsx"));
} else if (path === "/" || path === "") {
  loadEarly("overview", () => import("./pages/overview/overview.tsx"));
  loadEarly("account-statistics", () => import("./pages/overview/account-statistics.tsx"));
} else if (path === "/links") {
  loadEarly("links", () => import("./pages/links/links.tsx"));
}
