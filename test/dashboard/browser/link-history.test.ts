/** The history of a link: versions, differences and restores. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 600_000;

const dashboard = new DashboardTests();

const version = (page: Page, revision: number) =>
  page.getByRole("listitem", { name: `Version ${revision}`, exact: true });

test(
  "history: versions with author, changes and clicks; differences; a restore and its undo",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const api = dashboard.api();
    const link = await api.createLink({
      url: "https://example.com/1",
      title: "Spring",
      tags: ["print"],
      routing: [
        { if: { country: "DE" }, to: "https://example.com/de" },
        { if: { device: "mobile" }, to: "https://example.com/app" },
      ],
    });
    const path = `/v1/links/${link.id}`;
    const saved = async () => Link.parse(await api.call("GET", path));

    await ann.open(`/links/${link.id}?tab=history`);
    await page.getByText(/^Created .* with API key “.*”\./).waitFor();
    await page.getByRole("heading", { name: "No changes yet" }).waitFor();
    await page.getByText("Example: Destination changed").waitFor();
    await ann.checkPage("history-empty");

    await fetch(link.short_url, { redirect: "manual" });
    await api.call("PATCH", path, {
      url: `https://example.com/${"long/".repeat(380)}`,
      tags: ["print", "Berlin"],
      routing: [
        { if: { device: "mobile" }, to: "https://example.com/app" },
        { if: { country: ["DE", "AT"] }, to: "https://example.com/de" },
      ],
      expires_at: "2036-06-01T12:00:00Z",
    });
    await page.reload();
    await version(page, 2).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title", { exact: true }).fill("Summer");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await version(page, 3).getByText("Changed: title").waitFor();
    await version(page, 3)
      .getByText(/in the dashboard$/)
      .waitFor();
    await version(page, 2).getByText("Changed: destination, rules, expiry and tags").waitFor();
    await version(page, 1).getByText("Created", { exact: true }).waitFor();
    await version(page, 1).getByText("1 click", { exact: true }).waitFor();
    expect(
      await version(page, 3)
        .getByRole("button", { name: /^Restore/ })
        .count(),
    ).toBe(0);

    // The keyboard works, and the address keeps the open comparison.
    await version(page, 2).getByRole("button", { name: "Show changes in version 2" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("From version 1 to version 2").waitFor();
    const rules = page.getByRole("list", { name: "Rules" }).getByRole("listitem");
    expect(await rules.allTextContents()).toEqual([
      "−Removed: Visitors from Germany go to https://example.com/de",
      " Visitors on a phone go to https://example.com/app",
      "+Added: Visitors from Austria or Germany go to https://example.com/de",
    ]);
    await ann.checkPage("history-difference");
    await page.getByRole("combobox", { name: "Compared with" }).click();
    await page.getByRole("option", { name: /^Version 3,/ }).click();
    await page.getByText("From version 2 to version 3").waitFor();
    await page.reload();
    await page.getByText("From version 2 to version 3").waitFor();
    expect(await page.getByRole("list", { name: "Title" }).getByRole("listitem").allTextContents()).toEqual([
      "−Removed: Spring",
      "+Added: Summer",
    ]);
    await page.getByRole("button", { name: "Hide changes in version 2" }).click();

    await page.getByRole("button", { name: "Restore version 1" }).click();
    await dialog.getByText("This changes: destination, rules, expiry, title and tags.").waitFor();
    await ann.checkPage("history-confirm");
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("status").getByText("Version 1 restored.").waitFor();
    await version(page, 4).getByText("Current").waitFor();
    expect(await saved()).toEqual({ ...link, updated_at: expect.any(String) });
    await page.getByText("leads to https://example.com/1").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await version(page, 5).getByText("Current").waitFor();
    expect(await saved()).toMatchObject({ title: "Summer", tags: ["print", "Berlin"] });
    await ann.checkPage("history-restored");
    await ann.close();
  },
  STORY_MS,
);

test(
  "history: a second page, a version that cannot be restored, a concurrent change, a failing server",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const api = dashboard.api();
    const link = await api.createLink({ title: "T1" });
    const path = `/v1/links/${link.id}`;
    for (let i = 2; i <= 25; i++) await api.call("PATCH", path, { title: `T${i}` });

    await page.route("**/revisions?*", (route) => route.fulfill({ status: 500, body: "{}" }));
    await ann.open(`/links/${link.id}?tab=history`);
    await page.getByRole("alert").waitFor();
    await page.unroute("**/revisions?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await version(page, 7).waitFor();
    expect(await version(page, 6).count()).toBe(0);
    await page.getByRole("button", { name: "Show earlier versions" }).click();
    await version(page, 1).getByText("Created", { exact: true }).waitFor();
    expect(await page.getByRole("listitem", { name: /^Version \d+$/ }).count()).toBe(25);
    await version(page, 6).getByText("Changed: title").waitFor();

    // Another client changes the link.
    await api.call("PATCH", path, { title: "T26" });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Restore version 2", exact: true }).click();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("alert").getByText("The link was changed elsewhere.").waitFor();
    await version(page, 26).getByText("Current").waitFor();
    await page.getByRole("alert").getByRole("button", { name: "Try again" }).click();
    await page.getByRole("status").getByText("Version 2 restored.").waitFor();
    expect(await api.call("GET", path)).toMatchObject({ title: "T2" });

    // Undoing the restore would drop the change that followed it.
    await api.call("PATCH", path, { title: "T28" });
    await ann.context.setOffline(true);
    await ann.context.setOffline(false);
    await page.getByText("T28", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("alert").getByText("The link was changed elsewhere.").waitFor();
    expect(await api.call("GET", path)).toMatchObject({ title: "T28" });

    await page.route("**/restore", (route) =>
      route.fulfill({
        status: 403,
        contentType: "application/json",
        body: JSON.stringify({
          error: { code: "plan_upgrade_required", message: "x", request_id: "req_1", doc_url: "http://localhost/" },
        }),
      }),
    );
    await page.getByRole("button", { name: "Restore version 3", exact: true }).click();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("alert").getByText("This version has rules, which require the Premium plan.").waitFor();
    await ann.checkPage("history-refused");
    await ann.close();
  },
  STORY_MS,
);
