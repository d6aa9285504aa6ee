/**
 * Icons and previews of destinations in the dashboard. The test answers the requests for them, in the format that
 * previews.test.ts checks, so no test accesses the web.
 */
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const dashboard = new DashboardTests();

test("a row shows the icon of its destination, and the form shows how the link looks when shared", async () => {
  const ann = await dashboard.newUser();
  const { page } = ann;
  await page.route("**/dashboard/api/favicons/with-icon.example", (route) =>
    route.fulfill({ status: 200, contentType: "image/png", body: PNG }),
  );
  await page.route("**/dashboard/api/previews", (route) =>
    route.fulfill({
      json: {
        title: "Spring at Example",
        description: "All of it",
        site_name: null,
        image: "https://with-icon.example/a.png",
      },
    }),
  );
  await page.route("**/dashboard/api/previews/image?*", (route) =>
    route.fulfill({ status: 200, contentType: "image/png", body: PNG }),
  );
  await ann.signUp();
  await page.getByRole("button", { name: "Create link" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Preview on social networks" }).click();
  expect(await dialog.getByRole("button", { name: "Show preview" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Destination").fill("with-icon.example/spring");
  await dialog.getByRole("button", { name: "Show preview" }).click();
  const card = dialog.getByRole("figure", { name: "Preview on social networks" });
  await card.getByText("Spring at Example").waitFor();
  await card.getByText("with-icon.example", { exact: true }).waitFor();
  expect(await card.locator("img").getAttribute("src")).toContain("/dashboard/api/previews/image?url=https%3A%2F%2F");
  await ann.checkPage("links-preview");
  await dialog.getByRole("button", { name: "Create link", exact: true }).click();
  await page.getByRole("dialog", { name: "Link created" }).waitFor();
  await page.keyboard.press("Escape");
  const icon = page.getByRole("listitem").filter({ hasText: "with-icon.example/spring" }).locator("img");
  await expect.poll(() => icon.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  await ann.close();
});

test("a page that cannot be fetched has no preview, and its row shows a globe", async () => {
  const ann = await dashboard.signUp();
  const { page } = ann;
  await page.getByRole("button", { name: "Create link" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Destination").fill("https://nowhere.example/");
  await dialog.getByRole("button", { name: "Preview on social networks" }).click();
  await dialog.getByRole("button", { name: "Show preview" }).click();
  await dialog.getByText("This page has no preview data").waitFor();
  await dialog.getByRole("button", { name: "Create link", exact: true }).click();
  await page.getByRole("dialog", { name: "Link created" }).waitFor();
  await page.keyboard.press("Escape");
  const row = page.getByRole("listitem").filter({ hasText: "nowhere.example" });
  await row.locator("svg[data-icon=world]").waitFor();
  expect(await row.locator("img").count()).toBe(0);
  await ann.close();
});
