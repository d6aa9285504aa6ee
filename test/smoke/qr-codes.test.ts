/** QR codes in the dashboard: for every link, one per double click, listed after a reload, page by page. */
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";

import { Link } from "../../src/core/contract/links.ts";
import { type QrCode, QrCodePage } from "../../src/core/contract/qr-codes.ts";
import { DashboardTests } from "../support/dashboard-tests.ts";
import type { DashboardUser } from "../support/dashboard-user.ts";

const STORY_MS = 600_000;
const SCANS_REFRESH_MS = 10_000;

const dashboard = new DashboardTests();

let person: Promise<DashboardUser> | undefined;

afterAll(async () => (await person)?.close());

/** The same person for all tests with the real clock: a new one's browser would load the whole dashboard again. */
async function arrive() {
  person ??= dashboard.signIn();
  const ann = await person;
  await ann.page.unrouteAll();
  return { ann, page: ann.page };
}

/** A link created by the dashboard's own API. */
async function dashboardLink({ page, base }: DashboardUser): Promise<Link> {
  const response = await page.request.post(`${base}/dashboard/api/links`, {
    data: { url: "https://example.com/" },
    headers: { Origin: base },
  });
  return Link.parse(await response.json());
}

async function codesOf({ page, base }: DashboardUser, link: Link): Promise<QrCode[]> {
  const response = await page.request.get(`${base}/dashboard/api/qr?link_id=${link.id}&limit=100`);
  return QrCodePage.parse(await response.json()).data;
}

const openCodes = (person: DashboardUser, link: Link) => person.open(`/links/${link.id}?tab=qr`);
const cards = (page: Page) => page.getByRole("article", { name: /^QR code qr_/ });

describe("8 QR codes in the dashboard", () => {
  test(
    "of a link created there: a double click creates one, which is listed after a reload and counts its scans",
    async () => {
      const ann = await dashboard.signIn();
      const { page } = ann;
      const link = await dashboardLink(ann);
      await openCodes(ann, link);
      await page.getByText("No QR codes yet.").waitFor();
      await ann.checkPage("qr-none");
      await page.getByRole("button", { name: "Create QR code" }).dblclick();
      await cards(page).first().waitFor();
      const [code, ...others] = await codesOf(ann, link);
      expect(others).toEqual([]);
      if (!code) throw new Error("no code");

      // Scans are requested again every ten seconds, which pass instantly.
      await page.clock.install();
      await page.reload();
      const card = page.getByRole("article", { name: `QR code ${code.id}` });
      await card.getByText("0 scans", { exact: true }).waitFor();
      await fetch(`${link.short_url}?qr=${code.id.replace("qr_", "")}`, { redirect: "manual" });
      await expect
        .poll(async () => {
          await page.clock.fastForward(SCANS_REFRESH_MS);
          return card.getByText("1 scan", { exact: true }).count();
        })
        .toBe(1);

      // A second one of the same design is a separate code.
      await page.getByRole("button", { name: "Create QR code" }).click();
      await expect.poll(() => cards(page).count()).toBe(2);
      await ann.checkPage("qr-codes");
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "a code whose response was lost is not created twice by a retry",
    async () => {
      const { ann, page } = await arrive();
      const link = await dashboardLink(ann);
      await openCodes(ann, link);
      await page.getByText("No QR codes yet.").waitFor();
      let lost = 0;
      await page.route("**/dashboard/api/qr", async (route) => {
        if (route.request().method() !== "POST" || lost++ > 0) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await page.getByRole("button", { name: "Create QR code" }).click();
      await page.getByText("The QR code was not created").waitFor();
      await page.getByRole("button", { name: "Create QR code" }).click();
      await cards(page).first().waitFor();
      expect(lost).toBe(2);
      expect(await codesOf(ann, link)).toHaveLength(1);
    },
    STORY_MS,
  );

  test(
    "of more than a page, the others are loaded on request",
    async () => {
      const { ann, page } = await arrive();
      const api = dashboard.api();
      const link = await api.createLink();
      for (let i = 0; i < 12; i++) await api.call("POST", "/v1/qr", { link_id: link.id, size: 100 + i });
      await openCodes(ann, link);
      await cards(page).first().getByText("111 px, ").waitFor();
      expect(await cards(page).count()).toBe(10);
      await page.getByRole("button", { name: "Show more codes" }).click();
      await expect.poll(() => cards(page).count()).toBe(12);
      expect(await page.getByRole("button", { name: "Show more codes" }).count()).toBe(0);
    },
    STORY_MS,
  );

  test(
    "while a color is picked its contrast stays visible",
    async () => {
      const { ann, page } = await arrive();
      const link = await dashboardLink(ann);
      await openCodes(ann, link);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await page.getByRole("textbox", { name: "Foreground" }).click();
        const picker = page.locator(".mantine-ColorInput-dropdown");
        await picker.waitFor();
        const [over, under] = [await picker.boundingBox(), await page.getByText(/^Contrast 21:1/).boundingBox()];
        if (!over || !under) throw new Error("not in sight");
        expect(over.y >= under.y + under.height || over.y + over.height <= under.y).toBe(true);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Create QR code" }).focus();
        await picker.waitFor({ state: "hidden" });
      }
    },
    STORY_MS,
  );
});
