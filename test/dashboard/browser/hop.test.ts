/** The arc from the short URL to its destination, which shows visits as they happen. */
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const dashboard = new DashboardTests();

test("a dot hops along the arc with each visit, unless the user prefers reduced motion", async () => {
  const ann = await dashboard.signUp();
  const { page } = ann;
  await page.getByRole("button", { name: "Create link" }).first().click();
  await page.getByRole("dialog").getByLabel("Destination").fill("https://example.com/");
  await page.getByRole("dialog").getByLabel("Slug").fill("hop");
  await page.getByRole("dialog").getByRole("button", { name: "Create link", exact: true }).click();
  await page.getByRole("dialog", { name: "Link created" }).waitFor();
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
  // A visit during the page's first read of clicks counts as an earlier click.
  const visit = async () => {
    await fetch(`${dashboard.base}/hop`, { redirect: "manual" });
    return Number(await arc.getAttribute("data-arrivals"));
  };
  await expect.poll(visit, { interval: 500 }).toBeGreaterThan(0);
  // Each arrival replaces the dot. A dot that is replaced during the check has no style.
  const animation = () =>
    arc
      .locator("circle")
      .last()
      .evaluate((circle) => getComputedStyle(circle).animationName);
  await expect.poll(animation).toBe("none");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(animation).toMatch(/hop/);
  await ann.close();
});
