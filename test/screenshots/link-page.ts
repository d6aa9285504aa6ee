/** The pictures of the README: loading this module takes them from the page of the demo's busiest link. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { startChromium } from "../support/chromium.ts";
import { startDevServer } from "../support/dev-server.ts";
import { demoLink } from "./demo-link.ts";

const IMAGES = resolve(import.meta.dirname, "../../src/docs/images");
const VIEWPORT = { width: 1280, height: 1120 };

const browser = await startChromium();
const server = await startDevServer({}, undefined, ["--demo"]);
try {
  const link = await demoLink(server);
  const context = await browser.newContext({ viewport: VIEWPORT, locale: "en-GB", reducedMotion: "reduce" });
  const page = await context.newPage();
  const { email, password } = server.accounts.Premium;
  await page.goto(`${server.base}/dashboard/sign-in`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview", exact: true }).waitFor();
  await page.goto(`${server.base}/dashboard/links/${link.id}`);
  mkdirSync(IMAGES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
    await page.locator("svg.recharts-surface").first().waitFor();
    await page
      .getByRole("row", { name: /Germany/ })
      .first()
      .waitFor();
    await page.screenshot({ path: join(IMAGES, `link-${colorScheme}.png`), animations: "disabled" });
  }
} finally {
  await Promise.all([browser.close(), server.remove()]);
}
