/** The arc from the short URL to its destination: it shows that visitors come right now. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Dashboard, startDashboard } from "../../support/dashboard.ts";
import { DashboardUser } from "../../support/dashboard-user.ts";

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});

afterAll(() => dashboard?.stop());

test("a dot hops along the arc when a visitor comes, for those who want motion", async () => {
  const ann = await DashboardUser.create(dashboard.browser, dashboard.server.base);
  const { page } = ann;
  await ann.signUp();
  await page.getByRole("button", { name: "Create link" }).first().click();
  await page.getByRole("dialog").getByLabel("Destination").fill("https://example.com/");
  await page.getByRole("dialog").getByLabel("Slug").fill("hop");
  await page.getByRole("dialog").getByRole("button", { name: "Create link", exact: true }).click();
  await page.keyboard.press("Escape");
  await page
    .getByRole("link", { name: /\/hop$/ })
    .first()
    .click();
  const arc = page.locator("svg[data-arrivals]");
  await page
    .getByRole("status")
    .filter({ hasText: /^Live$/ })
    .waitFor();
  expect(await arc.getAttribute("data-arrivals")).toBe("0");
  // A visit while the page reads earlier clicks is one of those.
  const visit = async () => {
    await fetch(`${dashboard.server.base}/hop`, { redirect: "manual" });
    return Number(await arc.getAttribute("data-arrivals"));
  };
  await expect.poll(visit, { interval: 500 }).toBeGreaterThan(0);
  const dot = arc.locator("circle").last();
  expect(await dot.evaluate((circle) => getComputedStyle(circle).animationName)).toBe("none");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await dot.evaluate((circle) => getComputedStyle(circle).animationName)).toMatch(/hop/);
  await ann.close();
});
