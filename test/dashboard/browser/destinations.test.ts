/** Destinations that are typed without a scheme, in the forms that accept a destination. */
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

test(
  "a host without a scheme gets https, and the form shows the resulting URL",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog");
    const destination = dialog.getByLabel("Destination");
    await destination.fill("javascript:alert(1)");
    expect(await dialog.getByText("Leads to").count()).toBe(0);
    await dialog.getByRole("button", { name: "Create link" }).click();
    await expect.poll(() => destination.getAttribute("aria-invalid")).toBe("true");

    await destination.fill("example.com/spring");
    await dialog.getByText("Leads to https://example.com/spring").waitFor();
    const created = page.waitForResponse((response) => response.request().method() === "POST");
    await dialog.getByRole("button", { name: "Create link" }).click();
    const { url } = (await (await created).json()) as { url: string };
    expect(url).toBe("https://example.com/spring");
    await ann.close();
  },
  STORY_MS,
);
