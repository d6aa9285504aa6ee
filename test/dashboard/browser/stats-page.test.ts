/** The statistics page in a real browser: address, filters, comparison, names, pictures and downloads. */

import Papa from "papaparse";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ClickPage } from "../../../src/core/contract/clicks.ts";
import { DAY_MS } from "../../../src/core/time.ts";
import { Stats } from "../../../src/core/contract/stats.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { type DashboardUser, readDownload } from "../../support/dashboard-user.ts";
import { createVisitedLink, VISITS } from "../../support/visited-link.ts";

const STORY_MS = 600_000;
const dashboard = new DashboardTests();
let ann: DashboardUser;

beforeAll(async () => {
  ann = await dashboard.signIn();
});

afterAll(async () => {
  await ann?.context.close();
});

const visitedLink = () => createVisitedLink(dashboard.api());

const total = (page: Page) => page.getByTestId("total").innerText();
const row = (page: Page, name: string) => page.getByRole("row").filter({ has: page.getByRole("button", { name }) });
const search = (page: Page) => new URL(page.url()).search;

async function choose(page: Page, input: Locator, option: string): Promise<void> {
  await input.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test(
  "every click of the range is saved as a file, and refusals are explained",
  async () => {
    const { page } = ann;
    const link = await visitedLink();
    await ann.open(`/links/${link.id}?range=day`);
    await expect.poll(() => total(page)).toBe("5");
    const save = async (item: string) => {
      await page.getByRole("button", { name: "Download clicks over time" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const saved = async (item: string) => {
      const [download] = await Promise.all([page.waitForEvent("download"), save(item)]);
      return { name: download.suggestedFilename(), text: String(await readDownload(download)) };
    };
    const csv = await saved("All clicks, including bots (CSV)");
    expect(csv.name).toBe(`${link.slug}-clicks.csv`);
    const { data } = Papa.parse<Record<string, string>>(csv.text.trim().replace(/^\uFEFF/, ""), { header: true });
    expect(data.map(({ seq, country }) => [seq, country])).toEqual(
      VISITS.map(({ country }, i) => [String(i + 1), country]),
    );
    expect(csv.text.startsWith("\uFEFF")).toBe(true);
    const ndjson = await saved("All clicks, including bots (NDJSON)");
    expect(ndjson.name).toBe(`${link.slug}-clicks.ndjson`);
    const { data: clicks } = ClickPage.parse(await dashboard.api().call("GET", `/v1/links/${link.id}/clicks`));
    expect(ndjson.text).toBe(clicks.map((click) => `${JSON.stringify(click)}\n`).join(""));

    await ann.open(`/links/${link.id}?${new URLSearchParams({ range: "day", country: "DE", device: "desktop" })}`);
    await expect.poll(() => total(page)).toBe("2");
    const matching = await saved("Filtered clicks, including bots (NDJSON)");
    const matches = clicks.filter(({ country, device }) => country === "DE" && device === "desktop");
    expect(matching.text).toBe(matches.map((click) => `${JSON.stringify(click)}\n`).join(""));
    await ann.open(`/links/${link.id}?range=day`);
    await expect.poll(() => total(page)).toBe("5");

    const message = "The range has 60,000 clicks: limit must be at most 50,000";
    const error = { code: "validation_failed", message, param: "limit", request_id: "req_1", doc_url: "" };
    await page.route("**/downloads/**", (route) => route.fulfill({ status: 422, json: { error } }));
    await save("All clicks, including bots (CSV)");
    await page.getByText("There are too many clicks for one file. Choose a shorter range.").waitFor();
    await page.unroute("**/downloads/**");
    ann.pageErrors.length = 0;
  },
  STORY_MS,
);

test(
  "a page that shows today shows the next day when it is looked at again",
  async () => {
    const late = await dashboard.signIn();
    const { page } = late;
    const link = await visitedLink();
    const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
    const days = (from: number, to: number) =>
      new RegExp(`^${format.formatRange(from, to).replaceAll(/\s/g, String.raw`\s`)}$`);
    const now = Date.now();
    await page.clock.setFixedTime(now - DAY_MS);
    await late.open(`/links/${link.id}?range=today&tz=UTC`);
    await page.getByText(days(now - DAY_MS, now)).waitFor();
    await page.clock.setFixedTime(now);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText(days(now, now)).waitFor();
    expect(await total(page)).toBe("5");
    // Its clock stays replaced.
    await late.context.close();
    expect(late.pageErrors).toEqual([]);
  },
  STORY_MS,
);

describe("4 the address", () => {
  test(
    "keeps range, interval, time zone, cards and tab: a reload, Back and another browser show the same",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await ann.open(`/links/${link.id}`);
      await expect.poll(() => total(page)).toBe("5");
      await choose(page, page.getByRole("combobox", { name: "Range" }), "Last 24 hours");
      await choose(page, page.getByRole("combobox", { name: "Interval" }), "By minute");
      await page.getByRole("combobox", { name: "Time zone" }).fill("Asia/Tokyo");
      await page.getByRole("option", { name: "Asia/Tokyo", exact: true }).click();
      await page.getByRole("tab", { name: "System" }).click();
      await row(page, "iOS").waitFor();
      const address = "?range=day&interval=minute&tz=Asia%2FTokyo&devices=os";
      expect(search(page)).toBe(address);

      await page.getByRole("tab", { name: "QR code", exact: true }).first().click();
      await expect.poll(() => search(page)).toBe(`${address}&tab=qr`);
      await page.goBack();
      await row(page, "iOS").waitFor();
      await page.goBack();
      await row(page, "Mobile").waitFor();
      expect(search(page)).toBe("?range=day&interval=minute&tz=Asia%2FTokyo");
      await page.goForward();

      await page.reload();
      await row(page, "iOS").waitFor();
      const shows = async (name: string) => page.getByRole("combobox", { name }).inputValue();
      expect([await shows("Range"), await shows("Interval"), await shows("Time zone")]).toEqual([
        "Last 24 hours",
        "By minute",
        "Asia/Tokyo",
      ]);
    },
    STORY_MS,
  );

  test("with invalid values shows the defaults", async () => {
    const { page } = ann;
    const link = await visitedLink();
    await ann.open(`/links/${link.id}?range=century&from=2026-99-99&tz=Mars&interval=x&places=planet&tab=nothing`);
    await expect.poll(() => total(page)).toBe("5");
    expect(await page.getByRole("combobox", { name: "Range" }).inputValue()).toBe("All time");
  });
});

describe("5 the latest clicks", () => {
  test(
    "have date and time in the chosen zone and the browser's format",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await ann.open(`/links/${link.id}?tz=Pacific%2FAuckland`);
      const times = page.getByRole("list", { name: "Latest clicks, newest first" }).locator("time");
      await expect.poll(() => times.count(), { timeout: 20_000 }).toBe(5);
      const newest = times.first();
      const at = new Date((await newest.getAttribute("datetime")) ?? "");
      const format = { dateStyle: "medium", timeStyle: "medium", timeZone: "Pacific/Auckland" } as const;
      expect(await newest.innerText()).toBe(new Intl.DateTimeFormat("en-GB", format).format(at));
    },
    STORY_MS,
  );

  test(
    "are read again after a night in which the computer slept, instead of every click since",
    async () => {
      const late = await dashboard.signIn();
      const { page } = late;
      const link = await visitedLink();
      // Streams that end immediately, after a place from which the next one resumes.
      const resumed: (string | undefined)[] = [];
      await page.route("**/events/stream*", (route) => {
        resumed.push(route.request().headers()["last-event-id"]);
        return route.fulfill({ contentType: "text/event-stream", body: "id: place\nevent: ready\ndata: {}\n\n" });
      });
      await late.open(`/links/${link.id}`);
      const clicks = page.getByRole("list", { name: "Latest clicks, newest first" }).getByRole("listitem");
      await expect.poll(() => clicks.count(), { timeout: 20_000 }).toBe(5);
      await fetch(link.short_url, { redirect: "manual" });
      await expect.poll(() => resumed.slice(0, 2), { timeout: 20_000 }).toEqual([undefined, "place"]);
      expect(await clicks.count()).toBe(5);
      let now = Date.now();
      const countNextDay = async () => {
        await page.clock.setFixedTime((now += DAY_MS));
        return clicks.count();
      };
      await expect.poll(countNextDay, { timeout: 30_000, interval: 500 }).toBe(6);
      expect(resumed.slice(1)).toContain(undefined);
      // Its clock stays replaced.
      await late.context.close();
      expect(late.pageErrors).toEqual([]);
    },
    STORY_MS,
  );
});

describe("12 comparison", () => {
  test("with the period before shows the change and a second line, or why there is none", async () => {
    const { page } = ann;
    const link = await visitedLink();
    await ann.open(`/links/${link.id}?range=day&compare=period`);
    await page.getByText("Nothing to compare: the link is newer.").waitFor();

    // Simulates an old link with four clicks in the previous 24 hours.
    await page.route(`**/dashboard/api/links/${link.id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), created_at: "2024-01-01T00:00:00.000Z" } });
    });
    await page.route(/\/stats\?.*&to=/, async (route) => {
      const response = await route.fetch();
      // The page retries what the service refuses for a moment.
      if (!response.ok()) return route.fulfill({ response });
      const stats = Stats.parse(await response.json());
      const series = stats.series.map((bin, index) => ({ ...bin, clicks: index === 0 ? 4 : 0 }));
      await route.fulfill({ response, json: { ...stats, total: 4, series } });
    });
    await page.reload();
    await expect.poll(() => page.getByTestId("total-change").innerText()).toBe("+25% from 4");
    await page.locator(".recharts-line path[stroke-dasharray]").first().waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Show as a table" }).click();
    await page.getByRole("columnheader", { name: "Previous period" }).waitFor();
    const table = page.getByRole("region", { name: "Clicks over time" });
    expect(await table.getByRole("row").nth(1).getByRole("cell").last().innerText()).toBe("4");

    // Neither the figures nor the chart move when the comparison ends.
    const places = () =>
      page.evaluate(`["[data-testid=visitors]", "svg.recharts-surface"].map((selector) => {
        const [{ x, y }, card] = [document.querySelector(selector), document.querySelector("[aria-labelledby=series-title]")].map((one) => one.getBoundingClientRect());
        return [x - card.x, y - card.y];
      })`);
    const compared = await places();
    await choose(page, page.getByRole("combobox", { name: "Compare with" }), "Nothing");
    await page.getByTestId("total-change").waitFor({ state: "detached" });
    expect(await places()).toEqual(compared);
    await page.unrouteAll({ behavior: "wait" });
  });
});

test(
  "12 changes and notes are marked on the chart, whose legend names every series, on phones and in print",
  async () => {
    const { page } = ann;
    const link = await visitedLink();
    const routing = [{ if: { country: "DE" }, to: "https://example.com/de" }];
    await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { routing });
    await dashboard.api().call("PATCH", `/v1/links/${link.id}`, { paused: true, title: "Paused" });
    await page.route(`**/dashboard/api/links/${link.id}`, async (route) => {
      const response = await route.fetch();
      const clicks_before = { clicks: 12_345, until: "2024-05-01T00:00:00.000Z", source: "Bitly" };
      await route.fulfill({ response, json: { ...(await response.json()), clicks_before } });
    });
    await ann.open(`/links/${link.id}?range=month`);
    await expect.poll(() => total(page)).toBe("5");
    await page.getByText("12,345 more clicks were counted by Bitly").waitFor();
    const legend = page.getByRole("list", { name: "Legend" }).getByRole("listitem");
    await expect.poll(() => legend.allInnerTexts()).toEqual(["Clicks", "Visitors", "Incomplete"]);
    await page.locator("rect[data-incomplete]").waitFor();

    const marks = page.getByRole("list", { name: "Changes and notes in this range" }).getByRole("listitem");
    const texts = async () => (await marks.allInnerTexts()).map((text) => text.split(/\n+/).slice(0, 2).join(" "));
    await expect.poll(texts).toEqual(["1 Rules changed (version 2)", "2 Paused (version 3)"]);
    await page.getByRole("button", { name: "Add note" }).click();
    const form = page.getByRole("dialog", { name: /^(Add|Edit) note$/ });
    await form.getByRole("textbox", { name: "Note" }).fill("Poster printed");
    await page.reload();
    await page.getByRole("button", { name: "Add note" }).click();
    await form.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
    expect(await form.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Poster printed");
    await form.getByRole("button", { name: "Save" }).click();
    await expect.poll(texts).toHaveLength(3);
    expect(await texts()).toContain("3 Poster printed");
    await page.getByText("1, 2, 3", { exact: true }).waitFor();

    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Edit note Poster printed" }).click();
    await form.getByRole("textbox", { name: "Note" }).fill("Poster put up");
    await form.getByRole("button", { name: "Save" }).click();
    await expect.poll(texts).toContain("3 Poster put up");
    await page.getByRole("button", { name: "Delete note Poster put up" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(texts).toHaveLength(2);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate("scrollTo(0, 0)");
    const box = await page.getByTestId("total").boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(600);
    expect(await page.getByRole("combobox", { name: "Interval" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Interval" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await ann.checkPage("link-stats-marks");

    await page.emulateMedia({ media: "print" });
    await page.getByRole("navigation").first().waitFor({ state: "hidden" });
    expect(await page.getByRole("button", { name: "Add note" }).isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
  },
  STORY_MS,
);

test(
  "the chart's ticks have even distances, its tooltip fits on a phone, and the latest clicks fill their card",
  async () => {
    const { page } = ann;
    const link = await visitedLink();
    await ann.open(`/links/${link.id}?range=day`);
    const ticks = page.locator(".recharts-xAxis-tick-labels text");
    await expect.poll(() => ticks.count()).toBeGreaterThan(3);
    for (const text of await ticks.allTextContents()) expect(text).toMatch(/^\d+ \w+, \d\d:\d\d$/);
    const places = await ticks.evaluateAll((texts) => texts.map((text) => Number(text.getAttribute("x"))));
    const steps = places.slice(1).map((place, index) => Math.round(place - (places[index] ?? 0)));
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1);

    const list = page.getByRole("list", { name: "Latest clicks, newest first" });
    const card = page.getByRole("region", { name: "Latest clicks" });
    const bottom = async (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().bottom);
    expect((await bottom(card)) - (await bottom(list))).toBeLessThan(32);

    await page.setViewportSize({ width: 390, height: 844 });
    // Days: all time of a new link is minutes, and a bin that began after the clicks has no bar.
    await ann.open(`/links/${link.id}?range=month`);
    const chart = page.locator("svg.recharts-surface").first();
    await page.locator("rect[data-incomplete]").hover();
    const tooltip = page.locator(".mantine-ChartTooltip-tooltip");
    await tooltip.waitFor();
    const right = async (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);
    expect(await right(tooltip)).toBeLessThanOrEqual(await right(chart));
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  STORY_MS,
);

describe("10, 12 names and pictures", () => {
  test(
    "countries have flags, regions have names, software has icons, and hours and weekdays have a heat map",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await ann.open(`/links/${link.id}?places=region&tz=UTC`);
      await row(page, "Berlin, Germany").filter({ hasText: "40.0%" }).waitFor();
      await row(page, "Bayern, Germany").waitFor();
      const flags = page.locator("tbody tr img");
      await expect.poll(() => flags.count()).toBe(4);
      await expect
        .poll(() =>
          flags.evaluateAll((images) => images.every((image) => (image as HTMLImageElement).naturalWidth > 0)),
        )
        .toBe(true);
      expect(await row(page, "Mobile").locator("svg").count()).toBe(1);

      await page.getByRole("heading", { name: "Busiest hours" }).scrollIntoViewIfNeeded();
      const cells = page.getByRole("region", { name: "Busiest hours" }).locator("td[data-level]");
      await expect.poll(() => cells.count()).toBe(7 * 24);
      const counts = await cells.allTextContents();
      expect(counts.reduce((sum, text) => sum + Number(text), 0)).toBe(5);
      await ann.checkPage("link-stats-regions");
    },
    STORY_MS,
  );
});

describe("12 downloads", () => {
  async function download(page: Page, start: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
    const [file] = await Promise.all([page.waitForEvent("download"), start()]);
    return { name: file.suggestedFilename(), bytes: await readDownload(file) };
  }

  test(
    "every card is a CSV file with exact numbers and a PNG",
    async () => {
      const { page } = ann;
      const link = await visitedLink();
      await ann.open(`/links/${link.id}?interval=hour&tz=UTC`);
      await expect.poll(() => total(page)).toBe("5");
      await page.locator("svg.recharts-surface").first().waitFor();
      await page.getByRole("heading", { name: "Busiest hours" }).scrollIntoViewIfNeeded();
      await page.getByRole("region", { name: "Busiest hours" }).waitFor();
      const rows = ({ bytes }: { bytes: Buffer }) =>
        Papa.parse<Record<string, string>>(bytes.toString("utf8").replace("\uFEFF", ""), {
          header: true,
          skipEmptyLines: true,
        }).data;
      const save = (card: string, item: string) =>
        download(page, async () => {
          await page.getByRole("button", { name: `Download ${card}`, exact: true }).click();
          await page.getByRole("menuitem", { name: item }).click();
        });
      const countries = [
        { country: "DE", name: "Germany", clicks: "3" },
        { country: "FR", name: "France", clicks: "1" },
        { country: "US", name: "United States", clicks: "1" },
      ];

      for (const [card, file, picture] of [
        ["clicks over time", "clicks-by-hour", "clicks"],
        ["map", "country", "map"],
        ["places", "country", "country"],
        ["devices", "device", "device"],
        ["busiest hours", "busiest-hours", "busiest-hours"],
      ] as const) {
        const csv = await save(card, "Numbers (CSV)");
        expect(csv.name).toBe(`${link.slug}-${file}.csv`);
        expect(rows(csv).reduce((sum, { clicks }) => sum + Number(clicks), 0)).toBe(5);
        if (file === "country") expect(rows(csv)).toEqual(countries);
        const png = await save(card, "Picture (PNG)");
        expect(png.name).toBe(`${link.slug}-${picture}.png`);
        const { width, height, colors } = await pictureOf(page, png.bytes);
        expect(Math.min(width, height)).toBeGreaterThan(300);
        // The page's background, shapes in the page's colors, and anti-aliased letters.
        expect(colors).toBeGreaterThan(10);
      }
    },
    STORY_MS,
  );
});

/** The size and number of colors of an image, as the browser decodes it. */
function pictureOf(page: Page, bytes: Buffer): Promise<{ width: number; height: number; colors: number }> {
  return page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob("${bytes.toString("base64")}"), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    return { width: image.width, height: image.height, colors: new Set(pixels).size };
  })()`);
}

test(
  "a link's statistics are shared with people who are not signed in, and revoked",
  async () => {
    const { page } = ann;
    const link = await visitedLink();
    await ann.open(`/links/${link.id}?range=day`);
    await expect.poll(() => total(page)).toBe("5");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Share statistics of" });
    await dialog.getByText("Nothing is shared yet").waitFor();
    const name = "Spring <b>report</b>";
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Last day").fill("2099-01-01");
    await dialog.getByRole("button", { name: "Share page" }).click();
    await dialog.getByText("must be a day that is over").waitFor();
    await dialog.getByLabel("Last day").fill("");
    await dialog.getByRole("button", { name: "Share page" }).click();
    await page.getByText("Page shared. Copy its address.").waitFor();
    const card = dialog.getByRole("listitem", { name });
    await card.getByText("All time · Country, Device, Referrer").waitFor();
    await ann.checkPage("share-dialog");
    const url = await ann.copy(card.getByRole("button", { name: `Copy address of “${name}”` }));
    expect(url).toMatch(/\/share\/shr_[0-9a-f]{64}$/);

    const ben = await dashboard.newUser();
    const requested: string[] = [];
    ben.page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await ben.page.goto(url);
    await ben.waitForHeading(name);
    await ben.page.getByText("5 clicks", { exact: true }).waitFor();
    await ben.page.getByText(/^Since /).waitFor();
    expect(await ben.page.getByRole("cell", { name: "All others" }).count()).toBe(3);
    // The tallest group is beside the others.
    const lefts = (await ben.page.locator("section").all()).slice(1).map(async (one) => (await one.boundingBox())?.x);
    expect(new Set(await Promise.all(lefts)).size).toBe(2);
    await ben.checkPage("shared-page");
    const token = url.split("/").pop() ?? "";
    expect(
      [...new Set(requested)].filter((path) => !/^\/dashboard\/assets\/(?:share|logo)-/.test(path)).sort(),
    ).toEqual([`/dashboard/api/shared/${token}`, `/share/${token}`]);
    expect(await ben.context.cookies()).toEqual([]);

    await card.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog", { name: "Revoke this page?" }).getByRole("button", { name: "Revoke page" }).click();
    await dialog.getByText("Nothing is shared yet").waitFor();
    await ben.page.reload();
    await ben.waitForHeading("This page is not shared");
    await ben.checkPage("shared-page-revoked");
    // The browser reports responses with status 404.
    ben.pageErrors.length = 0;
    await ben.context.close();

    await ann.open("/?tag=spring");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("dialog", { name: "Share statistics of spring" }).getByLabel("First day").waitFor();
    await ann.open("/");
    await ann.waitForHeading("Overview");
    await page.getByRole("combobox", { name: "Range" }).waitFor();
    expect(await page.getByRole("button", { name: "Share", exact: true }).count()).toBe(0);
  },
  STORY_MS,
);
