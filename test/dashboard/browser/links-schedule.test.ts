/** Links with an opening time and an expiry: the form, their rows, bulk creation and export. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";
import { readDownload } from "../../support/dashboard-user.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

async function arrive() {
  const ann = await dashboard.signUp();
  return { ann, page: ann.page };
}

async function openForm(page: Page) {
  await page.getByRole("button", { name: "Create link" }).first().click();
  const form = page.getByRole("dialog", { name: "Create a link" });
  await form.getByLabel("Destination").fill("example.com/spring");
  return form;
}

function schedule(form: Locator) {
  return {
    section: form.getByRole("button", { name: /^Schedule/ }),
    opens: form.getByLabel("Opens", { exact: true }),
    expires: form.getByLabel("Expires", { exact: true }),
    fallback: form.getByLabel("Fallback URL"),
  };
}

async function create(page: Page, form: Locator): Promise<unknown> {
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === "POST" && one.url().endsWith("/dashboard/api/links")),
    form.getByRole("button", { name: "Create link" }).click(),
  ]);
  return response.json();
}

test(
  "12 the form sets opening time, expiry, fallback and forwarding, and the row and the next dialog show them",
  async () => {
    const { ann, page } = await arrive();
    const form = await openForm(page);
    const { section, opens, expires, fallback } = schedule(form);
    await section.click();
    expect(await fallback.count()).toBe(0);
    await opens.fill("2036-12-03T09:00:00");
    await fallback.fill("example.com/soon");
    await expires.fill("2037-01-05T00:00:00");
    for (const name of ["Forward query parameters", "Pause", "Archive"])
      await form.getByRole("switch", { name }).click();
    await form.getByLabel("Redirect status").selectOption("301");
    await ann.checkPage("create-schedule");
    await section.click();
    await form.getByRole("button", { name: /^Schedule 3 Dec 2036, 09:00 – 5 Jan 2037, 00:00$/ }).waitFor();
    // Berlin is one hour ahead of UTC in winter.
    expect(await create(page, form)).toMatchObject({
      url: "https://example.com/spring",
      starts_at: "2036-12-03T08:00:00.000Z",
      expires_at: "2037-01-04T23:00:00.000Z",
      fallback_url: "https://example.com/soon",
      forward_query: true,
      redirect_status: 301,
      paused: true,
      archived: true,
    });
    const created = page.getByRole("dialog", { name: "Link created" });
    await created.getByText("Opens 3 Dec 2036, 09:00. Until then, it leads to https://example.com/soon").waitFor();
    await created.getByRole("button", { name: "Done" }).click();
    // The only link is archived, so it is found with the filter.
    await page.getByRole("heading", { name: "No links yet" }).waitFor();
    await page.getByLabel("Status").selectOption("Archived");
    const row = page.getByRole("region", { name: "Links" }).getByRole("listitem");
    await row.getByText("Archived", { exact: true }).waitFor();
    await row.getByText("Paused", { exact: true }).waitFor();
    await row.getByText("Opens 3 Dec 2036", { exact: true }).waitFor();
    await row.getByText("Until 5 Jan 2037", { exact: true }).waitFor();
    expect(await row.getByRole("link").first().getAttribute("title")).toBe(
      [
        "https://example.com/spring",
        "Archived",
        "Paused",
        "Opens 3 Dec 2036, 09:00:00",
        "Until 5 Jan 2037, 00:00:00",
        "When inactive, visitors go to https://example.com/soon",
      ].join("\n"),
    );
    await ann.checkPage("links-scheduled");

    await row.getByRole("link").first().click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit link" });
    for (const name of ["Pause", "Archive"]) await edit.getByRole("switch", { name }).click();
    expect(await edit.getByLabel("Redirect status").inputValue()).toBe("301");
    await edit.getByLabel("Redirect status").selectOption("302");
    await ann.checkPage("edit-link-members");
    await edit.getByRole("button", { name: "Save" }).click();
    await page.getByText("Link saved").waitFor();
    await page.getByText("Opens 3 Dec 2036, 09:00:00", { exact: true }).waitFor();
    expect(await page.getByText("Archived", { exact: true }).count()).toBe(0);
    await page.goto(`${dashboard.base}/dashboard/links?status=scheduled`);
    await row.getByText("Opens 3 Dec 2036", { exact: true }).waitFor();
    await ann.close();
  },
  STORY_MS,
);

test(
  "12 errors are shown at their fields before and after sending, and the section stays open until they are fixed",
  async () => {
    const { ann, page } = await arrive();
    const form = await openForm(page);
    const { section, opens, expires, fallback } = schedule(form);
    await section.click();
    await opens.fill("2036-12-03T09:00:00");
    await expires.fill("2036-12-03T09:00:00");
    await fallback.fill("ftp://example.com");
    await section.click();
    let sent = 0;
    page.on("request", (request) => request.method() === "POST" && request.url().endsWith("/api/links") && sent++);
    await form.getByRole("button", { name: "Create link" }).click();
    await form.getByText("The link must open before it expires.").waitFor();
    expect(sent).toBe(0);
    await form.getByRole("button", { name: "Clear: Expires" }).click();
    // The error disappears, but its fields stay visible.
    await opens.fill("2036-12-04T09:00:00");
    await form.getByRole("button", { name: "Create link" }).click();
    await form.getByText("The address must start with http:// or https://.").waitFor();
    expect(await fallback.getAttribute("aria-invalid")).toBe("true");
    expect(await opens.inputValue()).toBe("2036-12-04T09:00");
    await form.getByRole("button", { name: "Clear: Opens" }).click();
    await fallback.fill("");
    expect(await create(page, form)).not.toHaveProperty("starts_at");
    await page.getByRole("dialog", { name: "Link created" }).waitFor();
    expect(await page.getByText(/Until then/).count()).toBe(0);
    await ann.close();
  },
  STORY_MS,
);

test(
  "12 bulk creation reads the columns, rows show them, and the export writes them",
  async () => {
    const { ann, page } = await arrive();
    const mark = `schedule-${Date.now()}`;
    await page.getByRole("button", { name: "Create many" }).click();
    const dialog = page.getByRole("dialog", { name: "Create many links" });
    const lines = [
      "url,slug,starts_at,expires_at,fallback_url,forward_query",
      `example.com/a,${mark}-a,2036-12-03 09:00,2037-01-05,example.com/soon,yes`,
      `example.com/b,${mark}-b,2037-01-05,2036-12-03,,`,
      `example.com/c,${mark}-c,,,,`,
    ];
    await dialog.getByLabel("Links", { exact: true }).fill(lines.join("\n"));
    await dialog.getByRole("columnheader", { name: "fallback_url" }).waitFor();
    await dialog.getByRole("button", { name: "Create 3 links" }).click();
    await dialog.getByText(/^Line 3, .*starts_at must be before expires_at/).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    const list = page.getByRole("region", { name: "Links" });
    await list
      .getByRole("listitem")
      .filter({ hasText: `${mark}-a` })
      .getByText("Opens 3 Dec 2036")
      .waitFor();

    await list.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("dialog", { name: "Export links" }).getByRole("button", { name: "Export" }).click(),
    ]);
    const csv = String(await readDownload(download));
    expect(csv).toContain("starts_at,expires_at,fallback_url,forward_query");
    expect(csv).toContain("2036-12-03T08:00:00.000Z,2037-01-04T23:00:00.000Z,https://example.com/soon,true");
    await ann.close();
  },
  STORY_MS,
);

test(
  "the checklist for new accounts is hidden once there are many links, and its data is not requested again",
  async () => {
    const { ann, page } = await arrive();
    const steps = page.getByRole("region", { name: "Get started" });
    await steps.waitFor();
    const links = Array.from({ length: 21 }, (_, i) => ({ url: `https://example.com/${i}` }));
    const response = await page.request.post(`${dashboard.base}/dashboard/api/links/bulk`, {
      data: { links },
      headers: { Origin: dashboard.base },
    });
    expect(response.status(), await response.text()).toBe(200);
    const isLookedUp = page.waitForResponse("**/dashboard/api/keys");
    await page.reload();
    await isLookedUp;
    await page.getByRole("region", { name: "Links" }).getByRole("listitem").first().waitFor();
    await page.waitForLoadState("networkidle");
    expect(await steps.count()).toBe(0);
    let lookups = 0;
    page.on("request", (request) => request.url().endsWith("/dashboard/api/keys") && lookups++);
    await page.reload();
    await page.getByRole("region", { name: "Links" }).getByRole("listitem").first().waitFor();
    await page.waitForLoadState("networkidle");
    // The one request is that of the notice about exposed keys, which is on every page.
    expect(lookups).toBe(1);
    expect(await steps.count()).toBe(0);
    await ann.close();
  },
  STORY_MS,
);
