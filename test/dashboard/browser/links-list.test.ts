/** The list of links in a browser: rows with their clicks, pages in the URL, order, selection, export. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";
import { readDownload } from "../../support/dashboard-user.ts";

const STORY_MS = 300_000;
const STATS = "**/dashboard/api/links/*/stats?*";
const LIST = "**/dashboard/api/links?*";

const dashboard = new DashboardTests();

/** A new account with links whose slugs end in their number. The last one is the newest. */
async function arriveWithLinks(count: number) {
  const ann = await dashboard.register();
  const mark = `list-${Date.now()}`;
  for (let from = 0; from < count; from += 100) {
    const links = Array.from({ length: Math.min(100, count - from) }, (_, i) => ({
      url: `https://example.com/${mark}/${from + i}`,
      slug: `${mark}-${from + i}`,
    }));
    const response = await ann.page.request.post(`${dashboard.base}/dashboard/api/links/bulk`, {
      data: { links },
      headers: { Origin: dashboard.base },
    });
    expect(response.status(), await response.text()).toBe(200);
  }
  await ann.open("/links");
  const list = ann.page.getByRole("region", { name: "Links" });
  await list.getByRole("listitem").first().waitFor();
  return { ann, page: ann.page, list, slug: (number: number) => `${mark}-${number}`, row: rowOf(ann.page, mark) };
}

function rowOf(page: Page, mark: string) {
  return (number: number) =>
    page
      .getByRole("region", { name: "Links" })
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: new RegExp(`/${mark}-${number}$`) }) });
}

async function visit(slug: string, times: number) {
  for (let i = 0; i < times; i++) {
    expect((await fetch(`${dashboard.base}/${slug}`, { redirect: "manual" })).status).toBe(302);
  }
}

function shownSlugs(page: Page): Promise<string[]> {
  return page.evaluate(
    // The selector excludes the checklist of first steps, which is also a list.
    "[...document.querySelectorAll('main li a[href*=\"/links/lnk_\"]')].map((link) => link.textContent.split('/').at(-1))",
  );
}

describe("finding links", () => {
  test(
    "by title, any tag and what created them; as saved views, in chosen columns",
    async () => {
      const ann = await dashboard.register();
      const { page } = ann;
      const headers = { Origin: dashboard.base };
      const mark = `find-${Date.now()}`;
      const post = async (path: string, links: object[]) => {
        const answer = await page.request.post(`${dashboard.base}/dashboard/api/links/${path}`, {
          data: { links },
          headers,
        });
        expect(answer.status(), await answer.text()).toBe(200);
        return ((await answer.json()) as { results: { link: { id: string } }[] }).results;
      };
      const links = Array.from({ length: 12 }, (_, i) => ({
        url: `https://example.com/${i}`,
        slug: `${mark}-${i}`,
        title: `Poster ${i}`,
        tags: Array.from({ length: 20 }, (_, tag) => `tag ${100 + i * 20 + tag}`),
      }));
      const made = await post("bulk", links);
      await post("hand-over", [{ id: made[4]?.link.id }]);
      await ann.open("/links");
      const rows = page.getByRole("region", { name: "Links" }).getByRole("listitem");
      const row = rowOf(page, mark);
      await expect.poll(() => rows.count()).toBe(12);

      await page.getByLabel("Search links").fill("poster 7");
      await expect.poll(() => shownSlugs(page)).toEqual([`${mark}-7`]);
      await page.getByLabel("Search links").fill(`localhost:${new URL(dashboard.base).port}/${mark}-11`);
      await expect.poll(() => shownSlugs(page)).toEqual([`${mark}-11`]);
      await page.getByLabel("Search links").fill("");
      await expect.poll(() => rows.count()).toBe(12);

      // Of 240 tags, the first hundred are read without a search.
      const tags = page.getByRole("combobox", { name: "Tags" });
      await tags.fill("tag 333");
      await page.getByRole("option", { name: "tag 333" }).click();
      await expect.poll(() => shownSlugs(page)).toEqual([`${mark}-11`]);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByLabel("Created by").selectOption("Created by the API");
      await expect.poll(() => shownSlugs(page)).toEqual([`${mark}-4`]);
      await page.getByLabel("Rules", { exact: true }).selectOption("Without rules");
      await ann.checkPage("links-filtered");
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("button", { name: "Filters (2)" }).click();
      await ann.checkPage("links-filters-open");

      const views = page.getByRole("button", { name: "Views" });
      await views.click();
      await page.getByText("No saved views yet").waitFor();
      await page.getByRole("menuitem", { name: "Save or delete views…" }).click();
      const dialog = page.getByRole("dialog", { name: "Saved views" });
      await dialog.getByLabel("Name").fill("From the API");
      await ann.checkPage("links-save-view");
      await dialog.getByRole("button", { name: "Save view" }).click();
      await dialog.waitFor({ state: "detached" });
      const current = page.getByRole("button", { name: "From the API" });
      await current.waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await expect.poll(() => rows.count()).toBe(12);
      await page.reload();
      await row(11).waitFor();
      await views.click();
      await page.getByRole("menuitem", { name: "From the API" }).click();
      await expect.poll(() => shownSlugs(page)).toEqual([`${mark}-4`]);
      expect(new URL(page.url()).search).toBe("?rules=false&origin=api");
      await current.click();
      await ann.checkPage("links-views");
      await page.getByRole("menuitem", { name: "Save or delete views…" }).click();
      await dialog.getByRole("button", { name: "Delete view From the API" }).click();
      await page.getByText("View From the API deleted").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await views.click();
      await page.getByRole("menuitem", { name: "All links" }).click();

      const columns = page.getByRole("button", { name: "Columns" });
      expect(await rows.getByText(/^Created /).count()).toBe(0);
      await columns.click();
      for (const name of ["Clicks", "Title", "Tags", "Creation date", "Creator"])
        await page.getByRole("menuitemcheckbox", { name }).click();
      await page.keyboard.press("Escape");
      await expect.poll(() => columns.evaluate((element) => element.matches(":focus"))).toBe(true);
      await page.reload();
      await row(3).getByText("https://example.com/3").waitFor();
      for (const text of ["Poster 3", "tag 160"]) expect(await row(3).getByText(text).count(), text).toBe(0);
      expect(await row(3).textContent()).not.toMatch(/ 20\d\d|click/);
      await row(3).getByText("Created here", { exact: true }).waitFor();
      await row(4).getByText("Created by the API", { exact: true }).waitFor();
      await ann.checkPage("links-columns");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("keys", () => {
  test(
    "move between links and act on the one that has the focus, which dialogs give back",
    async () => {
      const { ann, page, list, row, slug } = await arriveWithLinks(5);
      const { keyboard } = page;
      const focused = () =>
        page.evaluate<string>("document.activeElement.closest('[data-link]')?.querySelector('a').textContent ?? ''");
      const waitForFocus = (number: number) => expect.poll(focused).toMatch(new RegExp(`${slug(number)}$`));
      await keyboard.press("j");
      await waitForFocus(4);
      await keyboard.press("j");
      await keyboard.press("j");
      await waitForFocus(2);
      await keyboard.press("k");
      await waitForFocus(3);
      await keyboard.press("x");
      await keyboard.press("j");
      await keyboard.press("j");
      await keyboard.press("Shift+X");
      await list.getByText("3 selected").waitFor();
      for (const number of [1, 2, 3]) expect(await row(number).getByRole("checkbox").isChecked()).toBe(true);

      const held = Promise.withResolvers<void>();
      await page.route("**/dashboard/api/links/lnk_*", async (route) => {
        await held.promise;
        await route.continue();
      });
      await keyboard.press("e");
      const edit = page.getByRole("dialog", { name: "Edit link" });
      await edit.getByText("Loading").waitFor();
      held.resolve();
      const destination = edit.getByLabel("Destination");
      await expect.poll(() => destination.evaluate((element) => element.matches(":focus"))).toBe(true);
      await edit.getByLabel("Title", { exact: true }).fill("Edited here");
      await edit.getByRole("button", { name: "Save" }).click();
      await row(1).getByText("Edited here").waitFor();
      await waitForFocus(1);
      await keyboard.press("d");
      const create = page.getByRole("dialog", { name: "Create a link" });
      expect(await create.getByLabel("Destination").inputValue()).toMatch(/\/1$/);
      await create.getByText("Edited here").waitFor();
      expect(await create.getByLabel("Slug", { exact: true }).inputValue()).toBe("");
      await keyboard.press("Escape");
      await page.getByRole("button", { name: "Discard", exact: true }).click();
      await create.waitFor({ state: "detached" });
      await waitForFocus(1);

      // From a menu too: the item that opened the dialog is gone.
      await row(1)
        .getByRole("button", { name: /^More actions/ })
        .press("Enter");
      await page.getByRole("menuitem", { name: "Edit", exact: true }).waitFor();
      await ann.checkPage("links-row-menu");
      await page.getByRole("menuitem", { name: "Edit", exact: true }).press("Enter");
      await edit.waitFor();
      await keyboard.press("Escape");
      await edit.waitFor({ state: "detached" });
      await waitForFocus(1);
      const menu = row(1).getByRole("button", { name: /^More actions/ });
      await expect.poll(() => menu.evaluate((element) => element.matches(":focus"))).toBe(true);

      await keyboard.press("p");
      await row(1).getByText("Paused", { exact: true }).waitFor();
      await keyboard.press("a");
      await expect.poll(() => row(1).count()).toBe(0);
      await waitForFocus(0);
      await keyboard.press("Delete");
      const confirm = page.getByRole("dialog", { name: "Delete this link?" });
      await confirm.getByRole("button", { name: "Delete link" }).click();
      await expect.poll(() => row(0).count()).toBe(0);
      await waitForFocus(2);
      await keyboard.press("Control+e");
      await keyboard.press("c");
      await create.getByLabel("Destination").fill("https://example.com/jdx");
      expect(await create.getByLabel("Destination").inputValue()).toBe("https://example.com/jdx");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("rows", () => {
  test(
    "open their link when clicked, except on their buttons and checkboxes",
    async () => {
      const { ann, page, row, slug } = await arriveWithLinks(3);
      const url = page.url();
      await row(1).getByRole("button", { name: "More actions for" }).click();
      await page.getByRole("menuitem", { name: "Visit" }).waitFor();
      await page.keyboard.press("Escape");
      await row(1).getByRole("checkbox").check();
      await page.keyboard.press("/");
      await page.keyboard.type("c/?");
      const search = page.locator("#content search input").first();
      expect(await search.inputValue()).toBe("c/?");
      await search.fill("");
      const copied = await ann.copy(row(1).getByRole("button", { name: "Copy short URL" }));
      expect(copied).toBe(`${dashboard.base}/${slug(1)}`);
      expect(page.url()).toBe(url);

      // The position is on the row itself, outside its texts and buttons.
      const [other] = await Promise.all([
        page.context().waitForEvent("page"),
        row(1).click({ button: "middle", position: { x: 500, y: 6 } }),
      ]);
      await other.getByRole("tab", { name: "Statistics" }).waitFor();
      await other.close();
      expect(page.url()).toBe(url);
      await row(1).click({ position: { x: 500, y: 6 } });
      await page.getByRole("tab", { name: "Statistics" }).waitFor();
      await page.goBack();
      await row(1).waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "are shown before their clicks, which are read only for rows in view; a failure shows a dash, until a rate limit is over",
    async () => {
      const { ann, page, row, slug } = await arriveWithLinks(60);
      await visit(slug(59), 3);
      await visit(slug(58), 1);
      // The list that is already shown may still send requests.
      await page.goto("about:blank");
      const asked: string[] = [];
      page.on("request", (request) => request.url().includes("/stats?") && asked.push(request.url()));
      let release = () => {};
      const held = new Promise<void>((done) => (release = done));
      await page.route(STATS, async (route) => {
        await held;
        await route.fallback();
      });
      await page.goto(`${dashboard.base}/dashboard/links?size=100`);
      await row(59).waitFor();
      await expect.poll(() => asked.length).toBe(4);
      release();
      await row(59).getByText("3 clicks").waitFor();
      await row(59).getByText("Last click today").waitFor();
      await row(58).getByText("1 click", { exact: true }).waitFor();
      await row(57).getByText("0 clicks").waitFor();
      await page.waitForLoadState("networkidle");
      const inView = asked.length;
      expect(inView).toBeLessThan(40);
      await row(0).scrollIntoViewIfNeeded();
      await row(0).getByText("0 clicks").waitFor();
      expect(new Set(asked).size).toBe(asked.length);
      await ann.checkPage("links-clicks");

      await page.unroute(STATS);
      await page.route(STATS, (route) => route.fulfill({ status: 404, json: {} }));
      await page.reload();
      // The browser restores the scroll position, at the last row.
      await row(59).scrollIntoViewIfNeeded();
      await row(59).getByRole("img", { name: "Clicks could not be loaded" }).waitFor();
      expect(await row(59).getByText("—").count()).toBe(1);

      await page.unroute(STATS);
      const error = { code: "rate_limited", message: "Too many requests" };
      await page.route(STATS, (route) =>
        route.fulfill({ status: 429, headers: { "Retry-After": "30" }, json: { error } }),
      );
      await page.clock.install();
      await page.reload();
      await row(59).scrollIntoViewIfNeeded();
      await row(59).getByRole("img", { name: "Too many requests. Clicks load again automatically." }).waitFor();
      await page.unroute(STATS);
      await page.clock.fastForward(30_000);
      await row(59).getByText("3 clicks").waitFor();
      // Its clock stays replaced.
      await ann.context.close();
      expect(ann.pageErrors).toEqual([]);
    },
    STORY_MS,
  );

  test(
    "show later clicks when the page is looked at again after half an hour",
    async () => {
      // The first steps read the clicks of the newest five.
      const { ann, page, row, slug } = await arriveWithLinks(6);
      await row(0).getByText("0 clicks").waitFor();
      await visit(slug(0), 1);
      await page.clock.setFixedTime(Date.now() + 31 * 60_000);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await row(0).getByText("1 click", { exact: true }).waitFor();
      // Its clock stays replaced.
      await ann.context.close();
      expect(ann.pageErrors).toEqual([]);
    },
    STORY_MS,
  );

  test(
    "are sorted by total clicks, across all pages",
    async () => {
      const { ann, page, slug, list } = await arriveWithLinks(4);
      await visit(slug(1), 2);
      await visit(slug(0), 1);
      await page.reload();
      await list.getByRole("listitem").first().waitFor();
      expect(await shownSlugs(page)).toEqual([slug(3), slug(2), slug(1), slug(0)]);
      await page.getByLabel("Order").selectOption("Most clicks");
      await page.getByText("Total clicks (excluding bots)").waitFor();
      await expect.poll(() => shownSlugs(page)).toEqual([slug(1), slug(0), slug(3), slug(2)]);
      await list.getByTitle("Total clicks: 2").waitFor();
      await page.reload();
      await expect.poll(() => shownSlugs(page)).toEqual([slug(1), slug(0), slug(3), slug(2)]);
      await ann.checkPage("links-by-clicks");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("pages", () => {
  test(
    "are in the URL: a reload, Back and a shared address show the same page",
    async () => {
      const { ann, page, list, row } = await arriveWithLinks(45);
      await list.getByText("1–20").waitFor();
      await list.getByRole("button", { name: "Next" }).click();
      await list.getByText("21–40").waitFor();
      await row(24).waitFor();
      await page.reload();
      await row(24).waitFor();
      await list.getByText("21–40").waitFor();
      await list.getByRole("button", { name: "Next" }).click();
      await list.getByText("41–45 of 45").waitFor();
      await row(4).waitFor();
      expect(await list.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
      const shared = page.url();
      await page.goBack();
      await list.getByText("21–40").waitFor();
      await page.goForward();
      await list.getByText("41–45 of 45").waitFor();
      await list.getByRole("button", { name: "Previous" }).click();
      await row(24).waitFor();

      await row(24).click({ position: { x: 500, y: 6 } });
      await page.getByRole("tab", { name: "Statistics" }).waitFor();
      await page.goBack();
      await list.getByText("21–40").waitFor();

      const other = await page.context().newPage();
      await other.goto(shared);
      await rowOf(other, (await shownSlugs(page))[0]?.replace(/-\d+$/, "") ?? "")(4).waitFor();
      await other.getByText("41–45 of 45").waitFor();
      await other.getByRole("button", { name: "First page" }).click();
      await other.getByText("1–20").waitFor();
      await other.close();

      await list.getByLabel("Links per page").selectOption("50 per page");
      await list.getByText("1–45 of 45").waitFor();
      expect(new URL(page.url()).search).toBe("?size=50");
      await page.getByLabel("Search links").fill("no such link");
      await page.getByRole("button", { name: "Show all links" }).click();
      expect(await page.getByLabel("Search links").inputValue()).toBe("");
      await list.getByText("1–45 of 45").waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("selection", () => {
  test(
    "extends to a range with Shift, and to the whole page",
    async () => {
      const { ann, page, list, row } = await arriveWithLinks(6);
      const selected = () => list.getByRole("listitem").getByRole("checkbox", { checked: true }).count();
      await row(4).getByRole("checkbox").click();
      await row(1)
        .getByRole("checkbox")
        .click({ modifiers: ["Shift"] });
      expect(await selected()).toBe(4);
      await list.getByText("4 selected").waitFor();
      await ann.checkPage("links-selected");
      await page.getByRole("checkbox", { name: "Select all links on this page" }).click();
      expect(await selected()).toBe(6);
      await page.getByRole("checkbox", { name: "Select all links on this page" }).click();
      expect(await selected()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );
});

describe("export", () => {
  test(
    "saves all matching pages, says that it waits for a rate limit, keeps the links it has read if a request fails, and stops when canceled",
    async () => {
      const { ann, page, list, slug } = await arriveWithLinks(150);
      await list.getByRole("button", { name: "Export" }).click();
      const dialog = page.getByRole("dialog", { name: "Export links" });
      await ann.checkPage("links-export");
      let requests = 0;
      const error = { code: "rate_limited", message: "Too many" };
      await page.route(LIST, (route) => {
        requests++;
        if (requests === 2) return route.fulfill({ status: 429, headers: { "Retry-After": "2" }, json: { error } });
        return requests === 3 ? route.fulfill({ status: 404, json: {} }) : route.fallback();
      });
      await Promise.all([
        dialog.getByText("Trying again in 2 s. Too many").waitFor(),
        dialog.getByRole("button", { name: "Export" }).click(),
      ]);
      await dialog.getByText("Stopped after 100 links").waitFor();
      expect(await dialog.getByText("Trying again").count()).toBe(0);
      const [csv] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Continue" }).click(),
      ]);
      await dialog.getByText("150 links saved").waitFor();
      expect(csv.suggestedFilename()).toBe("links.csv");
      const lines = String(await readDownload(csv))
        .trimEnd()
        .split("\n");
      expect(lines).toHaveLength(151);
      expect(lines[0]?.replace("\uFEFF", "")).toMatch(/^short_url,url,/);
      expect(lines[1]).toContain(`${dashboard.base}/${slug(149)},`);
      expect(lines[150]).toContain(`${dashboard.base}/${slug(0)},`);
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.unroute(LIST);

      await page.getByLabel("Search links").fill(slug(14));
      await expect.poll(() => list.getByRole("listitem").count()).toBe(11);
      await list.getByRole("button", { name: "Export" }).click();
      await dialog.getByText("JSON").click();
      const [json] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Export" }).click(),
      ]);
      const links = JSON.parse(String(await readDownload(json))) as { slug: string }[];
      expect(links.map((link) => link.slug)).toEqual([
        ...Array.from({ length: 10 }, (_, i) => slug(149 - i)),
        slug(14),
      ]);
      expect(links[0]).not.toHaveProperty("origin");
      await dialog.getByRole("button", { name: "Done" }).click();

      await list.getByRole("button", { name: "Export" }).click();
      let isCancelled = false;
      page.on("requestfailed", () => (isCancelled = true));
      await page.route(LIST, () => {});
      await dialog.getByRole("button", { name: "Export" }).click();
      await dialog.getByText("0 links read").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => isCancelled).toBe(true);
      await ann.close();
    },
    STORY_MS,
  );
});
