/**
 * A marketer's first hour with an empty account, from the first link to one found among hundreds. Every step is checked as it
 * looks: accessible, without overflow, without a message in the console, and with the focus somewhere.
 */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";

import type { LinkPage } from "../../../src/core/contract/links.ts";
import { DashboardInput, type Way } from "../../support/dashboard-input.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { type DashboardUser, readDownload } from "../../support/dashboard-user.ts";

const STORY_MS = 900_000;

const dashboard = new DashboardTests();

/** All combinations take minutes: `FIRST_HOUR=all` runs them. */
const WAYS: readonly Way[] =
  process.env.FIRST_HOUR === "all"
    ? [
        ...([390, 768, 1_440] as const).flatMap((width) =>
          (["light", "dark"] as const).map((scheme): Way => ({ width, scheme, input: "mouse" })),
        ),
        { width: 1_440, scheme: "light", input: "keyboard" },
        { width: 768, scheme: "dark", input: "keyboard" },
      ]
    : [{ width: 390, scheme: "dark", input: "mouse" }];

test.each(WAYS.map((way) => [`${way.width} px, ${way.scheme}, ${way.input}`, way] as const))(
  "the first hour succeeds: %s",
  async (_name, way) => {
    const ann = await arrive();
    const messages: string[] = [];
    ann.page.on("console", (message) => messages.push(message.text()));
    await ann.setLook(way);
    await ann.open("/links");
    await firstHour(new DashboardInput(ann, way));
    expect(messages).toEqual([]);
    await ann.close();
  },
  STORY_MS,
);

/** With an account without links. On the Free plan, this pace would exceed the limit of requests per minute. */
async function arrive(): Promise<DashboardUser> {
  const ann = await dashboard.signIn("Premium");
  const [url, headers] = [`${ann.base}/dashboard/api/links`, { Origin: ann.base }];
  for (;;) {
    const page = await ann.context.request.get(`${url}?archived=any&limit=100`);
    const links = ((await page.json()) as LinkPage).data.map(({ id }) => ({ id }));
    if (links.length === 0) return ann;
    const deleted = await ann.context.request.post(`${url}/bulk-delete`, { data: { links }, headers });
    expect(deleted.status(), await deleted.text()).toBe(200);
  }
}

async function firstHour(hand: DashboardInput): Promise<void> {
  const mark = `hour-${Date.now()}`;
  await createFromPastedUrl(hand, mark);
  await comeBackToDraft(hand);
  await duplicate(hand);
  await changeTogether(hand);
  await filterList(hand);
  await compareAndFilter(hand, mark);
  await shareAndRevoke(hand);
  await importAndFind(hand, mark);
}

async function createFromPastedUrl(hand: DashboardInput, slug: string): Promise<void> {
  const { page } = hand;
  await page.getByRole("heading", { name: "No links yet" }).waitFor();
  await hand.check("01-empty");
  const heightOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;
  const [brand, menu] = [
    page.getByRole("link", { name: "Hoplink" }),
    page.getByRole("button", { name: "Account menu" }),
  ];
  expect(Math.abs((await heightOf(brand)) - (await heightOf(menu))), "the header is in one row").toBeLessThan(8);
  await hand.paste("https://example.com/spring-sale?utm_source=mail");
  const form = page.getByRole("dialog", { name: "Create a link" });
  expect(await form.getByLabel("Destination").inputValue()).toBe("https://example.com/spring-sale?utm_source=mail");
  await hand.type(form.getByLabel("Slug", { exact: true }), slug);
  await hand.check("02-create");
  await hand.use(form.getByRole("button", { name: "Create link", exact: true }));
  await closeCreated(hand, "03-created");
}

/** The dialog after creation has copied the short URL, and Enter closes it. */
async function closeCreated(hand: DashboardInput, name?: string): Promise<void> {
  const made = hand.page.getByRole("dialog", { name: "Link created" });
  await made.getByText("Copied. Press Enter to close.").waitFor();
  if (name) await hand.check(name);
  await hand.page.keyboard.press("Enter");
  await hand.waitUntilClosed(made);
}

async function comeBackToDraft(hand: DashboardInput): Promise<void> {
  const { page } = hand;
  await hand.useOrPress(page.getByRole("button", { name: "Create link" }), "c");
  const form = page.getByRole("dialog", { name: "Create a link" });
  await hand.type(form.getByLabel("Destination"), "example.com/newsletter");
  await hand.use(form.getByRole("button", { name: "Title and tags" }));
  await hand.type(form.getByLabel("Title", { exact: true }), "Newsletter, May issue");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.waitFor();
  await hand.check("04-discard");
  await hand.use(question.getByRole("button", { name: "Keep editing" }));
  await hand.waitUntilClosed(question);
  await page.reload();
  await form.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
  await hand.check("05-restored");
  await hand.use(form.getByRole("button", { name: "Create link", exact: true }));
  await closeCreated(hand);
}

async function duplicate(hand: DashboardInput): Promise<void> {
  const { page } = hand;
  const row = hand.row("Newsletter, May issue").first();
  await row.waitFor();
  if (hand.hasMouse) {
    await row.getByRole("button", { name: /^More actions for/ }).click();
    await hand.check("06-row-menu");
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
  } else {
    await hand.goToRow(0);
    await page.keyboard.press("d");
  }
  const form = page.getByRole("dialog", { name: "Create a link" });
  await hand.check("07-duplicate");
  await hand.use(form.getByRole("button", { name: "Create link", exact: true }));
  await closeCreated(hand);
  await expect.poll(() => hand.row("Newsletter, May issue").count()).toBe(2);
}

async function changeTogether(hand: DashboardInput): Promise<void> {
  const { page } = hand;
  const actions = page.getByRole("group", { name: "Selected links" });
  await hand.toggle(0, 1);
  await hand.check("08-selected");
  await hand.use(actions.getByRole("button", { name: "Tag", exact: true }));
  const tags = page.getByRole("dialog", { name: "Tags of 2 links" });
  await hand.type(tags.getByLabel("Tags", { exact: true }).and(page.locator("input")), "Spring");
  await page.keyboard.press("Enter");
  await hand.check("09-bulk-tag");
  await hand.use(tags.getByRole("button", { name: "Save" }));
  await page.getByText("2 links changed").waitFor();
  await hand.waitUntilClosed(tags);

  await hand.toggle(0, 1);
  await hand.use(actions.getByRole("button", { name: "QR sheet" }));
  const sheet = page.getByRole("dialog", { name: "QR sheet for 2 links" });
  await hand.check("10-qr-sheet");
  const pdf = await hand.download(() => hand.use(sheet.getByRole("button", { name: "Download PDF" })));
  expect(String((await readDownload(pdf)).subarray(0, 5))).toBe("%PDF-");
  await hand.waitUntilClosed(sheet);

  await hand.toggle(1);
  await hand.use(actions.getByRole("button", { name: "Archive" }));
  await page.getByText("1 link archived").waitFor();
  await expect.poll(() => hand.rows.count()).toBe(2);
  await hand.check("11-archived");
}

async function filterList(hand: DashboardInput): Promise<void> {
  const { page } = hand;
  await hand.unfold();
  await hand.choose(page.getByRole("combobox", { name: "Tags" }), "Spring");
  await expect.poll(() => hand.rows.count()).toBe(1);
  await page.keyboard.press("Escape");
  await hand.check("12-filtered");
  await page.getByText("1 of 1", { exact: true }).waitFor();
  await hand.use(page.getByRole("button", { name: "Clear filters" }));
  await expect.poll(() => hand.rows.count()).toBe(2);
}

async function compareAndFilter(hand: DashboardInput, slug: string): Promise<void> {
  const { page } = hand;
  for (const country of ["DE", "DE", "DE", "FR", "US"]) {
    const visit = await fetch(`${hand.ann.base}/${slug}`, {
      redirect: "manual",
      headers: { "x-visitor-country": country },
    });
    expect(visit.status).toBe(302);
  }
  await hand.use(page.getByRole("link", { name: new RegExp(`/${slug}$`) }));
  const total = () => page.getByTestId("total").innerText();
  await expect.poll(total).toBe("5");
  await hand.check("13-statistics");
  await page.getByText("→ https://example.com/spring-sale?utm_source=mail", { exact: true }).first().waitFor();
  await hand.choose(page.getByRole("combobox", { name: "Range" }), "Last 24 hours");
  await hand.unfold();
  await hand.choose(page.getByRole("combobox", { name: "Compare with" }), "Previous period");
  await page
    .getByTestId("total-change")
    .or(page.getByText(/Nothing to compare/))
    .waitFor();
  await hand.check("14-compared");
  await hand.use(page.getByRole("button", { name: "Add filter" }));
  await hand.choose(page.getByRole("combobox", { name: "Filter by" }), "Country");
  await hand.choose(page.getByRole("combobox", { name: "Values" }), "Germany");
  await page.keyboard.press("Escape");
  await hand.check("15-add-filter");
  await hand.use(page.getByRole("button", { name: "Apply" }));
  await expect.poll(total).toBe("3");
  await hand.check("16-statistics-filtered");
}

async function shareAndRevoke(hand: DashboardInput): Promise<void> {
  const { page } = hand;
  await hand.use(page.getByRole("button", { name: "Share", exact: true }));
  const dialog = page.getByRole("dialog", { name: "Share statistics of" });
  await dialog.getByText("Nothing is shared yet").waitFor();
  await hand.check("17-share");
  await hand.type(dialog.getByLabel("Name"), "Spring report");
  await hand.use(dialog.getByRole("button", { name: "Share page" }));
  const card = dialog.getByRole("listitem", { name: "Spring report" });
  const link = card.getByRole("link");
  await link.waitFor();
  await hand.check("18-shared");
  const url = (await link.getAttribute("href")) ?? "";
  const ben = await dashboard.newUser();
  await ben.setLook(hand.way);
  await ben.page.goto(url);
  await ben.waitForHeading("Spring report");
  await ben.page.getByText("5 clicks", { exact: true }).waitFor();
  await ben.checkLook(hand.nameOf("19-shared-page"));
  await hand.use(card.getByRole("button", { name: "Revoke" }));
  const question = page.getByRole("dialog", { name: "Revoke this page?" });
  await hand.check("20-revoke");
  await hand.use(question.getByRole("button", { name: "Revoke page" }));
  await dialog.getByText("Nothing is shared yet").waitFor();
  await ben.page.reload();
  await ben.waitForHeading("This page is not shared");
  await ben.checkLook(hand.nameOf("21-revoked-page"));
  await ben.close();
  await hand.use(dialog.getByRole("button", { name: "Close" }).last());
  await hand.waitUntilClosed(dialog);
}

async function importAndFind(hand: DashboardInput, mark: string): Promise<void> {
  const { page } = hand;
  await hand.use(page.getByRole("link", { name: "Links", exact: true }));
  await hand.ann.waitForHeading("Links");
  await hand.use(page.getByRole("link", { name: "Import", exact: true }));
  await hand.ann.waitForHeading("Import links");
  await hand.check("22-import");
  expect(await page.getByRole("link", { name: "Links", exact: true }).getAttribute("aria-current")).toBe("page");
  const rows = Array.from(
    { length: 200 },
    (_, i) =>
      `2024,go.example.com,${mark}-${i},,https://example.com/${i},Flyer number ${i} of the autumn fair,Autumn,3`,
  );
  const buffer = Buffer.from(["createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits", ...rows].join("\n"));
  const choose = page.getByRole("button", { name: "Choose a file" });
  await hand.chooseFile(choose, { name: "short_urls.csv", mimeType: "text/csv", buffer });
  const domain = page.getByRole("combobox", { name: /^go\.example\.com \(200 links\)/ });
  await domain.waitFor();
  await hand.choose(domain, /.+/);
  await page.getByText("200 links ready").waitFor();
  await hand.check("23-import-preview");
  await hand.use(page.getByRole("button", { name: "Import 200 links" }));
  await page.getByText("Import finished", { exact: true }).waitFor();
  await hand.check("24-imported");
  await hand.use(page.getByRole("link", { name: "Go to your links" }));
  await page.getByText("1–20 of 202", { exact: true }).waitFor();
  await hand.check("25-list");
  const isWhole = (element: Element) => element.scrollWidth <= element.clientWidth;
  expect(await page.getByText("Flyer number 199 of the autumn fair").evaluate(isWhole)).toBe(true);
  expect(await page.getByRole("navigation", { name: "Pages" }).evaluate(isWhole)).toBe(true);
  expect(await page.getByLabel("Links per page").evaluate(fitsIn)).toBe(true);
  await hand.useOrPress(page.getByLabel("Search links"), "/");
  await page.keyboard.type("number 137");
  await expect.poll(() => hand.rows.count()).toBe(1);
  await hand.row("Flyer number 137 of the autumn fair").waitFor();
  await hand.check("26-found");
}

/** Whether a select shows its whole text, which does not count as its content. */
function fitsIn(select: HTMLElement): boolean {
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  const canvas = document.createElement("canvas").getContext("2d");
  if (!canvas || !(select instanceof HTMLSelectElement)) return false;
  canvas.font = font;
  const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  return canvas.measureText(select.selectedOptions[0]?.text ?? "").width <= room;
}
