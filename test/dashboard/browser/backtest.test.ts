/** Tries unsaved rules in the rule editor on the clicks of the last month. */
import { expect, test } from "vitest";

import { ClickPage } from "../../../src/core/contract/clicks.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";

const STORY_MS = 600_000;
const HOME = "https://example.com/home";
const BACKTEST = "**/dashboard/api/links/*/backtest";

const dashboard = new DashboardTests();

const panel = ({ page }: DashboardUser) => page.getByRole("region", { name: "Test on recent clicks" });
const tryButton = (person: DashboardUser) => panel(person).getByRole("button", { name: "Test these rules" });

/** Sends visits and waits for their clicks, which are stored after the redirect. */
async function visit(link: Link, countries: readonly string[], search = ""): Promise<void> {
  const before = await clicksOf(link);
  for (const country of countries) {
    await fetch(link.short_url + search, { redirect: "manual", headers: { "x-visitor-country": country } });
  }
  await expect.poll(() => clicksOf(link), { timeout: 60_000 }).toBe(before + countries.length);
}

async function clicksOf(link: Link): Promise<number> {
  return ClickPage.parse(await dashboard.api().call("GET", `/v1/links/${link.id}/clicks`)).data.length;
}

/** The rows of the table: the rule and its clicks before and after. */
async function rowsOf(person: DashboardUser): Promise<string[][]> {
  const rows = panel(person).getByRole("table", { name: "Clicks by rule" }).locator("tbody tr");
  return Promise.all((await rows.all()).map((row) => row.locator("th, td").allInnerTexts()));
}

async function addGermany({ page }: DashboardUser): Promise<void> {
  await page.getByRole("button", { name: "Add your first rule" }).click();
  await page.keyboard.type("Germ");
  await page.keyboard.press("Enter");
  await page.getByLabel("Go to").fill("example.com/de");
}

test(
  "5 shows which clicks would have gone elsewhere, with samples; works by keyboard, and is outdated when rules change",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const link = await dashboard.api().createLink({ url: HOME });
    await visit(link, ["DE", "US", "DE", "DE"]);
    await ann.open(`/links/${link.id}?tab=rules`);
    await page.getByRole("button", { name: "Add your first rule" }).waitFor();
    expect(await panel(ann).count()).toBe(0);
    await addGermany(ann);
    await panel(ann).getByText("See where your unsaved rules would have sent").waitFor();
    await tryButton(ann).focus();
    await page.keyboard.press("Enter");
    await panel(ann).getByText("3 of 4 clicks would have gone to another destination.").waitFor();
    expect(await rowsOf(ann)).toEqual([
      ["Visitors from Germany", "0", "3"],
      ["Everyone else", "4", "1"],
    ]);
    const samples = panel(ann).getByRole("list", { name: "Sample clicks" }).getByRole("listitem");
    expect(await samples.count()).toBe(3);
    await samples
      .first()
      .getByText(/, \d\d:\d\d · Germany · Other$/)
      .waitFor();
    await samples.first().getByText(`Went to ${HOME}`).waitFor();
    await samples.first().getByText("Would go to https://example.com/de").waitFor();
    await ann.checkPage("backtest");
    expect(Link.parse(await dashboard.api().call("GET", `/v1/links/${link.id}`))).toEqual(link);

    await page.getByLabel("Go to").fill(HOME);
    await panel(ann).getByText("The rules have changed since this test. Test them again.").waitFor();
    await tryButton(ann).click();
    await panel(ann).getByText("All 4 clicks would have gone to the same destination.").waitFor();
    expect(await panel(ann).getByText("The rules have changed since").count()).toBe(0);
    expect(await panel(ann).getByRole("list", { name: "Sample clicks" }).count()).toBe(0);
    await ann.close();
  },
  STORY_MS,
);

test(
  "5 reports a link without clicks, rules with errors, and clicks that cannot be evaluated",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const routing = [{ if: { query: { ref: "poster" } }, to: "https://example.com/poster" }];
    const link = await dashboard.api().createLink({ url: HOME });
    await ann.open(`/links/${link.id}?tab=rules`);
    await addGermany(ann);
    await tryButton(ann).click();
    await panel(ann).getByText("This link has no clicks in the last 30 days").waitFor();
    await ann.checkPage("backtest-empty");
    await page.getByLabel("Go to").fill("");
    await tryButton(ann).click();
    await panel(ann).getByText("Your rules have errors. Correct the marked ones, then try again.").waitFor();
    await page.getByText("Enter a web address, such as https://example.com/page.").waitFor();

    const other = await dashboard.api().createLink({ url: HOME });
    await visit(other, ["DE", "FR"], "?ref=poster");
    await dashboard.api().call("PATCH", `/v1/links/${other.id}`, { routing });
    await visit(other, ["FR"], "?ref=poster");
    await ann.open(`/links/${other.id}?tab=rules`);
    await panel(ann).getByText("See where these rules would have sent").waitFor();
    await tryButton(ann).click();
    await panel(ann).getByText("2 clicks could not be evaluated and are not included.").waitFor();
    expect(await rowsOf(ann)).toEqual([
      ["Visitors with “ref” set to “poster” in the link", "1", "1"],
      ["Everyone else", "2", "0"],
    ]);
    await ann.checkPage("backtest-undecided");
    await ann.close();
  },
  STORY_MS,
);

test(
  "5 reports its progress while it runs, and can be tried again when it fails",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const link = await dashboard.api().createLink({
      url: HOME,
      routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
    });
    await visit(link, ["DE"]);
    await ann.open(`/links/${link.id}?tab=rules`);
    const held: (() => void)[] = [];
    await page.route(BACKTEST, (route) => void held.push(() => void route.abort()));
    await tryButton(ann).click();
    await panel(ann).getByText("Evaluating the clicks of the last 30 days…").waitFor();
    await expect.poll(() => held.length).toBe(1);
    for (const fail of held) fail();
    await panel(ann).getByText("The rules could not be tested").waitFor();
    await ann.checkPage("backtest-failed");
    await page.unroute(BACKTEST);
    await panel(ann).getByRole("button", { name: "Try again" }).click();
    await panel(ann).getByText("The one click would have gone to the same destination.").waitFor();
    await ann.close();
  },
  STORY_MS,
);
