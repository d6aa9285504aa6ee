/** Takes the pictures of a page at three widths, light and dark, and reports the texts that do not fit. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Page } from "playwright-core";

import { eventually } from "../support/eventually.ts";

/** Not in git. */
const FOLDER = resolve(import.meta.dirname, "../../test-results/pages");
const WIDTHS = [390, 1024, 1440];
const HEIGHT = 800;

/**
 * Runs in the page. Finds the buttons and tabs whose text has two lines, and the texts that are cut off. Text that a
 * person can scroll to is not cut off; nor is text that is hidden except from screen readers, which is 1 px wide. Both
 * widths are rounded separately, so they may differ by 1 px although the text fits.
 */
const FIND_MISFITS = `(() => {
  const misfits = [];
  const isShown = (element) => element.checkVisibility({ opacityProperty: true }) && element.clientWidth > 1;
  for (const element of document.querySelectorAll("body *")) {
    const text = element.innerText?.trim();
    if (!text || !isShown(element)) continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    if (element.scrollWidth > element.clientWidth + 1 && (textOverflow === "ellipsis" || overflowX === "hidden")) {
      misfits.push("cut off: " + text.slice(0, 80));
    }
    if (element.matches("button, [role=tab], a[class*=Button]")) {
      const range = document.createRange();
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        range.selectNodeContents(walker.currentNode);
        const tops = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
        if (tops.size > 1) misfits.push("two lines: " + text.slice(0, 80));
      }
    }
  }
  return [...new Set(misfits)];
})()`;

const IS_NARROW = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";

export class Camera {
  readonly #page: Page;
  readonly #wanted: readonly string[];

  /** @param wanted  beginnings of scene names; all scenes if empty */
  constructor(page: Page, wanted: readonly string[]) {
    mkdirSync(FOLDER, { recursive: true });
    this.#page = page;
    this.#wanted = wanted;
  }

  /** Takes a scene. A scene that cannot be arranged is reported, and the next one is taken. */
  async scene(name: string, arrange: () => Promise<unknown>): Promise<void> {
    if (this.#wanted.length > 0 && !this.#wanted.some((start) => name.startsWith(start))) return;
    try {
      await arrange();
      await this.#take(name);
      console.log(name);
    } catch (error) {
      console.error(name, error);
      process.exitCode = 1;
    } finally {
      await this.#page.unrouteAll({ behavior: "ignoreErrors" });
    }
  }

  async #take(name: string): Promise<void> {
    const misfits = new Set<string>();
    const isNarrow = () => this.#page.evaluate<boolean>(IS_NARROW);
    for (const colorScheme of ["dark", "light"] as const) {
      await this.#page.emulateMedia({ colorScheme });
      const follows = `html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`;
      await this.#page.locator(follows).waitFor({ state: "attached" });
      for (const width of WIDTHS) {
        await this.#page.setViewportSize({ width, height: HEIGHT });
        const path = join(FOLDER, `${name}-${width}-${colorScheme}.png`);
        // Charts follow the window's width a few frames later.
        await eventually(isNarrow, "fits", 2_000).catch(() => misfits.add(`${width} px: the page is too wide`));
        for (const misfit of await this.#page.evaluate<string[]>(FIND_MISFITS)) misfits.add(`${width} px: ${misfit}`);
        await this.#page.screenshot({ path, fullPage: true, animations: "disabled" });
      }
    }
    for (const misfit of misfits) console.log(`  ${name}, ${misfit}`);
  }
}
