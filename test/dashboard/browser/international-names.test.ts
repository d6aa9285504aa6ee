/** International host names in a browser are shown in their own script. A copy is unchanged. */
import { expect, test } from "vitest";

import { DashboardTests } from "../../support/dashboard-tests.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

test(
  "destinations and referrers are shown in their own script, lookalikes are not, and a copy is the exact URL",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    const api = dashboard.api();
    const url = `https://xn--mnchen-3ya.example/${"a".repeat(60)}`;
    const link = await api.createLink({ url });
    await api.createLink({ url: "https://xn--80ak6aa92e.example/" });
    await fetch(link.short_url, { redirect: "manual", headers: { Referer: "https://xn--bcher-kva.example/" } });
    await ann.open("/links");
    await page.getByText("https://münchen.example/").waitFor();
    await page.getByText("https://xn--80ak6aa92e.example/").waitFor();

    await ann.open(`/links/${link.id}`);
    await page.getByText("leads to https://münchen.example/").waitFor();
    await page.getByText("bücher.example").first().waitFor();
    expect(await ann.copy(page.getByRole("button", { name: "Copy destination" }))).toBe(url);
    await ann.close();
  },
  STORY_MS,
);
