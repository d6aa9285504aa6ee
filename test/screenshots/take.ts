/**
 * `npm run screenshots`: takes the pictures of the README from the real dashboard, light and dark. Starts the development
 * server with data of its own, makes a link with rules, sends visitors to it for ten minutes (the time of a click is that
 * of its visit, so a chart needs time to fill), and photographs the link's page. Needs Chromium.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Browser } from "playwright-core";

import type { Link } from "../../src/core/contract/links.ts";
import { ApiClient } from "../support/api-client.ts";
import { startDashboard } from "../support/dashboard.ts";
import { demoAccountOf, type DevServer, keysOf } from "../support/dev-server.ts";

const IMAGES = resolve(import.meta.dirname, "../../src/docs/images");
const VIEWPORT = { width: 1280, height: 1120 };
const MINUTE_MS = 60_000;
/** Visits in each minute. */
const VISITS = [9, 14, 22, 31, 27, 38, 52, 44, 57, 63];

const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
const LAPTOP =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/** Each list is gone through in turns of its own length, so that no two facts always come together. */
const PLACES = ["DE", "US", "DE", "FR", "US", "GB", "JP", "BR", "IN", "DE", "CA"].map((country) => ({
  "x-visitor-country": country,
}));
const BROWSERS = [PHONE, LAPTOP, PHONE].map((userAgent) => ({ "User-Agent": userAgent }));
const REFERRERS = [
  {},
  { Referer: "https://news.ycombinator.com/item" },
  {},
  { Referer: "https://www.linkedin.com/feed/" },
  {},
];

const { server, browser, stop } = await startDashboard();
try {
  const link = await createLink(server);
  const page = await openLinkPage(browser, server, link);
  let visits = 0;
  for (const [minute, count] of VISITS.entries()) {
    for (let i = 0; i < count; i++) await visit(link, visits++);
    console.log(`minute ${minute + 1} of ${VISITS.length}: ${visits} visits`);
    if (minute < VISITS.length - 1) await sleep(MINUTE_MS);
  }
  await page.getByRole("button", { name: "Refresh now" }).click();
  await page.getByText(String(visits), { exact: true }).first().waitFor();
  // Away from the button, whose tooltip covers the page.
  await page.mouse.move(0, 0);
  mkdirSync(IMAGES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
    await page.locator("path.recharts-rectangle").first().waitFor();
    await page.screenshot({ path: join(IMAGES, `link-${colorScheme}.png`), animations: "disabled" });
  }
} finally {
  await stop();
}

function createLink(dev: DevServer): Promise<Link> {
  return new ApiClient(dev.base, keysOf(dev, "Premium").live).createLink({
    slug: "spring",
    routing: [
      { if: { country: ["DE", "AT"] }, to: "https://example.com/de" },
      { if: { device: "mobile" }, to: "https://example.com/app" },
    ],
  });
}

async function visit({ short_url }: Link, number: number): Promise<void> {
  const headers = {
    ...PLACES[number % PLACES.length],
    ...BROWSERS[number % BROWSERS.length],
    ...REFERRERS[number % REFERRERS.length],
    "Accept-Language": "en",
  };
  await fetch(short_url, { redirect: "manual", headers });
}

async function openLinkPage(chromium: Browser, dev: DevServer, { id }: Link) {
  const context = await chromium.newContext({ viewport: VIEWPORT, locale: "en-GB", reducedMotion: "reduce" });
  const page = await context.newPage();
  const { email, password } = demoAccountOf(dev, "Premium");
  await page.goto(`${dev.base}/dashboard/sign-in`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Links", exact: true }).waitFor();
  await page.goto(`${dev.base}/dashboard/links/${id}`);
  return page;
}
