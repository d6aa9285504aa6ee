/** The dialog that edits a link, and the link's page afterwards. */
import { expect, test } from "vitest";

import { Link } from "../../src/core/contract/links.ts";
import { DashboardTests } from "../support/dashboard-tests.ts";

const STORY_MS = 600_000;

const dashboard = new DashboardTests();

test(
  "12 title, tags, opening time, fallback and forwarding are set, shown and cleared; long addresses are clamped",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const api = dashboard.api();
    const link = await api.createLink({ url: `https://example.com/${"long/".repeat(380)}` });
    const saved = async () => Link.parse(await api.call("GET", `/v1/links/${link.id}`));
    await ann.open(`/links/${link.id}?tab=qr`);
    // Three lines.
    expect((await page.getByText(`Leads to ${link.url}`).boundingBox())?.height).toBeLessThan(80);
    expect(await ann.copy(page.getByRole("button", { name: "Copy destination" }))).toBe(link.url);

    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Title", { exact: true }).fill("Spring sale");
    await dialog.getByRole("combobox", { name: "Tags" }).fill("print");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Berlin");
    await page.keyboard.press("Enter");
    expect(await dialog.getByLabel("Fallback URL").count()).toBe(0);
    await dialog.getByLabel("Opens", { exact: true }).fill("2036-07-01T12:00:00");
    await dialog.getByLabel("Expires", { exact: true }).fill("2036-06-01T12:00:00");
    await dialog.getByLabel("Fallback URL").fill("example.com/soon");
    await dialog.getByRole("switch", { name: "Forward query parameters" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("The link must open before it expires.").waitFor();
    await ann.checkPage("edit-link");
    await dialog.getByRole("button", { name: "Clear: Expires" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    // Berlin is two hours ahead in July.
    expect(await saved()).toMatchObject({
      title: "Spring sale",
      tags: ["print", "Berlin"],
      starts_at: "2036-07-01T10:00:00.000Z",
      expires_at: null,
      fallback_url: "https://example.com/soon",
      forward_query: true,
    });
    await page.getByText("Spring sale").waitFor();
    await page.getByText("When inactive, leads to https://example.com/soon").waitFor();
    await page.getByText(/^Opens 1 Jul 2036/).waitFor();
    await ann.checkPage("link-header");

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Title", { exact: true }).fill("");
    await dialog.getByRole("button", { name: "Clear: Opens" }).click();
    await dialog.getByLabel("Fallback URL").fill("");
    await dialog.getByRole("switch", { name: "Forward query parameters" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const { updated_at: _, ...now } = await saved();
    const { updated_at: __, ...before } = link;
    expect(now).toEqual({ ...before, tags: ["print", "Berlin"] });
    await ann.close();
  },
  STORY_MS,
);
