/** Filters and visitors of the statistics page in a real browser: counts and refusals of the server. */
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";
import { createVisitedLink, IPHONE } from "../../support/visited-link.ts";

const STORY_MS = 600_000;

const dashboard = new DashboardTests();
let ann: DashboardUser;

beforeAll(async () => {
  ann = await dashboard.signIn();
});

afterAll(async () => {
  await ann?.close();
});

const visitedLink = (fields = {}) => createVisitedLink(dashboard.api(), fields);
const total = (page: Page) => page.getByTestId("total").innerText();
const visitors = (page: Page) => page.getByTestId("visitors").innerText();
const row = (page: Page, name: string) => page.getByRole("row").filter({ has: page.getByRole("button", { name }) });
const search = (page: Page) => new URL(page.url()).search;

const refuse = (route: Route, status: number, error: Record<string, unknown>, headers: Record<string, string> = {}) =>
  route.fulfill({ status, headers, json: { error: { request_id: "req_1", doc_url: "", ...error } } });

describe("12 filters", () => {
  test(
    "a row filters everything, is kept in the address, and is removed by its chip or the row",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await ann.open(`/links/${link.id}`);
      await row(page, "Germany").getByRole("button").click();
      await expect.poll(() => total(page)).toBe("3");
      expect(search(page)).toBe("?country=DE");
      await row(page, "Windows").waitFor({ state: "detached" });
      await row(page, "Mobile").filter({ hasText: "33.3%" }).waitFor();
      const feed = page.getByRole("list", { name: "Latest clicks" }).getByRole("listitem");
      await expect.poll(() => feed.count()).toBe(3);

      await row(page, "Mobile").getByRole("button").click();
      await expect.poll(() => total(page)).toBe("1");
      expect(search(page)).toBe("?country=DE&device=mobile");
      await row(page, "news.example.com").filter({ hasText: "100.0%" }).waitFor();
      await ann.checkPage("link-stats-filtered");

      // A new click that matches is counted, one that does not match is not.
      await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": "JP", "User-Agent": IPHONE } });
      await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": "DE", "User-Agent": IPHONE } });
      await expect.poll(() => total(page), { timeout: 30_000 }).toBe("2");

      await page.reload();
      await expect.poll(() => total(page)).toBe("2");
      await page.getByRole("button", { name: "Remove filter Country: Germany" }).click();
      await expect.poll(() => total(page)).toBe("4");
      await row(page, "Mobile").getByRole("button", { pressed: true }).click();
      await expect.poll(() => total(page)).toBe("7");
      expect(search(page)).toBe("");
      await page.goBack();
      await expect.poll(() => total(page)).toBe("4");
    },
    STORY_MS,
  );

  test(
    "accept several values and values with commas, and apply to visitors, busiest hours and the period before",
    async () => {
      const { page } = ann;
      const link = await visitedLink({ routing: [{ if: { country: ["DE", "FR"] }, to: "https://example.com/eu" }] });
      await page.route(`**/dashboard/api/links/${link.id}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), created_at: "2024-01-01T00:00:00.000Z" } });
      });
      await ann.open(`/links/${link.id}?range=day&compare=period&tz=UTC`);
      await expect.poll(() => visitors(page), { timeout: 20_000 }).toBe("2");
      await ann.open(`/links/${link.id}?range=day&compare=period&tz=UTC&country=US&country=FR`);
      await expect.poll(() => total(page)).toBe("2");
      await row(page, "Visitors from Germany or France").getByRole("button").click();
      await expect.poll(() => total(page)).toBe("1");
      expect(new URLSearchParams(search(page)).getAll("rule")).toEqual(["country=DE,FR"]);
      await expect.poll(() => visitors(page)).toBe("1");
      await page.getByTestId("total-change").filter({ hasText: "0 before" }).waitFor();
      await page.getByRole("heading", { name: "Busiest hours" }).scrollIntoViewIfNeeded();
      const cells = page.getByRole("region", { name: "Busiest hours" }).locator("td[data-level]");
      await expect.poll(async () => sum(await cells.allTextContents())).toBe(1);
      await page.getByRole("button", { name: "Show as a table" }).click();
      await page.getByRole("columnheader", { name: "Visitors" }).waitFor();
      await page.unrouteAll({ behavior: "wait" });
    },
    STORY_MS,
  );

  test(
    "are added with several values and leave them out, and are changed from their chip",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await ann.open(`/links/${link.id}`);
      await expect.poll(() => total(page)).toBe("5");
      const select = async (name: string, options: readonly string[]) => {
        await page.getByRole("combobox", { name }).or(page.getByRole("textbox", { name })).click();
        for (const option of options) await page.getByRole("option", { name: option, exact: true }).click();
      };
      await page.getByRole("button", { name: "Add filter" }).click();
      await select("Filter by", ["Country"]);
      await page.getByText("is not", { exact: true }).click();
      await select("Values", ["Germany", "France"]);
      await page.keyboard.press("Escape");
      await ann.checkPage("link-stats-filter-editor");
      await page.getByRole("button", { name: "Apply" }).click();
      await expect.poll(() => total(page)).toBe("1");
      expect(search(page)).toBe("?country=DE&country=FR&exclude=country");
      await row(page, "United States").waitFor();
      const feed = page.getByRole("list", { name: "Latest clicks" }).getByRole("listitem");
      await expect.poll(() => feed.count()).toBe(1);

      await page.getByRole("button", { name: "Country is not: Germany, France", exact: true }).click();
      await page.getByText("is", { exact: true }).click();
      await page.getByRole("button", { name: "Apply" }).click();
      await expect.poll(() => total(page)).toBe("4");
      await page.getByRole("button", { name: "Remove filter Country: Germany, France" }).click();
      await expect.poll(() => total(page)).toBe("5");
    },
    STORY_MS,
  );

  test("without matching clicks say so and can be cleared", async () => {
    const { page } = ann;
    const link = await visitedLink();
    await ann.open(`/links/${link.id}?country=AQ`);
    await page.getByRole("heading", { name: "No clicks match these filters" }).waitFor();
    await page.getByText("None of the latest 1,000 clicks matches the filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await expect.poll(() => total(page)).toBe("5");
  });
});

describe("12 refusals", () => {
  // The refusal for a link with more clicks than a test can create.
  const tooLarge = {
    code: "range_too_large",
    message: "too many",
    param: "from",
    errors: [{ path: "from", code: "too_small", message: `from must be ${daysAgo(10)} or later` }],
  };

  test(
    "of ranges with too many clicks to filter offer shorter ranges that work",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await page.route(/\/stats\?.*country=DE/, async (route) => {
        const from = new URL(route.request().url()).searchParams.get("from") ?? "";
        return Date.parse(from) < Date.now() - 10 * 86_400_000 ? refuse(route, 422, tooLarge) : route.continue();
      });
      await ann.open(`/links/${link.id}?country=DE&range=month`);
      await page.getByText("Filters work on up to 10,000,000 clicks. Choose a shorter range.").waitFor();
      expect(await page.getByTestId("total").count()).toBe(0);
      await ann.checkPage("link-stats-too-large");
      expect(
        await page
          .getByRole("alert")
          .getByRole("button", { name: /^Show / })
          .count(),
      ).toBe(3);
      await page.getByRole("button", { name: "Show last 7 days" }).click();
      await expect.poll(() => search(page)).toBe("?range=week&country=DE");
      await expect.poll(() => total(page)).toBe("3");
      await page.unrouteAll({ behavior: "wait" });
    },
    STORY_MS,
  );

  test(
    "to count visitors leave the clicks, and a retry succeeds once the server is less busy",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await page.route(/\/stats\?.*include=uniques/, (route) => refuse(route, 422, tooLarge));
      await ann.open(`/links/${link.id}?range=month`);
      await page.getByText("Visitors can be counted for up to 10,000,000 clicks.").waitFor();
      expect(await total(page)).toBe("5");
      await page.unrouteAll({ behavior: "wait" });

      let refused = 0;
      const busy = { code: "unavailable", message: "Storage did not answer" };
      await page.route(/\/stats\?.*include=uniques/, (route) =>
        refused++ < 4 ? refuse(route, 503, busy, { "Retry-After": "1" }) : route.continue(),
      );
      await ann.open(`/links/${link.id}?range=month`);
      await page.getByText("Visitors could not be counted.").waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await expect.poll(() => visitors(page)).toBe("2");
      await page.unrouteAll({ behavior: "wait" });
    },
    STORY_MS,
  );
});

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

function sum(texts: readonly string[]): number {
  return texts.reduce((all, text) => all + Number(text), 0);
}
