/** International host names in a browser: people read their letters, what is copied stays as it is. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { ApiClient } from "../../support/api-client.ts";
import { type Dashboard, startDashboard } from "../../support/dashboard.ts";
import { DashboardUser } from "../../support/dashboard-user.ts";
import { demoAccountOf, keysOf } from "../../support/dev-server.ts";

const STORY_MS = 300_000;

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});

afterAll(() => dashboard?.stop());

test(
  "destinations and referrers are shown in their letters, lookalikes are not; a copy is the URL itself",
  async () => {
    const ann = await DashboardUser.create(dashboard.browser, dashboard.server.base);
    const { page } = ann;
    const api = new ApiClient(dashboard.server.base, keysOf(dashboard.server, "Premium").live);
    const url = `https://xn--mnchen-3ya.example/${"a".repeat(60)}`;
    const link = await api.createLink({ url });
    await api.createLink({ url: "https://xn--80ak6aa92e.example/" });
    await fetch(link.short_url, { redirect: "manual", headers: { Referer: "https://xn--bcher-kva.example/" } });
    const { email, password } = demoAccountOf(dashboard.server, "Premium");
    await ann.signIn(email, password);
    await page.getByText("https://münchen.example/").waitFor();
    await page.getByText("https://xn--80ak6aa92e.example/").waitFor();

    await ann.open(`/links/${link.id}`);
    await page.getByText("leads to https://münchen.example/").waitFor();
    await page.getByText("bücher.example").first().waitFor();
    await page.getByRole("button", { name: "Copy destination" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(url);
    await ann.close();
  },
  STORY_MS,
);
