/** User flows in the rule editor: sentences and clicks, the menu of conditions, focus, drafts, the dry run. */
import { describe, expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";

const STORY_MS = 600_000;
const TO = "https://example.com/de";

type Plan = "Premium" | "Free";

const dashboard = new DashboardTests();

const saved = async (link: Link, plan: Plan = "Premium") =>
  Link.parse(await dashboard.api(plan).call("GET", `/v1/links/${link.id}`));

const openRules = (person: DashboardUser, link: Link) => person.open(`/links/${link.id}?tab=rules`);

/** Adds a rule that sends visitors from Germany to TO. */
async function addFirstRule({ page }: DashboardUser): Promise<void> {
  await page.getByRole("button", { name: "Add your first rule" }).click();
  await page.keyboard.type("Germ");
  await page.keyboard.press("Enter");
  await page.getByLabel("Go to").fill(TO);
}

async function visit(link: Link, country: string): Promise<void> {
  await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
}

/** The accessible name of the focused element. */
const focused = ({ page }: DashboardUser) =>
  page.evaluate("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent");

describe("5 reading rules", () => {
  test(
    "rules are sentences with their clicks, and the last one is “Everyone else”",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink({
        url: `https://example.com/${"long/".repeat(380)}`,
        routing: [
          { if: { country: ["DE", "AT"], device: "other" }, to: TO },
          { if: { query: { ref: "x".repeat(150) }, not: { source: "qr" } }, to: `${TO}/${"path/".repeat(300)}` },
        ],
      });
      for (const country of ["DE", "AT", "US"]) await visit(link, country);
      await openRules(ann, link);
      const first = page.getByRole("listitem", { name: "Rule 1" });
      await first.getByText("Visitors from Austria or Germany on another device").waitFor();
      // Clicks are counted after the redirect.
      await expect
        .poll(
          async () => {
            await page.reload();
            await first.waitFor();
            return first.getByText("2 clicks", { exact: true }).count();
          },
          { timeout: 60_000, interval: 1_000 },
        )
        .toBe(1);
      const second = page.getByRole("listitem", { name: "Rule 2" });
      await second
        .getByText(/^Visitors with “ref” set to “x{40}…” in the link, except those who scan a QR code$/)
        .waitFor();
      await second.getByText("0 clicks", { exact: true }).waitFor();
      const others = page.getByRole("group", { name: "Everyone else" });
      await others.getByText("1 click", { exact: true }).waitFor();
      await others.getByText(link.url).waitFor();
      for (const card of [second, others]) expect((await card.boundingBox())?.height).toBeLessThan(200);
      await ann.checkPage("rules-read");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("5 building rules", () => {
  test(
    "all conditions are in view, each gets the focus when it is added, and Enter selects the typed value",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openRules(ann, link);
      await page.getByRole("button", { name: "Add your first rule" }).click();
      await expect.poll(() => focused(ann)).toBe("Rule 1: Country");
      const country = page.getByRole("combobox", { name: "Rule 1: Country", exact: true });
      await page.keyboard.type("Germ");
      await page.keyboard.press("Enter");
      await page.getByText("Germany (DE)").first().waitFor();
      await page.keyboard.type("at");
      await page.keyboard.press("Enter");
      await page.getByText("Visitors from Austria or Germany").waitFor();
      await country.press("Escape");

      const menu = page.getByRole("menu");
      const menuItems = menu.getByRole("menuitem");
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await page.getByRole("button", { name: "Rule 1: add a condition" }).click();
        await expect.poll(() => menuItems.count()).toBe(19);
        const frame = await menu.boundingBox();
        for (const item of await menuItems.all()) {
          const box = await item.boundingBox();
          expect(box && frame && box.y >= 0 && box.y + box.height <= Math.min(844, frame.y + frame.height)).toBe(true);
          expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true);
        }
        if (width === 1280) await ann.checkPage("rules-menu");
        await page.keyboard.press("Escape");
        await menu.waitFor({ state: "detached" });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      for (const [name, label] of [
        ["City", "Rule 1: City"],
        ["Share of visitors", "Rule 1: Share of visitors"],
        ["Query parameter", "Rule 1: Query parameter, name 1"],
        ["After a date", "Rule 1: After a date"],
      ] as const) {
        await page.getByRole("button", { name: "Rule 1: add a condition" }).click();
        await page.getByRole("menuitem", { name, exact: true }).click();
        await expect.poll(() => focused(ann)).toBe(label);
      }
      await page.getByRole("button", { name: "Rule 1: add an exception" }).click();
      await expect.poll(() => focused(ann)).toBe("Rule 1, exception: Country");
      await page.getByRole("button", { name: "Rule 1: Query parameter: add a parameter" }).click();
      await expect.poll(() => focused(ann)).toBe("Rule 1: Query parameter, name 2");

      // Missing values are explained, and no example text is red.
      await page.getByRole("button", { name: "Save rules" }).click();
      const card = page.getByRole("listitem", { name: "Rule 1" });
      await card.getByText("Choose or type at least one.").first().waitFor();
      await card.getByText("Choose a date and a time.").waitFor();
      await card.getByText("Enter a web address, such as https://example.com/page.").waitFor();
      const colorOf = (label: string) =>
        page.evaluate<string>(
          `getComputedStyle(document.querySelector(${JSON.stringify(`[aria-label="${label}"]`)}), "::placeholder").color`,
        );
      expect(await colorOf("Rule 1: City")).toBe(await colorOf("Rule 1: Query parameter, name 1"));
      await ann.checkPage("rules-incomplete");
      expect((await saved(link)).routing).toEqual([]);
      await ann.close();
    },
    STORY_MS,
  );
});

describe("7 drafts of rules", () => {
  test(
    "can be tried before they are saved, survive a reload, and are removed when they are saved",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openRules(ann, link);
      await page.getByRole("button", { name: "Add your first rule" }).click();
      await page.keyboard.type("Germ");
      await page.keyboard.press("Enter");
      await page.getByLabel("Go to").fill("example.com/de");
      await page.getByText("see where your unsaved rules would send them").waitFor();
      const tryAs = async (country: string) => {
        await page.getByRole("combobox", { name: "Country", exact: true }).fill(country);
        await page.getByRole("option", { name: country }).click();
        await page.getByRole("button", { name: "Simulate visit" }).click();
      };
      await tryAs("Germany (DE)");
      await page.getByText(`Goes to ${TO}`).waitFor();
      await page.getByText("Matched rule: Visitors from Germany").waitFor();
      await tryAs("France (FR)");
      await page.getByText("Does not match: Country").waitFor();
      expect((await saved(link)).routing).toEqual([]);

      await page.reload();
      await page.getByText("You have unsaved rules").waitFor();
      expect(await page.getByRole("listitem", { name: "Rule 1" }).count()).toBe(0);
      await ann.checkPage("rules-offer");
      await page.getByRole("button", { name: "Continue editing" }).click();
      await page.getByRole("listitem", { name: "Rule 1" }).getByText("Visitors from Germany").waitFor();
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("Rules saved").waitFor();
      expect((await saved(link)).routing).toEqual([{ if: { country: "DE" }, to: TO }]);
      await page.reload();
      await page.getByRole("listitem", { name: "Rule 1" }).waitFor();
      expect(await page.getByText("You have unsaved rules").count()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "have a value that was typed, but not entered",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const routing = [{ if: { city: "Berlin" }, to: TO }];
      const link = await dashboard.api().createLink({ routing });
      await openRules(ann, link);
      await page.getByRole("listitem", { name: "Rule 1" }).getByRole("button", { name: /edit/i }).click();
      const city = page.getByLabel("Rule 1: City", { exact: true }).and(page.locator("input"));
      await city.pressSequentially("Ham");
      await expect.poll(() => page.evaluate<string>("JSON.stringify(localStorage)")).toContain("Ham");
      expect(await city.inputValue()).toBe("Ham");
      await city.pressSequentially("burg");
      await city.press("Enter");
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("Rules saved").waitFor();
      expect((await saved(link)).routing).toEqual([{ if: { city: ["Berlin", "Hamburg"] }, to: TO }]);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "never replace rules that were saved later without confirmation",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openRules(ann, link);
      await addFirstRule(ann);
      const theirs = [{ if: { country: "FR" }, to: "https://example.com/fr" }];
      await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { routing: theirs });
      await page.reload();
      await page.getByText("Other rules have been saved since.").waitFor();
      await page.getByRole("listitem", { name: "Rule 1" }).getByText("Visitors from France").waitFor();
      await page.getByRole("button", { name: "Continue editing" }).click();
      await page.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("This link was changed elsewhere").waitFor();
      expect((await saved(link)).routing).toEqual(theirs);

      await page.reload();
      await page.getByRole("button", { name: "Discard them" }).click();
      await page.reload();
      await page.getByRole("listitem", { name: "Rule 1" }).getByText("Visitors from France").waitFor();
      expect(await page.getByText("You have unsaved rules").count()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "on a link that is not open yet: a dry run says so, and shows where visitors go instead, and with which path",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink({ starts_at: "2098-01-01T00:00:00Z" });
      await openRules(ann, link);
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText("The link is not open yet at that time. Visitors get an error page.").waitFor();
      await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { fallback_url: "https://example.com/soon" });
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText("Visitors go to https://example.com/soon").waitFor();
      await page.getByText("More details").click();
      await page.getByLabel("Path after the slug").fill("page");
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText("The link does not forward this path. Visitors get an error page.").waitFor();
      await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { forward_path: true, starts_at: null });
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText(`Goes to ${link.url}page`).waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "that are invalid say so when they are tried, and signing out removes all drafts",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openRules(ann, link);
      await page.getByRole("button", { name: "Add your first rule" }).click();
      await page.getByLabel("Go to").fill(TO);
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText("Your rules have errors.").waitFor();
      await page.getByRole("listitem", { name: "Rule 1" }).getByText("Choose or type at least one.").waitFor();
      const drafts = () => page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft')).length");
      expect(await drafts()).toBe(1);
      dashboard.forgetSession();
      await page.getByRole("button", { name: "Account menu" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("dialog").getByText("Your unsaved changes will be lost.").waitFor();
      await page.getByRole("button", { name: "Leave", exact: true }).click();
      await ann.waitForHeading("Sign in");
      expect(await drafts()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );
});

describe("7 changes while rules are being saved", () => {
  test(
    "are kept as unsaved, and the next save includes them",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openRules(ann, link);
      await addFirstRule(ann);
      const save = page.getByRole("button", { name: "Save rules" });
      let goOn = () => {};
      const held = new Promise<void>((resolve) => (goOn = resolve));
      await page.route("**/api/links/*", async (route) => {
        if (route.request().method() === "PATCH") await held;
        await route.continue();
      });
      await save.click();
      await page.getByLabel("Go to").fill(`${TO}/newer`);
      goOn();
      await page.getByText("Rules saved").waitFor();
      expect(await page.getByLabel("Go to").inputValue()).toBe(`${TO}/newer`);
      expect((await saved(link)).routing).toEqual([{ if: { country: "DE" }, to: TO }]);
      await save.click();
      await save.waitFor({ state: "detached" });
      expect((await saved(link)).routing).toEqual([{ if: { country: "DE" }, to: `${TO}/newer` }]);
      expect(await page.getByLabel("Go to").count()).toBe(1);
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await ann.close();
    },
    STORY_MS,
  );
});

describe("7 leaving unsaved rules", () => {
  test(
    "asks for confirmation from shortcuts, the palette and the mode switch too",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboard.api().createLink();
      await openRules(ann, link);
      await page.getByRole("button", { name: "Add your first rule" }).click();
      await page.getByLabel("Go to").fill(TO);
      await page.getByRole("heading", { level: 1 }).click();
      const question = page.getByRole("dialog", { name: "Leave without saving?" });
      const stay = async () => {
        await question.getByRole("button", { name: "Stay" }).click();
        await question.waitFor({ state: "detached" });
        expect(page.url()).toContain(link.id);
      };
      await page.keyboard.press("c");
      await stay();
      await ann.switchMode("Test");
      await stay();
      expect(await page.getByText("Test mode.").count()).toBe(0);
      const choose = async (action: string) => {
        await page.getByRole("button", { name: "Search or jump to…" }).click();
        await page.getByRole("textbox", { name: "Search or jump to" }).fill(action);
        await page.getByRole("button", { name: action }).waitFor();
        await page.keyboard.press("Enter");
      };
      await choose("Switch to test mode");
      await stay();
      await choose("Domains");
      await question.getByRole("button", { name: "Leave" }).click();
      await ann.waitForHeading("Domains");
      await page.keyboard.press("c");
      await page.getByRole("dialog", { name: "Create a link" }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("7 rules on the Free plan", () => {
  test(
    "the page says before any input that rules cannot be saved, but they can be tried",
    async () => {
      const ben = await dashboard.signIn("Free");
      const { page } = ben;
      const link = await dashboard.api("Free").createLink();
      await openRules(ben, link);
      await page.getByText("Saving rules requires the Premium plan").waitFor();
      await ben.checkPage("rules-free");
      await addFirstRule(ben);
      await page.getByText("Not saved: rules require the Premium plan").waitFor();
      expect(await page.getByRole("button", { name: "Save rules" }).isDisabled()).toBe(true);
      const country = page.getByRole("combobox", { name: "Country", exact: true });
      await country.click();
      await page.keyboard.type("Germ");
      await page.getByRole("option", { name: "Germany (DE)" }).and(page.locator("[data-combobox-selected]")).waitFor();
      await page.keyboard.press("Enter");
      expect(await country.inputValue()).toBe("Germany (DE)");
      await page.getByRole("button", { name: "Simulate visit" }).click();
      await page.getByText(`Goes to ${TO}`).waitFor();
      expect((await saved(link, "Free")).routing).toEqual([]);
      await ben.close();
    },
    STORY_MS,
  );
});
