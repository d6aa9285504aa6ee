/** Live and test mode: each tab has a separate mode, and requests nothing of the other one. */
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

test(
  "switching the mode in another tab changes nothing in this one",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.evaluate("void (window.told = new Promise((done) => addEventListener('storage', done)))");
    const other = await ann.context.newPage();
    await other.goto(`${dashboard.base}/dashboard/links`);
    await other.getByRole("radiogroup", { name: "Mode" }).getByText("Test", { exact: true }).click();
    await other.getByText("Test mode.").waitFor();
    // If the page followed the switch, it would be drawn by then.
    await page.evaluate("window.told.then(() => new Promise((done) => setTimeout(done, 200)))");
    expect(await page.getByText("Test mode.").count()).toBe(0);
    await page.reload();
    await page.getByText("Test mode.").waitFor();
    await ann.close();
  },
  STORY_MS,
);

test(
  "switching the mode on a later page leads to the first page and keeps the filters",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    for (const mode of ["live", "test"]) {
      const links = Array.from({ length: 45 }, (_, i) => ({ url: `https://example.com/${mode}/${i}` }));
      const response = await page.request.post(`${dashboard.base}/dashboard/api/links/bulk`, {
        data: { links },
        headers: { Origin: dashboard.base, "Hoplink-Mode": mode },
      });
      expect(response.status()).toBe(200);
    }
    await ann.open("/links?search=example");
    const range = page.getByRole("region", { name: "Links", exact: true }).getByRole("status");
    const next = page.getByRole("button", { name: "Next" });
    const isFirstPage = async () => {
      await range.getByText(/^1.20/).waitFor();
      expect(new URL(page.url()).search).toBe("?search=example");
      expect(await page.getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
    };
    await next.click();
    await range.getByText(/^21.40/).waitFor();
    await ann.switchMode("Test");
    await page.getByText("Test mode.").waitFor();
    await isFirstPage();
    await page.getByText("example.com/test/44").waitFor();

    await next.click();
    await range.getByText(/^21.40/).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search or jump to" }).fill("live mode");
    await page.getByRole("button", { name: "Switch to live mode" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("example.com/live/44").waitFor();
    await isFirstPage();
    await ann.close();
  },
  STORY_MS,
);
