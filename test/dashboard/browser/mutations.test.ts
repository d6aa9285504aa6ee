/** Requests that change data: a double click sends one, closing cancels it, and offline is reported immediately. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

/** Holds back requests with this method: they are in flight but do not reach the server. */
function holdBack(page: Page, path: string, method: string): { sent: Promise<void>; count: () => number } {
  let count = 0;
  const sent = new Promise<void>((done) => {
    void page.route(path, (route) => {
      if (route.request().method() !== method) return route.continue();
      count++;
      return done();
    });
  });
  return { sent, count: () => count };
}

async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name").fill(name);
  await form.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
}

test(
  "closing the dialog that edits a link cancels the change",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    const { id } = await page.evaluate<{ id: string }>(
      `fetch("/dashboard/api/links", { method: "POST", headers: { "Content-Type": "application/json" },
         body: JSON.stringify({ url: "https://example.com/before" }) }).then((response) => response.json())`,
    );
    await ann.open(`/links/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit link" });
    await dialog.getByLabel("Destination").fill("https://example.com/after");
    const { sent, count } = holdBack(page, "**/api/links/*", "PATCH");
    const aborted = page.waitForEvent("requestfailed", (request) => request.method() === "PATCH");
    await dialog.getByRole("button", { name: "Save" }).dblclick();
    await sent;
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    expect((await aborted).failure()?.errorText).toBe("net::ERR_ABORTED");
    expect(count()).toBe(1);
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("leads to https://example.com/before").waitFor();
    expect(await page.getByText("Link saved").count()).toBe(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "a key that is created before the list of keys has loaded is in that list",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    let answerFirst = () => {};
    let count = 0;
    await page.route("**/dashboard/api/keys", async (route) => {
      if (route.request().method() !== "GET" || ++count > 1) return route.continue();
      const read = await route.fetch();
      await new Promise<void>((done) => (answerFirst = done));
      return route.fulfill({ response: read });
    });
    await ann.open("/settings/api-keys");
    await createKey(page, "build server");
    answerFirst();
    await page.getByRole("listitem", { name: "build server" }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "a double click revokes a key once",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    await ann.open("/settings/api-keys");
    await createKey(page, "build server");
    await page.getByRole("button", { name: "Revoke build server" }).click();
    const { sent, count } = holdBack(page, "**/api/keys/*", "DELETE");
    await page.getByRole("button", { name: "Revoke key" }).dblclick();
    await sent;
    await page.getByRole("dialog", { name: "Revoke this key?" }).waitFor({ state: "hidden" });
    expect(count()).toBe(1);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "offline bulk creation says so immediately, and its lines can be retried",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create many" }).click();
    const dialog = page.getByRole("dialog", { name: "Create many links" });
    await dialog.getByLabel("Links", { exact: true }).fill("https://example.com/one\nhttps://example.com/two");
    await ann.context.setOffline(true);
    await page.getByText("You are offline.", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Create 2 links" }).click();
    await dialog.getByText("You are offline. Try again when you are connected.").first().waitFor();
    await ann.context.setOffline(false);
    await dialog.getByRole("button", { name: "Retry refused lines" }).click();
    await dialog.getByText("2 links created").waitFor();
    await ann.close();
  },
  STORY_MS,
);

const CREATIONS = /\/dashboard\/api\/links(\/bulk)?$/;

/** The server processes the request, but its response is lost. */
async function loseAnswers(page: Page): Promise<void> {
  await page.route(CREATIONS, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
}

const linkCount = async (page: Page) =>
  page.evaluate<number>(`fetch("/dashboard/api/links").then((all) => all.json()).then(({ data }) => data.length)`);

test(
  "a link whose response was lost is not created twice, but a changed one is another link",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a link" });
    await dialog.getByLabel("Destination").fill("https://example.com/one");
    await loseAnswers(page);
    const create = dialog.getByRole("button", { name: "Create link" });
    await create.click();
    await dialog.getByText("The server cannot be reached").waitFor();
    await dialog.getByLabel("Destination").fill("https://example.com/two");
    const lost = page.waitForEvent("requestfailed");
    await create.click();
    await lost;
    await expect.poll(() => linkCount(page)).toBe(2);
    await page.unrouteAll({ behavior: "wait" });
    await create.click();
    await page.getByRole("dialog", { name: "Link created" }).waitFor();
    expect(await linkCount(page)).toBe(2);
    await page.getByRole("button", { name: "Create another" }).click();
    await dialog.getByLabel("Destination").fill("https://example.com/two");
    await create.click();
    await page.getByRole("dialog", { name: "Link created" }).waitFor();
    expect(await linkCount(page)).toBe(3);
    await ann.close();
  },
  STORY_MS,
);

test(
  "lines whose response was lost are not created twice when they are retried",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create many" }).click();
    const dialog = page.getByRole("dialog", { name: "Create many links" });
    const lines = Array.from({ length: 101 }, (_, i) => (i === 3 ? "not a link at all" : `https://example.com/${i}`));
    await dialog.getByLabel("Links", { exact: true }).fill(lines.join("\n"));
    // The first hundred get a response. The response to the last one is lost.
    let posts = 0;
    await page.route(CREATIONS, async (route) => {
      if (++posts === 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await dialog.getByRole("button", { name: "Create 100 links" }).click();
    await dialog.getByText(/^Trying again in/).waitFor();
    await dialog.getByRole("button", { name: "Stop" }).click();
    await dialog.getByText("99 links created, 2 refused").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await dialog.getByRole("button", { name: "Retry refused lines" }).click();
    await dialog.getByText("100 links created, 1 refused").waitFor();
    const { limits } = await page.evaluate<{ limits: { links: { used: number } } }>(
      `fetch("/dashboard/api/me").then((response) => response.json())`,
    );
    expect(limits.links.used).toBe(100);
    await ann.close();
  },
  STORY_MS,
);

test(
  "leaving bulk creation asks first, and the lines that were not sent can be sent later",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create many" }).click();
    const dialog = page.getByRole("dialog", { name: "Create many links" });
    const lines = Array.from({ length: 250 }, (_, i) => `https://example.com/${i}`);
    await dialog.getByLabel("Links", { exact: true }).fill(lines.join("\n"));
    let posts = 0;
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route(CREATIONS, async (route) => {
      if (++posts === 2) await held;
      return route.continue();
    });
    await dialog.getByRole("button", { name: "Create 250 links" }).click();
    await dialog.getByText("100 of 250 done").waitFor();
    await page.evaluate("setTimeout(() => history.back())");
    const question = page.getByRole("dialog", { name: "Stop creating links?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await question.waitFor({ state: "hidden" });
    await dialog.getByRole("button", { name: "Stop" }).click();
    release();
    await dialog.getByText("200 links created, 50 not sent").waitFor();
    await dialog.getByRole("button", { name: "Send the other lines" }).click();
    await dialog.getByText("250 links created").waitFor();
    expect(posts).toBe(3);
    await page.unrouteAll({ behavior: "wait" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "the page of a public network in place of a response is reported plainly, and a retry creates the link",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a link" });
    await dialog.getByLabel("Destination").fill("https://example.com/hotel");
    const body = "<!doctype html><title>Welcome to our Wi-Fi</title>";
    await page.route(CREATIONS, (route) => route.fulfill({ contentType: "text/html", body }), { times: 1 });
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByText("The server cannot be reached. Check your connection and try again.").waitFor();
    await dialog.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog", { name: "Link created" }).waitFor();

    await ann.open("/settings/account");
    await page.route("**/auth/update-user", (route) => route.fulfill({ contentType: "text/html", body }));
    await page.getByLabel("Name", { exact: true }).fill("Ann");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Your name was not saved").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "a refusal that belongs to no field of the form is shown above them",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a link" });
    // The second link has the key of the first.
    await page.evaluate("void (crypto.getRandomValues = (numbers) => numbers.fill(7))");
    await dialog.getByLabel("Destination").fill("https://example.com/one");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog", { name: "Link created" }).getByRole("button", { name: "Create another" }).click();
    await dialog.getByLabel("Destination").fill("https://example.com/two");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/Idempotency-Key/)
      .waitFor();
    await ann.close();
  },
  STORY_MS,
);

test(
  "a button has the focus again after its request failed, on a page and in a dialog",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    const answer = await page.request.post(`${dashboard.base}/dashboard/api/links`, {
      data: { url: "https://example.com/" },
      headers: { Origin: dashboard.base },
    });
    const { id } = (await answer.json()) as { id: string };
    await page.route(/\/dashboard\/api\/(qr$|links\/lnk_\w+$)/, (route) =>
      route.request().method() === "GET" ? route.continue() : route.abort(),
    );
    const failsAt = async (button: Locator) => {
      await button.press("Enter");
      await page.getByText("The server cannot be reached").waitFor();
      await expect.poll(() => button.evaluate((element) => element.matches(":focus"))).toBe(true);
    };
    await ann.open(`/links/${id}?tab=qr`);
    await failsAt(page.getByRole("button", { name: "Create QR code" }));
    await ann.open(`/links/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Edit link" });
    await dialog.getByLabel("Title", { exact: true }).fill("Changed");
    await failsAt(dialog.getByRole("button", { name: "Save" }));
    await page.unrouteAll({ behavior: "wait" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "deletions do not wait for each other, and a link that another tab has deleted leaves the list",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    const mark = `gone-${Date.now()}`;
    const answer = await page.request.post(`${dashboard.base}/dashboard/api/links/bulk`, {
      data: {
        links: ["a", "b", "c", "d", "e"].map((end) => ({ url: "https://example.com/", slug: `${mark}-${end}` })),
      },
      headers: { Origin: dashboard.base },
    });
    const { results } = (await answer.json()) as { results: { link: { id: string } }[] };
    await ann.open("/links");
    const row = (end: string) => page.getByRole("listitem").filter({ hasText: `${mark}-${end}` });
    const choose = async (end: string, action: string) => {
      await row(end)
        .getByRole("button", { name: /^More actions for/ })
        .click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    const remove = async (end: string) => {
      await choose(end, "Delete");
      const question = page.getByRole("dialog", { name: "Delete this link?" });
      await question.getByRole("button", { name: "Delete link" }).click();
      await question.waitFor({ state: "hidden" });
    };
    let deletions = 0;
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route("**/api/links/*", async (route) => {
      if (route.request().method() === "DELETE" && ++deletions <= 2) await held;
      return route.continue();
    });
    await remove("a");
    await remove("b");
    await expect.poll(() => deletions).toBe(2);
    release();
    for (const end of ["a", "b"]) await row(end).waitFor({ state: "detached" });

    const removeElsewhere = async (number: number) => {
      const path = `/dashboard/api/links/${results[number]?.link.id}`;
      const gone = await page.request.delete(dashboard.base + path, { headers: { Origin: dashboard.base } });
      expect(gone.status()).toBe(204);
    };
    await removeElsewhere(2);
    await choose("c", "Pause");
    await page.getByText("The link was not changed").waitFor();
    await row("c").waitFor({ state: "detached" });
    await removeElsewhere(3);
    await remove("d");
    await page.getByText("The link was not deleted").waitFor();
    await row("d").waitFor({ state: "detached" });
    await row("e").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await ann.close();
  },
  STORY_MS,
);
