/** The cost calculator of the documentation in a real browser. */
import { expect, test } from "vitest";

import { monthlyCosts, totalDollars } from "../../../src/core/costs/monthly-costs.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";

const dashboard = new DashboardTests();

const bill = (visits: number, alonePercent: number) =>
  totalDollars(
    monthlyCosts({ visits, alonePercent, links: 10_000, qrCodes: 1_000, streamHours: 0, dashboardVisits: 1_000 }),
  ).toLocaleString("en-US", { style: "currency", currency: "USD" });

test("computes while the user types, works by keyboard, and keeps the values in the address", async () => {
  const reader = await dashboard.newUser();
  const { page } = reader;
  await page.goto(`${dashboard.base}/docs/costs`);
  const calculator = page.getByRole("form", { name: "Cost calculator" });
  const total = calculator.getByRole("row", { name: /^Total per month/ }).getByRole("cell");
  await expect.poll(() => total.textContent()).toBe(bill(10_000_000, 50));
  await reader.checkPage("docs-costs");

  await calculator.getByLabel("Visits per month").fill("2000000000");
  await page.keyboard.press("Tab");
  await page.keyboard.type("100");
  await expect.poll(() => total.textContent()).toBe(bill(2_000_000_000, 100));
  await calculator
    .getByRole("status")
    .getByText(`${bill(2_000_000_000, 100)} per month`)
    .waitFor({ state: "attached" });
  expect(page.url()).toBe(`${dashboard.base}/docs/costs?visits=2000000000&alonePercent=100`);
  await calculator.getByLabel("Visits per month").press("Enter");

  await page.reload();
  await expect.poll(() => total.textContent()).toBe(bill(2_000_000_000, 100));
  expect(await calculator.getByLabel("Visits per month").inputValue()).toBe("2000000000");
  await reader.close();
});

test("without its script, the page has examples and no inactive form", async () => {
  const context = await dashboard.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${dashboard.base}/docs/costs`);
  await page.getByRole("row", { name: /a newsletter with many readers/ }).waitFor();
  expect(await page.locator("form.calculator").isVisible()).toBe(false);
  await context.close();
});
