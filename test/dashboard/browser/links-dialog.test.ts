/** Rules, a QR code and UTM templates in the dialogs that create and edit a link, and the number of links above the list. */
import { expect, test } from "vitest";

import { LinkPage } from "../../../src/core/contract/links.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

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
    const response = await page.request.get(`${dashboard.base}/dashboard/api/links?slug=dialog`);
    const [link] = LinkPage.parse(await response.json()).data;
    expect(link?.routing).toEqual([{ if: { country: "DE" }, to: "https://example.com/dialog-de" }]);
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

    const read = async (slug: string) => {
      const response = await page.request.get(`${dashboard.base}/dashboard/api/links?slug=${slug}`);
      return LinkPage.parse(await response.json()).data[0];
    };
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
    const ann = await dashboard.signUp();
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
    await page.reload();
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
    const links = async () =>
      LinkPage.parse(await (await page.request.get(`${dashboard.base}/dashboard/api/links`)).json()).data;
    const [made] = await links();
    expect(made?.url).toBe(written);

    await ann.open(`/links/${made?.id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const editor = page.getByRole("dialog", { name: "Edit link" });
    await editor.getByLabel("Destination").fill("https://example.com/second");
    await choose(editor);
    await editor.getByRole("button", { name: "Save" }).click();
    await editor.waitFor({ state: "hidden" });
    expect((await links())[0]?.url).toBe("https://example.com/second?utm_source=news%20%26%20more&utm_campaign=june");

    await ann.open("/settings/utm-templates");
    await card.getByRole("button", { name: "Delete Newsletter" }).click();
    await page.getByRole("button", { name: "Delete template" }).click();
    await page.getByRole("heading", { name: "No UTM templates yet" }).waitFor();
    await ann.close();
  },
  STORY_MS,
);
