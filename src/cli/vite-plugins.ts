/** How the dashboard is bundled: which modules share a file, and which are left out. */
import { glob, readFile } from "node:fs/promises";

import type { HtmlTagDescriptor, Plugin, Rolldown } from "vite";

/**
 * Puts the application in one file: code that every page needs would otherwise be split by the pages that also use it,
 * and each file costs a request.
 * @param page  absolute path of the page, whose script is the entry
 * @internal
 */
export function applicationChunk(page: string): Rolldown.CodeSplittingGroup {
  let entryModules: Set<string> | null = null;
  return {
    debugName: "application",
    // The inputs' imports, without what they load later.
    tags: ["$initial"],
    // The entry script waits for the files that it imports, so its own code is not in the application's file.
    name: (id, modules) => {
      entryModules ??= closure(page, (each) => modules.getModuleInfo(each)?.importedIds ?? []);
      return entryModules.has(id) ? "entry" : "application";
    },
  };
}

/**
 * Groups modules that several parts use, which would otherwise be a file for each combination of parts.
 * @param paths  what their paths contain: folders and files without their ending
 * @internal
 */
export function sharedChunk(name: string, paths: readonly string[], minShareCount = 2): Rolldown.CodeSplittingGroup {
  return { name, test: new RegExp(`/(?:${paths.join("|")})[/.]`), minShareCount };
}

/** The first one and everything it imports, without what it loads later. */
function closure<T>(first: T, importsOf: (one: T) => readonly T[]): Set<T> {
  const found = new Set([first]);
  // Iterating over a set also visits members that are added during the iteration.
  for (const one of found) for (const imported of importsOf(one)) found.add(imported);
  return found;
}

const BASE = "/dashboard/";

/**
 * Lists the application's files in the page, beside the entry script that imports them: the browser downloads them from
 * the first response on, without waiting for that script.
 * @param main  absolute path of the module that the entry script imports
 * @internal
 */
export function preloadMain(main: string): Plugin {
  return {
    name: "preload-main",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(main));
        if (!chunk) throw new Error(`The build has no chunk of ${main}`);
        return preloadTags(closure(chunk, (one) => chunks.filter(({ fileName }) => one.imports.includes(fileName))));
      },
    },
  };
}

function preloadTags(chunks: ReadonlySet<Rolldown.OutputChunk>): HtmlTagDescriptor[] {
  const styles = [...chunks].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
  return [
    ...[...chunks]
      .filter(({ facadeModuleId }) => !facadeModuleId?.endsWith(".html"))
      .map(({ fileName }) => tagOf("modulepreload", fileName)),
    ...styles.map((fileName) => tagOf("stylesheet", fileName)),
  ];
}

function tagOf(rel: string, fileName: string): HtmlTagDescriptor {
  return { tag: "link", attrs: { rel, crossorigin: true, href: BASE + fileName }, injectTo: "head" };
}

/**
 * Reduces the set of icons, 2 MB, to those that the dashboard names.
 * @param folder  absolute path of the modules that name them, e.g. `icon("plus")`
 * @internal
 */
export function usedIcons(folder: string): Plugin {
  return {
    name: "used-icons",
    enforce: "pre",
    async load(id) {
      if (!id.endsWith("/@iconify-json/tabler/icons.json")) return undefined;
      const names = new Set<string>();
      for await (const path of glob(`${folder}/**/*.tsx`)) {
        this.addWatchFile(path);
        for (const [, name] of (await readFile(path, "utf8")).matchAll(/(?<!function )\bicon\(\s*(?:"([\w-]+)")?/g)) {
          if (name === undefined) throw new Error(`${path} must name icons as string literals`);
          names.add(name);
        }
      }
      const { icons } = JSON.parse(await readFile(id, "utf8")) as { icons: Record<string, unknown> };
      return JSON.stringify({ icons: Object.fromEntries(Object.entries(icons).filter(([name]) => names.has(name))) });
    },
  };
}

const EMPTY = "\0empty-fs";

/**
 * Replaces `fs` with an empty module in a package that imports it only for servers. Vite does the same, with a warning;
 * it still warns about other packages that import `fs`.
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
