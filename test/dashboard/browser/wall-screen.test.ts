/** The live map on a wall screen, in a real browser. */
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";
import { PASSWORD } from "../../support/dashboard-user.ts";
import { createVisitedLink } from "../../support/visited-link.ts";

const STORY_MS = 600_000;
const COUNTED = { timeout: 150_000 };

const dashboard = new DashboardTests();

test(
  "shows the day's clicks and new ones live, keeps the screen on, hides its controls, and closes with a key",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const link = await createVisitedLink(dashboard.api());
    await page.addInitScript(`
      window.locks = [];
      Object.defineProperty(navigator, "wakeLock", {
        value: { request: async (type) => (window.locks.push(type), { release: async () => window.locks.push("released") }) },
      });`);
    // The first connection fails, and the page reconnects.
    let connections = 0;
    await page.route("**/events/stream*", (route) => (connections++ === 0 ? route.abort() : route.continue()));
    // Names arrive with their numbers.
    await page.route(`**/dashboard/api/links/lnk_*`, (route) => route.abort());
    await ann.open("/wall");
    const today = page.getByTestId("wall-today");
    await expect.poll(() => today.innerText(), COUNTED).toBe("5");
    await page.getByText("Live", { exact: true }).waitFor();
    expect(connections).toBe(2);
    await expect.poll(() => page.evaluate("window.locks")).toEqual(["screen"]);

    const light = page.locator("svg circle").first().waitFor({ state: "attached", timeout: 60_000 });
    await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": "SG" } });
    await page.getByText(/^Singapore → /).waitFor();
    await light;
    await expect.poll(() => today.innerText(), COUNTED).toBe("6");
    await page.getByRole("heading", { name: "Most clicked today" }).waitFor();
    expect(await page.locator("ol").first().innerText()).not.toContain("lnk_");

    const controls = page.getByRole("button", { name: "Leave" });
    await page.mouse.move(200, 200);
    await expect.poll(() => page.locator("main").getAttribute("data-idle")).toBe("true");
    await page.mouse.move(210, 210);
    await expect.poll(() => page.locator("main").getAttribute("data-idle")).toBe("false");
    await controls.waitFor();
    await ann.checkPage("wall");

    await page.keyboard.press("q");
    await ann.waitForHeading("Overview");
    expect(await page.evaluate("window.locks.at(-1)")).toBe("released");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await ann.close();
  },
  STORY_MS,
);

test("sign-in returns to it if it was opened without a session", async () => {
  const ann = await dashboard.newUser();
  await ann.open("/wall");
  await ann.waitForHeading("Sign in");
  expect(new URL(ann.page.url()).searchParams.get("next")).toBe("/wall");
  await ann.close();
});

test("after a new sign-in from it, neither it nor another page reports a missing session", async () => {
  const ann = await dashboard.register();
  const { page } = ann;
  await ann.open("/wall");
  await page.getByRole("button", { name: "Leave" }).waitFor();
  await ann.context.clearCookies();
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText("You are signed out").waitFor();
  await page.mouse.move(200, 200);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email").fill(ann.email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByTestId("wall-today").waitFor();
  expect(await page.getByText("You are signed out").count()).toBe(0);
  await page.keyboard.press("q");
  await ann.waitForHeading("Overview");
  await page.getByRole("button", { name: "Account menu" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await ann.close();
});
