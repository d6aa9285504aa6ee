/** The command palette and the keyboard shortcuts. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

test(
  "shortcuts create, search, find and list, but not while the user types",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    const { keyboard } = page;
    await page.getByRole("heading", { name: "No links yet" }).waitFor();

    await keyboard.press("c");
    const create = page.getByRole("dialog", { name: "Create a link" });
    await create.getByLabel("Destination").fill("https://example.com/");
    await create.getByLabel("Destination").press("c");
    await create.getByLabel("Destination").press("?");
    await create.getByLabel("Destination").press("/");
    expect(await create.getByLabel("Destination").inputValue()).toBe("https://example.com/c?/");
    await create.getByLabel("Slug").fill(`palette-${Date.now()}`);
    const slug = await create.getByLabel("Slug").inputValue();
    await create.getByRole("button", { name: "Title and tags" }).click();
    await create.getByLabel("Title", { exact: true }).fill("Found by its slug");
    await create.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog", { name: "Link created" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });

    // Without links, the list has no search field, and the key opens the palette.
    await page.getByLabel("Search links").waitFor();
    await keyboard.press("/");
    await expect.poll(() => page.evaluate("document.activeElement.closest('search') !== null")).toBe(true);
    await page.evaluate("document.activeElement.blur()");

    await keyboard.press("Shift+?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByText("Search links").waitFor();
    await ann.checkPage("shortcuts");
    await keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });

    await keyboard.press("Control+k");
    const field = page.getByRole("textbox", { name: "Search or jump to" });
    await field.fill("domains");
    await page.getByRole("button", { name: "Domains" }).waitFor();
    await keyboard.press("Enter");
    await ann.waitForHeading("Domains");

    await page.getByRole("button", { name: "Search or jump to…" }).click();
    await field.fill(slug);
    await page.getByText("Found by its slug · https://example.com/c?/").waitFor();
    await ann.checkPage("palette");
    await keyboard.press("Enter");
    await page.getByRole("tab", { name: "Statistics" }).waitFor();
    expect(page.url()).toContain("/links/lnk_");

    // Sighted people see the names of icon buttons, with the keyboard too.
    const copy = page.getByRole("button", { name: "Copy short URL", exact: true });
    const tipOf = (button: Locator) => button.evaluate((element) => getComputedStyle(element, "::after").content);
    await expect.poll(() => tipOf(copy)).toBe("none");
    await copy.focus();
    expect(await tipOf(copy)).toMatch(/^"Copy short URL"/);
    await ann.checkPage("icon-button-name");
    await keyboard.press("Enter");
    await expect.poll(() => tipOf(copy)).toMatch(/^"Copied"/);
    const more = page.getByRole("button", { name: "More actions for" });
    await more.hover();
    expect(await tipOf(more)).toMatch(/^"More actions for /);
    await keyboard.press("Escape");
    expect([await tipOf(more), await tipOf(copy)]).toEqual(["none", "none"]);
    await copy.hover();
    await more.hover();
    expect(await tipOf(more)).toMatch(/^"More actions for /);
    await more.click();
    await page.getByRole("menuitem", { name: "Duplicate" }).waitFor();
    expect(await tipOf(more)).toBe("none");
    await ann.close();
  },
  STORY_MS,
);

test(
  "a phone has a button for the palette",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Search or jump to…" }).click();
    await page.getByRole("textbox", { name: "Search or jump to" }).fill("domains");
    await page.getByRole("button", { name: "Domains" }).click();
    await ann.waitForHeading("Domains");
    await ann.close();
  },
  STORY_MS,
);
