/** Parts of the dashboard that cannot be loaded: the server is stopped, a file is gone, the browser is offline. */
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { DashboardUser } from "../../support/dashboard-user.ts";
import { type DevServer, startDevServer } from "../../support/dev-server.ts";
import { copyProject } from "../../support/project-copy.ts";

const STORY_MS = 600_000;

const dashboard = new DashboardTests();

/** Opens the rules of a new link and adds a rule without saving it. */
async function editRules(server = dashboard.server): Promise<DashboardUser> {
  const ann = await DashboardUser.create(dashboard.browser, server.base);
  const { email, password } = server.accounts.Premium;
  await ann.signIn(email, password);
  const { id } = await createLink(ann.page);
  await ann.open(`/links/${id}?tab=rules`);
  await ann.page.getByRole("button", { name: /^Add (a|your first) rule/ }).click();
  await ann.page.getByLabel("Go to", { exact: true }).fill("https://example.com/unsaved");
  return ann;
}

/** Whether a failed import keeps failing until the page is reloaded, as in Chromium 153 but not in 156. */
async function remembersFailedImports(page: Page): Promise<boolean> {
  const url = "**/assets/probe.js";
  const isLoaded = () => page.evaluate<boolean>(`import("/dashboard/assets/probe.js").then(() => true, () => false)`);
  await page.route(url, (route) => route.abort());
  expect(await isLoaded()).toBe(false);
  await page.unroute(url);
  await page.route(url, (route) => route.fulfill({ contentType: "text/javascript", body: "export {};" }));
  const isLoadedAgain = await isLoaded();
  await page.unroute(url);
  return !isLoadedAgain;
}

async function createLink(page: Page): Promise<Pick<Link, "id" | "short_url">> {
  return page.evaluate<Link>(
    `fetch("/dashboard/api/links", { method: "POST", headers: { "Content-Type": "application/json" },
       body: JSON.stringify({ url: "https://example.com/" }) }).then((response) => response.json())`,
  );
}

test(
  "a tab whose files are missing says so and can be retried, and the rest of the page keeps its unsaved rules",
  async () => {
    const ann = await editRules();
    const { page } = ann;
    for (const files of ["**/assets/qr-designer-*.js", "**/assets/*.css"]) {
      await page.route(files, (route) => route.fulfill({ status: 404 }));
    }
    await page.getByRole("tab", { name: "QR code" }).click();
    const failure = page.getByRole("alert").filter({ hasText: "This part could not be loaded" });
    await failure.waitFor();
    await ann.checkPage("part-not-loaded");

    await failure.getByRole("button", { name: "Try again" }).click();
    // The second failure offers a reload, which helps if the browser remembers the first.
    await failure.getByRole("button", { name: "Reload page" }).waitFor();

    await page.unrouteAll();
    const isRemembered = await remembersFailedImports(page);
    page.once("dialog", (dialog) => void dialog.accept());
    await failure.getByRole("button", { name: isRemembered ? "Reload page" : "Try again" }).click();
    const preview = page.getByRole("button", { name: /^Create/ }).last();
    await preview.waitFor();
    expect(await failure.count()).toBe(0);
    expect(await page.evaluate("document.querySelectorAll('link[rel=stylesheet][href*=qr-designer]').length")).toBe(1);

    if (!isRemembered) {
      await page.getByRole("tab", { name: "Rules" }).click();
      await page.getByText("https://example.com/unsaved").waitFor();
    }
    await ann.close();
  },
  STORY_MS,
);

test(
  "flags that cannot be loaded are left out until a later click, while live clicks and statistics continue",
  async () => {
    const ann = await dashboard.newUser();
    const { page } = ann;
    const { email, password } = dashboard.server.accounts.Premium;
    await ann.signIn(email, password);
    const link = await createLink(page);
    const visitFrom = (country: string) =>
      fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
    const clicks = page.getByRole("list", { name: "Latest clicks" }).getByRole("listitem");
    await page.route("**/assets/flag-*.js", (route) => route.abort());
    await ann.open(`/links/${link.id}`);
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/assets/flag-"));
    await visitFrom("DE");
    await failed;
    await visitFrom("FR");
    await clicks.filter({ hasText: "France" }).waitFor();
    expect(await clicks.allInnerTexts()).toEqual([
      expect.stringContaining("France"),
      expect.stringContaining("Germany"),
    ]);
    expect(await page.getByRole("alert").count()).toBe(0);

    await page.unrouteAll();
    if (await remembersFailedImports(page)) await page.reload();
    await visitFrom("US");
    await expect.poll(() => clicks.locator("img").count()).toBe(3);
    await ann.close();
  },
  STORY_MS,
);

test(
  "a card's picture whose code is gone says so",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const { id } = await dashboard.api().createLink();
    await page.route("**/assets/card-image-*.js", (route) => route.fulfill({ status: 404 }));
    await ann.open(`/links/${id}`);
    await page.getByRole("button", { name: "Download clicks over time" }).click();
    await page.getByRole("menuitem", { name: "Picture (PNG)" }).click();
    await page.getByText("A part of this page could not be loaded. Try again, or reload the page.").waitFor();
    await page.unrouteAll();
    await ann.close();
  },
  STORY_MS,
);

test(
  "being offline is reported, no request waits for the connection, and a canceled one is never sent",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a link" });
    await dialog.getByLabel("Destination").fill("https://example.com/offline");

    await ann.context.setOffline(true);
    await page.getByText("You are offline.", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByText("You are offline. Try again when you are connected.").waitFor();
    expect(await dialog.getByLabel("Destination").inputValue()).toBe("https://example.com/offline");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });

    const reread = page.waitForResponse((response) => response.url().includes("/api/links"));
    await ann.context.setOffline(false);
    const list = (await (await reread).json()) as { data: unknown[] };
    expect(list.data).toEqual([]);
    await page.getByText("You are offline.", { exact: true }).waitFor({ state: "hidden" });
    await ann.close();
  },
  STORY_MS,
);

test(
  "a dialog that is closed while its request is in flight has no later effect",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("button", { name: "Create link" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a link" });
    await dialog.getByLabel("Destination").fill("https://example.com/cancelled");
    // The request is in flight but does not reach the server, not even when the interception ends.
    const sent = new Promise<Route>((done) => {
      void page.route("**/api/links", (route) =>
        route.request().method() === "POST" ? done(route) : route.continue(),
      );
    });
    const aborted = page.waitForEvent("requestfailed");
    await dialog.getByRole("button", { name: "Create link" }).click();
    const held = await sent;
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    expect((await aborted).failure()?.errorText).toBe("net::ERR_ABORTED");
    await held.abort();
    await dialog.waitFor({ state: "hidden" });
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const links = 'fetch("/dashboard/api/links").then((response) => response.json())';
    expect((await page.evaluate<{ data: unknown[] }>(links)).data).toEqual([]);
    await ann.close();
  },
  STORY_MS,
);

test(
  "a page that is older than the deployment says so, and reloads only on request",
  async () => {
    const ann = await editRules();
    const { page } = ann;
    // A new release: its page names another script, and the files of the old release are gone.
    const html = await (await fetch(`${ann.base}/dashboard/`)).text();
    const nextHtml = html.replace(/index-[\w-]+\.js/, "index-next.js");
    await page.route("**/dashboard/", (route) => route.fulfill({ body: nextHtml, contentType: "text/html" }));
    await page.route("**/assets/qr-designer-*.js", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("tab", { name: "QR code" }).click();
    await page.getByText("Hoplink was updated while this page was open.").waitFor();
    await page.getByText("A new version of Hoplink is ready.").waitFor();
    await ann.checkPage("new-release");

    await page.getByRole("button", { name: "Later" }).click();
    await page.getByText("A new version of Hoplink is ready.").waitFor({ state: "hidden" });
    await page.getByRole("tab", { name: "Rules" }).click();
    await page.getByText("https://example.com/unsaved").waitFor();

    await page.getByRole("tab", { name: "QR code" }).click();
    const reload = page.getByRole("button", { name: "Reload page" });
    await reload.waitFor();
    await page.unrouteAll();
    // The page requests confirmation first, because of unsaved rules.
    page.once("dialog", (dialog) => void dialog.accept());
    await reload.click();
    await page
      .getByRole("button", { name: /^Create/ })
      .last()
      .waitFor();
    await ann.close();
  },
  STORY_MS,
);

test(
  "a stopped server is reported, and when the next release replaces it, the page offers to load its files, and no form has lost its text",
  async () => {
    const project = copyProject();
    const servers: DevServer[] = [];
    try {
      const first = await startDevServer({}, undefined, [], project.folder);
      servers.push(first);
      const ann = await editRules(first);
      const { page } = ann;
      const tab = await ann.context.newPage();
      await tab.goto(`${ann.base}/dashboard/links?dialog=link`);
      const form = tab.getByRole("dialog", { name: "Create a link" });
      await form.getByLabel("Destination").fill("https://example.com/typed");
      await first.stop();
      await form.getByRole("button", { name: "Create link" }).click();
      await form.getByText("The server cannot be reached.").waitFor();
      await page.getByRole("tab", { name: "QR code" }).click();
      const failure = page.getByRole("alert").filter({ hasText: "This part could not be loaded" });
      await failure.getByText("The server cannot be reached.").waitFor();
      await failure.getByRole("button", { name: "Try again" }).click();
      await failure.getByText("The server cannot be reached.").waitFor();

      // The server builds this change when it starts: changed files get other names, and the old ones are gone.
      project.replace("src/dashboard/texts/qr.ts", "Create QR code", "Create new QR code");
      servers.push(await startDevServer({ PORT: String(first.port) }, first.folder, [], project.folder));
      await failure.getByRole("button", { name: "Try again" }).click();
      await page.getByText("Hoplink was updated while this page was open.").waitFor();
      await page.getByRole("tab", { name: "Rules" }).click();
      await page.getByText("https://example.com/unsaved").waitFor();
      await page.getByRole("tab", { name: "QR code" }).click();
      page.once("dialog", (dialog) => void dialog.accept());
      await page.getByRole("button", { name: "Reload page" }).click();
      await page.getByRole("button", { name: "Create new QR code" }).waitFor();
      await page.getByRole("tab", { name: "Rules" }).click();
      await page.getByRole("button", { name: "Continue editing" }).click();
      await page.getByText("https://example.com/unsaved").waitFor();
      await tab.reload();
      await form.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
      expect(await form.getByLabel("Destination").inputValue()).toBe("https://example.com/typed");
      await ann.close();
    } finally {
      for (const server of servers) await server.remove();
      project.remove();
    }
  },
  STORY_MS,
);
