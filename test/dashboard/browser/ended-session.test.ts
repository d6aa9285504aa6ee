/** A session that ends while its page is open: inputs are kept, and the page continues after a new sign-in. */
import { expect, test } from "vitest";

import { withLocalDatabase } from "../../../src/cli/database.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";
import { PASSWORD } from "../../support/dashboard-user.ts";
import { VirtualAuthenticator } from "../../support/virtual-authenticator.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

test(
  "keeps the inputs, gives the reason, and continues after a new sign-in",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a link" });
    await dialog.getByLabel("Destination").fill("https://example.com/typed");

    await ann.context.clearCookies();
    await dialog.getByRole("button", { name: "Create link" }).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByText("Your changes are still here").waitFor();
    await ann.checkPage("ended-session");
    expect(await again.getByLabel("Email").inputValue()).toBe(ann.email);

    await again.getByLabel(/^Password/).fill("not the password");
    await page.keyboard.press("Escape");
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.getByText("Incorrect email address or password").waitFor();
    await again.getByLabel(/^Password/).fill(PASSWORD);
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.waitFor({ state: "hidden" });

    expect(await dialog.getByLabel("Destination").inputValue()).toBe("https://example.com/typed");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog", { name: "Link created" }).waitFor();
    await ann.close();
  },
  STORY_MS,
);

async function showsOverviewOf(account: DashboardUser, browser: DashboardUser): Promise<void> {
  await browser.waitForHeading("Overview");
  await browser.page.getByRole("button", { name: "Account menu" }).click();
  await browser.page.getByText(account.email).waitFor();
}

test(
  "does not show one account's data to another that signs in",
  async () => {
    const [ann, bob] = await Promise.all([dashboard.register(), dashboard.register()]);
    const { page } = ann;
    await ann.open("/settings/api-keys");
    await ann.waitForHeading("API keys");
    // Another account has signed in in another tab of this browser.
    await ann.context.clearCookies();
    await page.getByRole("button", { name: "Create key" }).first().click();
    const form = page.getByRole("dialog", { name: "Create an API key" });
    await form.getByLabel("Name").fill("typed");
    await form.getByRole("button", { name: "Create key" }).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.waitFor();
    await ann.context.addCookies(await bob.context.cookies());
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await again.waitFor({ state: "hidden" });
    await showsOverviewOf(bob, ann);
    await Promise.all([ann.close(), bob.close()]);
  },
  STORY_MS,
);

test(
  "leaves the page when another account has signed in in another tab",
  async () => {
    const [ann, bob] = await Promise.all([dashboard.register(), dashboard.register()]);
    const { page } = ann;
    await ann.open("/settings/api-keys");
    await ann.waitForHeading("API keys");
    await ann.context.clearCookies();
    await ann.context.addCookies(await bob.context.cookies());
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await showsOverviewOf(bob, ann);
    await Promise.all([ann.close(), bob.close()]);
  },
  STORY_MS,
);

test(
  "is explained at sign-in after a reload, but not after signing out or to users who never signed in",
  async () => {
    const ann = await dashboard.newUser();
    const { page } = ann;
    const reason = page.getByText("Your session has ended. Sign in again to continue.");
    await ann.open("/settings/domains");
    await ann.waitForHeading("Sign in");
    expect(await reason.count()).toBe(0);

    await ann.register();
    await ann.open("/settings/domains");
    await ann.waitForHeading("Domains");
    await ann.context.clearCookies();
    await page.reload();
    await reason.waitFor();
    await ann.checkPage("sign-in-ended");
    await page.getByLabel("Email").fill(ann.email);
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await ann.waitForHeading("Domains");

    await ann.signOut();
    await ann.open("/links");
    await ann.waitForHeading("Sign in");
    expect(await reason.count()).toBe(0);
    await ann.close();
  },
  STORY_MS,
);

test(
  "of more than a day asks an account without a password to sign in again before it is deleted",
  async () => {
    const ann = await dashboard.newUser();
    const { page } = ann;
    await VirtualAuthenticator.attach(ann);
    await ann.register();
    await ann.open("/settings/account");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("The passkey was added").waitFor();
    await withLocalDatabase(dashboard.server.folder, async ({ DB }) => {
      const id = await DB.prepare("SELECT id FROM accounts WHERE email = ?1").bind(ann.email).first("id");
      await DB.batch([
        DB.prepare("DELETE FROM credentials WHERE account_id = ?1").bind(id),
        DB.prepare("UPDATE sessions SET created_at = '2020-01-01T00:00:00.000Z' WHERE account_id = ?1").bind(id),
      ]);
    });
    await page.reload();
    await page.getByRole("button", { name: "Delete account" }).click();
    const question = page.getByRole("dialog", { name: "Delete your account?" });
    await question.getByLabel("I understand").check();
    await question.getByRole("button", { name: "Delete account" }).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByText("then repeat your last step").waitFor();
    await again.getByRole("button", { name: "Sign in with a passkey" }).click();
    await again.waitFor({ state: "hidden" });
    await question.getByRole("button", { name: "Delete account" }).click();
    await ann.waitForHeading("Sign in");
    await ann.close();
  },
  STORY_MS,
);
