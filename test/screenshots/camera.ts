/** Takes the pictures of a page at three widths, light and dark. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Page } from "playwright-core";

/** Not in git. */
const FOLDER = resolve(import.meta.dirname, "../../test-results/pages");
const WIDTHS = [390, 1024, 1440];
const HEIGHT = 800;

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
    for (const colorScheme of ["dark", "light"] as const) {
      await this.#page.emulateMedia({ colorScheme });
      const follows = `html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`;
      await this.#page.locator(follows).waitFor({ state: "attached" });
      for (const width of WIDTHS) {
        await this.#page.setViewportSize({ width, height: HEIGHT });
        const path = join(FOLDER, `${name}-${width}-${colorScheme}.png`);
        await this.#page.screenshot({ path, fullPage: true, animations: "disabled" });
      }
    }
  }
}
