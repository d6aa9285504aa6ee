/** Forms keep what was typed, however they are left, and ask before they discard it. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";
import { exportFile } from "../../support/export-files.ts";

const STORY_MS = 600_000;
const TYPED = "typed.example.com/kept";
const TYPED_TIME = "2036-06-01T12:00";

const dashboard = new DashboardTests();

let ann: DashboardUser;
let link: Link;
/** Where the form before was discarded, which saves the next one a load. */
let tab: Page | undefined;

beforeAll(async () => {
  // The requests of so many pages exceed the rate limit of the Free plan.
  ann = await dashboard.signIn();
  const send = async (path: string, data: object) => {
    const headers = { Origin: ann.base };
    const response = await ann.context.request.post(`${ann.base}/dashboard/api${path}`, { data, headers });
    expect(response.status(), await response.text()).toBe(201);
    return response.json() as Promise<unknown>;
  };
  link = (await send("/links", { url: "https://example.com/" })) as Link;
  await send("/qr", { link_id: link.id });
  await send("/domains", { domain: "drafts.example.org" });
  await send("/utm-templates", { name: "News", utm_source: "news" });
}, STORY_MS);

afterAll(() => ann?.close());

interface FormTest {
  name: string;
  path: () => string;
  /** Opens the form on its page. */
  open: (page: Page) => Promise<unknown>;
  field: (page: Page) => Locator;
  /** Instead of filling in the field. */
  type?: (field: Locator) => Promise<unknown>;
  /** Whether the form has what was typed, if that is not the field's value. */
  hasTyped?: (page: Page) => Promise<boolean>;
  /** The page has the form without a dialog, so that nothing is closed. */
  isPage?: boolean;
}

const click = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
// The names of required fields end with an asterisk.
const inDialog = (label: string) => (page: Page) =>
  page
    .getByRole("dialog")
    .getByLabel(new RegExp(`^${label}`))
    .first();
const select = (action: string) => async (page: Page) => {
  await page.getByRole("checkbox", { name: `Select ${link.short_url.replace(/^https?:\/\//, "")}` }).check();
  await page.getByRole("button", { name: action, exact: true }).click();
};

const updates = (page: Page) => page.getByRole("checkbox", { name: "Overwrite existing links that differ" });

const fingerprints = (page: Page) =>
  page.getByRole("dialog").getByLabel("SHA-256 fingerprints", { exact: true }).and(page.locator("input"));

const openViews = async (page: Page) => {
  await click("Views")(page);
  await page.getByRole("menuitem", { name: "Save or delete views…" }).click();
};

const FORMS: FormTest[] = [
  { name: "a new link", path: () => "/links?dialog=link", open: async () => {}, field: inDialog("Destination") },
  { name: "many links", path: () => "/links?dialog=many", open: async () => {}, field: inDialog("Links") },
  { name: "an edited link", path: () => `/links/${link.id}`, open: click("Edit"), field: inDialog("Title") },
  {
    name: "a QR code",
    path: () => `/links/${link.id}?tab=qr`,
    open: async () => {},
    field: (page) => page.getByLabel("Name", { exact: true }),
    isPage: true,
  },
  {
    name: "the name of a QR code",
    path: () => `/links/${link.id}?tab=qr`,
    open: click("Add name"),
    field: inDialog("Name of"),
  },
  { name: "found destinations", path: () => "/links", open: select("Change destination"), field: inDialog("Find") },
  {
    name: "tags for selected links",
    path: () => "/links",
    open: select("Tag"),
    field: (page) => page.getByRole("dialog").getByLabel("Tags", { exact: true }).and(page.locator("input")),
    // Not entered as a tag: Escape only closes the list of suggestions.
    type: async (field) => {
      await field.fill(TYPED);
      await field.press("Escape");
    },
    hasTyped: async (page) => (await page.getByRole("dialog").getByText(TYPED, { exact: true }).count()) > 0,
  },
  {
    name: "an expiry of selected links",
    path: () => "/links",
    open: select("Set expiry"),
    field: inDialog("Expires"),
    type: (field) => field.fill(TYPED_TIME),
    hasTyped: async (page) => (await inDialog("Expires")(page).inputValue()) === TYPED_TIME,
  },
  {
    name: "options of an import",
    path: () => "/import",
    open: (page) => {
      const file = { name: "sink.json", mimeType: "text/plain", buffer: Buffer.from(exportFile("sink", 1, "draft")) };
      return page.locator("input[type=file]").first().setInputFiles(file);
    },
    field: updates,
    type: (field) => field.check(),
    hasTyped: (page) => updates(page).isChecked(),
    isPage: true,
  },
  { name: "a saved view", path: () => "/links?tag=none", open: openViews, field: inDialog("Name") },
  { name: "a shared page", path: () => `/links/${link.id}`, open: click("Share"), field: inDialog("Name") },
  { name: "a note", path: () => `/links/${link.id}`, open: click("Add note"), field: inDialog("Note") },
  { name: "a key", path: () => "/settings/api-keys", open: click("Create key"), field: inDialog("Name") },
  { name: "a domain", path: () => "/settings/domains", open: click("Add domain"), field: inDialog("Domain") },
  {
    name: "default redirects",
    path: () => "/settings/domains",
    open: click("Default redirects"),
    field: inDialog("Bare domain"),
  },
  { name: "a page design", path: () => "/settings/domains", open: click("Page design"), field: inDialog("Name") },
  { name: "app links", path: () => "/settings/domains", open: click("App links"), field: inDialog("Package name") },
  {
    name: "a fingerprint of an app",
    path: () => "/settings/domains",
    open: click("App links"),
    field: fingerprints,
    // Not entered in the list: the first Escape belongs to the suggestions that such an input may have.
    type: async (field) => {
      await field.fill("ab:cd");
      await field.press("Escape");
    },
    hasTyped: async (page) =>
      (await page.getByRole("dialog").getByText("AB:CD", { exact: true }).count()) > 0 ||
      (await fingerprints(page).inputValue()) === "ab:cd",
  },
  {
    name: "a UTM template",
    path: () => "/settings/utm-templates",
    open: click("Edit News"),
    field: inDialog("Name"),
  },
  {
    name: "the profile",
    path: () => "/settings/account",
    open: async () => {},
    field: (page) => page.getByLabel("Name", { exact: true }),
    isPage: true,
  },
  {
    name: "a new email address",
    path: () => "/settings/account",
    open: click("Change email"),
    field: inDialog("New email"),
  },
];

function hasValue(field: FormTest["field"]): (page: Page) => Promise<boolean> {
  return async (page) => (await field(page).inputValue()) === TYPED;
}

describe("what was typed into the form of", () => {
  test.each(FORMS)(
    "$name survives Escape, Back, a reload, an ended session and a closed tab, until it is discarded",
    async ({ path, open, field, isPage, type = (typed) => typed.fill(TYPED), hasTyped = hasValue(field) }) => {
      let page = tab ?? (await ann.context.newPage());
      if (!tab) await page.goto(`${ann.base}/dashboard/tags`);
      tab = undefined;
      /** In the same document. */
      const go = (to: string) => page.evaluate((url) => history.pushState(null, "", url), `/dashboard${to}`);
      const enter = async () => {
        await page.goto(`${ann.base}/dashboard${path()}`);
        await open(page);
      };
      const expectTyped = async () => {
        await page.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
        expect(await hasTyped(page)).toBe(true);
      };
      // A page to go back to.
      await go("/tags");
      await page.getByRole("heading", { name: "Tags", level: 1 }).waitFor();
      await go(path());
      await open(page);
      await type(field(page));

      if (!isPage) {
        await page.keyboard.press("Escape");
        const question = page.getByRole("dialog", { name: "Discard your changes?" });
        await question.waitFor();
        await page.keyboard.press("Escape");
        await question.waitFor({ state: "hidden" });
        expect(await hasTyped(page)).toBe(true);
      }
      await page.evaluate("setTimeout(() => history.back())");
      await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Leave" }).click();
      await page.getByRole("heading", { name: "Tags", level: 1 }).waitFor();
      await go(path());
      await open(page);
      await expectTyped();

      // The first hour reloads a page that stays signed in.
      const session = await ann.context.cookies();
      await ann.context.clearCookies();
      await page.reload();
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
      await ann.context.addCookies(session);
      await page.close();
      page = await ann.context.newPage();
      await enter();
      await expectTyped();

      if (isPage) {
        await page.getByRole("button", { name: "Discard them" }).click();
      } else {
        await page
          .getByRole("dialog")
          .getByRole("button", { name: /^(Cancel|Close)$/ })
          .last()
          .click();
        await page.getByRole("button", { name: "Discard", exact: true }).click();
        await field(page).waitFor({ state: "hidden" });
      }
      await enter();
      await field(page).waitFor();
      await expect.poll(() => hasTyped(page)).toBe(false);
      expect(await page.getByText("are restored").count()).toBe(0);
      tab = page;
    },
    STORY_MS,
  );
});

test(
  "a described visit survives another tab and a reload, and asks nothing",
  async () => {
    const { page } = ann;
    await ann.open(`/links/${link.id}?tab=rules`);
    await page.getByText("More details").click();
    const city = page.getByLabel("City", { exact: true });
    await city.fill(TYPED);
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("tab", { name: "Rules" }).click();
    await city.waitFor();
    expect(await city.inputValue()).toBe(TYPED);
    await page.reload();
    await city.waitFor();
    expect(await city.inputValue()).toBe(TYPED);
    await page.getByRole("link", { name: "Tags", exact: true }).click();
    await ann.waitForHeading("Tags");
    await ann.open(`/links/${link.id}?tab=rules`);
    await page.getByRole("button", { name: "Discard them" }).click();
    await city.waitFor({ state: "hidden" });
    expect(await city.inputValue()).toBe("");
  },
  STORY_MS,
);

test(
  "a new account's name and email address survive sign-in and a reload, without the password, in their tab only",
  async () => {
    const bob = await dashboard.newUser();
    const { page } = bob;
    await bob.open("/sign-up");
    await page.getByLabel("Name").fill("Bob");
    await page.getByLabel("Email").fill(bob.email);
    await page.getByLabel(/^Password/).fill("secret words");
    await page.getByRole("link", { name: "Sign in" }).click();
    await bob.waitForHeading("Sign in");
    await page.reload();
    await page.getByRole("link", { name: "Sign up" }).click();
    await bob.waitForHeading("Sign up");
    const filled = () => Promise.all(["Name", "Email"].map((label) => page.getByLabel(label).inputValue()));
    expect(await filled()).toEqual(["Bob", bob.email]);
    const stored = (storage: string) => page.evaluate<string>(`JSON.stringify(${storage})`);
    expect(await stored("[localStorage, sessionStorage]")).not.toContain("secret words");
    expect(await stored("localStorage")).not.toContain(bob.email);

    await page.getByLabel(/^Password/).fill("secret words");
    await page.getByRole("button", { name: "Sign up" }).click();
    await bob.waitForHeading("Overview");
    expect(await stored("sessionStorage")).not.toContain(bob.email);
    await bob.close();
  },
  STORY_MS,
);

test(
  "stored options of an import ask nothing while no file is chosen",
  async () => {
    const { page } = ann;
    const form = FORMS.find(({ path }) => path() === "/import");
    await ann.open("/import");
    await form?.open(page);
    await updates(page).check();
    const stored = () => page.evaluate<string>("Object.keys(localStorage).join()");
    await expect.poll(stored).toContain(":import");
    await page.reload();
    await page.getByRole("button", { name: "Choose a file" }).waitFor();
    await page.getByRole("link", { name: "Tags", exact: true }).click();
    await ann.waitForHeading("Tags");
    expect(await stored()).toContain(":import");
  },
  STORY_MS,
);

test(
  "a draft has no password, is not shown to another account, and is replaced by no pasted link",
  async () => {
    const { page } = ann;
    await ann.open("/links?dialog=link");
    const form = page.getByRole("dialog", { name: "Create a link" });
    await form.getByLabel("Destination").fill(TYPED);
    await form.getByLabel("Password").first().check();
    await form.getByLabel("Password", { exact: true }).last().fill("secret words");
    const stored = () => page.evaluate<string>("JSON.stringify(localStorage)");
    await expect.poll(stored).toContain(TYPED);
    expect(await stored()).not.toContain("secret words");

    const session = await ann.context.cookies();
    const bob = await dashboard.register();
    await ann.context.clearCookies();
    await ann.context.addCookies(await bob.context.cookies());
    page.once("dialog", (dialog) => void dialog.accept());
    await ann.open("/links?dialog=link");
    await form.waitFor();
    expect(await form.getByLabel("Destination").inputValue()).toBe("");
    await ann.context.clearCookies();
    await ann.context.addCookies(session);

    await ann.open("/links");
    await ann.waitForHeading("Links");
    await page.evaluate(
      "document.dispatchEvent(Object.assign(new Event('paste', { bubbles: true }), { clipboardData: { getData: () => 'https://example.com/pasted' } }))",
    );
    await form.waitFor();
    expect(await form.getByLabel("Destination").inputValue()).toBe("https://example.com/pasted");
    await form.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("dialog", { name: "Link created" }).getByRole("button", { name: "Create another" }).click();
    await ann.open("/links?dialog=link");
    await form.waitFor();
    await expect.poll(() => form.getByLabel("Destination").inputValue()).toBe(TYPED);
    await form.getByRole("button", { name: "Discard them" }).click();
    expect(await form.getByLabel("Destination").inputValue()).toBe("");
    await bob.close();
  },
  STORY_MS,
);
