/** The scenes of `npm run screenshots:pages`: loading this module takes their pictures. */
import { execFileSync } from "node:child_process";

import { withLocalDatabase } from "../../src/cli/database.ts";
import { FORMAT_NAMES } from "../../src/core/imports/services.ts";
import { setupUrl } from "../../src/core/identifiers.ts";
import { findAccountByEmail } from "../../src/store/accounts/accounts.ts";
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { startChromium } from "../support/chromium.ts";
import { startDevServer } from "../support/dev-server.ts";
import { exportFile } from "../support/export-files.ts";
import { Camera } from "./camera.ts";
import { demoLink } from "./demo-link.ts";

const HOUR_MS = 3_600_000;

const browser = await startChromium();
const server = await startDevServer({}, undefined, ["--demo"]);
const { base, folder } = server;
const { email, password } = server.accounts.Premium;
const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce" });
const page = await context.newPage();
const camera = new Camera(page, process.argv.slice(2));
const scene = camera.scene.bind(camera);

const open = (path: string) => page.goto(base + path);
const button = (name: string | RegExp) => page.getByRole("button", { name }).first();
const dialog = page.getByRole("dialog");
const text = (shown: string | RegExp) => page.getByText(shown).first().waitFor();

async function signIn(typedPassword: string): Promise<void> {
  await open("/dashboard/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(typedPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signedOutScenes(): Promise<void> {
  await scene("sign-in-ended", () => open("/dashboard/sign-in?ended=1").then(() => text("Your session has ended")));
  await scene("sign-in-wrong", () => signIn("wrong password").then(() => text("Incorrect email address")));
  await scene("sign-up", () => open("/dashboard/sign-up").then(() => text("At least")));
  await scene("docs-costs", () => open("/docs/costs").then(() => text("Total per month")));
  await scene("docs-moving-in", () => open("/docs/moving-in"));
  await scene("missing-link", () => open("/no-such-link"));
}

async function mainScenes(): Promise<void> {
  const { id } = await demoLink(server);
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const chart = () => page.locator(".recharts-bar-rectangle").first().waitFor();
  await scene("overview", async () => {
    await open("/dashboard");
    await heading("Overview");
    await chart();
  });
  await scene("links", () => open("/dashboard/links").then(() => page.getByRole("checkbox").nth(1).waitFor()));
  await scene("links-selected", () => page.getByRole("checkbox").nth(1).check());
  await scene("links-create", async () => {
    await open("/dashboard/links");
    await page.getByRole("button", { name: "Create link", exact: true }).first().click();
    await dialog.waitFor();
  });
  const tabs = {
    stats: chart,
    rules: () => text("Rule 1"),
    qr: () => text("Preview"),
    history: () => text("Version 1"),
  };
  for (const [tab, ready] of Object.entries(tabs)) {
    await scene(`link-${tab}`, () => open(`/dashboard/links/${id}?tab=${tab}`).then(ready));
  }
  await scene("tags", () =>
    open("/dashboard/tags").then(() => page.getByRole("link", { name: "Statistics" }).first().waitFor()),
  );
  await scene("api-keys", () => open("/dashboard/settings/api-keys").then(() => text("Demo")));
  await scene("account", () => open("/dashboard/settings/account").then(() => text("Password")));
  await scene("wall", () => open("/dashboard/wall").then(() => text("autumn-sale")));
  await scene("not-found", () => open("/dashboard/nowhere").then(() => text(/not found/i)));
}

async function importScenes(): Promise<void> {
  const choose = async (name: string, content: string) => {
    await open("/dashboard/import");
    const file = { name, mimeType: "text/plain", buffer: Buffer.from(content) };
    await page.locator("input[type=file]").setInputFiles(file);
  };
  await scene("import-empty", () => open("/dashboard/import").then(() => button("Choose a file").waitFor()));
  for (const format of FORMAT_NAMES) {
    await scene(`import-${format}`, () => choose("export.txt", exportFile(format, 60, "a")).then(() => text(/ready/)));
  }
  await scene("import-no-text", () => choose("photo.csv", "\0").then(() => text("This is not a text file")));
  await scene("import-unknown", () => choose("notes.csv", "a,b\n1,2").then(() => text("does not look like")));
  const header = "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits";
  const rows = Array.from(
    { length: 40 },
    (_, i) => `2024,,report-${i}${i % 2 ? " bad" : ""},,https://example.com/${i},,,0`,
  );
  await scene("import-checked", async () => {
    await choose("short_urls.csv", [header, ...rows].join("\n"));
    await button("Check only").click();
    await text("Nothing was changed.");
  });
  await scene("import-finished", () =>
    button(/^Import/)
      .click()
      .then(() => text("Import finished")),
  );
}

async function settingsScenes(): Promise<void> {
  await scene("keys-create", async () => {
    await open("/dashboard/settings/api-keys");
    await button("Create key").click();
    await dialog.getByLabel("Name").fill("Website");
  });
  await scene("keys-created", () =>
    dialog
      .getByRole("button", { name: "Create key" })
      .click()
      .then(() => text("not be shown")),
  );
  await scene("domains-add", async () => {
    await open("/dashboard/settings/domains");
    await button("Add domain").click();
    await dialog.getByRole("textbox").fill("not a domain");
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await text("must not contain spaces");
  });
  await scene("domains", async () => {
    await open("/dashboard/settings/domains");
    await button("Add domain").click();
    await dialog.getByRole("textbox").fill("a-long-name-for-a-short-domain.marketing.example.com");
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await dialog.waitFor({ state: "hidden" });
  });
  await scene("domains-default-redirects", () =>
    button("Default redirects")
      .click()
      .then(() => dialog.waitFor()),
  );
}

async function operatorScenes(): Promise<void> {
  execFileSync(process.execPath, ["src/cli/admin.ts", "operator", "add", "--email", email, "--persist-to", folder]);
  await scene("operator", () => open("/dashboard/operator").then(() => text("All checks passed")));
  await scene("operator-failing", async () => {
    const checks = [{ name: "database", ok: false, message: "D1 is down", ms: 5_000 }];
    await page.route("**/dashboard/api/health", (route) =>
      route.fulfill({ status: 503, json: { status: "failing", checks } }),
    );
    await page.route("**/deployment/metrics*", (route) => route.abort());
    await open("/dashboard/operator");
    await button("Try again").waitFor();
  });
}

/** As on a deployment without an account. */
async function firstAccountScenes(): Promise<void> {
  await context.clearCookies();
  const token = await withLocalDatabase(folder, async (database) => {
    for (const plan of ["Premium", "Free"] as const) {
      const account = await findAccountByEmail(database, server.accounts[plan].email);
      if (account) await closeAccount(database, account.id);
    }
    return issueOperatorToken(database, "setup", HOUR_MS, Date.now());
  });
  await scene("setup-no-token", () => open("/dashboard/setup").then(() => text("npm run setup")));
  await scene("setup-refused", () => open("/dashboard/setup#token=wrong").then(() => text("has expired")));
  await scene("setup", async () => {
    await page.goto(setupUrl(base, token));
    await button("Create account").click();
    await text("Enter your email address");
  });
}

try {
  await signedOutScenes();
  await signIn(password);
  await text("Links");
  await mainScenes();
  await importScenes();
  await settingsScenes();
  await operatorScenes();
  await firstAccountScenes();
} finally {
  await Promise.all([browser.close(), server.remove()]);
}
