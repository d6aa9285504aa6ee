/**
 * A package that imports `fs` for what only servers call finds an empty module in its place. Vite does the same, with a
 * warning; another package that imports `fs` is still warned of.
 */
import type { Plugin } from "vite";

const EMPTY = "\0empty-fs";

/**
 * @param name  of the package
 * @internal
 */
export function withoutFs(name: string): Plugin {
  return {
    name: "without-fs",
    enforce: "pre",
    resolveId: (source, importer) =>
      source === "fs" && importer?.includes(`/node_modules/${name}/`) ? EMPTY : undefined,
    load: (id) => (id === EMPTY ? "export {};" : undefined),
  };
}
