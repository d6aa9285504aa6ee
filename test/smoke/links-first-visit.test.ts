/** The first visit of the list of links: the checklist and the empty page. */
import { expect, test } from "vitest";

import { DashboardTests } from "../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

test(
  "a checklist reflects the account's progress, folds to a line, and stays dismissed",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    const steps = page.getByRole("region", { name: "Get started" });
    await steps.getByText("0 of 4").waitFor();
    await steps.getByText("Part of the Premium plan").waitFor();
    expect(await steps.getByRole("img", { name: "To do:" }).count()).toBe(4);
    // Once loaded, the empty list has nothing to search or filter.
    await page.getByRole("search").waitFor({ state: "detached" });
    await page.getByText("/spring leads to https://example.com/spring-sale").waitFor();
    await steps.getByRole("link", { name: "API reference" }).waitFor();
    await ann.checkPage("first-visit");

    await steps.getByRole("button", { name: "Create one" }).click();
    const form = page.getByRole("dialog", { name: "Create a link" });
    await form.getByLabel("Destination").fill(`${dashboard.base}/docs`.replace("localhost", "127.0.0.1"));
    await form.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog", { name: "Link created" }).getByRole("button", { name: "Done" }).click();
    await steps.getByText("1 of 4").waitFor();
    await page.getByRole("search").waitFor();
    await steps.getByRole("button", { name: "Show steps" }).click();
    const href = await steps.getByRole("link", { name: "Open link" }).getAttribute("href");
    expect((await fetch(href ?? "", { redirect: "manual" })).status).toBe(302);
    await page.reload();
    await steps.getByText("2 of 4").waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    const box = await page.getByRole("region", { name: "Links" }).getByRole("listitem").first().boundingBox();
    expect((box?.y ?? 9_999) + (box?.height ?? 0)).toBeLessThan(844);
    await page.setViewportSize({ width: 1280, height: 800 });

    await steps.getByRole("button", { name: "Show steps" }).click();
    await steps.getByRole("link", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    const key = page.getByRole("dialog", { name: "Create an API key" });
    await key.getByLabel("Name").fill("Web shop");
    await key.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.goBack();
    await steps.getByText("3 of 4").waitFor();
    await ann.checkPage("first-steps");

    await ann.switchMode("Test");
    await page.getByRole("heading", { name: "No test links yet" }).waitFor();
    expect(await steps.count()).toBe(0);
    await ann.switchMode("Live");
    await steps.getByRole("button", { name: "Dismiss permanently" }).click();
    await steps.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("region", { name: "Links" }).getByRole("listitem").first().waitFor();
    await page.waitForLoadState("networkidle");
    expect(await steps.count()).toBe(0);
    await ann.close();
  },
  STORY_MS,
);
