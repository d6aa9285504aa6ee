/** Creating links in a browser: UTM builder, pasted links, the dialog after creation, bulk creation on a phone. */
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";

import { withClipboard } from "../support/clipboard.ts";
import { DashboardTests } from "../support/dashboard-tests.ts";
import type { DashboardUser } from "../support/dashboard-user.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

let person: Promise<DashboardUser> | undefined;

afterAll(async () => (await person)?.close());

/** The same person for most tests: a new one's browser would load the whole dashboard again. */
async function arrive() {
  person ??= dashboard.signUp();
  const ann = await person;
  const { page } = ann;
  await page.unrouteAll();
  await page.setViewportSize({ width: 1280, height: 800 });
  await ann.open("/links");
  return { ann, page };
}

async function openForm(page: Page) {
  await page.getByRole("button", { name: "Create link" }).first().click();
  return page.getByRole("dialog", { name: "Create a link" });
}

/** Pastes as the keyboard does, into the focused element. */
async function paste(page: Page, text: string) {
  await withClipboard(async () => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press("Control+V");
    // The page has handled the paste before it answers.
    await page.evaluate("0");
  });
}

function creation(page: Page) {
  return page.waitForResponse(
    (response) => response.request().method() === "POST" && response.url().endsWith("/dashboard/api/links"),
  );
}

describe("the UTM builder", () => {
  test(
    "writes into the destination, shows the whole URL, and reads existing parameters",
    async () => {
      const { ann, page } = await arrive();
      const form = await openForm(page);
      await form.getByRole("button", { name: "Campaign (UTM)" }).click();
      expect(await form.getByLabel("Source").isDisabled()).toBe(true);
      await form.getByLabel("Destination").fill("example.com/shoes?color=red&utm_medium=email#top");
      expect(await form.getByLabel("Medium").inputValue()).toBe("email");
      await form.getByLabel("Source").fill("spring news");
      await form.getByLabel("Medium").fill("");
      await form.getByLabel("Campaign", { exact: true }).fill("sale");
      const url = "https://example.com/shoes?color=red&utm_source=spring%20news&utm_campaign=sale#top";
      await form.getByRole("region", { name: "Visitors go to" }).getByText(url).waitFor();
      await ann.checkPage("create-utm");
      await form.getByRole("button", { name: /^Campaign \(UTM\)/ }).click();
      await form.getByRole("button", { name: "Campaign (UTM) spring news, sale" }).waitFor();
      let created = 0;
      page.on("request", (request) => request.url().endsWith("/dashboard/api/links") && created++);
      const create = form.getByRole("button", { name: "Create link" });
      const [response] = await Promise.all([creation(page), create.dblclick()]);
      expect(await response.json()).toMatchObject({ url });
      await page.getByRole("dialog", { name: "Link created" }).getByText(url).waitFor();
      expect(created).toBe(1);
    },
    STORY_MS,
  );
});

describe("pasted links", () => {
  test(
    "one fills the form, several fill bulk creation, anything else is left alone",
    async () => {
      const ann = await dashboard.signUp();
      const { page } = ann;
      await page.getByRole("heading", { name: "No links yet" }).click();
      await paste(page, "hello, see https://example.com/");
      await paste(page, "example.com/pasted");
      const form = page.getByRole("dialog", { name: "Create a link" });
      await expect.poll(() => form.getByLabel("Destination").inputValue()).toBe("example.com/pasted");
      expect(new URL(page.url()).search).toBe("?dialog=link");

      await form.getByLabel("Destination").fill("");
      await form.getByLabel("Destination").focus();
      await paste(page, "https://example.com/1\nhttps://example.com/2\nhttps://example.com/3");
      await form.getByText("You pasted 3 links").waitFor();
      await ann.checkPage("create-pasted-many");
      await form.getByRole("button", { name: "Create all 3 links" }).click();
      const bulk = page.getByRole("dialog", { name: "Create many links" });
      await bulk.getByText("3 links found").waitFor();
      await bulk.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Discard", exact: true }).click();
      await bulk.waitFor({ state: "detached" });

      await page.getByRole("heading", { name: "No links yet" }).click();
      await paste(page, "https://example.com/4\n\nhttps://example.com/5,five");
      await bulk.getByText("2 links found").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Discard", exact: true }).click();
      await (await openForm(page)).getByLabel("Destination").waitFor();
      expect(await form.getByLabel("Destination").inputValue()).toBe("");
      await ann.close();
    },
    STORY_MS,
  );
});

describe("after the creation", () => {
  test(
    "rules are offered on the Premium plan; the Free plan shows a notice before",
    async () => {
      const { page } = await arrive();
      const form = await openForm(page);
      await form.getByRole("button", { name: "Rules" }).click();
      await form.getByText("Rules require the Premium plan.").waitFor();
      expect(await form.getByRole("button", { name: "Build rules" }).count()).toBe(0);
      await form.getByLabel("Destination").fill("example.com/free");
      await form.getByRole("button", { name: "Create link" }).click();
      const made = page.getByRole("dialog", { name: "Link created" });
      await made.waitFor();
      expect(await made.getByRole("link", { name: "Add rules" }).count()).toBe(0);

      const premium = await dashboard.signIn();
      await premium.open("/links");
      const again = await openForm(premium.page);
      await again.getByLabel("Destination").fill("example.com/premium");
      await again.getByRole("button", { name: "Create link" }).click();
      await premium.page.getByRole("dialog", { name: "Link created" }).getByRole("link", { name: "Add rules" }).click();
      await premium.page.getByRole("tab", { name: /Rules/, selected: true }).waitFor();
      expect(new URL(premium.page.url()).search).toBe("?tab=rules");
      await premium.close();
    },
    STORY_MS,
  );

  test(
    "a refused expiry opens its section, and the input is kept",
    async () => {
      const { ann, page } = await arrive();
      const form = await openForm(page);
      await form.getByLabel("Destination").fill("example.com/expiring");
      await form.getByRole("button", { name: "Schedule" }).click();
      await form.getByLabel("Expires", { exact: true }).fill("2020-01-01T00:00");
      await form.getByRole("button", { name: /^Schedule/ }).click();
      await form.getByRole("button", { name: "Create link" }).click();
      await form.getByText("Choose a time in the future").waitFor();
      await form.getByLabel("Expires", { exact: true }).fill("2099-01-01T00:00");
      await page.route("**/dashboard/api/links", (route) => route.abort());
      await form.getByRole("button", { name: "Create link" }).click();
      await form.getByRole("alert").getByText("The server cannot be reached").waitFor();
      expect(await form.getByLabel("Destination").inputValue()).toBe("example.com/expiring");
      await page.unroute("**/dashboard/api/links");
      await form.getByRole("button", { name: "Create link" }).click();
      await page.getByRole("dialog", { name: "Link created" }).waitFor();
      await ann.checkPage("created");
    },
    STORY_MS,
  );
});

describe("bulk creation above the limit of an account", () => {
  test(
    "says how long it waits, ends the wait when it is stopped, and does not wait for the next day",
    async () => {
      const { ann, page } = await arrive();
      await page.getByRole("button", { name: "Create many" }).click();
      const dialog = page.getByRole("dialog", { name: "Create many links" });
      await dialog.getByLabel("Links", { exact: true }).fill("https://example.com/1\nhttps://example.com/2");
      await dialog.getByText("2 links found").waitFor();
      const refuseFor = (seconds: number) =>
        page.route("**/links/bulk", (route) =>
          route.fulfill({
            status: 429,
            headers: { "Retry-After": String(seconds) },
            json: { error: { code: "rate_limited", message: "None are left" } },
          }),
        );
      await refuseFor(41);
      await dialog.getByRole("button", { name: "Create 2 links" }).click();
      await dialog.getByText("Trying again in 41 s. None are left").waitFor();
      await ann.checkPage("bulk-wait");
      await dialog.getByRole("button", { name: "Stop" }).click();
      await dialog.getByText("0 links created, 2 refused").waitFor();
      await page.unroute("**/links/bulk");
      await refuseFor(36_000);
      await dialog.getByRole("button", { name: "Retry refused lines" }).click();
      await dialog.getByText("0 links created, 2 refused").waitFor();
      await page.unroute("**/links/bulk");
      await dialog.getByRole("button", { name: "Retry refused lines" }).click();
      await dialog.getByText("2 links created").waitFor();
    },
    STORY_MS,
  );
});

describe("bulk creation on a phone", () => {
  test(
    "shows each link as a card that fits, and its buttons immediately",
    async () => {
      const { page } = await arrive();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("button", { name: "Create many" }).click();
      const dialog = page.getByRole("dialog", { name: "Create many links" });
      const lines = Array.from({ length: 40 }, (_, i) => `https://example.com/${"long/".repeat(380)}${i},slug-${i}`);
      await dialog.getByLabel("Links", { exact: true }).fill(lines.join("\n"));
      await dialog.getByText("40 links found").waitFor();
      const isTooWide = (selector: string) =>
        page.evaluate(
          `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('${selector}'))`,
        );
      expect(await isTooWide('[aria-label="Links found"]')).toBe(false);
      expect(await isTooWide("[role=dialog]")).toBe(false);
      const create = dialog.getByRole("button", { name: "Create 40 links" });
      const box = await create.boundingBox();
      expect((box?.y ?? 9_999) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    },
    STORY_MS,
  );
});
