/** User flows on a link's page in a real browser: rules, statistics, the live feed and QR codes. */
import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { QrCode } from "../../../src/core/contract/qr-codes.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { type DashboardUser, readDownload } from "../../support/dashboard-user.ts";
import { decodeQrCode, drawSvg, readByAll } from "../../support/decoders.ts";
import { readPng } from "../../support/png.ts";

const STORY_MS = 600_000;
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";

const dashboard = new DashboardTests();

/** Creates a link through the dashboard's API. */
async function dashboardLink({ page, base }: DashboardUser, fields: Record<string, unknown> = {}): Promise<Link> {
  const response = await page.request.post(`${base}/dashboard/api/links`, {
    data: { url: "https://example.com/", ...fields },
    headers: { Origin: base },
  });
  if (response.status() !== 201) throw new Error(`link not made: ${await response.text()}`);
  return Link.parse(await response.json());
}

async function visit(link: Link, headers: Record<string, string>): Promise<string | null> {
  return (await fetch(link.short_url, { redirect: "manual", headers })).headers.get("Location");
}

const saved = async (link: Link) => Link.parse(await dashboard.api().call("GET", `/v1/links/${link.id}`));

async function openTab(person: DashboardUser, link: Link, tab: "Statistics" | "Rules" | "QR code"): Promise<void> {
  await person.open(`/links/${link.id}`);
  await part(person.page, tab).click();
}

const part = (page: Page, tab: string) =>
  page.getByRole("tablist", { name: "Link sections" }).getByRole("tab", { name: tab });

async function choose(page: Page, input: Locator, option: string): Promise<void> {
  await input.click();
  await page.getByRole("option", { name: option, exact: true }).click();
  await page.keyboard.press("Escape");
}

async function addCondition(page: Page, rule: string, name: string): Promise<void> {
  await page.getByRole("button", { name: `${rule}: add a condition`, exact: true }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
}

const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

describe("5, 7 rules and their effects", () => {
  test(
    "rules from the editor route visitors, and the feed and the statistics show the clicks",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboardLink(ann);
      await openTab(ann, link, "Rules");
      await ann.checkPage("link-rules-none");

      await page.getByRole("button", { name: "Add your first rule" }).click();
      await choose(page, page.getByRole("combobox", { name: "Rule 1: Country", exact: true }), "Germany (DE)");
      await page.getByLabel("Go to").fill("https://example.com/de");
      await page.getByRole("button", { name: "Add a rule" }).click();
      await addCondition(page, "Rule 2", "Device");
      await choose(page, page.getByRole("combobox", { name: "Rule 2: Device", exact: true }), "Mobile");
      await page.getByLabel("Go to").nth(1).fill("mobile:example");

      // Problems that the API reports are shown at their rule and field, and nothing is saved.
      await page.getByRole("button", { name: "Save rules" }).click();
      const second = page.getByRole("listitem", { name: "Rule 2" });
      await second.getByText("The address must start with http:// or https://.").waitFor();
      expect(
        await second.getByRole("combobox", { name: "Rule 2: Country", exact: true }).getAttribute("aria-invalid"),
      ).toBe("true");
      expect(await page.getByRole("listitem", { name: "Rule 1" }).getByText("Needs attention").count()).toBe(0);
      await ann.checkPage("link-rules-wrong");
      expect((await saved(link)).routing).toEqual([]);

      await page.getByRole("button", { name: "Rule 2: remove Country" }).click();
      await page.getByLabel("Go to").nth(1).fill("https://example.com/mobile");
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("Rules saved").waitFor();
      expect((await saved(link)).routing).toEqual([
        { if: { country: "DE" }, to: "https://example.com/de" },
        { if: { device: "mobile" }, to: "https://example.com/mobile" },
      ]);

      // A dry run of the saved rules.
      await choose(page, page.getByRole("combobox", { name: "Country", exact: true }), "France (FR)");
      await choose(page, page.getByRole("combobox", { name: "Device", exact: true }), "Mobile");
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText("Goes to https://example.com/mobile").waitFor();
      await page.getByText("Does not match: Country").waitFor();

      await part(page, "Statistics").click();
      await page.getByText("No clicks yet.", { exact: true }).waitFor();
      await page.getByRole("heading", { name: "No clicks yet" }).waitFor();
      await page.getByText("Example: a click in France").waitFor();
      await ann.checkPage("link-stats-none");

      expect([
        await visit(link, { "x-visitor-country": "DE" }),
        await visit(link, { "x-visitor-country": "FR", "User-Agent": IPHONE }),
        await visit(link, { "x-visitor-country": "US", Referer: "https://news.example.com/today" }),
      ]).toEqual(["https://example.com/de", "https://example.com/mobile", "https://example.com/"]);

      const feed = page.getByRole("list", { name: "Latest clicks" });
      await expect.poll(() => feed.getByRole("listitem").count(), { timeout: 15_000 }).toBe(3);
      expect(await feed.getByRole("listitem").first().innerText()).toContain("United States");
      await expect.poll(() => page.getByTestId("total").innerText(), { timeout: 15_000 }).toBe("3");
      // The dashboard's stream also includes links that were created in the dashboard.
      await page
        .getByRole("status")
        .filter({ hasText: /^Live$/ })
        .waitFor();
      await row(page, "Visitors from Germany").filter({ hasText: "33.3%" }).waitFor();
      await row(page, "news.example.com").waitFor();
      await row(page, "Visitors on a phone").waitFor();
      await page.getByRole("tab", { name: "Destination" }).click();
      await row(page, "https://example.com/mobile").waitFor();
      expect(await page.locator('[data-country="DE"][data-level="5"]').count()).toBe(1);
      await ann.checkPage("link-stats");

      // While paused, the list does not change, and counts the clicks that it does not show.
      await page.getByRole("button", { name: "Pause the list" }).click();
      await visit(link, { "x-visitor-country": "JP" });
      await page.getByText("Paused. 1 new click.").waitFor();
      expect(await feed.getByRole("listitem").count()).toBe(3);
      await page.getByRole("button", { name: "Resume the list" }).click();
      await feed.getByText("Japan").waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "clicks on a link that was created through the API arrive over the live stream",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await visit(link, { "x-visitor-country": "DE" });
      await ann.open(`/links/${link.id}`);
      await page
        .getByRole("status")
        .filter({ hasText: /^Live$/ })
        .waitFor();
      const places = () => page.getByRole("list", { name: "Latest clicks" }).getByRole("listitem");
      await places().filter({ hasText: "Germany" }).waitFor();
      await visit(link, { "x-visitor-country": "JP" });
      await places().filter({ hasText: "Japan" }).waitFor();

      await expect.poll(() => page.getByTestId("total").innerText(), { timeout: 15_000 }).toBe("2");
      expect(await places().count()).toBe(2);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "rules are reordered with the keyboard, duplicated and removed",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const rules = ["DE", "FR", "US"].map((country) => ({ if: { country }, to: `https://example.com/${country}` }));
      const link = await dashboard.api().createLink({ routing: rules });
      await openTab(ann, link, "Rules");

      await page.getByRole("button", { name: "Rule 3: drag to reorder" }).focus();
      // The keys follow each other so fast that each arrives before the effect of the previous one is drawn.
      await Promise.all(["Space", "ArrowUp", "Space"].map((key) => page.keyboard.press(key)));
      const first = page.getByRole("listitem", { name: "Rule 1" });
      await page.getByRole("listitem", { name: "Rule 2" }).getByText("Visitors from the United States").waitFor();

      await page.getByRole("button", { name: "Rule 2: drag to reorder" }).focus();
      await Promise.all(["Space", "ArrowUp", "ArrowUp", "Escape"].map((key) => page.keyboard.press(key)));
      await page.getByText("Returned to its original place.").waitFor();
      const focused = page.getByRole("button", { name: "Rule 2: drag to reorder" });
      expect(await focused.evaluate((handle) => handle === document.activeElement)).toBe(true);
      await page.getByRole("listitem", { name: "Rule 2" }).getByText("Visitors from the United States").waitFor();

      await page.getByRole("button", { name: "Rule 1: more" }).click();
      await page.getByRole("menuitem", { name: "Duplicate" }).click();
      await page.getByRole("button", { name: "Save rules" }).click();
      // The copy comes after its original, which always matches first.
      await page.getByText("This rule never applies: rule 1 matches all its visitors first.").waitFor();
      await page.getByRole("button", { name: "Rule 1: more" }).click();
      await page.getByRole("menuitem", { name: "Remove" }).click();
      await first.getByText("Visitors from Germany").waitFor();
      expect(await page.getByText("never applies").count()).toBe(0);
      await page.getByRole("button", { name: "Rule 1: more" }).click();
      await page.getByRole("menuitem", { name: "Move down" }).click();
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("Rules saved").waitFor();
      expect((await saved(link)).routing.map(({ to }) => to.slice(-2))).toEqual(["US", "DE", "FR"]);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "every condition survives the editor unchanged, and editing one field keeps the others",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const condition = {
        after: "2026-01-01T00:00:00.123Z",
        before: "2036-01-01T00:00:00.000Z",
        browser: ["chrome", "safari"],
        city: ["São Paulo"],
        continent: "SA",
        country: ["BR", "AR"],
        device: ["mobile", "desktop"],
        language: "pt-BR",
        os: "android",
        percent: 12.5,
        query: { ref: true, utm_source: ["a", "b"] },
        referrer: "news.example.com",
        region: ["BR-SP", "BR-RJ"],
        source: "qr",
        time: { tz: "America/Sao_Paulo", days: ["mon", "sun"], from: "22:00", to: "06:30" },
        not: { country: "AR", time: { tz: "UTC", days: ["wed"] } },
      };
      const link = await dashboard.api().createLink({ routing: [{ if: condition, to: "https://example.com/a" }] });
      await openTab(ann, link, "Rules");
      await page.getByRole("button", { name: "Rule 1: edit" }).click();
      await ann.checkPage("link-rules-all");
      await page.getByLabel("Go to").fill("https://example.com/b");
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("Rules saved").waitFor();
      const [before, after] = [link.routing[0], (await saved(link)).routing[0]];
      expect(after?.to).toBe("https://example.com/b");
      expect(JSON.stringify(after?.if).replaceAll(/[[\]]/g, "")).toBe(
        JSON.stringify(before?.if).replaceAll(/[[\]]/g, ""),
      );
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "leaving unsaved rules asks for confirmation, and the draft is restored on return",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await page.goto(`${dashboard.base}/dashboard/links`);
      await page.getByRole("link", { name: `${link.domain}/${link.slug}`, exact: true }).click();
      await part(page, "Rules").click();
      await page.getByText("Example: Country is Germany").waitFor();
      await page.getByRole("button", { name: "Add your first rule" }).click();
      await page.getByLabel("Go to").fill("https://example.com/draft");
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("dialog").getByText("Leave without saving?").waitFor();
      await page.getByRole("button", { name: "Stay" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.getByLabel("Go to").inputValue()).toBe("https://example.com/draft");
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("button", { name: "Leave" }).click();
      await ann.waitForHeading("Account");
      await page.goBack();
      await page.getByText("https://example.com/draft").waitFor();
      expect((await saved(link)).routing).toEqual([]);
      await ann.close();
    },
    STORY_MS,
  );
});

describe("4 a link's properties", () => {
  test("a link that never existed or belongs to another account is reported as missing", async () => {
    const ann = await dashboard.signIn();
    const theirs = await dashboard.api("Free").createLink();
    for (const id of ["lnk_00000000000000000000000000", theirs.id]) {
      await ann.open(`/links/${id}`);
      await ann.page.getByRole("heading", { name: "Link not found" }).waitFor();
    }
    await ann.close();
  });

  test(
    "destination and expiry can be edited, and a concurrent change is not overwritten",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await ann.open(`/links/${link.id}?tab=rules`);
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Destination").fill("nowhere");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Enter a web address").waitFor();
      await ann.checkPage("link-edit");
      await dialog.getByLabel("Destination").fill("https://example.com/second");
      await dialog.getByLabel("Expires", { exact: true }).fill("2036-07-01T12:00:00");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      // Berlin is two hours ahead of UTC in July.
      expect(await saved(link)).toMatchObject({
        url: "https://example.com/second",
        expires_at: "2036-07-01T10:00:00.000Z",
      });
      await page.getByText("leads to https://example.com/second").waitFor();

      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { url: "https://example.com/theirs" });
      await dialog.getByRole("button", { name: "Clear: Expires" }).click();
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("This link was changed elsewhere").waitFor();
      await dialog.getByRole("button", { name: "Reload" }).click();
      await expect.poll(() => dialog.getByLabel("Destination").inputValue()).toBe("https://example.com/theirs");
      expect(await dialog.getByLabel("Expires", { exact: true }).inputValue()).toBe("");
      await dialog.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await saved(link)).toMatchObject({ url: "https://example.com/theirs", expires_at: null });
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "a concurrent change of the rules is kept or replaced by choice, never silently overwritten",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const rule = (to: string) => [{ if: { country: "DE" }, to }];
      const link = await dashboard.api().createLink({ routing: rule("https://example.com/1") });
      await openTab(ann, link, "Rules");
      await page.getByRole("button", { name: "Rule 1: edit" }).click();
      await page.getByLabel("Go to").fill("https://example.com/mine");
      await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { routing: rule("https://example.com/theirs") });
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("This link was changed elsewhere").waitFor();
      expect((await saved(link)).routing).toEqual(rule("https://example.com/theirs"));
      await page.getByRole("button", { name: "Keep mine" }).click();
      await page.getByText("This link was changed elsewhere").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("Rules saved").waitFor();
      expect((await saved(link)).routing).toEqual(rule("https://example.com/mine"));
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "a link is deleted after confirmation, and its short URL returns 410",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await ann.open(`/links/${link.id}`);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByLabel("Also delete its clicks").check();
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.method() === "DELETE"),
        page.getByRole("button", { name: "Delete link" }).click(),
      ]);
      expect(new URL(request.url()).search).toBe("?erase=true");
      await ann.waitForHeading("Links");
      expect((await fetch(link.short_url, { redirect: "manual" })).status).toBe(410);
      await page.goBack();
      await page.getByRole("heading", { name: "Link not found" }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("7 ranges", () => {
  test(
    "too many intervals are explained, with a longer interval offered, and days can be chosen",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboardLink(ann);
      await visit(link, { "x-visitor-country": "DE" });
      await ann.open(`/links/${link.id}`);
      await choose(page, page.getByRole("combobox", { name: "Range" }), "Last 90 days");
      await choose(page, page.getByRole("combobox", { name: "Interval" }), "By hour");
      await page.getByText("This range has more than 2,000 intervals of one hour").waitFor();
      await page.getByRole("button", { name: "Show by day" }).click();
      await page.getByRole("img", { name: "Chart of clicks by day: 1 in total, at most 1 per day" }).waitFor();
      await page.getByRole("button", { name: "Show as a table" }).click();
      expect(await page.getByRole("region", { name: "Clicks over time" }).getByRole("row").count()).toBe(91);

      await page.getByRole("combobox", { name: "Range" }).click();
      await page.getByRole("option", { name: "Custom range…" }).click();
      await page.getByLabel("First day").fill("2026-01-01");
      await page.getByLabel("Last day").fill("2026-01-31");
      await page.getByRole("button", { name: "Apply" }).click();
      await expect.poll(() => page.getByTestId("total").innerText()).toBe("0");
      await page.getByRole("heading", { name: "No clicks in this range" }).waitFor();
      await page.getByRole("button", { name: "Show all time" }).click();
      await expect.poll(() => page.getByTestId("total").innerText()).toBe("1");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("7 imported clicks", () => {
  test(
    "of years before a new link are in its statistics",
    async () => {
      const ann = await dashboard.signIn();
      const link = await dashboard.api().createLink();
      const clicks = ["2021-03-01T10:00:00Z", "2023-05-01T10:00:00Z"].map((at) => ({ at, country: "DE" }));
      await dashboard.api().call("PUT", `/v1/imports/imp_${"7".repeat(32)}/links/${link.id}`, { clicks });
      await openTab(ann, link, "Statistics");
      await row(ann.page, "Germany").filter({ hasText: "2" }).waitFor();
      await ann.page.getByText("Mar 2021").first().waitFor({ state: "attached" });
    },
    STORY_MS,
  );
});

describe("8 QR codes", () => {
  test(
    "a designed code is drawn, downloaded and readable, and its scans are counted",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openTab(ann, link, "QR code");
      await page.getByRole("img", { name: "Preview of the QR code" }).waitFor();
      await page.getByRole("textbox", { name: "Foreground" }).fill("#777777");
      await page.getByText("Contrast 4.47:1. Scanning requires at least 4.5:1.").waitFor();
      await page.getByRole("button", { name: "Create QR code" }).click();
      await page.getByText("These colors are too similar to scan.").waitFor();
      await page.getByRole("textbox", { name: "Foreground" }).fill("#102A83");
      await page.getByText("Easy to scan.").waitFor();

      const making = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("button", { name: "Create QR code" }).click();
      const made = QrCode.parse(await (await making).json());
      expect(made).toMatchObject({ format: "png", size: 512, fg: "#102A83", link_id: link.id });
      const card = page.getByRole("article", { name: `QR code ${made.id}` });
      const downloading = page.waitForEvent("download");
      await card.getByRole("button", { name: "Download" }).click();
      await page.getByRole("menuitem", { name: "Permanent image (PNG)" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe(`${made.id}.png`);
      const encoded = `${link.short_url}?qr=${made.id.replace("qr_", "")}`;
      expect(await decodeQrCode(readPng(await readDownload(download)), 10)).toEqual(readByAll(encoded));

      await page.getByRole("combobox", { name: "Pattern" }).click();
      await page.getByRole("option", { name: "Dots" }).click();
      await page.getByRole("combobox", { name: "Corners" }).click();
      await page.getByRole("option", { name: "Round", exact: true }).click();
      const save = async (format: string) => {
        await card.getByRole("button", { name: "Download" }).click();
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("menuitem", { name: format, exact: true }).click(),
        ]);
        return { name: file.suggestedFilename(), bytes: await readDownload(file) };
      };
      const png = await save("PNG");
      expect(png.name).toBe(`${made.id}.png`);
      const uri = `data:image/png;base64,${png.bytes.toString("base64")}`;
      const svgOfPng = `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"><image width="512" height="512" href="${uri}"/></svg>`;
      for (const svg of [svgOfPng, String((await save("SVG")).bytes)]) {
        expect(await decodeQrCode(await drawSvg(svg), 10)).toEqual(readByAll(encoded));
      }
      expect(String((await save("PDF for print")).bytes.subarray(0, 8))).toBe("%PDF-1.4");
      expect(String((await save("EPS for print")).bytes.subarray(0, 14))).toBe("%!PS-Adobe-3.0");
      await page.reload();
      await page.getByRole("button", { name: "QR sheet" }).click();
      await page.getByRole("radiogroup", { name: "Codes per row" }).getByText("4").click();
      await page.getByText(/^Each code is \d\.\d cm/).waitFor();
      await ann.checkPage("link-qr-sheet");
      const [sheet] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download PDF" }).click(),
      ]);
      expect(sheet.suggestedFilename()).toBe("qr-codes.pdf");
      expect((await readDownload(sheet)).length).toBeGreaterThan(5_000);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      // The browser remembers the design.
      expect(await page.getByRole("combobox", { name: "Pattern" }).inputValue()).toBe("Dots");
      expect(await page.getByRole("textbox", { name: "Foreground" }).inputValue()).toBe("#102A83");

      await ann.checkPage("link-qr");
      await fetch(encoded, { redirect: "manual" });
      await card.getByText("1 scan", { exact: true }).waitFor({ timeout: 20_000 });

      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Flyer");
      await page.getByRole("button", { name: "Create QR code" }).click();
      await page.getByRole("article").getByText("Flyer", { exact: true }).waitFor();
      await card.getByRole("button", { name: "Add name" }).click();
      await page.getByRole("textbox", { name: `Name of ${made.id}` }).fill("Poster");
      await page.keyboard.press("Enter");
      await card.getByText("Poster", { exact: true }).waitFor();
      await card.getByRole("button", { name: "Archive" }).click();
      await card.waitFor({ state: "detached" });
      await page.getByRole("switch", { name: "Show archived codes" }).check();
      await card.waitFor();
      expect(await page.getByText("Flyer").count()).toBe(0);
      await openTab(ann, link, "Statistics");
      await page
        .getByRole("tablist", { name: /Sources/ })
        .getByRole("tab", { name: "QR code" })
        .click();
      await page.getByRole("button", { name: `Poster (${made.id})` }).click();
      await page.getByText("QR code: Poster").waitFor();
      const savingCsv = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download sources", exact: true }).click();
      await page.getByRole("menuitem", { name: "Numbers (CSV)" }).click();
      expect(String(await readDownload(await savingCsv))).toMatch(
        new RegExp(`^\uFEFFqr,name,clicks\r?\n${made.id},Poster,1\r?\n`),
      );
      await openTab(ann, link, "QR code");

      // A code with a logo is denser. The image is an SVG.
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="#c00"/></svg>`;
      await page.locator('input[type="file"]').setInputFiles({
        name: "logo.svg",
        mimeType: "image/svg+xml",
        buffer: Buffer.from(svg),
      });
      await page.getByText("A logo needs the highest level").waitFor();
      // A removed file can be chosen again.
      expect(await page.locator('input[type="file"]').inputValue()).toBe("");
      const preview = page.getByRole("img", { name: "Preview of the QR code" });
      expect(decodeURIComponent((await preview.getAttribute("src")) ?? "")).toContain("<image");
      await page.getByRole("radiogroup", { name: "Format" }).getByText("SVG", { exact: true }).click();
      await page.getByRole("button", { name: "Create QR code" }).click();
      await page.getByText("Permanent image: SVG, 512 px, #102A83").waitFor();
      await page.locator('input[type="file"]').setInputFiles({
        name: "big.png",
        mimeType: "image/png",
        buffer: Buffer.alloc(65 * 1024),
      });
      await page.getByText("The file must be at most 64 KB.").waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("the look of a link's page", () => {
  test(
    "actions stay beside a long destination and in reach in a long form, and a link that is not open says what counts",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const url = "https://shop.example.com/collections/summer-sale?utm_source=newsletter&utm_medium=email";
      const link = await dashboardLink(ann, { url, starts_at: new Date(Date.now() + 86_400_000).toISOString() });
      await ann.setLook({ width: 1440, scheme: "light" });
      await ann.open(`/links/${link.id}`);
      await page.getByText("Visits are counted only while the link is open").waitFor();
      const box = async (shown: Locator) => {
        const { x, y, width, height } = (await shown.boundingBox()) ?? expect.fail("not shown");
        return { top: y, bottom: y + height, right: x + width, middle: y + height / 2 };
      };
      const edit = page.getByRole("button", { name: "Edit", exact: true });
      const heading = await box(page.getByRole("heading", { level: 1 }));
      expect(Math.abs((await box(edit)).middle - heading.middle)).toBeLessThan(8);
      const highest = page.locator(".recharts-surface").getByText("1", { exact: true });
      await highest.waitFor();
      const lines = page.locator(".recharts-cartesian-grid-horizontal line");
      const tops = await lines.evaluateAll((all) => all.map((line) => line.getBoundingClientRect().top));
      expect(Math.abs((await box(highest)).middle - Math.min(...tops))).toBeLessThan(3);

      await ann.setLook({ width: 390, scheme: "light" });
      const text = await page.getByText(`Leads to ${url}`).innerHTML();
      expect(text).toContain("https://shop.example.com/<wbr>collections/<wbr>summer-sale");
      await edit.click();
      const form = page.getByRole("dialog", { name: "Edit link" });
      await form.getByLabel("Destination").waitFor();
      const save = await box(form.getByRole("button", { name: "Save", exact: true }));
      expect(save.bottom).toBeLessThan((await box(form)).bottom);
      await ann.checkPage("edit-link");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("stored texts", () => {
  test(
    "markup in destinations, rules, referrers and cities is shown as text and never runs",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const markup = `"><img/src=x/onerror=globalThis.ran=1><script>globalThis.ran=1</script>`;
      const url = `https://example.com/${markup}`;
      const link = await dashboard.api().createLink({
        url,
        routing: [
          { if: { city: markup, query: { [markup]: markup } }, to: url },
          { if: { not: { city: markup } }, to: "https://example.com/safe" },
        ],
      });
      expect(await visit(link, { "x-visitor-city": markup, Referer: `https://a.example.com/${markup}` })).toContain(
        "example.com",
      );
      await page.addInitScript('document.addEventListener("securitypolicyviolation", () => (globalThis.ran = 2))');
      await ann.open(`/links/${link.id}`);
      await page.getByText(`Leads to ${url}`).waitFor();
      await page.getByRole("tab", { name: "City" }).click();
      await row(page, markup).waitFor({ timeout: 15_000 });
      await page.getByRole("tab", { name: "Destination" }).click();
      await row(page, url).waitFor();
      await part(page, "Rules").click();
      await page.getByRole("button", { name: "Rule 1: edit" }).click();
      expect(await page.getByLabel("Go to").inputValue()).toBe(url);
      await part(page, "QR code").click();
      await page.getByRole("img", { name: "Preview of the QR code" }).waitFor();
      expect(await page.evaluate(() => (globalThis as { ran?: number }).ran)).toBeUndefined();
      await ann.close();
    },
    STORY_MS,
  );
});
