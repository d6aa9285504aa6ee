/** User flows in the dashboard: a complete server and a real browser. */
import { createHmac } from "node:crypto";

import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { withLocalDatabase } from "../../../src/cli/database.ts";
import { parseApiKey } from "../../../src/core/identifiers.ts";
import { exposeKey } from "../../../src/store/accounts/api-keys.ts";
import { type LinksEnv, linksDatabase } from "../../../src/store/directory/databases.ts";
import { placedId, placeLinks } from "../../support/placed-links.ts";
import { ApiClient } from "../../support/api-client.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { decodeQrCode, drawSvg } from "../../support/decoders.ts";
import { PASSWORD, readDownload } from "../../support/dashboard-user.ts";
import { DnsServer } from "../../support/dns-server.ts";
import { eventually } from "../../support/eventually.ts";
import { readZip } from "../../support/zip.ts";
import { RED_PNG } from "../../support/sample-images.ts";
import { VirtualAuthenticator } from "../../support/virtual-authenticator.ts";

const STORY_MS = 600_000;
/** Every isolate learns of a change within ten seconds. */
const CHANGE_MS = 12_000;

let dns: DnsServer;

beforeAll(async () => {
  dns = await DnsServer.start();
});

afterAll(() => dns?.stop());

const dashboard = new DashboardTests(() => ({ DOH_URL: dns.url }));

/** Slugs of links in one database, so that a search reads the same number per request with any number of databases. */
function slugsInOneDatabase(databases: LinksEnv, domain: string, mark: string, count: number): string[] {
  const slugs: string[] = [];
  for (let i = 0; slugs.length < count; i++) {
    const slug = `${mark}-${i}`;
    if (linksDatabase(databases, { domain, slug }) === databases.DB) slugs.push(slug);
  }
  return slugs;
}

const PLACED_AT_ONCE = 10_000;

/** Adds links to the newest account. @returns their slugs, oldest first */
async function manyLinks(databases: LinksEnv, mark: string, count: number): Promise<string[]> {
  const domain = new URL(dashboard.base).host;
  const slugs = slugsInOneDatabase(databases, domain, mark, count);
  const newest = databases.DB.prepare("SELECT id FROM accounts ORDER BY created_at DESC LIMIT 1");
  const account_id = (await newest.first<string>("id")) ?? "";
  const links = slugs.map((slug, i) => {
    const id = placedId(domain, slug, i, 0);
    return { account_id, id, domain, slug, url: `https://example.com/${i}`, created_at: i };
  });
  // In one query, all of them have been committed on a busy machine without a response.
  for (let i = 0; i < count; i += PLACED_AT_ONCE) await placeLinks(databases, links.slice(i, i + PLACED_AT_ONCE));
  return slugs;
}

describe("signing in", () => {
  test(
    "requires an account, and errors are shown at their fields",
    async () => {
      const ann = await dashboard.newUser();
      const { page } = ann;
      await ann.open("/settings/api-keys");
      await ann.waitForHeading("Sign in");
      const forgotten = page.getByRole("button", { name: "Forgot your password?" });
      await forgotten.press("Enter");
      await page.getByText("ask your administrator to reset your password").waitFor();
      await ann.checkPage("sign-in");
      const recovery = page.getByRole("link", { name: "How to recover access" });
      expect(await recovery.getAttribute("href")).toBe("/docs/account#forgotten-password");
      await forgotten.press("Enter");
      await recovery.waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Enter your email address").waitFor();
      await page.getByLabel("Email").fill(ann.email);
      await page.getByLabel(/^Password/).fill("not the password");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Incorrect email address or password").waitFor();

      await page.getByRole("link", { name: "Sign up" }).click();
      await ann.waitForHeading("Sign up");
      await ann.checkPage("sign-up");
      await page.getByLabel("Email").fill(ann.email);
      await page.getByLabel(/^Password/).fill("short");
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByText("Use at least 10 characters").waitFor();
      await page.getByLabel(/^Password/).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign up" }).click();
      // Returns to the page that was requested.
      await ann.waitForHeading("API keys");

      await ann.signOut();
      await page.goBack();
      await ann.waitForHeading("Sign in");
      await ann.signIn(ann.email, PASSWORD);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "works with a passkey until it is removed, and explains what the browser refuses",
    async () => {
      const ann = await dashboard.newUser();
      const { page } = ann;
      const device = await VirtualAuthenticator.attach(ann);
      await ann.register();
      await ann.open("/settings/account");
      await page.getByText("No passkeys yet").waitFor();
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByText("The passkey was added").waitFor();
      const passkeys = page.getByRole("list", { name: "Passkeys" });
      await passkeys.getByText("Chrome on Linux, added").waitFor();
      expect(await device.rpIds()).toEqual([new URL(dashboard.base).hostname]);
      await withLocalDatabase(dashboard.server.folder, ({ DB }) =>
        DB.prepare(
          "UPDATE sessions SET created_at = '2020-01-01T00:00:00.000Z' WHERE account_id = (SELECT id FROM accounts WHERE email = ?1)",
        )
          .bind(ann.email)
          .run(),
      );
      await page.getByRole("button", { name: "Add a passkey" }).click();
      const again = page.getByRole("dialog", { name: "Sign in again" });
      await again.getByText("then repeat your last step").waitFor();
      await again.getByLabel(/^Password/).fill(PASSWORD);
      await again.getByRole("button", { name: "Sign in", exact: true }).click();
      await again.waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByText("This device already has a passkey for your account").waitFor();
      expect(await passkeys.getByRole("listitem").count()).toBe(1);
      await ann.checkPage("passkeys");

      await ann.signOut();
      const enter = page.getByRole("button", { name: "Sign in with a passkey" });
      await enter.click();
      await ann.waitForHeading("Overview");
      await ann.open("/settings/account");
      await expect.poll(() => page.getByLabel("Email", { exact: true }).inputValue()).toBe(ann.email);
      await passkeys.getByRole("button", { name: "Remove Chrome on Linux" }).click();
      const question = page.getByRole("dialog", { name: "Remove this passkey?" });
      await ann.checkPage("passkey-removal");
      await question.getByRole("button", { name: "Keep it" }).click();
      await question.waitFor({ state: "detached" });
      await passkeys.getByRole("button", { name: "Remove Chrome on Linux" }).click();
      await question.getByRole("button", { name: "Remove passkey" }).click();
      await page.getByText("The passkey was removed").waitFor();
      await page.getByText("No passkeys yet").waitFor();

      await ann.signOut();
      await enter.click();
      await page.getByText("This passkey isn't linked to an account").waitFor();
      await ann.checkPage("passkey-unknown");
      // The browser's own dialog stayed open for too long.
      const late = "**/passkey/verify-authentication";
      await page.route(late, async (route) => {
        const cookie = (await ann.context.cookies()).find(({ name }) => name.includes("passkey"));
        const [challenge] = decodeURIComponent(cookie?.value ?? "").split(".");
        await withLocalDatabase(dashboard.server.folder, ({ DB }) =>
          DB.prepare("UPDATE challenges SET expires_at = '2020-01-01T00:00:00.000Z' WHERE identifier = ?1")
            .bind(challenge)
            .run(),
        );
        await route.continue();
      });
      await enter.click();
      await page.getByText("The passkey request has expired. Try again.").waitFor();
      await page.unroute(late);
      await device.clearCredentials();
      await enter.click();
      await page.getByText("No passkey received").waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("links", () => {
  test(
    "are created, found, copied and deleted, and test mode shows none of them",
    async () => {
      const ann = await dashboard.newUser();
      const { page } = ann;
      const slug = `spring-${Date.now()}`;
      await ann.signUp();
      await page.getByRole("heading", { name: "No links yet" }).waitFor();
      await ann.checkPage("links-empty");

      await page.getByRole("button", { name: "Create link" }).click();
      const form = page.getByRole("dialog", { name: "Create a link" });
      await form.getByLabel("Destination").fill("not a url");
      await form.getByLabel("Slug").fill("docs");
      await form.getByText("This slug is reserved").waitFor();
      await ann.checkPage("create-link");
      await form.getByLabel("Slug").fill(slug);
      await form.getByRole("img", { name: "This slug is free" }).waitFor();
      await form.getByRole("button", { name: "Create link" }).click();
      await form.getByText("Enter a web address, such as https://example.com/page.").waitFor();
      await form.getByLabel("Destination").fill("https://example.com/spring");
      // Other tests use the clipboard too.
      await page.evaluate("navigator.clipboard.writeText = async (text) => (window.copied = text)");
      await form.getByRole("button", { name: "Create link" }).click();
      const made = page.getByRole("dialog", { name: "Link created" });
      const shortUrl = `${dashboard.base}/${slug}`;
      await made.getByText("Copied. Press Enter to close.").waitFor();
      expect(await page.evaluate("window.copied")).toBe(shortUrl);
      expect(await made.getByLabel("Short URL", { exact: true }).inputValue()).toBe(shortUrl);
      await ann.checkPage("link-created");
      expect(await page.evaluate("document.getSelection().toString()")).toBe(shortUrl);
      await page.keyboard.press("Enter");
      await made.waitFor({ state: "detached" });

      const list = page.getByRole("region", { name: "Links" });
      await list.getByRole("link", { name: `${new URL(dashboard.base).host}/${slug}`, exact: true }).waitFor();
      await ann.checkPage("links");
      const visit = await fetch(shortUrl, { redirect: "manual" });
      expect([visit.status, visit.headers.get("Location")]).toEqual([302, "https://example.com/spring"]);

      await page.getByRole("button", { name: "Create link" }).click();
      await form.getByLabel("Slug", { exact: true }).pressSequentially(` ${slug.toUpperCase()} ?2`);
      expect(await form.getByLabel("Slug", { exact: true }).inputValue()).toBe(`${slug.toUpperCase()}-2`);
      await form.getByLabel("Slug", { exact: true }).fill(slug.toUpperCase());
      await form.getByText("This slug is taken").waitFor();
      await form.getByRole("button", { name: `Use ${slug.toUpperCase()}-2` }).click();
      await form.getByRole("img", { name: "This slug is free" }).waitFor();
      expect(await form.getByLabel("Slug", { exact: true }).inputValue()).toBe(`${slug.toUpperCase()}-2`);
      await form.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Discard", exact: true }).click();

      await ann.switchMode("Test");
      await page.getByRole("heading", { name: "No test links yet" }).waitFor();
      await page.getByText("Test mode.").waitFor();
      expect(await page.getByText(slug).count()).toBe(0);
      await ann.checkPage("test-mode");
      await page.reload();
      await page.getByRole("heading", { name: "No test links yet" }).waitFor();
      await ann.switchMode("Live");

      await list.getByRole("button", { name: `More actions for` }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const question = page.getByRole("dialog", { name: "Delete this link?" });
      await question.getByText("never be used again").waitFor();
      await ann.checkPage("delete-link");
      await question.getByRole("button", { name: "Delete link" }).click();
      await page.getByRole("heading", { name: "No links yet" }).waitFor();
      await expect
        .poll(async () => (await fetch(shortUrl, { redirect: "manual" })).status, { timeout: CHANGE_MS })
        .toBe(410);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "are created by the hundred, and refused ones are listed by line and can be retried",
    async () => {
      const ann = await dashboard.newUser();
      const { page } = ann;
      const mark = `bulk-${Date.now()}`;
      await ann.signUp();
      await page.getByRole("button", { name: "Create many" }).click();
      const dialog = page.getByRole("dialog", { name: "Create many links" });
      const input = dialog.locator("input[type=file]");
      // As saved by a spreadsheet in western Europe.
      const buffer = Buffer.from("url;title\nhttps://example.com/;Größe\n", "latin1");
      await input.setInputFiles({ name: "links.csv", mimeType: "text/csv", buffer });
      await dialog.getByRole("region", { name: "Links found" }).getByText("Größe").waitFor();
      // Otherwise, the browser would report no change when the edited file is chosen again.
      expect(await input.inputValue()).toBe("");
      const good = Array.from({ length: 117 }, (_, i) => `https://example.com/${mark}/${i},${mark}-${i}`);
      const lines = [
        "url,slug",
        ...good,
        `ftp://example.com/,${mark}-ftp`,
        `https://example.com/x,${mark}-5`,
        "https://example.com/y,docs",
      ];
      await dialog.getByLabel("Links", { exact: true }).fill(lines.join("\n"));
      await dialog.getByText("119 links found in 120 lines, showing the first 50").waitFor();
      await ann.checkPage("bulk-preview");
      await dialog.getByRole("button", { name: "Create 119 links" }).click();
      await dialog.getByText("117 links created, 3 refused").waitFor();
      await dialog.getByText(/Line 119, ftp:.*must begin with http/).waitFor();
      await dialog.getByText(/Line 120, .*is already taken/).waitFor();
      await dialog.getByText(/Line 121, .*is reserved/).waitFor();
      await ann.checkPage("bulk-results");

      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Download results" }).click(),
      ]);
      const rows = String(await readDownload(download)).split("\n");
      expect(rows).toHaveLength(121);
      expect(rows[0]).toBe("\uFEFFline,url,slug,short_url,error");
      expect(rows[1]).toBe(`2,https://example.com/${mark}/0,${mark}-0,${dashboard.base}/${mark}-0,`);
      expect(rows[118]).toContain("must begin with http");
      await dialog.getByRole("button", { name: "Retry refused lines" }).click();
      await dialog.getByText("117 links created, 3 refused").waitFor();
      await dialog.getByRole("button", { name: "Done" }).click();

      const list = page.getByRole("region", { name: "Links" });
      const first = list.getByRole("listitem").first();
      await list.getByText("1–20").waitFor();
      const newest = await first.getByRole("link").first().textContent();
      await list.getByRole("button", { name: "Next" }).click();
      await list.getByText("21–40").waitFor();
      await expect.poll(() => first.getByRole("link").first().textContent()).not.toBe(newest);
      await list.getByRole("button", { name: "Previous" }).click();
      await expect.poll(() => first.getByRole("link").first().textContent()).toBe(newest);
      await page.getByLabel("Search links").fill(`${mark}-77`);
      await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
      await list.getByRole("link", { name: `${new URL(dashboard.base).host}/${mark}-77`, exact: true }).waitFor();
      expect(page.url()).toContain(`search=${mark}-77`);
      await page.getByLabel("Status").selectOption("expired");
      await page.getByRole("heading", { name: "No links match" }).waitFor();
      await ann.checkPage("links-nothing-found");
      await page.getByRole("button", { name: "Show all links" }).click();
      expect(await page.getByLabel("Search links").inputValue()).toBe("");
      await page.getByLabel("Order").selectOption("Oldest first");
      await list.getByText("1–20").waitFor();
      await ann.checkPage("links-many");
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "with few matches are searched automatically for ten requests, then on request",
    async () => {
      const ann = await dashboard.register();
      const { page } = ann;
      const mark = `rare-${Date.now()}`;
      const slugs = await withLocalDatabase(dashboard.server.folder, (databases) => manyLinks(databases, mark, 80_000));
      const list = page.getByRole("region", { name: "Links" });
      // The match comes after 40,000 links that do not match, so the API returns empty pages until it reaches it.
      await page.goto(`${dashboard.base}/dashboard/links?search=${slugs[40_000]}&sort=created_at`);
      await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
      // The match comes after all other links.
      await page.goto(`${dashboard.base}/dashboard/links?search=${slugs[79_999]}&sort=created_at`);
      await list.getByText("No match so far").waitFor();
      await ann.checkPage("links-search-on");
      await list.getByRole("button", { name: "Keep searching" }).click();
      await list.getByRole("link", { name: `${new URL(dashboard.base).host}/${slugs[79_999]}`, exact: true }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "that cannot be loaded show an error, and load with a retry once the server is back",
    async () => {
      const ann = await dashboard.signUp();
      const { page } = ann;
      await page.getByRole("heading", { name: "No links yet" }).waitFor();
      const problem = page.getByRole("alert").filter({ hasText: "This could not be loaded" });
      const again = problem.getByRole("button", { name: "Try again" });

      const all = "**/dashboard/api/**";
      const links = "**/dashboard/api/links?*";
      await page.route(all, (route) => route.abort());
      await page.reload();
      await problem.getByText("The server cannot be reached").waitFor();
      await ann.checkPage("unreachable");

      // The account loads again, but its links do not.
      await page.route(links, (route) => route.abort());
      await page.unroute(all);
      await again.click();
      await ann.waitForHeading("Links");
      await problem.getByText("The server cannot be reached").waitFor();
      await ann.checkPage("links-unreachable");
      await Promise.all([problem.waitFor({ state: "detached" }), again.click()]);
      await problem.waitFor();

      await page.unroute(links);
      await again.click();
      await page.getByRole("heading", { name: "No links yet" }).waitFor();
      expect(await problem.count()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "that contain markup are shown as text and never run",
    async () => {
      const ann = await dashboard.newUser();
      const { page } = ann;
      const markup = "<img/src=x/onerror=globalThis.broken=1><script>globalThis.broken=1</script>";
      await ann.signUp();
      await page.getByRole("button", { name: "Create link" }).click();
      const form = page.getByRole("dialog", { name: "Create a link" });
      await form.getByLabel("Destination").fill(`https://example.com/${markup}`);
      await form.getByRole("button", { name: "Create link" }).click();
      await page.getByRole("dialog", { name: "Link created" }).getByText(markup).waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("region", { name: "Links" }).getByText(markup).waitFor();
      await ann.open("/settings/account");
      await page.getByRole("row", { name: "Links, without deleted ones 1 of 10,000", exact: true }).waitFor();
      await page.getByRole("row", { name: "Images of link previews 0 MB of 104.9 MB", exact: true }).waitFor();
      await page.getByLabel("Name").fill(markup);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Your name was saved").waitFor();
      await ann.open(`/links?search=${encodeURIComponent(markup)}`);
      await page.getByRole("region", { name: "Links" }).getByText(markup).waitFor();
      expect(await page.evaluate("globalThis.broken")).toBeUndefined();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("settings", () => {
  test(
    "a key is shown once, works until revoked and is hidden in the other mode; every page names an exposed one",
    async () => {
      const ann = await dashboard.signUp();
      const { page } = ann;
      await page.getByRole("link", { name: "Settings" }).click();
      await ann.waitForHeading("Account");
      await page.getByRole("link", { name: "API keys" }).click();
      await ann.waitForHeading("API keys");
      await page.getByRole("heading", { name: "No live keys yet" }).waitFor();
      await page.getByText(`curl ${dashboard.base}/v1/links`).waitFor();
      await page.getByRole("button", { name: "Create key" }).click();
      const form = page.getByRole("dialog", { name: "Create an API key" });
      await form.getByRole("button", { name: "Create key" }).click();
      await form.getByText("Give the key a name").waitFor();
      await form.getByLabel("Name").fill("Web shop");
      await form.getByLabel("Follow the live stream").uncheck();
      await ann.checkPage("create-key");
      await form.getByRole("button", { name: "Create key" }).click();

      const shown = page.getByRole("dialog", { name: "Copy your key now" });
      await shown.getByText("This key will not be shown again").waitFor();
      await ann.checkPage("key-shown-once");
      const key = await ann.copy(shown.getByRole("button", { name: "Copy key" }));
      expect(key).toMatch(/^svc_live_\w{46}$/);
      await page.keyboard.press("Escape");
      await goBackAndStay(page);
      await shown.getByRole("button", { name: "I have copied it" }).click();

      const card = page.getByRole("listitem", { name: "Web shop" });
      await card.getByText("never used").waitFor();
      await ann.checkPage("api-keys");
      await page.reload();
      await card.waitFor();
      expect(await page.content()).not.toContain(key);

      expect(await linkStatus(key)).toBe(201);
      // The day of its last use began a day earlier there.
      await page.evaluate("localStorage.setItem('hoplink-time-zone', 'Pacific/Pago_Pago')");
      await page.reload();
      const today = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(Date.now());
      await card.getByText(`last used ${today}`).waitFor();

      const parts = parseApiKey(key);
      await withLocalDatabase(dashboard.server.folder, async (database) => parts && exposeKey(database, parts));
      await ann.switchMode("Test");
      await ann.open("/links");
      const notice = page.getByText("The live key “Web shop” was sent over plain HTTP.");
      await notice.waitFor();
      await ann.checkPage("exposed-key");
      await page.getByRole("link", { name: "Replace key" }).click();
      await ann.waitForHeading("API keys");
      await card.getByText("Sent over plain HTTP on").waitFor();

      await ann.switchMode("Test");
      await page.getByRole("heading", { name: "No test keys yet" }).waitFor();
      await ann.switchMode("Live");
      await card.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("dialog", { name: "Revoke this key?" }).getByRole("button", { name: "Revoke key" }).click();
      await page.getByRole("heading", { name: "No live keys yet" }).waitFor();
      await notice.waitFor({ state: "hidden" });
      expect(await linkStatus(key)).toBe(401);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "a domain shows required and missing DNS records, accepts links and default redirects, and can be deleted",
    async () => {
      const ann = await dashboard.register();
      const { page } = ann;
      await ann.open("/settings/domains");
      await page.getByRole("heading", { name: "No domains yet" }).waitFor();
      await page.getByText("go.example.com/spring instead of localhost").waitFor();
      await ann.checkPage("domains-empty");
      await page.getByRole("button", { name: "Add domain" }).click();
      const form = page.getByRole("dialog", { name: "Add a domain" });
      await form.getByLabel("Domain").fill("co.uk");
      await form.getByRole("button", { name: "Add domain" }).click();
      await form.getByText("must not be a public suffix").waitFor();
      await form.getByLabel("Domain").fill("go.example.org");
      await form.getByRole("button", { name: "Add domain" }).click();

      const card = page.getByRole("listitem", { name: "go.example.org" });
      await card.getByText("Pending", { exact: true }).waitFor();
      await card.getByText("_hoplink-verify.go.example.org").waitFor();
      await ann.checkPage("domains");
      expect(await card.getByText("Not checked yet").count()).toBe(1);
      await card.getByRole("button", { name: "Check now" }).click();
      await card.getByText("does not exist in DNS").first().waitFor();
      await card.getByRole("button", { name: "Check again" }).click();
      // The service requires a wait between checks.
      const waiting = card.getByRole("button", { name: /Check again in \d+ s/ });
      await waiting.waitFor();
      expect(await waiting.isDisabled()).toBe(true);
      await ann.checkPage("domains-missing");
      const valueOf = (type: string) =>
        ann.copy(card.getByRole("button", { name: `Copy value of the ${type} record` }));
      dns.set("_hoplink-verify.go.example.org", "TXT", await valueOf("TXT"));
      dns.set("go.example.org", "CNAME", await valueOf("CNAME"));
      await card.getByRole("button", { name: "Check again", exact: true }).click({ timeout: CHANGE_MS });
      await card.getByText("Active", { exact: true }).waitFor();
      const exact = card.getByRole("switch", { name: "Case-sensitive slugs" });
      expect(await exact.isChecked()).toBe(false);
      await exact.focus();
      await page.keyboard.press("Space");
      await page.getByText("Slugs on go.example.org are now case-sensitive").waitFor();
      const peek = card.getByRole("switch", { name: "Show where links lead" });
      expect(await peek.isChecked()).toBe(true);
      await peek.focus();
      await page.keyboard.press("Space");
      await page.getByText("A + no longer shows where links on go.example.org lead").waitFor();
      await page.reload();
      await card.getByText("Active", { exact: true }).waitFor();
      expect([await exact.isChecked(), await peek.isChecked()]).toEqual([true, false]);
      await ann.checkPage("domains-active");
      await card.getByRole("button", { name: "Default redirects" }).click();
      const defaultRedirect = page.getByRole("dialog", { name: "Default redirects of go.example.org" });
      await defaultRedirect.getByLabel("Bare domain").fill("no address");
      await defaultRedirect.getByRole("button", { name: "Save" }).click();
      await defaultRedirect.getByText("must not contain spaces").waitFor();
      await defaultRedirect.getByLabel("Bare domain").fill("https://example.com/");
      await defaultRedirect.getByLabel("Expired links").fill("example.com/over");
      await defaultRedirect.getByRole("button", { name: "Save" }).click();
      await page.getByText("Default redirects saved").waitFor();
      await page.reload();
      await card.getByRole("button", { name: "Default redirects" }).click();
      expect(await defaultRedirect.getByLabel("Expired links").inputValue()).toBe("https://example.com/over");
      await defaultRedirect.getByRole("button", { name: "Cancel" }).click();

      await card.getByRole("button", { name: "Page design" }).click();
      const design = page.getByRole("dialog", { name: "Page design of go.example.org" });
      await design.getByLabel("Name").fill("Acme & Co.");
      await design.getByLabel("Paused links").fill("Ask us why.");
      const choose = (name: string, buffer: Uint8Array) =>
        design.locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer: Buffer.from(buffer) });
      await choose("text.png", Buffer.from("no image"));
      await design.getByText("This file is not an image").waitFor();
      await choose("logo.png", RED_PNG);
      await design.getByAltText("Current logo").waitFor();
      await ann.checkPage("page-design");
      await design.getByRole("button", { name: "Save" }).click();
      await page.getByText("Page design saved").waitFor();
      await card.getByRole("button", { name: "Page design" }).click();
      expect(await design.getByLabel("Name").inputValue()).toBe("Acme & Co.");
      expect(await design.getByLabel("Paused links").inputValue()).toBe("Ask us why.");
      await design.getByAltText("Current logo").waitFor();
      await design.getByRole("button", { name: "Cancel" }).click();

      await card.getByRole("button", { name: "App links" }).click();
      const apps = page.getByRole("dialog", { name: "App links of go.example.org" });
      await apps.getByLabel("Team ID").fill("abc");
      await apps.getByRole("button", { name: "Save" }).click();
      await apps.getByText("Enter the ten capital letters and digits of your team ID").waitFor();
      await apps.getByLabel("Team ID").fill("ABCDE12345");
      const list = (label: string) => apps.getByLabel(label, { exact: true }).and(page.locator("input"));
      await list("Bundle IDs").fill("com.example.app");
      await page.keyboard.press("Enter");
      await list("Paths").fill("/app/*");
      await page.keyboard.press("Tab");
      await ann.checkPage("app-links");
      await apps.getByText("JSON", { exact: true }).click();
      await apps.getByLabel("assetlinks.json").fill("[]");
      await apps.getByRole("button", { name: "Save" }).click();
      await page.getByText("App links saved").waitFor();
      await page.reload();
      await card.getByRole("button", { name: "App links" }).click();
      expect(JSON.parse(await apps.getByLabel("apple-app-site-association").inputValue())).toEqual({
        applinks: { details: [{ appIDs: ["ABCDE12345.com.example.app"], components: [{ "/": "/app/*" }] }] },
      });
      await apps.getByText("Form", { exact: true }).click();
      await apps.getByText("so they can only be edited as JSON").waitFor();
      await ann.checkPage("app-links-json");
      await apps.getByRole("button", { name: "Cancel" }).click();

      await page.getByRole("link", { name: "Links" }).click();
      await page.getByRole("button", { name: "Create link" }).click();
      const link = page.getByRole("dialog", { name: "Create a link" });
      await link.getByLabel("Destination").fill("https://example.com/own");
      await link.getByLabel("Domain").selectOption("go.example.org");
      await link.getByLabel("Slug").fill("own");
      await link.getByRole("button", { name: "Create link" }).click();
      const address = page.getByRole("dialog", { name: "Link created" }).getByLabel("Short URL", { exact: true });
      await expect.poll(() => address.inputValue()).toBe("http://go.example.org/own");
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("link", { name: "Domains" }).click();
      // The change is refused once a link exists, and the switch shows the actual setting.
      await exact.click();
      await page.getByText("Links have already been created on this domain.").waitFor();
      await expect.poll(() => exact.isChecked()).toBe(true);
      await card.getByRole("button", { name: "Delete" }).click();
      const question = page.getByRole("dialog", { name: "Delete this domain?" });
      await question.getByRole("button", { name: "Delete domain" }).click();
      await page.getByText("go.example.org still has links").waitFor();

      await page.getByRole("link", { name: "Links" }).click();
      await page.getByRole("button", { name: "More actions for go.example.org/own" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete link" }).click();
      await page.getByRole("heading", { name: "No links yet" }).waitFor();
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("link", { name: "Domains" }).click();
      await card.getByRole("button", { name: "Delete" }).click();
      await question.getByRole("button", { name: "Delete domain" }).click();
      await page.getByRole("heading", { name: "No domains yet" }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "an account can change its email and password, require an authenticator app, end sessions and be deleted",
    async () => {
      const ann = await dashboard.newUser();
      const elsewhere = await dashboard.newUser();
      const { page } = ann;
      await ann.signUp();
      const send = async (method: string, path: string, data: object, mode = "live") => {
        const headers = { Origin: dashboard.base, "Hoplink-Mode": mode };
        const answer = await ann.context.request.fetch(`${dashboard.base}/dashboard/api${path}`, {
          method,
          data,
          headers,
        });
        expect(answer.ok(), await answer.text()).toBe(true);
        return (await answer.json()) as { id: string; short_url: string; social?: { image: string } };
      };
      const link = await send("POST", "/links", { url: "https://example.com/" });
      await send("PUT", `/links/${link.id}/social/image`, Buffer.from(RED_PNG));
      const { social } = await send("PATCH", `/links/${link.id}`, { archived: true });
      await send("POST", "/qr", { link_id: link.id, name: "Poster" });
      const domain = await send("POST", "/domains", { domain: "go.export.example" });
      await send("PUT", `/domains/${domain.id}/page`, { name: "Exported" });
      await send("PUT", "/saved-views", { name: "Spring", query: "tag=spring" });
      await send("POST", `/links/${link.id}/notes`, { at: "2026-11-05T12:00:00Z", text: "Poster printed" });
      const shared = { name: "Report", group_by: [], last: null, timezone: "UTC", expires_at: null };
      await send("POST", "/shares", { ...shared, link_id: link.id, first: null });
      await send("POST", "/shares", { ...shared, tag: "Spring", first: "2026-01-01" }, "test");
      await send("POST", "/links", { url: "https://example.com/test" }, "test");
      await fetch(link.short_url, { redirect: "manual" });
      await elsewhere.signIn(ann.email, PASSWORD);
      await page.getByRole("button", { name: "Account menu" }).click();
      await ann.checkPage("account-menu");
      await page.getByRole("menuitem", { name: "Account settings" }).click();
      await ann.waitForHeading("Account");
      await page.getByText("Free", { exact: true }).waitFor();
      await page.getByText("This session").waitFor();
      for (const usage of ["Shared pages 2 of 100", "Saved views 1 of 50", "Notes about links 1 of 1,000"]) {
        await page.getByRole("row", { name: usage, exact: true }).waitFor();
      }
      await ann.checkPage("account");

      const sessions = page.getByRole("list", { name: "Sessions" });
      const zoneInput = page.getByLabel("Time zone").and(page.locator("input"));
      await zoneInput.fill("Auckland");
      const zone = page.getByRole("option", { name: "Pacific/Auckland" });
      await Promise.all([page.waitForEvent("load"), zone.click()]);
      const inAuckland = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "Pacific/Auckland" });
      await sessions
        .getByText(`Signed in ${inAuckland.format(Date.now())}`)
        .first()
        .waitFor();
      expect(await zoneInput.inputValue()).toBe("Pacific/Auckland");
      await page.getByRole("radiogroup", { name: "Color scheme" }).getByText("Dark").click();
      await page.locator("html[data-mantine-color-scheme=dark]").waitFor({ state: "attached" });
      await page.getByRole("radiogroup", { name: "Color scheme" }).getByText("System").click();

      await sessions.getByRole("button", { name: "End session" }).click();
      await page.getByText("The session was ended").waitFor();
      await elsewhere.open("/links");
      await elsewhere.waitForHeading("Sign in");
      await elsewhere.signIn(ann.email, PASSWORD);

      await page.getByLabel("Current password").fill("not the password");
      await page.getByLabel("New password").fill("another password");
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByText("Your current password is incorrect").waitFor();
      await page.getByLabel("Current password").fill(PASSWORD);
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByText("Your password was changed").waitFor();
      await elsewhere.open("/links");
      await elsewhere.waitForHeading("Sign in");

      await page.getByRole("button", { name: "Change email" }).click();
      const change = page.getByRole("dialog", { name: "Change your email" });
      await change.getByLabel("New email").fill(dashboard.server.accounts.Free.email);
      await change.getByLabel(/^Password/).fill("another password");
      await page.keyboard.press("Enter");
      await change.getByText("already exists").waitFor();
      await ann.checkPage("change-email");
      const email = `new-${ann.email}`;
      await change.getByLabel("New email").fill(email);
      await page.keyboard.press("Enter");
      await page.getByText(`You now sign in with ${email}`).waitFor();
      await expect.poll(() => page.getByLabel("Email", { exact: true }).inputValue()).toBe(email);

      await page.getByRole("button", { name: "Add an app" }).click();
      const app = page.getByRole("dialog", { name: "Add an authenticator app" });
      const key = await ann.copy(app.getByRole("button", { name: "Copy key" }));
      const drawing = app.getByRole("img", { name: "QR code" });
      const [box, path] = [await drawing.getAttribute("viewBox"), await drawing.locator("path").getAttribute("d")];
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="400" height="400"><rect x="-9" y="-9" width="99" height="99" fill="#fff"/><path d="${path}" fill-rule="evenodd"/></svg>`;
      expect((await decodeQrCode(await drawSvg(svg), 4)).zbar).toBe(
        `otpauth://totp/${encodeURIComponent(`Hoplink:${email}`)}?secret=${key}&issuer=Hoplink`,
      );
      await app.getByLabel("Code from the app").fill("000000");
      await app.getByLabel(/^Password/).fill("another password");
      await app.getByRole("button", { name: "Turn on" }).click();
      await app.getByText("The code is wrong").waitFor();
      await ann.checkPage("add-app");
      await app.getByLabel("Code from the app").fill(totpOf(key, Date.now()));
      await app.getByRole("button", { name: "Turn on" }).click();
      const shown = page.getByRole("dialog", { name: "Recovery codes" });
      const codes = await ann.copy(shown.getByRole("button", { name: "Copy recovery codes" }));
      expect(codes.split("\n").length).toBe(10);
      await ann.checkPage("recovery-codes");
      await goBackAndStay(page);
      await shown.getByRole("button", { name: "Done" }).click();
      await page.getByText("10 recovery codes left").waitFor();

      const there = elsewhere.page;
      await there.getByLabel("Email").fill(email);
      await there.getByLabel(/^Password/).fill("another password");
      await there.getByRole("button", { name: "Sign in", exact: true }).click();
      await there.getByLabel("Code").fill("000000");
      await there.getByRole("button", { name: "Sign in", exact: true }).click();
      await there.getByText("This code is wrong or was already used").waitFor();
      await elsewhere.checkPage("sign-in-code");
      // The app may have used the code of this step already.
      await there.getByLabel("Code").fill(totpOf(key, Date.now() + 30_000));
      await there.getByRole("button", { name: "Sign in", exact: true }).click();
      await elsewhere.waitForHeading("Links");
      await there.getByRole("button", { name: "Create link" }).first().click();
      await there.getByLabel("Destination").fill("https://example.com/typed");
      await elsewhere.context.clearCookies({ name: "hoplink.session_token" });
      await there.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      const again = there.getByRole("dialog", { name: "Sign in again" });
      await again.getByLabel(/^Password/).fill("another password");
      await there.keyboard.press("Enter");
      await again.getByLabel("Code").fill(codes.slice(0, 19));
      await there.keyboard.press("Enter");
      await again.waitFor({ state: "hidden" });
      expect(await there.getByLabel("Destination").inputValue()).toBe("https://example.com/typed");

      await page.reload();
      await page.getByText("9 recovery codes left").waitFor();
      await page.getByRole("button", { name: "Remove app" }).click();
      const removal = page.getByRole("dialog", { name: "Remove the authenticator app?" });
      await removal.getByLabel(/^Password/).fill("another password");
      await removal.getByRole("button", { name: "Remove app" }).click();
      await page.getByText("The authenticator app was removed").waitFor();
      await removal.waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Add an app" }).waitFor();

      const exportFiles = async () => {
        const exported = page.waitForEvent("download", { timeout: STORY_MS });
        await page.getByRole("button", { name: "Export all data" }).click();
        return readZip(await readDownload(await exported));
      };
      let files = await exportFiles();
      expect(JSON.parse(files.get("account.json") ?? "")).toMatchObject({
        account: { email },
        keys: [],
        utm_templates: [],
        saved_views: [{ name: "Spring", query: "tag=spring" }],
      });
      // Clicks of all links are known up to a minute ago.
      await eventually(
        async () => {
          files = await exportFiles();
          return files.has("live/clicks.ndjson");
        },
        "the click is exported",
        STORY_MS / 2,
      );
      const rowsOf = (name: string) =>
        (files.get(name) ?? "")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(rowsOf("live/links.ndjson").map(({ id, archived }) => [id, archived])).toEqual([[link.id, true]]);
      expect(rowsOf("live/revisions.ndjson").map(({ link_id, revision }) => [link_id, revision])).toEqual([
        [link.id, 3],
        [link.id, 2],
        [link.id, 1],
      ]);
      expect(rowsOf("live/qr-codes.ndjson")).toMatchObject([{ link_id: link.id, name: "Poster" }]);
      expect(rowsOf("live/domains.ndjson")).toMatchObject([
        { domain: "go.export.example", page: { name: "Exported" } },
      ]);
      expect(rowsOf("live/notes.ndjson")).toMatchObject([{ link_id: link.id, text: "Poster printed" }]);
      expect(rowsOf("live/shared-pages.ndjson")).toMatchObject([{ link_id: link.id, name: "Report" }]);
      expect(rowsOf("test/shared-pages.ndjson")).toMatchObject([{ tag: "spring", name: "Report" }]);
      expect([...files.values()].join()).not.toContain("/share/");
      expect(rowsOf("live/clicks.ndjson")).toMatchObject([{ link_id: link.id, seq: 1 }]);
      expect(rowsOf("test/links.ndjson")).toMatchObject([{ url: "https://example.com/test" }]);
      const image = `live/images/${social?.image.split("/").at(-1)}`;
      expect(files.get(image)).toBe(new TextDecoder().decode(RED_PNG));
      expect([...files.keys()]).toEqual([
        "account.json",
        ...["links", "revisions", "notes", "qr-codes", "domains", "shared-pages", "clicks"].map(
          (name) => `live/${name}.ndjson`,
        ),
        image,
        "test/links.ndjson",
        "test/shared-pages.ndjson",
      ]);
      await page.getByText("Saved: 2 links, 1 click", { exact: true }).waitFor();

      await page.getByRole("button", { name: "Delete account" }).click();
      const question = page.getByRole("dialog", { name: "Delete your account?" });
      await question.getByLabel(/^Password/).fill(PASSWORD);
      await question.getByRole("button", { name: "Delete account" }).click();
      await question.getByText("Select this to continue").waitFor();
      await question.getByLabel("I understand").check();
      await question.getByRole("button", { name: "Delete account" }).click();
      await question.getByText("Incorrect password").waitFor();
      await ann.checkPage("delete-account");
      await question.getByLabel(/^Password/).fill("another password");
      await question.getByRole("button", { name: "Delete account" }).click();
      await ann.waitForHeading("Sign in");
      await elsewhere.open("/sign-in");
      await elsewhere.page.getByLabel("Email").fill(email);
      await elsewhere.page.getByLabel(/^Password/).fill("another password");
      await elsewhere.page.getByRole("button", { name: "Sign in", exact: true }).click();
      await elsewhere.page.getByText("Incorrect email address or password").waitFor();
      await ann.close();
      await elsewhere.close();
    },
    STORY_MS,
  );
});

describe("everywhere", () => {
  test(
    "the keyboard reaches everything, pages have titles and headings, and unknown addresses say so",
    async () => {
      const ann = await dashboard.register();
      const { page } = ann;
      await ann.open("/links");
      await ann.waitForHeading("Links");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
      expect(await page.title()).toBe("Links · Hoplink");
      await page.getByRole("link", { name: "Settings" }).focus();
      await page.keyboard.press("Enter");
      await ann.waitForHeading("Account");
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Account");
      await ann.switchMode("Test");
      await expect.poll(() => page.title()).toBe("Account · Hoplink (test mode)");
      await page.getByRole("button", { name: "Account menu" }).click();
      await page.getByRole("menuitem", { name: "Dark" }).click();
      await page.locator("html[data-mantine-color-scheme=dark]").waitFor({ state: "attached" });
      await ann.open("/nowhere");
      await ann.waitForHeading("Not found");
      await page.locator("html[data-mantine-color-scheme=dark]").waitFor({ state: "attached" });
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "long names without spaces fit on the narrowest phone",
    async () => {
      const ann = await dashboard.register();
      const { page } = ann;
      const send = async (method: string, path: string, data: object) => {
        const url = `${dashboard.base}/dashboard/api${path}`;
        const answer = await page.request.fetch(url, { method, data, headers: { Origin: dashboard.base } });
        expect(answer.ok(), await answer.text()).toBe(true);
        return (await answer.json()) as { id: string; short_url: string };
      };
      const slug = `${"s".repeat(100)}-${Date.now()}`;
      const link = await send("POST", "/links", { url: "https://example.com/", slug });
      await send("POST", "/qr", { link_id: link.id, size: 1024, name: "Q".repeat(80) });
      await send("PUT", "/saved-views", { name: "V".repeat(60), query: "search=none" });
      await send("POST", "/keys", { name: "K".repeat(100), mode: "live", scopes: ["links:read"] });
      await page.setViewportSize({ width: 320, height: 640 });
      const fits = async (shown: Locator) => {
        await shown.waitFor();
        const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
        await expect.poll(overflow, { message: page.url() }).toBeLessThanOrEqual(0);
      };
      await ann.open("/links");
      await fits(page.getByRole("heading", { name: "Get started" }));
      await ann.open(`/links/${link.id}`);
      await fits(page.locator("code", { hasText: slug }));
      await ann.open(`/links/${link.id}?tab=qr`);
      await fits(page.getByText("Q".repeat(80)));
      await ann.open("/links?search=none");
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("button", { name: "V".repeat(60) }).click();
      await fits(page.getByRole("menuitem", { name: "V".repeat(60) }));
      await ann.open("/settings/api-keys");
      await page.getByRole("button", { name: /^Revoke K/ }).click();
      const question = page.getByRole("dialog", { name: "Revoke this key?" });
      await fits(question);
      expect(await question.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      await page.setViewportSize({ width: 1280, height: 800 });
      await ann.close();
    },
    STORY_MS,
  );
});

/** The code that an authenticator app shows at a time (RFC 6238). @param key  base32 */
function totpOf(key: string, at: number): string {
  const bits = Array.from(key, (char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0"));
  const bytes = Buffer.from(
    bits
      .join("")
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  );
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac("sha1", bytes).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Back asks before it leaves what is shown only once. */
async function goBackAndStay(page: Page): Promise<void> {
  await page.evaluate("history.back()");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
}

/** The status of the response to creating a link with a key. */
async function linkStatus(key: string): Promise<number> {
  return (await new ApiClient(dashboard.base, key).send("POST", "/v1/links", { url: "https://example.com/" })).status;
}
