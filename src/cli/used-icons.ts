/** Of the set of icons, 2 MB, the dashboard gets those that it names. */
import { readFile } from "node:fs/promises";

import type { Plugin } from "vite";

/**
 * @param module  absolute path of the one that names them, as `icon("plus")`
 * @internal
 */
export function usedIcons(module: string): Plugin {
  return {
    name: "used-icons",
    enforce: "pre",
    async load(id) {
      if (!id.endsWith("/@iconify-json/tabler/icons.json")) return undefined;
      this.addWatchFile(module);
      const { icons } = JSON.parse(await readFile(id, "utf8")) as { icons: Record<string, unknown> };
      const names = new Set((await readFile(module, "utf8")).match(/(?<=\bicon\(")[\w-]+/g));
      return JSON.stringify({ icons: Object.fromEntries(Object.entries(icons).filter(([name]) => names.has(name))) });
    },
  };
}
