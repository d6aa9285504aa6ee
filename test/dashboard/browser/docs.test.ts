/** The documentation in a real browser. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";

import { LinkPage } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";

/** The reference is a long page, so its screenshots and axe checks are slow. */
const LONG_PAGE_MS = 300_000;

const dashboard = new DashboardTests();
let reader: DashboardUser;

/** The "Try it" form of an operation. */
function formOf(operation: string): Locator {
  return reader.page.locator(`.samples[data-operation=${operation}] + .try-it`);
}

async function openDocs(path: string): Promise<DashboardUser> {
  reader = await dashboard.newUser();
  await reader.page.goto(dashboard.base + path);
  return reader;
}

test("can be searched by keyboard, and its pages are accessible", async () => {
  const { page } = await openDocs("/docs/how-it-works");
  await reader.checkPage("docs-guide");
  const results = page.getByRole("list", { name: "Search results" });

  await page.keyboard.press("/");
  await page.keyboard.type("too_many_streams");
  await results.getByRole("link").first().waitFor();
  await reader.checkPage("docs-search");
  await page.keyboard.press("Escape");
  await results.waitFor({ state: "hidden" });

  await page.keyboard.press("/");
  await page.keyboard.type("too_many_streams");
  await results.getByRole("link", { name: "too_many_streams Errors" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("too_many_streams Errors");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${dashboard.base}/docs/errors#too_many_streams`);
  await reader.waitForHeading("Errors");
  await reader.close();
});

test("a search without results suggests other pages", async () => {
  const { page } = await openDocs("/docs/streaming");
  await page.keyboard.press("/");
  await page.keyboard.type("zzzzzzzz");
  await page.getByText("No results.").waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${dashboard.base}/docs/errors#all-codes`);

  const unknown = await page.goto(`${dashboard.base}/docs/webhook`);
  expect(unknown?.status()).toBe(404);
  await page.getByRole("heading", { name: "Similar pages" }).waitFor();
  await reader.checkPage("docs-unknown");
  await page.getByRole("main").getByRole("link", { name: "Webhooks Command line" }).click();
  await page.waitForURL(`${dashboard.base}/docs/cli#webhooks`);
  await page.getByRole("link", { name: "Hoplink docs" }).click();
  await reader.waitForHeading("Documentation");
  await reader.checkPage("docs-start");
  await reader.close();
});

test("samples name the host that serves them and can be copied, and their language is remembered", async () => {
  const { page } = await openDocs("/docs/api#createLink");
  const languageOf = (operation: string) => page.locator(`.samples[data-operation=${operation}]`);
  const create = languageOf("createLink");
  expect(await create.getByRole("radio", { name: "curl" }).isChecked()).toBe(true);
  await create.getByRole("radio", { name: "curl" }).press("ArrowRight");
  await expect.poll(() => create.getByRole("radio", { name: "TypeScript" }).isChecked()).toBe(true);
  const copied = await reader.copy(create.locator("pre:visible").getByRole("button", { name: "Copy", exact: true }));
  expect(copied).toContain(`baseUrl: "${dashboard.base}"`);
  expect(copied).not.toContain("localhost:8787");

  await page.goto(`${dashboard.base}/docs/api#getLink`);
  await page.reload();
  await expect.poll(() => languageOf("getLink").getByRole("radio", { name: "TypeScript" }).isChecked()).toBe(true);
  await languageOf("getLink").getByText("Python", { exact: true }).click();
  await expect.poll(() => create.getByRole("radio", { name: "Python" }).isChecked()).toBe(true);
  await reader.close();
});

test(
  "an operation can be tried with a key",
  async () => {
    const { live } = dashboard.server.accounts.Premium;
    await openDocs("/docs/api#createLink");
    const create = formOf("createLink");
    await create.getByText("Try it", { exact: true }).click();
    await create.getByLabel("API key", { exact: true }).fill("svc_live_wrong");
    await create.getByLabel("Body").fill(JSON.stringify({ url: "https://example.com/", slug: "tried" }));
    await create.getByRole("button", { name: "Send" }).click();
    await create.locator(".response").getByText("401 Unauthorized", { exact: true }).waitFor();
    await reader.checkPage("docs-try-it");

    await create.getByLabel("API key", { exact: true }).fill(live);
    await create.getByRole("button", { name: "Send" }).click();
    await create.locator(".response").getByText("201 Created", { exact: true }).waitFor();
    const { data } = LinkPage.parse(await dashboard.api().call("GET", "/v1/links?limit=1"));
    expect(data.map(({ slug }) => slug)).toEqual(["tried"]);

    const get = formOf("getLink");
    await get.getByText("Try it", { exact: true }).click();
    await get.getByLabel("id", { exact: true }).fill(data[0]?.id ?? "");
    await get.getByRole("button", { name: "Send" }).click();
    await get.getByText(`"slug": "tried"`).waitFor();
    // The key is not stored, so later users of this tab do not find it.
    const kept = await reader.page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(kept).not.toContain(live);
    await reader.close();
  },
  LONG_PAGE_MS,
);

test("a tried request does not send the session cookie", async () => {
  const { live } = dashboard.server.accounts.Premium;
  reader = await dashboard.signIn();
  const { page } = reader;
  await page.goto(`${dashboard.base}/docs/api#getMe`);
  await formOf("getMe").getByText("Try it", { exact: true }).click();
  await formOf("getMe").getByLabel("API key", { exact: true }).fill(live);
  const sending = page.waitForRequest("**/v1/me");
  await formOf("getMe").getByRole("button", { name: "Send" }).click();
  expect(await (await sending).allHeaders()).not.toHaveProperty("cookie");
  await formOf("getMe").getByText("200 OK", { exact: true }).waitFor();
  await reader.close();
});

test("a stream can be tried and stopped", async () => {
  const { live } = dashboard.server.accounts.Premium;
  const link = await dashboard.api().createLink({ slug: "streamed" });
  await openDocs("/docs/api#streamEvents");
  const stream = formOf("streamEvents");
  await stream.getByText("Try it", { exact: true }).click();
  await stream.getByLabel("API key", { exact: true }).fill(live);
  await stream.getByRole("button", { name: "Send" }).click();
  await stream.getByText("retry: 2000").waitFor();
  await fetch(link.short_url, { redirect: "manual" });
  await stream.getByText(`"slug":"streamed"`).waitFor();
  await stream.getByRole("button", { name: "Stop" }).click();
  await stream.getByText("Stopped").waitFor();
  await reader.close();
});

test("the contents mark the current section, and the header leads to the dashboard", async () => {
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

test("works without scripts", async () => {
  const page = await dashboard.browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await page.goto(`${dashboard.base}/docs/how-it-works`);
  expect(await page.getByRole("combobox").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Streaming" }).click();
  await page.waitForURL(`${dashboard.base}/docs/streaming`);
  await page.goto(`${dashboard.base}/docs/api`);
  const samples = page.locator(".samples[data-operation=createLink]");
  await samples.getByText("Python", { exact: true }).click();
  await samples.getByText("import urllib.request").waitFor();
  expect(await page.getByText("Try it", { exact: true }).first().isVisible()).toBe(false);
  await page.context().close();
});
