/** Bulk changes of selected links, tags, and QR codes from a row, in a browser. */
import type { Locator, Route } from "playwright-core";
import { describe, expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";
import { readDownload } from "../../support/dashboard-user.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

/** A new account with links whose slugs end in their number. */
async function arriveWithLinks(fields: Record<string, unknown>[]) {
  const ann = await dashboard.register();
  const { page } = ann;
  const mark = `bulk-${Date.now()}`;
  const links = fields.map((more, i) => ({ url: `https://example.com/${i}`, slug: `${mark}-${i}`, ...more }));
  const response = await page.request.post(`${dashboard.base}/dashboard/api/links/bulk`, {
    data: { links },
    headers: { Origin: dashboard.base },
  });
  expect(response.status(), await response.text()).toBe(200);
  await ann.open("/links");
  const list = page.getByRole("region", { name: "Links", exact: true });
  await list.getByRole("listitem").first().waitFor();
  const row = (number: number) =>
    list.getByRole("listitem").filter({ has: page.getByRole("link", { name: new RegExp(`/${mark}-${number}$`) }) });
  const select = async (...numbers: number[]) => {
    for (const number of numbers) await row(number).getByRole("checkbox").check();
  };
  return { ann, page, list, row, select, status: (number: number) => visitStatus(`${mark}-${number}`) };
}

/** The response above a rate limit. */
function tooMany(seconds: number) {
  const error = { code: "rate_limited", message: "Too many" };
  return { status: 429, headers: { "Retry-After": String(seconds) }, json: { error } };
}

async function visitStatus(slug: string): Promise<number> {
  return (await fetch(`${dashboard.base}/${slug}`, { redirect: "manual" })).status;
}

describe("selected links", () => {
  test(
    "are deleted together, and refused ones are listed, stay selected and can be retried",
    async () => {
      const { ann, page, list, row, select, status } = await arriveWithLinks(Array.from({ length: 5 }, () => ({})));
      await select(0, 2, 3);
      const actions = list.getByRole("group", { name: "Selected links" });
      await actions.getByRole("button", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete these 3 links?" });
      await ann.checkPage("links-bulk-delete");
      // One link is refused, as if changed concurrently. The others are really deleted.
      await page.route("**/links/bulk-delete", async (route) => {
        const { links } = route.request().postDataJSON() as { links: { id: string }[] };
        const answer = await route.fetch({ postData: JSON.stringify({ links: links.slice(1) }) });
        const { results } = (await answer.json()) as { results: unknown[] };
        const refused = { error: { code: "unavailable", message: "try later" } };
        await route.fulfill({ json: { results: [refused, ...results] } });
      });
      await dialog.getByRole("button", { name: "Delete 3 links" }).click();
      await dialog.getByText("1 link was refused").waitFor();
      await dialog.getByText(/-3: try later/).waitFor();
      await page.getByText("2 links deleted").waitFor();
      await ann.checkPage("links-bulk-refused");
      await page.unroute("**/links/bulk-delete");
      await expect.poll(() => list.getByRole("listitem").count()).toBe(3);
      await list.getByText("1 selected").waitFor();
      expect(await row(3).getByRole("checkbox").isChecked()).toBe(true);
      expect(await status(3)).toBe(302);
      await dialog.getByRole("button", { name: "Try again" }).click();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
      for (const number of [0, 2, 3]) await expect.poll(() => status(number), { timeout: 12_000 }).toBe(410);
      for (const number of [1, 4]) expect(await status(number)).toBe(302);
      expect(await actions.count()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "are paused, resumed, archived and unarchived, and a single one by its menu, with the keyboard",
    async () => {
      const { ann, page, list, row, select, status } = await arriveWithLinks([{}, { paused: true }, {}]);
      const actions = list.getByRole("group", { name: "Selected links" });
      const action = (name: string) => actions.getByRole("button", { name, exact: true });
      await select(0, 1);
      expect(await actions.getByRole("button").allTextContents()).toEqual([
        "Tag",
        "Change destination",
        "Set expiry",
        "QR sheet",
        "Export",
        "Hand over to the API",
        "Pause",
        "Resume",
        "Archive",
        "Delete",
      ]);
      await ann.checkPage("links-bulk-actions");
      await action("Pause").press("Enter");
      const dialog = page.getByRole("dialog", { name: "Pause these 2 links?" });
      await ann.checkPage("links-bulk-pause");
      await dialog.getByRole("button", { name: "Pause" }).press("Enter");
      await page.getByText("2 links paused").waitFor();
      await row(0).getByText("Paused", { exact: true }).waitFor();
      await expect.poll(() => status(0), { timeout: 12_000 }).toBe(404);
      await select(0, 1);
      // Others change nothing that keeps visitors out, so they need no confirmation.
      await page.route("**/links/bulk-update", async (route) => {
        const answer = await route.fetch();
        const { results } = (await answer.json()) as { results: unknown[] };
        const refused = { error: { code: "unavailable", message: "try later" } };
        await route.fulfill({ json: { results: [results[0], refused] } });
      });
      await action("Resume").press("Enter");
      const refusals = page.getByRole("dialog", { name: "Resume 2 links" });
      await refusals.getByText("1 link was refused").waitFor();
      await page.unroute("**/links/bulk-update");
      await refusals.getByRole("button", { name: "Try again" }).click();
      await refusals.waitFor({ state: "detached" });
      await expect.poll(() => row(0).getByText("Paused", { exact: true }).count()).toBe(0);
      await expect.poll(() => status(1), { timeout: 12_000 }).toBe(302);
      await select(0, 1);
      await action("Archive").press("Enter");
      await page.getByText("2 links archived").waitFor();
      await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
      await page.getByLabel("Status").selectOption("Archived");
      await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
      await select(1);
      await action("Unarchive").press("Enter");
      await page.getByText("1 link unarchived").waitFor();
      await expect.poll(() => list.getByRole("listitem").count()).toBe(1);

      const choose = async (menu: Locator, name: string) => {
        await menu.press("Enter");
        const item = page.getByRole("menuitem", { name, exact: true });
        await item.waitFor();
        while (!(await item.evaluate((element) => element.matches(":focus")))) await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
      };
      await choose(row(0).getByRole("button", { name: /^More actions for/ }), "Unarchive");
      await page.getByText(/-0 is no longer archived$/).waitFor();
      await page.getByRole("button", { name: "Show all links" }).click();
      await choose(row(2).getByRole("button", { name: /^More actions for/ }), "Pause");
      await page.getByText(/-2 is paused$/).waitFor();
      await row(2).getByText("Paused", { exact: true }).waitFor();
      await row(2).getByRole("link").first().click();
      const menu = page.getByRole("button", { name: /^More actions for/ });
      await choose(menu, "Resume");
      await page.getByText("Active", { exact: true }).waitFor();
      await choose(menu, "Archive");
      await page.getByText("Archived", { exact: true }).waitFor();
      await menu.click();
      await page.getByRole("menuitem", { name: "Unarchive" }).waitFor();
      await ann.checkPage("link-menu");
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "are handed over to the API, also from the page of a link",
    async () => {
      const { ann, page, list, row, select } = await arriveWithLinks([{}, {}, {}]);
      const origins = () =>
        page.evaluate(async () => {
          const { data } = (await (await fetch("/dashboard/api/links?sort=created_at")).json()) as {
            data: { id: string }[];
          };
          const answers = data.map(async ({ id }) => (await fetch(`/dashboard/api/links/${id}/origin`)).json());
          return ((await Promise.all(answers)) as { origin: string }[]).map(({ origin }) => origin);
        });
      expect(await origins()).toEqual(["dashboard", "dashboard", "dashboard"]);
      await select(0, 1);
      await list.getByRole("button", { name: "Hand over to the API" }).click();
      const dialog = page.getByRole("dialog", { name: "Hand these 2 links over to the API?" });
      await ann.checkPage("links-bulk-hand-over");
      await dialog.getByRole("button", { name: "Hand over to the API" }).click();
      await page.getByText("2 links handed over to the API").waitFor();
      expect(await origins()).toEqual(["api", "api", "dashboard"]);
      await row(2).getByRole("link").first().click();
      const menu = page.getByRole("button", { name: /^More actions for/ });
      const open = page.getByRole("menuitem", { name: "Hand over to the API" });
      await menu.click();
      await open.click();
      await page.getByRole("dialog").getByRole("button", { name: "Hand over to the API" }).click();
      await page.getByText("1 link handed over to the API").waitFor();
      await menu.click();
      await page.getByRole("menuitem", { name: "Archive" }).waitFor();
      await open.waitFor({ state: "detached" });
      expect(await origins()).toEqual(["api", "api", "api"]);

      const address = page.url();
      await page.getByRole("menuitem", { name: "Duplicate" }).click();
      const copy = page.getByRole("dialog", { name: "Create a link" });
      expect(await copy.getByLabel("Destination").inputValue()).not.toBe("");
      await copy.getByRole("button", { name: "Create link" }).click();
      const made = page.getByRole("dialog", { name: "Link created" });
      await made.getByRole("link", { name: "Open" }).click();
      await made.waitFor({ state: "detached" });
      await expect.poll(() => page.url()).not.toBe(address);
      expect(await origins()).toEqual(["api", "api", "api", "dashboard"]);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "can get an expiry, end now or never expire, and a failed request keeps the choice",
    async () => {
      const { ann, page, list, row, select, status } = await arriveWithLinks([{}, {}, {}]);
      await select(0, 1);
      await list.getByRole("button", { name: "Set expiry" }).click();
      const dialog = page.getByRole("dialog", { name: "Expiry of 2 links" });
      expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
      await dialog.getByLabel("Expires").fill("2099-05-01T12:00");
      await ann.checkPage("links-bulk-expiry");
      await page.route("**/links/bulk-update", (route) => route.abort());
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("The server cannot be reached").waitFor();
      await page.unroute("**/links/bulk-update");
      await dialog.getByRole("button", { name: "Try again" }).click();
      await dialog.waitFor({ state: "detached" });
      await row(0).getByText("Until 1 May 2099").waitFor();
      await row(1).getByText("Until 1 May 2099").waitFor();
      expect(await row(2).getByText("Until").count()).toBe(0);

      await select(0);
      await list.getByRole("button", { name: "Set expiry" }).click();
      const one = page.getByRole("dialog", { name: "Expiry of 1 link" });
      await one.getByLabel("Now").check();
      await one.getByRole("button", { name: "Save" }).click();
      await row(0).getByText("Expired").waitFor();
      await expect.poll(() => status(0), { timeout: 12_000 }).toBe(410);
      await select(0);
      await list.getByRole("button", { name: "Set expiry" }).click();
      await one.getByLabel("Never").check();
      await one.getByRole("button", { name: "Save" }).click();
      await row(0).getByText("Expired").waitFor({ state: "detached" });
      await expect.poll(() => status(0), { timeout: 12_000 }).toBe(302);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "keep their rows and the dialog while nothing can be read, and a retry changes them",
    async () => {
      const { ann, page, list, row, select } = await arriveWithLinks([{}, {}]);
      await select(0, 1);
      await list.getByRole("button", { name: "Set expiry" }).click();
      const dialog = page.getByRole("dialog", { name: "Expiry of 2 links" });
      await dialog.getByLabel("Expires").fill("2099-05-01T12:00");
      await ann.context.setOffline(true);
      await page.getByText("You are offline.", { exact: true }).waitFor();
      await dialog.getByRole("button", { name: "Save" }).click();
      await list.getByRole("alert").getByText("This could not be loaded").waitFor();
      await dialog.getByText("You are offline. Try again when you are connected.").waitFor();
      await row(1).waitFor();
      await ann.context.setOffline(false);
      await dialog.getByRole("button", { name: "Try again" }).click();
      await dialog.waitFor({ state: "detached" });
      for (const number of [0, 1]) await row(number).getByText("Until 1 May 2099").waitFor();
      await list.getByRole("alert").waitFor({ state: "detached" });
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "can be tagged and untagged, and a tag filters the list and is in the URL",
    async () => {
      const { ann, page, list, row, select } = await arriveWithLinks([
        { title: "Spring sale", tags: ["Print"] },
        { tags: ["Print", "old"] },
        {},
      ]);
      await row(0).getByText("Spring sale").waitFor();
      await select(0, 2);
      await list.getByRole("button", { name: "Tag", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Tags of 2 links" });
      await dialog.getByLabel("Tags", { exact: true }).and(page.locator("input")).fill("PRINT");
      await page.keyboard.press("Enter");
      await dialog.getByLabel("Tags", { exact: true }).and(page.locator("input")).fill("Summer");
      await page.keyboard.press("Enter");
      await ann.checkPage("links-bulk-tags");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      await row(2).getByRole("button", { name: "Summer" }).waitFor();
      expect(await row(0).getByRole("button", { name: "Print" }).count()).toBe(1);
      await ann.checkPage("links-tags");

      await row(1).getByRole("button", { name: "old" }).click();
      await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
      expect(new URL(page.url()).search).toBe("?tag=old");
      await page.reload();
      await row(1).waitFor();
      expect(await list.getByRole("listitem").count()).toBe(1);
      await select(1);
      await list.getByRole("button", { name: "Tag", exact: true }).click();
      const one = page.getByRole("dialog", { name: "Tags of 1 link" });
      await one.getByText("Remove tags").click();
      await one.getByLabel("Tags", { exact: true }).and(page.locator("input")).fill("OLD");
      await page.keyboard.press("Enter");
      await one.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "No links match" }).waitFor();
      await page.getByRole("button", { name: "Show all links" }).click();
      await row(1).getByRole("button", { name: "Print" }).waitFor();
      expect(await row(1).getByRole("button", { name: "old" }).count()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );
});

describe("destinations", () => {
  test(
    "on all pages are changed by find and replace: previewed, continued after a rate limit and a lost response, refusals listed; a change can be stopped",
    async () => {
      const { ann, page, list, select } = await arriveWithLinks(
        Array.from({ length: 32 }, (_, i) => ({
          url: `https://example.com/${i}`,
          title: `Link ${i}`,
          ...(i === 31 ? { fallback_url: "https://example.com/over" } : {}),
        })),
      );
      const url = `${dashboard.base}/dashboard/api/links`;
      const stored = async () => {
        const { data } = (await (await page.request.get(`${url}?limit=100&sort=created_at`)).json()) as {
          data: { id: string; url: string; fallback_url?: string }[];
        };
        return data;
      };
      const [first] = await stored();
      await list.getByRole("checkbox", { name: "Select all links on this page" }).check();
      await list.getByText("20 selected").waitFor();
      await list.getByRole("button", { name: "Select all matching links" }).click();
      await list.getByText("32 selected").waitFor();
      await page.request.patch(`${url}/${first?.id}`, {
        data: { url: "https://example.com/theirs" },
        headers: { Origin: dashboard.base },
      });
      await list.getByRole("button", { name: "Change destination" }).click();
      const dialog = page.getByRole("dialog", { name: "Destinations of 32 links" });
      await dialog.getByText("Enter a text to see what will change.").waitFor();
      await dialog.getByLabel("Find").fill("nowhere");
      await dialog.getByText("None of the selected links contains this text.").waitFor();
      await dialog.getByLabel("Find").fill("//example.com");
      await dialog.getByText("32 links of 32 will change").waitFor();
      await dialog.getByText("not a valid URL").first().waitFor();
      // The result contains the text again: a change that is sent twice would show.
      await dialog.getByLabel("Replace with").fill("//example.com/new//example.com");
      const changes = dialog.getByRole("region", { name: "Changes" });
      await changes.getByText("https://example.com/new//example.com/over").waitFor();
      expect(await changes.getByRole("listitem").count()).toBe(33);
      await ann.checkPage("links-bulk-destination");

      let requests = 0;
      await page.route("**/links/bulk-update", async (route) => {
        requests++;
        if (requests === 1) return route.fulfill(tooMany(2));
        if (requests !== 3) return route.fallback();
        await dialog.getByText("25 of 32 links done").waitFor();
        await route.fetch();
        return route.abort();
      });
      await Promise.all([
        dialog.getByText("Trying again in 2 s. Too many").waitFor(),
        dialog.getByRole("button", { name: "Change 32 links" }).click(),
      ]);
      // The message disappears after a few seconds.
      await Promise.all([
        page.getByText("31 links changed").waitFor(),
        dialog.getByRole("button", { name: "Try again" }).click(),
      ]);
      await dialog.getByText("1 link was refused").waitFor();
      await dialog.getByText(/-0: .*revision/i).waitFor();
      await list.getByText("1 selected").waitFor();
      await dialog.getByText("1 link of 1 will change").waitFor();
      await dialog.getByRole("button", { name: "Try again" }).click();
      await dialog.waitFor({ state: "detached" });
      const after = await stored();
      expect(after.map((link) => link.url)).toEqual(
        Array.from({ length: 32 }, (_, i) => `https://example.com/new//example.com/${i === 0 ? "theirs" : i}`),
      );
      expect(after[31]?.fallback_url).toBe("https://example.com/new//example.com/over");

      await select(23, 21);
      await list.getByRole("button", { name: "Export" }).click();
      const exported = page.getByRole("dialog", { name: "Export links" });
      await exported.getByText("Save the 2 selected links to one file.").waitFor();
      await exported.getByText("JSON").click();
      const [json] = await Promise.all([
        page.waitForEvent("download"),
        exported.getByRole("button", { name: "Export" }).click(),
      ]);
      const links = JSON.parse(String(await readDownload(json))) as { title: string; revision?: number }[];
      expect(links.map(({ title, revision }) => [title, revision])).toEqual([
        ["Link 23", undefined],
        ["Link 21", undefined],
      ]);
      await exported.getByRole("button", { name: "Done" }).click();

      await list.getByRole("checkbox", { name: "Select all links on this page" }).check();
      await list.getByRole("button", { name: "Select all matching links" }).click();
      await list.getByText("32 selected").waitFor();
      let release = () => {};
      const held = new Promise<void>((done) => (release = done));
      await page.unroute("**/links/bulk-update");
      await page.route("**/links/bulk-update", (route) => held.then(() => route.fallback()));
      await list.getByRole("button", { name: "Archive" }).click();
      const archiving = page.getByRole("dialog", { name: "Archive 32 links" });
      await archiving.getByText("0 of 32 links done").waitFor();
      await page.evaluate("history.pushState(null, '', location.href); setTimeout(() => history.back())");
      const leaving = page.getByRole("dialog", { name: "Stop this change?" });
      await leaving.getByRole("button", { name: "Stay" }).click();
      await leaving.waitFor({ state: "hidden" });
      await archiving.getByRole("button", { name: "Cancel" }).click();
      await Promise.all([page.getByText("25 links archived").waitFor(), release()]);
      await archiving.getByText("Stopped. 7 links were not changed.").waitFor();
      await list.getByText("7 selected").waitFor();
      await page.unroute("**/links/bulk-update");
      await page.route("**/links/bulk-update", (route) => route.fulfill(tooMany(50)), { times: 1 });
      await archiving.getByRole("button", { name: "Try again" }).click();
      await archiving.getByText("Trying again in 50 s. Too many").waitFor();
      await page.keyboard.press("Escape");
      await archiving.getByText("Stopped. 7 links were not changed.").waitFor();
      await archiving.getByRole("button", { name: "Try again" }).click();
      await archiving.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "No links yet" }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});

describe("tags", () => {
  test(
    "with a concurrent change are kept: the link is refused, and a retry uses its newer tags",
    async () => {
      const { ann, page, list, row, select } = await arriveWithLinks([{ tags: ["Print"] }, {}]);
      const url = `${dashboard.base}/dashboard/api/links`;
      const { data } = (await (await page.request.get(url)).json()) as { data: { id: string; tags?: string[] }[] };
      const id = data.find(({ tags }) => tags?.includes("Print"))?.id ?? "";
      const headers = { Origin: dashboard.base };
      await page.request.patch(`${url}/${id}`, { data: { tags: ["Print", "Theirs"] }, headers });
      await select(0, 1);
      await list.getByRole("button", { name: "Tag", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Tags of 2 links" });
      await dialog.getByLabel("Tags", { exact: true }).and(page.locator("input")).fill("Summer");
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("1 link was refused").waitFor();
      await dialog.getByText(/-0: .*revision/i).waitFor();
      await row(0).getByText("Theirs").waitFor();
      await dialog.getByRole("button", { name: "Try again" }).click();
      await dialog.waitFor({ state: "detached" });
      for (const tag of ["Print", "Theirs", "Summer"]) await row(0).getByText(tag, { exact: true }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "of the oldest links are offered too",
    async () => {
      const { ann, list } = await arriveWithLinks([
        { tags: ["Oldest"] },
        ...Array.from({ length: 99 }, (_, i) => ({ tags: [`n${i}`] })),
      ]);
      const { page } = ann;
      await page.request.post(`${dashboard.base}/dashboard/api/links`, {
        data: { url: "https://example.com/newest" },
        headers: { Origin: dashboard.base },
      });
      await page.request.post(`${dashboard.base}/dashboard/api/links`, {
        data: { url: "https://example.com/newer", tags: ["zebra"] },
        headers: { Origin: dashboard.base },
      });
      await page.reload();
      await list.getByRole("listitem").first().waitFor();
      await page.getByRole("combobox", { name: "Tags" }).click();
      const options = page.getByRole("option");
      await expect.poll(() => options.allTextContents()).toEqual(expect.arrayContaining(["n7", "Oldest"]));
      await ann.close();
    },
    STORY_MS,
  );
});

describe("a row's QR code", () => {
  test(
    "is created immediately and once, in the design of the last one, and is shown after a reload",
    async () => {
      const { ann, page, row, select } = await arriveWithLinks([{}, {}]);
      const open = row(0).getByRole("button", { name: "QR code of" });
      const account = await page.request.get(`${dashboard.base}/dashboard/api/account`);
      const { id } = (await account.json()) as { id: string };
      const design = JSON.stringify({ size: 128, fg: "#102A83" });
      await page.evaluate(
        ([key = "", value = ""]) => localStorage.setItem(key, value),
        [`hoplink-qr-design:${id}`, design],
      );
      await open.click();
      const popover = page.getByRole("dialog", { name: "QR code of" });
      await popover.getByText("This link has no QR code yet").waitFor();
      // The code is created, but its response is lost.
      const lose = (route: Route) => route.fetch().then(() => route.abort());
      await page.route("**/dashboard/api/qr", lose, { times: 1 });
      await popover.getByRole("button", { name: "Create QR code" }).click();
      await popover.getByText("The server cannot be reached").waitFor();
      const created: unknown[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith("/qr")) created.push(request.postDataJSON());
      });
      await popover.getByRole("button", { name: "Create QR code" }).dblclick();
      const image = popover.getByRole("img", { name: "The newest QR code" });
      await image.waitFor();
      await expect.poll(() => page.evaluate("document.querySelector('[role=dialog] img').naturalWidth")).toBe(1_024);
      expect(created).toEqual([expect.objectContaining({ size: 1_024, fg: "#102A83" })]);
      const codes = await page.request.get(`${dashboard.base}/dashboard/api/qr`);
      expect(((await codes.json()) as { data: unknown[] }).data).toHaveLength(1);
      await ann.checkPage("links-qr");
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        popover.getByRole("link", { name: "Download PNG" }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(/^bulk-\d+-0\.png$/);
      await page.keyboard.press("Escape");
      await popover.waitFor({ state: "detached" });
      await page.reload();
      await open.click();
      await image.waitFor();
      await page.keyboard.press("Escape");

      // A sheet of several links creates the codes that are missing.
      await select(0, 1);
      await page.getByRole("button", { name: "QR sheet" }).click();
      await page.getByRole("dialog", { name: "QR sheet for 2 links" }).waitFor();
      await ann.checkPage("links-qr-sheet");
      const refusals = [tooMany(2), { status: 403, json: { error: { code: "forbidden", message: "no" } } }];
      await page.route("**/dashboard/api/qr", (route) => {
        const refusal = refusals.shift();
        return refusal ? route.fulfill(refusal) : route.continue();
      });
      await page.getByRole("button", { name: "Download PDF" }).click();
      await page.getByText("Trying again in 2 s. Too many").waitFor();
      await page.getByText("The sheet was not created").waitFor();
      expect(await page.getByText("Trying again in").count()).toBe(0);
      const [sheet] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Try again" }).click(),
      ]);
      expect(sheet.suggestedFilename()).toBe("qr-codes.pdf");
      expect(created.length).toBe(4);
      await open.click();
      await popover.getByRole("link", { name: "Design a code" }).click();
      await page.getByRole("tab", { name: "QR code", selected: true }).waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});
