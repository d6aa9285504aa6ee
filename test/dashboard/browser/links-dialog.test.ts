/** Rules and a QR code in the dialog that creates a link, and the number of links above the list. */
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
