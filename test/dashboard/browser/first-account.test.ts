/** A new deployment's operator in a browser: from the one-time address to the dashboard. */
import { beforeAll, expect, test } from "vitest";

import { withLocalDatabase } from "../../../src/cli/database.ts";
import { setupUrl } from "../../../src/core/identifiers.ts";
import { findAccountByEmail } from "../../../src/store/accounts/accounts.ts";
import { closeAccount } from "../../../src/store/accounts/closed-accounts.ts";
import { issueOperatorToken } from "../../../src/store/operators/operator-tokens.ts";
import { runAdmin } from "../../support/admin-command.ts";
import { DashboardInput } from "../../support/dashboard-input.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { PASSWORD } from "../../support/dashboard-user.ts";

const STORY_MS = 300_000;

const CHOSEN = "chosen+by/the=deployer";

const dashboard = new DashboardTests(() => ({ SIGNUPS: "closed", FIRST_ACCOUNT_TOKEN: CHOSEN }));

beforeAll(async () => {
  // A real deployment has no demo accounts.
  await withLocalDatabase(dashboard.server.folder, async (database) => {
    for (const plan of ["Premium", "Free"] as const) {
      const account = await findAccountByEmail(database, dashboard.server.accounts[plan].email);
      if (account) await closeAccount(database, account.id);
    }
    // Nor has it closed any, after which the chosen token has no effect.
    await database.DB.prepare("DELETE FROM account_states").run();
  });
});

const admin = (...args: string[]) => runAdmin(dashboard.server.folder, ...args, "--json");

test(
  "an expired address says so, one with the chosen token or a new one leads to the form, and no address works twice; sign-ups stay closed, which the page says",
  async () => {
    const { base, folder } = dashboard.server;
    const operator = await dashboard.newUser();
    const { page } = operator;
    await operator.open("/sign-in");
    await operator.waitForHeading("Sign in");
    await page.getByText("This service has no account yet").waitFor();
    expect(await page.getByLabel("Email").count()).toBe(0);
    await operator.checkPage("sign-in-without-accounts");
    // As on a dark phone without a mouse, then on a wide screen with one.
    const phone = new DashboardInput(operator, { width: 390, scheme: "dark", input: "keyboard" });
    const wide = new DashboardInput(operator, { width: 1_440, scheme: "light", input: "mouse" });
    const typeToken = async (hand: DashboardInput, token: string) => {
      await operator.setLook(hand.way);
      await hand.type(page.getByLabel("Or enter your token"), token);
      await hand.check("setup-token");
      await hand.use(page.getByRole("button", { name: "Continue", exact: true }));
    };
    await typeToken(phone, "not the chosen one");
    await operator.waitForHeading("Create the first account");
    await page.getByText("has a wrong token").waitFor();
    expect(page.url()).toBe(`${base}/dashboard/setup`);

    await page.goto(`${base}/`);
    await page.getByText("This page needs a one-time URL").waitFor();
    await operator.checkPage("setup-without-token");
    await typeToken(wide, CHOSEN);
    await page.getByLabel("Email").waitFor();
    expect(page.url()).toBe(`${base}/dashboard/setup`);
    const expired = await withLocalDatabase(folder, (database) =>
      issueOperatorToken(database, "setup", 60_000, Date.now() - 60_000),
    );
    await page.goto(setupUrl(base, expired));
    await page.getByText("This URL has expired").waitFor();
    expect(page.url()).toBe(`${base}/dashboard/setup`);
    expect(await operator.copy(page.getByRole("button", { name: "Copy command" }))).toBe("npm run setup");
    await operator.checkPage("setup-refused");

    await page.goto(setupUrl(base, CHOSEN));
    await page.getByLabel("Email").waitFor();
    expect(page.url()).toBe(`${base}/dashboard/setup`);

    // It expires while the form is open.
    const late = await withLocalDatabase(folder, (database) =>
      issueOperatorToken(database, "setup", 60_000, Date.now()),
    );
    await page.goto(setupUrl(base, late));
    await page.getByLabel("Email").fill(operator.email);
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await withLocalDatabase(folder, ({ DB }) => DB.prepare("UPDATE operator_tokens SET expires_at = 0").run());
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("This URL has expired").waitFor();

    const { setup_url } = JSON.parse(await admin("operator", "setup", "--url", base)) as { setup_url: string };
    await page.goto(setup_url);
    const email = page.getByLabel("Email");
    await email.waitFor();
    expect(page.url()).toBe(`${base}/dashboard/setup`);
    await operator.checkPage("setup");

    const create = page.getByRole("button", { name: "Create account" });
    await operator.setLook(phone.way);
    await phone.type(email, "not-an-address");
    await phone.type(page.getByLabel(/^Password/), "short");
    await phone.use(create);
    await page.getByText("Use at least 10 characters").waitFor();
    await phone.check("setup-errors");
    await phone.type(page.getByLabel(/^Password/), PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Enter a valid email address").waitFor();
    await operator.setLook(wide.way);
    await wide.type(page.getByLabel("Name"), "The operator");
    await wide.type(email, operator.email);
    await wide.check("setup-form");
    await wide.use(create);
    await operator.waitForHeading("Overview");

    const health = await page.goto(`${base}/dashboard/api/health`);
    expect([health?.status(), await health?.json()]).toMatchObject([200, { status: "ok" }]);
    await operator.open("/settings/account");
    await page.getByText("Premium").first().waitFor();

    const second = await dashboard.newUser();
    await second.page.goto(setup_url);
    await second.page.getByText("This service is already set up").waitFor();
    await second.checkPage("setup-done");
    await second.page.getByRole("link", { name: "Sign in" }).click();
    await second.waitForHeading("Sign in");

    await second.open("/sign-up");
    await second.page.getByText("Sign-ups are disabled").waitFor();
    expect(await second.page.getByLabel("Email").count()).toBe(0);
    await second.checkPage("sign-up-closed");
    const refused = await second.page.request.post(`${base}/dashboard/api/auth/sign-up/email`, {
      data: { name: "", email: second.email, password: PASSWORD },
      headers: { Origin: base },
    });
    expect([refused.status(), await refused.json()]).toMatchObject([400, { code: "EMAIL_PASSWORD_SIGN_UP_DISABLED" }]);
    await second.page.getByRole("link", { name: "Sign in" }).click();
    await second.waitForHeading("Sign in");
    await second.page.getByText("Sign-ups are disabled").waitFor();
    expect(await second.page.getByRole("link", { name: "Sign up" }).count()).toBe(0);
    await second.signIn(operator.email, PASSWORD);
    await Promise.all([operator.close(), second.close()]);
  },
  STORY_MS,
);
