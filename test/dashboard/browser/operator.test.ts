/** The operator's page in a real browser, on a server whose isolates report their metrics. */
import type { Route } from "playwright-core";
import { expect, test } from "vitest";

import { runAdmin } from "../../support/admin-command.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { TESTED_DATABASES } from "../../support/database-count.ts";
import { eventually, pause } from "../../support/eventually.ts";

const STORY_MS = 600_000;
/** An isolate reports once a minute, beginning in its second minute. */
const REPORTED_MS = 180_000;
/** Leaves CPU time to the tests that run at the same time. */
const RETRY_MS = 1_000;

/** Several databases for links are checked as a separate part. */
const PARTS = TESTED_DATABASES.length === 1 ? 6 : 7;

// A separate server: the operator's command writes to its database, which a busy server keeps locked.
const dashboard = new DashboardTests(() => ({}));

async function setOperator(change: "add" | "remove"): Promise<void> {
  const { email } = dashboard.server.accounts.Premium;
  await runAdmin(dashboard.server.folder, "operator", change, "--email", email);
}

test(
  "an operator sees health and metrics, and changes accounts and links; for other accounts the page does not exist",
  async () => {
    const { short_url } = await dashboard.api().createLink({ url: "https://example.com/" });
    for (let i = 0; i < 3; i++) await fetch(short_url, { redirect: "manual" });

    const operator = await dashboard.signIn("Premium");
    const { page } = operator;
    await operator.open("/operator");
    await operator.waitForHeading("Not found");
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Account settings" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Operator" }).count()).toBe(0);

    await setOperator("add");
    await operator.open("/links");
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Operator" }).click();
    await operator.waitForHeading("Operator");
    const health = page.getByRole("region", { name: "Health" });
    await health.getByRole("status").getByText("All checks passed").waitFor();
    expect(await health.getByRole("img", { name: "passed" }).count()).toBe(PARTS);
    const accounts = page.getByRole("region", { name: "Accounts" });
    await accounts.getByRole("row", { name: dashboard.server.accounts.Premium.email }).waitFor();

    const activity = page.getByRole("region", { name: "Redirects and clicks" });
    const stored = activity.locator("dt", { hasText: "Stored" }).locator("+ dd");
    await eventually(
      async () => {
        // From the isolate's second minute on, a redirect that reads its link triggers a report.
        await fetch(short_url, { redirect: "manual" });
        await pause(RETRY_MS);
        const answer = await page.request.get(`${dashboard.base}/dashboard/api/deployment/metrics`);
        return answer.ok() && ((await answer.json()) as { counts: { clicks: number } }).counts.clicks >= 3;
      },
      "three clicks",
      REPORTED_MS,
    );
    await page.reload();
    await stored.waitFor();
    expect(Number(await stored.textContent())).toBeGreaterThanOrEqual(3);
    await operator.checkPage("operator");

    await activity.getByRole("radiogroup", { name: "Period" }).getByText("Last week").click();
    await expect.poll(() => page.url()).toMatch(/\/dashboard\/operator\?period=week$/);
    await page.reload();
    // The radio button itself is not visible. Users see its label.
    await activity.getByRole("radio", { name: "Last week", checked: true }).waitFor({ state: "attached" });
    await stored.waitFor();

    const ann = await dashboard.register();
    const search = accounts.getByRole("textbox", { name: "Search accounts" });
    await search.fill("nobody");
    await accounts.getByText("No account found").waitFor();
    await page.route("**/deployment/accounts?search=many*", (route) => {
      const isFirst = new URL(route.request().url()).searchParams.get("cursor") === "";
      const email = `many-${isFirst ? 1 : 2}@example.com`;
      const account = { id: email, email, plan: "free", is_operator: false, has_totp: false, suspended_at: null };
      const data = [{ ...account, created_at: "2026-01-01T00:00:00.000Z" }];
      return route.fulfill({ json: { data, next_cursor: isFirst ? email : null } });
    });
    await search.fill("many");
    await accounts.getByRole("button", { name: "Show more accounts" }).click();
    for (const email of ["many-1@example.com", "many-2@example.com"])
      await accounts.getByRole("row", { name: email }).waitFor();
    await search.fill(ann.email.slice(0, 20));
    const menuOf = accounts.getByRole("button", { name: `Actions for ${ann.email}` });
    const choose = async (action: string) => {
      await menuOf.click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await choose("Change to Premium");
    await accounts.getByRole("row", { name: ann.email }).getByText("Premium").waitFor();
    await choose("Suspend");
    await page.getByRole("dialog").getByRole("button", { name: "Suspend account" }).click();
    await accounts.getByText("Suspended").waitFor();
    await operator.checkPage("operator-accounts");
    await choose("Resume");
    await accounts.getByText("Suspended").waitFor({ state: "detached" });
    await choose("Reset password");
    const reset = page.getByRole("dialog", { name: "Reset password" });
    await reset.getByLabel(/^Password/).fill("not the password");
    await reset.getByRole("button", { name: "Create link" }).click();
    await reset.getByText("Incorrect password").waitFor();
    await operator.checkPage("operator-reset");
    await reset.getByLabel(/^Password/).fill(dashboard.server.accounts.Premium.password);
    await reset.getByRole("button", { name: "Create link" }).click();
    const link = await page.getByRole("textbox", { name: "One-time link" }).inputValue();
    await operator.checkPage("operator-reset-link");

    await ann.page.goto(link);
    await ann.waitForHeading("Reset your sign-in");
    expect(ann.page.url()).toBe(`${dashboard.base}/dashboard/reset`);
    expect(await ann.page.getByLabel("Email").inputValue()).toBe(ann.email);
    await ann.checkPage("reset-password");
    await ann.page.getByLabel("New password").fill("short");
    await ann.page.keyboard.press("Enter");
    await ann.page.getByText("Use at least 10 characters").waitFor();
    await ann.page.getByLabel("New password").fill("a password of my own");
    await ann.page.keyboard.press("Enter");
    await ann.page.getByText("Your new password is set.").waitFor();
    await ann.open("/sign-in");
    await ann.page.goto(link);
    await ann.page.getByText("This link has expired or was already used").waitFor();
    await ann.checkPage("reset-used");
    await ann.signIn(ann.email, "a password of my own");

    // It is not shown again.
    await page.keyboard.press("Escape");
    const shown = page.getByRole("dialog", { name: "One-time link" });
    await shown.getByRole("button", { name: "Close" }).click();
    await shown.waitFor({ state: "hidden" });
    const links = page.getByRole("region", { name: "Links" });
    await links.getByLabel("Short URL").fill(`${short_url}-unknown`);
    await page.keyboard.press("Enter");
    await links.getByText("No link has this short URL").waitFor();
    await links.getByLabel("Short URL").fill(short_url);
    await page.reload();
    await expect.poll(() => links.getByLabel("Short URL").inputValue()).toBe(short_url);
    await links.getByLabel("Short URL").press("Enter");
    await page.getByText(`${short_url} was disabled`).waitFor();
    const status = async () => (await fetch(short_url, { redirect: "manual" })).status;
    await eventually(async () => (await status()) === 410, "the link is disabled");
    await links.getByLabel("Short URL").fill(short_url);
    // The next one is typed while the request is in flight.
    const typeNext = async (route: Route) => {
      await links.getByLabel("Short URL").fill(`${short_url}-next`);
      return route.continue();
    };
    await page.route("**/deployment/links", typeNext, { times: 1 });
    await links.getByRole("button", { name: "Enable" }).click();
    await page.getByText(`${short_url} was enabled`, { exact: true }).waitFor();
    expect(await links.getByLabel("Short URL").inputValue()).toBe(`${short_url}-next`);
    await eventually(async () => (await status()) === 302, "the link is enabled");

    await setOperator("remove");
    await page.reload();
    await operator.waitForHeading("Not found");
    await Promise.all([operator.close(), ann.close()]);
  },
  STORY_MS,
);

test(
  "a part that cannot be loaded says so without affecting the others, and can be retried",
  async () => {
    await setOperator("add");
    const operator = await dashboard.signIn("Premium");
    const { page } = operator;
    const failing = { status: "failing", checks: [{ name: "database", ok: false, message: "D1 is down", ms: 5_000 }] };
    await page.route("**/dashboard/api/health", (route) => route.fulfill({ status: 503, json: failing }));
    await page.route("**/dashboard/api/deployment/metrics*", (route) => route.abort());
    await operator.open("/operator");
    const health = page.getByRole("region", { name: "Health" });
    await health.getByRole("status").getByText("1 check failed").waitFor();
    await health.getByRole("row", { name: /failed Database D1 is down 5,000 ms/ }).waitFor();
    const activity = page.getByRole("region", { name: "Redirects and clicks" });
    await activity.getByRole("alert").waitFor();
    await page.getByRole("region", { name: "Accounts" }).getByRole("button", { name: "Actions for" }).first().waitFor();
    await operator.checkPage("operator-failing");

    await page.unroute("**/dashboard/api/deployment/metrics*");
    await page.unroute("**/dashboard/api/health");
    await activity.getByRole("button", { name: "Try again" }).click();
    await activity
      .getByText(/Stored|No activity/)
      .first()
      .waitFor();
    await health.getByRole("button", { name: "Check again" }).press("Enter");
    await health.getByRole("status").getByText("All checks passed").waitFor();

    const missing = page.getByRole("region", { name: "Complete your deployment" });
    expect(await missing.count()).toBe(0);
    await page.route("**/dashboard/api/account", async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), missing_parts: ["short_domain", "bucket"] },
      });
    });
    await operator.open("/operator");
    await missing.getByRole("link", { name: "Add a bucket" }).waitFor();
    await operator.open("/");
    await missing.getByText("A short domain").waitFor();
    await operator.checkPage("missing-parts");
    await missing.getByRole("link", { name: "Add your own host" }).click();
    await page.waitForURL("**/docs/deploy#your-own-hosts");
    await page.getByRole("heading", { name: "Your own hosts" }).waitFor();
    await page.unroute("**/dashboard/api/account");
    await operator.open("/");
    await operator.waitForHeading("Overview");
    expect(await missing.count()).toBe(0);
    await operator.close();
  },
  STORY_MS,
);
