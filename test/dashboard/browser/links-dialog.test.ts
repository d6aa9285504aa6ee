/**
 * Rules, a QR code, UTM templates and members in the dialogs that create and edit a link, the pages of visitors for passwords
 * and after a +, and the number of links above the list.
 */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { Link, type LinkPage } from "../../../src/core/contract/links.ts";
import { LINK_SWITCHES } from "../../support/dashboard-input.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import type { DashboardUser } from "../../support/dashboard-user.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

async function listed(page: Page, query = ""): Promise<LinkPage["data"]> {
  const response = await page.request.get(`${dashboard.base}/dashboard/api/links${query}`);
  return ((await response.json()) as LinkPage).data;
}

test(
  "rules are built before the link is created, with errors shown at the rule; a code can be created after it",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    await ann.open("/links");
    await page.getByRole("button", { name: "Create link" }).first().click();
    const form = page.getByRole("dialog", { name: "Create a link" });
    await form.getByLabel("Destination").fill("https://example.com/dialog");
    await form.getByLabel("Slug").fill("dialog");
    await form.getByRole("button", { name: "Rules" }).click();
    await form.getByRole("button", { name: "Build rules" }).click();
    await form.getByRole("button", { name: "Add your first rule" }).click();
    await form.getByLabel("Go to", { exact: true }).last().fill("https://example.com/dialog-de");
    await form.getByRole("button", { name: "Create link", exact: true }).click();
    await form.getByText("Choose or type at least one.").first().waitFor();
    await ann.checkPage("create-rules");
    await form.getByRole("combobox", { name: "Rule 1: Country", exact: true }).click();
    await page.keyboard.type("Germ");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await form.getByRole("button", { name: "Create link", exact: true }).click();

    const made = page.getByRole("dialog", { name: "Link created" });
    await made.getByRole("button", { name: "QR code" }).click();
    await made.getByRole("button", { name: "Create QR code" }).click();
    await made.getByRole("img", { name: "The newest QR code" }).waitFor();
    const [link] = await listed(page, "?slug=dialog");
    expect(link?.routing).toEqual([{ if: { country: "DE" }, to: "https://example.com/dialog-de" }]);
    await ann.close();
  },
  STORY_MS,
);

test(
  "a duplicate that was left with Back is a draft, and not the start of the next link",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    const answer = await page.request.post(`${dashboard.base}/dashboard/api/links`, {
      data: { url: "https://example.com/copied" },
      headers: { Origin: dashboard.base },
    });
    expect(answer.status()).toBe(201);
    await ann.open("/links");
    await page.getByRole("button", { name: /^More actions for/ }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    const form = page.getByRole("dialog", { name: "Create a link" });
    expect(await form.getByLabel("Destination").inputValue()).toBe("https://example.com/copied");
    await page.evaluate("setTimeout(() => history.back())");
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Leave" }).click();
    await form.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Create link" }).first().click();
    await form.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
    await form.getByRole("button", { name: "Discard them" }).click();
    expect(await form.getByLabel("Destination").inputValue()).toBe("");
    await ann.close();
  },
  STORY_MS,
);

test(
  "12 aliases are added with the keyboard, with errors at their rows, and have copy buttons and clicks on the link's page",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    await dashboard.api().createLink({ slug: "alias-taken" });
    await ann.open("/links");
    await page.getByRole("button", { name: "Create link" }).first().click();
    const form = page.getByRole("dialog", { name: "Create a link" });
    await form.getByLabel("Destination").fill("https://example.com/aliases");
    await form.getByLabel("Slug", { exact: true }).fill("aliases");
    await form.getByRole("button", { name: "Aliases" }).click();
    await form.getByRole("button", { name: "Add an alias" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("größe/1");
    for (const slug of ["alias-taken", ""]) {
      await form.getByRole("button", { name: "Add an alias" }).focus();
      await page.keyboard.press("Enter");
      await page.keyboard.type(slug);
    }
    await form.getByRole("button", { name: "Create link", exact: true }).click();
    await form.getByRole("group", { name: "Alias 3" }).getByText("Enter a slug, or remove this alias").waitFor();
    await form.getByRole("button", { name: "Remove alias 3" }).focus();
    await page.keyboard.press("Enter");
    expect(
      await form.getByRole("button", { name: "Add an alias" }).evaluate((it) => it === document.activeElement),
    ).toBe(true);
    await form.getByRole("button", { name: "Create link", exact: true }).click();
    await form.getByRole("group", { name: "Alias 2" }).getByText("This slug is taken").waitFor();
    await ann.checkPage("create-aliases");
    await form.getByLabel("Slug of alias 2").fill("aliases-2");
    await form.getByRole("button", { name: "Create link", exact: true }).click();
    await page.getByRole("dialog", { name: "Link created" }).waitFor();

    const read = async (slug: string) => (await listed(page, `?slug=${slug}`))[0];
    const link = await read("aliases-2");
    expect(link?.aliases?.map(({ slug }) => slug)).toEqual(["größe/1", "aliases-2"]);
    const [first = { short_url: "" }, second = { short_url: "" }] = link?.aliases ?? [];
    for (const { short_url } of [first, first, { short_url: link?.short_url ?? "" }]) {
      expect((await fetch(short_url, { redirect: "manual" })).status).toBe(302);
    }
    await ann.open(`/links/${link?.id}`);
    const addresses = page.getByRole("list", { name: "Short URLs of this link" });
    await addresses.getByRole("listitem").filter({ hasText: "/größe/1" }).getByText("2 clicks").waitFor();
    expect(await addresses.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/\/aliases1 click$/),
      expect.stringMatching(/\/größe\/12 clicks$/),
      expect.stringMatching(/\/aliases-20 clicks$/),
    ]);
    const copy = addresses.getByRole("listitem").nth(1).getByRole("button");
    expect(await ann.copy(copy)).toBe(first.short_url);
    await page.getByRole("tab", { name: "Short URL" }).click();
    await page.getByRole("row").filter({ hasText: "/größe/1" }).waitFor();
    await ann.checkPage("link-aliases");

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit link" });
    await dialog.getByRole("button", { name: "Aliases" }).click();
    await dialog.getByText("stops working permanently").waitFor();
    await dialog.getByRole("button", { name: "Remove alias 2" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await read("aliases"))?.aliases?.map(({ slug }) => slug)).toEqual(["größe/1"]);
    expect((await fetch(second.short_url, { redirect: "manual" })).status).toBe(410);
    await ann.close();
  },
  STORY_MS,
);

test(
  "the list shows the number of links if those of the other mode can be subtracted",
  async () => {
    const ann = await dashboard.register();
    const { page } = ann;
    const make = async (mode: string, count: number) => {
      const links = Array.from({ length: count }, (_, i) => ({ url: `https://example.com/${mode}/${i}` }));
      const response = await page.request.post(`${dashboard.base}/dashboard/api/links/bulk`, {
        data: { links },
        headers: { Origin: dashboard.base, "Hoplink-Mode": mode },
      });
      expect(response.status(), await response.text()).toBe(200);
    };
    await make("live", 25);
    await make("test", 3);
    await ann.open("/links");
    await page.getByText("1–20 of 25", { exact: true }).waitFor();
    await ann.close();
  },
  STORY_MS,
);

test(
  "a UTM template is created, changed and written into destinations of a new and an existing link, then deleted",
  async () => {
    const ann = await dashboard.signUp();
    const { page } = ann;
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "UTM templates" }).click();
    await page.getByRole("heading", { name: "No UTM templates yet" }).waitFor();
    await page.getByText("utm_source=newsletter&utm_medium=email").waitFor();
    await ann.checkPage("utm-templates-empty");
    await page.getByRole("button", { name: "Create your first template" }).click();
    const template = page.getByRole("dialog", { name: "Create a UTM template" });
    await template.getByLabel("Name").fill("Newsletter");
    await template.getByRole("button", { name: "Save" }).click();
    await template.getByText("utm_source or another parameter must be given").waitFor();
    await template.getByLabel("Source").fill("news & more");
    await template.getByLabel("Medium").fill("email");
    await ann.checkPage("utm-template");
    await page.keyboard.press("Enter");
    const card = page.getByRole("listitem", { name: "Newsletter" });
    await card.getByText("utm_source=news%20%26%20more&utm_medium=email").waitFor();
    await card.getByRole("button", { name: "Edit Newsletter" }).click();
    const edited = page.getByRole("dialog", { name: "Edit UTM template" });
    await edited.getByLabel("Medium").fill("");
    await edited.getByLabel("Campaign").fill("june");
    await edited.getByRole("button", { name: "Save" }).click();
    await card.getByText("utm_source=news%20%26%20more&utm_campaign=june").waitFor();
    await ann.checkPage("utm-templates");

    await ann.open("/links?dialog=link");
    const form = page.getByRole("dialog", { name: "Create a link" });
    await form.getByLabel("Destination").fill("https://example.com/?utm_source=old&q=%7E#/utm");
    const choose = async (dialog: typeof form) => {
      await dialog.getByRole("button", { name: "Campaign (UTM)" }).click();
      const menu = dialog.getByRole("button", { name: "Use a template" });
      // Enabled once the templates are loaded.
      await menu.click({ trial: true });
      await menu.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "Newsletter" }).waitFor();
      await ann.checkPage("utm-menu");
      await page.keyboard.press("Enter");
    };
    await choose(form);
    const written = "https://example.com/?utm_source=news%20%26%20more&q=%7E&utm_campaign=june#/utm";
    await form.getByRole("region", { name: "Visitors go to" }).getByText(written, { exact: true }).waitFor();
    expect(await form.getByLabel("Destination").inputValue()).toBe(written);
    await form.getByRole("button", { name: "Create link", exact: true }).click();
    await page.getByRole("button", { name: "Done" }).click();
    const [made] = await listed(page);
    expect(made?.url).toBe(written);

    await ann.open(`/links/${made?.id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const editor = page.getByRole("dialog", { name: "Edit link" });
    await editor.getByLabel("Destination").fill("https://example.com/second");
    await choose(editor);
    await editor.getByRole("button", { name: "Save" }).click();
    await editor.waitFor({ state: "hidden" });
    expect((await listed(page))[0]?.url).toBe(
      "https://example.com/second?utm_source=news%20%26%20more&utm_campaign=june",
    );

    await ann.open("/settings/utm-templates");
    await card.getByRole("button", { name: "Delete Newsletter" }).click();
    await page.getByRole("button", { name: "Delete template" }).click();
    await page.getByRole("heading", { name: "No UTM templates yet" }).waitFor();
    await ann.close();
  },
  STORY_MS,
);

test("the focus is not lost with the button that opened a dialog", async () => {
  const ann = await dashboard.register();
  const { page } = ann;
  await ann.open("/settings/utm-templates");
  await page.getByRole("button", { name: "Create your first template" }).press("Enter");
  await page.getByLabel("Name").fill("Newsletter");
  await page.getByLabel("Source").fill("news");
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/utm-templates", async (route) => {
    if (route.request().method() === "GET") await held;
    await route.continue();
  });
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  await expect.poll(focused).toBe("Create your first template");
  release();
  await page.getByRole("listitem", { name: "Newsletter" }).waitFor();
  await expect.poll(focused).toBe("UTM templates");
  await page.unroute("**/utm-templates");
  await ann.close();
});

const WIDE = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Presses Tab until the focus is there, as people do without a mouse. */
async function tabTo(target: Locator): Promise<void> {
  const page = target.page();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element.matches(":focus-visible"))) return;
  }
  throw new Error(`${String(target)} is not reached by Tab`);
}

async function press(target: Locator, ...keys: string[]): Promise<void> {
  await tabTo(target);
  for (const key of keys) await target.page().keyboard.press(key);
}

async function onDarkPhone({ page }: DashboardUser): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize(PHONE);
}

/** Status of a visit that sends a password. */
async function sendPassword({ short_url }: Link, password: string): Promise<number> {
  const headers = { Origin: dashboard.base };
  const body = new URLSearchParams({ password });
  return (await fetch(short_url, { method: "POST", redirect: "manual", headers, body })).status;
}

describe("17 controls of a link's members", () => {
  const all = Object.fromEntries(Object.values(LINK_SWITCHES).map((member) => [member, true]));

  test(
    "in the edit dialog are set by mouse on a wide screen, and changed and cleared by keyboard on a dark phone",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const api = dashboard.api();
      const link = await api.createLink();
      const saved = async () => Link.parse(await api.call("GET", `/v1/links/${link.id}`));
      await page.setViewportSize(WIDE);
      await ann.open(`/links/${link.id}?tab=qr`);
      const open = page.getByRole("button", { name: "Edit", exact: true });
      const dialog = page.getByRole("dialog", { name: "Edit link" });
      const control = (name: string) => dialog.getByRole("switch", { name: new RegExp(`^${name}`) });
      const password = dialog.getByLabel("Password", { exact: true });
      const status = dialog.getByLabel("Redirect status");
      await open.click();
      for (const name of [...Object.keys(LINK_SWITCHES), "Require a password"]) await control(name).click();
      await status.selectOption("308");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Enter a password").waitFor();
      await password.fill("short");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Use 6 to 128 characters.").waitFor();
      await ann.checkPage("edit-link-controls");
      await password.fill("first password");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await saved()).toMatchObject({ ...all, redirect_status: 308, password_protected: true });
      for (const badge of ["Paused", "Password", "Archived"]) await page.getByText(badge, { exact: true }).waitFor();

      await onDarkPhone(ann);
      await press(open, "Enter");
      await dialog.getByText("The link has a password. Leave empty to keep it.").waitFor();
      for (const name of Object.keys(LINK_SWITCHES)) await press(control(name), "Space");
      await press(status, "ArrowUp", "ArrowUp", "ArrowUp");
      await tabTo(password);
      await page.keyboard.type("second password");
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
      const { updated_at: _, ...plain } = link;
      expect(await saved()).toEqual({ ...plain, password_protected: true, updated_at: expect.any(String) });
      expect(await sendPassword(link, "first password")).toBe(401);
      expect(await sendPassword(link, "second password")).toBe(303);

      await press(open, "Enter");
      const slug = `keys-${link.slug}`;
      await press(dialog.getByRole("button", { name: "Aliases" }), "Enter");
      await press(dialog.getByRole("button", { name: "Add an alias" }), "Enter");
      await page.keyboard.type(slug);
      await press(dialog.getByRole("button", { name: "Custom preview" }), "Enter");
      await tabTo(dialog.getByLabel("Preview title"));
      await page.keyboard.type("Card");
      const upload = dialog.getByRole("button", { name: "Upload an image" });
      await Promise.all([page.waitForEvent("filechooser"), press(upload, "Enter")]);
      await press(control("Require a password"), "Space");
      await press(dialog.getByRole("button", { name: "Save" }), "Enter");
      await dialog.waitFor({ state: "detached" });
      const aliases = [{ slug, domain: link.domain, short_url: `${dashboard.base}/${slug}` }];
      expect(await saved()).toEqual({ ...plain, aliases, social: { title: "Card" }, updated_at: expect.any(String) });
      expect(await page.getByText("Password", { exact: true }).count()).toBe(0);
      await ann.close();
    },
    STORY_MS,
  );
});

test(
  "17 visitors enter a link's password by keyboard or mouse, wrong, right and too often, on every screen",
  async () => {
    const url = "https://example.com/secret";
    const link = await dashboard.api().createLink({ url, password: "correct horse" });
    const visitors = [await dashboard.newUser(), await dashboard.newUser()] as const;
    const [ben, eve] = visitors;
    const { page } = ben;
    await page.setViewportSize(WIDE);
    await page.goto(link.short_url);
    await ben.waitForHeading("This link is protected by a password");
    await ben.checkPage("password-form");
    expect(await page.getByLabel("Password").evaluate((input) => input.matches(":focus"))).toBe(true);
    await page.setViewportSize(WIDE);
    await page.keyboard.type("wrong horse");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").getByText("Wrong password. Try again.").waitFor();
    await ben.checkPage("password-wrong");
    await onDarkPhone(ben);
    await ben.checkLook("password-form-dark-phone");
    await page.keyboard.type("correct horse");
    // Nothing answers there.
    const isRedirected = () => page.waitForRequest(url);
    await Promise.all([isRedirected(), page.keyboard.press("Enter")]);
    const open = () => page.goto(link.short_url).catch(() => null);
    await Promise.all([isRedirected(), open()]);

    const form = { password: "wrong horse" };
    for (let i = 0; i < 10; i++) {
      const reply = await eve.context.request.post(link.short_url, { form, headers: { Origin: dashboard.base } });
      expect(reply.status()).toBe(401);
    }
    await onDarkPhone(eve);
    await eve.page.goto(link.short_url);
    await eve.page.keyboard.type("correct horse");
    await press(eve.page.getByRole("button", { name: "Continue" }), "Enter");
    await eve.waitForHeading("Too many wrong passwords");
    await eve.page.getByText("Try again in 10 minutes.").waitFor();
    await eve.page.setViewportSize(WIDE);
    await eve.checkPage("password-locked");
    await Promise.all([isRedirected(), open()]);
    expect(ben.pageErrors.splice(0).filter((error) => error !== `request: ${url}`)).toEqual([]);
    for (const visitor of visitors) await visitor.close();
  },
  STORY_MS,
);

test("17 visitors see after a + where a link leads, and follow it by mouse or keyboard; or that it has a password", async () => {
  const url = "https://example.com/peeked";
  const [link, locked] = [
    await dashboard.api().createLink({ url }),
    await dashboard.api().createLink({ password: "correct horse" }),
  ];
  const ben = await dashboard.newUser();
  const { page } = ben;
  const leads = page.getByRole("link", { name: url });
  for (const follow of [() => leads.click(), () => press(leads, "Enter")]) {
    await page.goto(`${link.short_url}+`);
    await ben.waitForHeading("Where this link goes");
    await ben.checkLook("peek");
    // Nothing answers there.
    await Promise.all([page.waitForRequest(url), follow()]);
    await onDarkPhone(ben);
  }
  await page.goto(`${locked.short_url}+`);
  await page.getByText("It is protected by a password.").waitFor();
  expect(await page.getByRole("link").count()).toBe(0);
  await ben.checkPage("peek-password");
  expect(ben.pageErrors.splice(0).filter((error) => error !== `request: ${url}`)).toEqual([]);
  await ben.close();
});
