/** The critical path of loading a link's page, which determines how fast it feels on a slow connection. */
import { gzipSync } from "node:zlib";

import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";

const STORY_MS = 300_000;
/** Compressed size of scripts and styles until the statistics are shown. Chart, map and flags load later. */
const CRITICAL_MAX_BYTES = 325 * 1024;
const CRITICAL_MAX_FILES = 26;

/** What the application shows first, as HTML. It waits for the page a second: on a busy machine, that is too short. */
const RECORD_FIRST_PAGE = `
  const wait = setTimeout;
  globalThis.setTimeout = (run, ms, ...more) => wait(run, ms === 1_000 ? 60_000 : ms, ...more);
  new MutationObserver((_, observer) => {
    const main = document.querySelector("main");
    if (main === null) return;
    observer.disconnect();
    globalThis.firstPage = main.innerHTML;
  }).observe(document, { childList: true, subtree: true });`;

const dashboard = new DashboardTests();

async function arrive(): Promise<{ ann: DashboardUser; path: string }> {
  const ann = await dashboard.signIn();
  const link = await dashboard.api().createLink();
  await fetch(link.short_url, { redirect: "manual" });
  return { ann, path: `/links/${link.id}` };
}

/** Resolves once the page has requested a matching URL. */
const asked = (page: Page, pattern: RegExp) => page.waitForRequest((request) => pattern.test(request.url()));

test.each([
  ["a link's page", /\/stats\?group_by=country.*interval=minute/, ["link", "stats-panel"]],
  ["the overview", /\/api\/stats\?group_by=country.*interval=day/, ["overview", "account-statistics"]],
  ["the list", /\/api\/links\?sort=-created_at&include=revision&limit=20$/, ["links"]],
])(
  "data of %s is requested once and immediately, its code right after the application, which shows it at once",
  async (name, data, parts) => {
    const { ann, path: linkPath } = await arrive();
    const path = { "the overview": "/", "the list": "/links" }[name] ?? linkPath;
    const { page } = ann;
    const held: Route[] = [];
    await page.route(/\/assets\/main-.*\.js$/, (route) => void held.push(route));
    const apiCalls: string[] = [];
    const files: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/dashboard/api/")) apiCalls.push(pathname + search);
      if (pathname.endsWith(".js")) files.push(pathname);
    });
    await page.addInitScript(RECORD_FIRST_PAGE);
    const early = Promise.all([/\/api\/account$/, data].map((pattern) => asked(page, pattern)));
    await ann.open(path);
    await early;
    // Nothing competes with the application, which arrives only now.
    const isPart = (file: string) => parts.some((part) => new RegExp(`/${part}-[\\w-]{8}\\.js$`).test(file));
    expect(files.filter(isPart)).toEqual([]);
    for (const route of held) await route.continue();
    await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => new Set(files.filter(isPart)).size).toBe(parts.length);
    if (name !== "a link's page") expect(await page.evaluate("globalThis.firstPage")).toContain("<h1");
    if (name !== "the list") await page.getByTestId("total").waitFor();
    const repeated = apiCalls.filter((call, index) => apiCalls.indexOf(call) !== index);
    expect(held.length).toBe(1);
    expect(repeated).toEqual([]);
    // Other statistics than those requested early would be more calls.
    expect(apiCalls.filter((call) => call.includes("/stats?group_by=country"))).toHaveLength(
      name === "the list" ? 0 : 2,
    );
    await ann.close();
  },
  STORY_MS,
);

test(
  "statistics that were requested but are not shown release their connections",
  async () => {
    const { ann, path } = await arrive();
    const { page } = ann;
    await page.route(/\/assets\/stats-panel-.*\.js$/, () => {});
    const finished = [/&interval=minute$/, /&include_bots=false$/].map((search) =>
      page.waitForEvent("requestfinished", (request) => search.test(request.url())),
    );
    await page.goto(`${ann.base}/dashboard${path}`, { waitUntil: "commit" });
    await page.getByRole("tab", { name: "QR code" }).click();
    await page.getByRole("img", { name: "Preview of the QR code" }).waitFor();
    await Promise.all(finished);
    await ann.close();
  },
  STORY_MS,
);

test(
  "the statistics load few files and few bytes",
  async () => {
    const { ann, path } = await arrive();
    const { page } = ann;
    const files = new Map<string, Promise<Buffer>>();
    page.on("response", (response) => {
      if (/\.(js|css)$/.test(response.url()))
        files.set(
          response.url(),
          response.body().catch(() => Buffer.alloc(0)),
        );
    });
    await ann.open(path);
    await expect.poll(() => page.getByTestId("total").innerText()).toBe("1");
    // The chart, the map and the flags are not needed for the first view.
    const loaded = [...files].filter(
      ([url]) => !/\/(?:series-chart|grid-chart|ColorSwatch|world-map|flag|d3-array)/.test(url),
    );
    const sizes = await Promise.all(loaded.map(async ([, body]) => gzipSync(await body).length));
    expect(loaded.length, loaded.map(([url]) => url).join("\n")).toBeLessThanOrEqual(CRITICAL_MAX_FILES);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(CRITICAL_MAX_BYTES);
    await ann.close();
  },
  STORY_MS,
);

test(
  "a menu whose code has not loaded yet opens as soon as it has, and its button keeps the focus",
  async () => {
    const { ann } = await arrive();
    const { page } = ann;
    const held: Route[] = [];
    await page.route(/\/assets\/overlays-.*\.js$/, (route) => void held.push(route));
    await ann.open("/links");
    const button = page.getByRole("main").getByRole("button", { name: /^More/ }).first();
    await button.focus();
    await page.keyboard.press("Enter");
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    expect(await page.getByRole("menu").count()).toBe(0);
    for (const route of held) await route.continue();
    await page.getByRole("menuitem", { name: "Duplicate" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toMatch(/^More/);
    await ann.close();
  },
  STORY_MS,
);
