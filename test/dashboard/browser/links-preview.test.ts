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
        fetched: true,
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

test("12 both forms set the link's own card, upload its image, and load no image of another website", async () => {
  const ann = await dashboard.signUp();
  const { page } = ann;
  const foreign: string[] = [];
  page.on(
    "request",
    (request) => void (new URL(request.url()).host.endsWith("example.com") && foreign.push(request.url())),
  );
  await page.getByRole("button", { name: "Create link" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Destination").fill("example.com/spring");
  await dialog.getByRole("button", { name: "Custom preview" }).click();
  await dialog.getByLabel("Preview title").fill("Spring sale");
  await dialog.getByLabel("Preview image").fill("https://example.com/card.png");
  const card = dialog.getByRole("figure", { name: "Custom preview" });
  await card.getByText("Spring sale").waitFor();
  await dialog.getByText("Images of other websites are not shown here.").waitFor();
  expect(await card.locator("img").count()).toBe(0);
  const large = { name: "large.png", mimeType: "image/png", buffer: Buffer.alloc(2 * 1024 ** 2 + 1) };
  await dialog.locator("input[type=file]").setInputFiles(large);
  await dialog.getByText("Choose an image of up to 2 MB.").waitFor();
  await dialog.locator("input[type=file]").setInputFiles({ name: "card.png", mimeType: "image/png", buffer: PNG });
  await expect.poll(() => card.locator("img").getAttribute("src")).toMatch(/^blob:/);
  // A discarded file can be chosen again.
  expect(await dialog.locator("input[type=file]").inputValue()).toBe("");
  await ann.checkPage("links-own-preview");
  await dialog.getByRole("button", { name: "Create link", exact: true }).click();
  const created = page.getByRole("dialog", { name: "Link created" });
  await created.waitFor();
  await created.getByRole("link", { name: "Open link" }).click();

  await page.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog");
  await edit.getByRole("button", { name: /^Custom preview/ }).click();
  const image = edit.getByRole("figure", { name: "Custom preview" }).locator("img");
  await expect.poll(() => image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBe(1);
  expect(await image.getAttribute("src")).toMatch(/\/cdn\/img_[0-9a-z]{26}\.png$/);
  await edit.getByLabel("Preview description").fill("All of it");
  const [answer] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === "PATCH"),
    edit.getByRole("button", { name: "Save" }).click(),
  ]);
  const { social } = (await answer.json()) as { social: unknown };
  expect(social).toEqual({
    title: "Spring sale",
    description: "All of it",
    image: expect.stringContaining("/cdn/img_"),
  });
  expect(foreign).toEqual([]);
  await ann.close();
});

test("a page that cannot be fetched is distinguished from one without preview data, and its row shows a globe", async () => {
  const ann = await dashboard.signUp();
  const { page } = ann;
  await page.getByRole("button", { name: "Create link" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Destination").fill("https://nowhere.example/");
  await dialog.getByRole("button", { name: "Preview on social networks" }).click();
  await dialog.getByRole("button", { name: "Show preview" }).click();
  await dialog.getByText("Hoplink could not load this page").waitFor();
  await page.route("**/dashboard/api/previews", (route) =>
    route.fulfill({ json: { fetched: true, title: null, description: null, site_name: null, image: null } }),
  );
  await dialog.getByLabel("Destination").fill("https://nowhere.example/empty");
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
