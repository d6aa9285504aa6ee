/** The documentation in a real browser. */
import { expect, test } from "vitest";

import { LinkPage } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";

/** The reference is a long page: its pictures and axe's look at it take their time. */
const LONG_PAGE_MS = 300_000;

const dashboard = new DashboardTests();
let reader: DashboardUser;

async function openDocs(path: string): Promise<DashboardUser> {
  reader = await dashboard.newUser();
  await reader.page.goto(dashboard.base + path);
  return reader;
}

test("is searched by keyboard, from its pages that all can read", async () => {
  const { page } = await openDocs("/docs/how-it-works");
  await reader.checkPage("docs-guide");
  const results = page.getByRole("listbox", { name: "Search results" });

  await page.keyboard.press("/");
  await page.keyboard.type("too_many_streams");
  await results.getByRole("option").first().waitFor();
  await reader.checkPage("docs-search");
  await page.keyboard.press("Escape");
  await results.waitFor({ state: "hidden" });

  await page.keyboard.press("/");
  await page.keyboard.type("too_many_streams");
  await page.keyboard.press("ArrowDown");
  await results.getByRole("option", { name: "too_many_streams Errors", selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${dashboard.base}/docs/errors#too_many_streams`);
  await reader.waitForHeading("Errors");
  await reader.close();
});

test("samples name the host that serves them, are copied, and their language is remembered", async () => {
  const { page } = await openDocs("/docs#createLink");
  const article = page.locator("#createLink");
  await article.getByRole("tab", { name: "curl", selected: true }).waitFor();
  await article.getByRole("tab", { name: "curl" }).press("ArrowRight");
  await article.getByRole("tab", { name: "TypeScript", selected: true }).waitFor();
  const shown = article.getByRole("tabpanel", { name: "TypeScript" });
  await reader.copy(shown.getByRole("button", { name: "Copy", exact: true }));
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(copied).toContain(`baseUrl: "${dashboard.base}"`);
  expect(copied).not.toContain("localhost:8787");

  await page.goto(`${dashboard.base}/docs#getLink`);
  await page.reload();
  await page.locator("#getLink").getByRole("tab", { name: "TypeScript", selected: true }).waitFor();
  await page.locator("#getLink").getByRole("tab", { name: "Python" }).click();
  await page.locator("#createLink").getByRole("tab", { name: "Python", selected: true }).waitFor();
  await reader.close();
});

test(
  "an operation is tried with one's own key",
  async () => {
    const { live } = dashboard.server.accounts.Premium;
    const { page } = await openDocs("/docs#createLink");
    const create = page.locator("#createLink");
    await create.getByText("Try it", { exact: true }).click();
    await create.getByLabel("Key", { exact: true }).fill("svc_live_wrong");
    await create.getByLabel("Body").fill(JSON.stringify({ url: "https://example.com/", slug: "tried" }));
    await create.getByRole("button", { name: "Send" }).click();
    await create.locator(".response").getByText("401 Unauthorized", { exact: true }).waitFor();
    await reader.checkPage("docs-try-it");

    await create.getByLabel("Key", { exact: true }).fill(live);
    await create.getByRole("button", { name: "Send" }).click();
    await create.locator(".response").getByText("201 Created", { exact: true }).waitFor();
    const { data } = LinkPage.parse(await dashboard.api().call("GET", "/v1/links?limit=1"));
    expect(data.map(({ slug }) => slug)).toEqual(["tried"]);

    const get = page.locator("#getLink");
    await get.getByText("Try it", { exact: true }).click();
    // The key is remembered in this tab.
    await get.getByLabel("id", { exact: true }).fill(data[0]?.id ?? "");
    await get.getByRole("button", { name: "Send" }).click();
    await get.getByText(`"slug": "tried"`).waitFor();
    await reader.close();
  },
  LONG_PAGE_MS,
);

test("a stream is tried, and stopped", async () => {
  const { live } = dashboard.server.accounts.Premium;
  const link = await dashboard.api().createLink({ slug: "streamed" });
  const { page } = await openDocs("/docs#streamEvents");
  const stream = page.locator("#streamEvents");
  await stream.getByText("Try it", { exact: true }).click();
  await stream.getByLabel("Key", { exact: true }).fill(live);
  await stream.getByRole("button", { name: "Send" }).click();
  await stream.getByText("retry: 2000").waitFor();
  await fetch(link.short_url, { redirect: "manual" });
  await stream.getByText(`"slug":"streamed"`).waitFor();
  await stream.getByRole("button", { name: "Stop" }).click();
  await stream.getByText("Stopped").waitFor();
  await reader.close();
});

test("what is read is marked in the contents; the header leads to the dashboard", async () => {
  const { page } = await openDocs("/docs/errors");
  await page.setViewportSize({ width: 1440, height: 900 });
  const contents = page.getByRole("navigation", { name: "On this page" });
  const links = contents.getByRole("link");
  const last = links.last();
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await page.locator("#contents [aria-current=location]").waitFor();
  await expect.poll(() => last.getAttribute("aria-current")).toBe("location");
  await page.evaluate("scrollTo(0, 0)");
  await expect.poll(() => links.first().getAttribute("aria-current")).toBe("location");
  expect(await page.locator("#contents [aria-current=location]").count()).toBe(1);
  await page.getByRole("link", { name: "Dashboard" }).click();
  await reader.waitForHeading("Sign in");
  await reader.close();
});

test("needs no script", async () => {
  const page = await dashboard.browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await page.goto(`${dashboard.base}/docs/how-it-works`);
  expect(await page.getByRole("combobox").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Streaming" }).click();
  await page.waitForURL(`${dashboard.base}/docs/streaming`);
  await page.goto(`${dashboard.base}/docs`);
  expect(await page.locator("#createLink pre[data-language=Python]").isVisible()).toBe(true);
  await page.context().close();
});
