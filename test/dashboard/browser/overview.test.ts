/** The overview of all links, the first page after signing in, in a real browser. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { Io } from "../../../src/client/cli/io.ts";
import { main } from "../../../src/client/cli/main.ts";
import { DASHBOARD_FILES } from "../../../src/core/costs/prices.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";
import { pause } from "../../support/eventually.ts";
import { overviewCalls, withoutRange } from "../../support/overview-calls.ts";
import { createVisitedLink, IPHONE } from "../../support/visited-link.ts";

const STORY_MS = 600_000;
/** The account's numbers can be a minute old. */
const COUNTED = { timeout: 150_000 };

const dashboard = new DashboardTests();

const total = (page: Page) => page.getByTestId("total").innerText();
const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });
const search = (page: Page) => new URL(page.url()).searchParams;
const nameOf = (link: Link) => link.short_url.replace(/^https?:\/\//, "");

/** Imports a link on the import page, in another tab. */
async function importLink(ann: DashboardUser, domain: string, slug: string): Promise<void> {
  const tab = await ann.context.newPage();
  await tab.goto(`${ann.base}/dashboard/import`);
  const file = `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n2024,${domain},${slug},,https://example.com/,,,0`;
  const input = tab.locator("input[type=file]").first();
  await input.setInputFiles({ name: "short_urls.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  await tab.getByRole("button", { name: "Import 1 link" }).click();
  await tab.getByRole("rowheader", { name: "Created", exact: true }).waitFor();
  await tab.close();
}

/** Creates a link by `hoplink apply`. */
async function applyPlan(base: string, key: string, slug: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-overview-"));
  const file = join(folder, "links.yaml");
  writeFileSync(file, `managed_by: overview\nlinks:\n  - slug: ${slug}\n    url: https://example.com/\n`);
  const streams = { stdin: Readable.from([""]), stdout: new PassThrough(), stderr: new PassThrough() };
  const env = { HOPLINK_URL: base, HOPLINK_API_KEY: key };
  const code = await main(["apply", file, "--yes"], new Io({ ...streams, env }, new AbortController().signal));
  expect(code, String(streams.stderr.read())).toBe(0);
  rmSync(folder, { recursive: true });
}

describe("the overview", () => {
  test(
    "is the first page of a new account, leads to creating a link, and then names one to open",
    async () => {
      const ann = await dashboard.signUp();
      const { page } = ann;
      await page.getByRole("link", { name: "Overview", exact: true }).click();
      await ann.waitForHeading("Overview");
      await page.getByRole("heading", { name: "Get started" }).waitFor();
      await page.getByRole("heading", { name: "No links yet" }).waitFor(COUNTED);
      await page.getByText("Example: 128 clicks this week").waitFor();
      await ann.checkPage("overview-empty");
      await ann.switchMode("Test");
      await page.getByRole("heading", { name: "No test links yet" }).waitFor(COUNTED);
      await ann.switchMode("Live");
      await page.getByRole("link", { name: "Create your first link" }).click();
      await page.getByRole("dialog", { name: "Create a link" }).waitFor();

      // The newest link is paused: a click on it would not be counted.
      const send = async (data: object) => {
        const headers = { Origin: ann.base };
        return (await ann.context.request.post(`${ann.base}/dashboard/api/links`, { data, headers })).json();
      };
      const open = (await send({ url: "https://example.com/" })) as Link;
      await send({ url: "https://example.com/", paused: true });
      await ann.open("/?range=all");
      await page.getByRole("heading", { name: "No clicks yet" }).waitFor(COUNTED);
      expect(await page.getByRole("link", { name: nameOf(open) }).getAttribute("href")).toBe(open.short_url);
      await page.getByRole("button", { name: "Show steps" }).click();
      expect(await page.getByRole("link", { name: "Open link" }).getAttribute("href")).toBe(open.short_url);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "opens after sign-in if no other page was requested",
    async () => {
      const ann = await dashboard.newUser();
      const { email, password } = dashboard.server.accounts.Free;
      await ann.open("/sign-in");
      await ann.page.getByLabel("Email").fill(email);
      await ann.page.getByLabel(/^Password/).fill(password);
      await ann.page.getByRole("button", { name: "Sign in", exact: true }).click();
      await ann.waitForHeading("Overview");
      expect(new URL(ann.page.url()).pathname).toBe("/dashboard/");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("the overview of an account with clicks", () => {
  let ann: DashboardUser;
  let first: Link;
  let second: Link;

  beforeAll(async () => {
    ann = await dashboard.signIn();
    first = await createVisitedLink(dashboard.api(), { tags: ["Spring"], title: "Spring sale" });
    second = await dashboard.api().createLink();
    await fetch(second.short_url, { redirect: "manual", headers: { "x-visitor-country": "JP" } });
  }, STORY_MS);

  afterAll(() => ann?.close());

  test(
    "sums all links; a row of links, tags or countries filters everything and is kept in the address",
    async () => {
      const { page } = ann;
      await ann.open("/");
      await expect.poll(() => total(page), COUNTED).toBe("6");
      await expect.poll(() => page.getByTestId("visitors").innerText(), COUNTED).toBe("3");
      const links = page.getByRole("region", { name: "Links", exact: true });
      // Names are loaded when their rows come into view.
      await links.scrollIntoViewIfNeeded();
      await row(page, nameOf(first)).filter({ hasText: "83.3%" }).waitFor();
      await row(page, nameOf(second)).waitFor();
      const notes = page.getByRole("list", { name: "Changes and notes in this range" });
      await page.getByRole("button", { name: "Add note" }).click();
      const form = page.getByRole("dialog", { name: "Add note" });
      await form.getByRole("textbox", { name: "Note" }).fill("Trade fair");
      await form.getByRole("button", { name: "Save" }).click();
      await notes.getByText("Trade fair").waitFor();
      await ann.checkPage("overview");
      await page.reload();
      await notes.getByRole("button", { name: "Delete note Trade fair" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await notes.waitFor({ state: "detached" });

      await links.getByRole("button", { name: nameOf(first), exact: true }).click();
      await expect.poll(() => total(page), COUNTED).toBe("5");
      expect(search(page).get("link")).toBe(first.id);
      await page.getByRole("button", { name: `Remove filter Link: ${nameOf(first)}` }).waitFor();
      await row(page, "Germany").getByRole("button").click();
      await expect.poll(() => total(page), COUNTED).toBe("3");
      await page.reload();
      await expect.poll(() => total(page), COUNTED).toBe("3");
      await page.getByRole("button", { name: "Clear filters" }).click();

      await links.getByRole("tab", { name: "Tag" }).click();
      await row(page, "No tag").waitFor();
      await links.getByRole("button", { name: /^spring$/i }).click();
      await expect.poll(() => total(page), COUNTED).toBe("5");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await links.getByRole("tab", { name: "Link" }).click();
      await links.getByRole("link", { name: `Open ${nameOf(second)}` }).click();
      await ann.waitForHeading(nameOf(second));
    },
    STORY_MS,
  );

  test(
    "shows clicks on every link as they happen, and lights up their countries",
    async () => {
      const { page } = ann;
      await ann.open("/");
      await expect.poll(() => total(page), COUNTED).toBe("6");
      await page.getByText("Live", { exact: true }).last().waitFor();
      await page.locator("path[data-country=BR]").waitFor({ state: "attached" });
      const feed = page.getByRole("list", { name: "Latest clicks" });
      // Clicks from before the page was opened.
      await feed
        .getByRole("listitem")
        .filter({ hasText: "Japan" })
        .filter({ hasText: nameOf(second) })
        .waitFor(COUNTED);
      const light = page.locator("svg circle").first().waitFor({ state: "attached", timeout: 60_000 });
      await fetch(second.short_url, {
        redirect: "manual",
        headers: { "x-visitor-country": "BR", "User-Agent": IPHONE },
      });
      await feed
        .getByRole("listitem")
        .filter({ hasText: "Brazil" })
        .filter({ hasText: nameOf(second) })
        .waitFor();
      await light;
      await expect.poll(() => total(page), COUNTED).toBe("7");
    },
    STORY_MS,
  );

  test(
    "shows clicks within 3 s on links created in the dashboard, by the API, by an import and by a plan",
    async () => {
      const { page } = ann;
      await ann.open("/");
      await page.getByText("Live", { exact: true }).last().waitFor();
      const created = await ann.context.request.post(`${ann.base}/dashboard/api/links`, {
        data: { url: "https://example.com/by-hand" },
        headers: { Origin: ann.base },
      });
      const slugs = { import: `imported-${Date.now()}`, plan: `planned-${Date.now()}` };
      await importLink(ann, first.domain, slugs.import);
      await applyPlan(ann.base, dashboard.server.accounts.Premium.live, slugs.plan);
      const urls = [
        ((await created.json()) as Link).short_url,
        (await dashboard.api().createLink()).short_url,
        ...Object.values(slugs).map((slug) => `${ann.base}/${slug}`),
      ];
      const feed = page.getByRole("list", { name: "Latest clicks" });
      for (const url of urls) {
        const visitedAt = Date.now();
        expect((await fetch(url, { redirect: "manual" })).status, url).toBe(302);
        await feed
          .getByRole("listitem")
          .filter({ hasText: url.replace(/^https?:\/\//, "") })
          .waitFor();
        expect(Date.now() - visitedAt, url).toBeLessThan(3_000);
      }
    },
    STORY_MS,
  );

  test("shows the progress of counting past clicks, and reports when counting has stalled", async () => {
    const { page } = ann;
    let counted: object = { as_of: "2026-01-02T03:04:05.000Z", progress: 0.43 };
    await page.route(/\/dashboard\/api\/stats\?/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...counted } });
    });
    await ann.open("/");
    await page.getByText("Counting earlier clicks · 43%").waitFor();
    await page.getByRole("progressbar", { name: "Counting progress" }).waitFor();
    counted = { as_of: "2026-01-02T03:04:05.000Z" };
    await page.getByText(/^Counted up to .*\. Some links are not responding/).waitFor({ timeout: 60_000 });
    await page.unrouteAll({ behavior: "wait" });
  });
});

test(
  "sends each request once and loads few files",
  async () => {
    const ann = await dashboard.signIn("Free");
    const link = await dashboard.api("Free").createLink();
    await ann.page.goto("about:blank");
    const calls: string[] = [];
    let files = 0;
    ann.page.on("request", (request) => {
      const { origin, pathname, search } = new URL(request.url());
      const [, call] = pathname.split("/dashboard/api");
      if (call !== undefined) calls.push(withoutRange(call + search));
      else if (origin === ann.base) files += 1;
    });
    await ann.open("/");
    const expected = overviewCalls(link.id).sort();
    await expect.poll(() => calls.toSorted(), COUNTED).toEqual(expected);
    // A duplicate request would come later.
    await pause(2_000);
    expect(calls.toSorted()).toEqual(expected);
    expect(files).toBeLessThanOrEqual(DASHBOARD_FILES);
    await ann.page.getByRole("button", { name: "Show all time" }).click();
    await ann.page.getByText(`Example: ${nameOf(link)}`).waitFor();
    await ann.close();
  },
  STORY_MS,
);
