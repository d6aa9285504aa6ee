/**
 * Builds the dashboard into `dist/dashboard`, which the Worker serves under `/dashboard`. `npm run dev:dashboard`
 * serves it with hot reload instead, and forwards its requests to a running `npm run dev`.
 */
import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";

import react from "@vitejs/plugin-react";
import presetMantine from "postcss-preset-mantine";
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from "vite";

const BASE = "/dashboard/";
const ROOT = resolve(import.meta.dirname, "../..");
const SERVER = `http://localhost:${process.env.PORT ?? 8787}`;

/** What the overview and the list of links need besides the application. */
const FIRST_PAGES = [
  "@mantine/core/esm/components/(?:Badge|Checkbox|Collapse|Input|InputBase|NativeSelect|Progress|TextInput|Transition)",
  "@mantine/core/esm/components/Combobox/(?:Combobox.module|ComboboxChevron|get-parsed-combobox-data)",
  "@mantine/core/esm/core/(?:Box|MantineProvider|styles-api|utils/create-safe-context)",
  "@mantine/core/esm/utils/(?:InlineInput|InputsGroupFieldset)",
  "@mantine/hooks/esm/(?:use-(?:collapse|debounced-callback|disclosure|document-title|intersection|merged-ref|uncontrolled)|utils)",
  "query-core/build/modern/mutationObserver",
  "react-query/build/modern/useMutation",
  "punycode",
  "core/limits",
  "core/links/(?:case-folding|link-members|typed-url)",
  "core/visitors/fact-values",
  "dashboard/api/(?:domains|mutations|waits)",
  "dashboard/components/(?:card|confirm-removal|page|use-seen)",
  "dashboard/(?:files/download|formatting|texts/links|texts/overview)",
  "pages/operator/missing-parts",
  "pages/links/(?:destination-icon|first-steps|link-list|row-stats|switch-actions|use-first-steps)",
];

/** Libraries of `components/overlays.tsx`, and of the dialogs that are loaded even later. */
const OVERLAYS = [
  "dashboard/components/overlays",
  "@mantine/core/esm/components/(?:Accordion/AccordionChevron|FocusTrap|Menu|Modal|ModalBase|Notification|Overlay|Popover|Portal|Radio/RadioIcon|ScrollArea)",
  "@mantine/core/esm/(?:core|utils/Floating)",
  "@mantine/hooks/esm/use-(?:click-outside|drag|focus-return|focus-trap|force-update|long-press)",
  "@mantine/(?:modals|notifications|store)",
  "@babel/runtime|@floating-ui|get-nonce|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|react-transition-group|tslib|use-callback-ref|use-sidecar",
];

/** Components of Mantine in most pages. */
const CONTROLS = [
  "@mantine/core/esm/components/(?:Combobox|Grid|MultiSelect|Pill|PillsInput|Select|Switch|Table|Tabs|Tooltip)",
  "@mantine/form|fast-deep-equal|klona",
  "@mantine/hooks/esm/use-previous",
];

/** What a link's page shows above its tabs, as far as other parts use it too. */
const LINK_HEADER = ["dashboard/pages/link/(?:hop|use-link)", "dashboard/texts/link"];

/** What forms, rules and history share. */
const LINK_PARTS = [
  "core/(?:identifiers|hosts|encoding/bytes|visitors/utm)",
  "core/links/(?:buckets|conditions|routing)",
  "dashboard/components/(?:form|use-draft)",
  "dashboard/pages/link/(?:history/use-revisions|rules/rule-sentence|visitor-names)",
  "dashboard/texts/(?:history|link-form|rule-sentences)",
  "query-core/build/modern/infiniteQueryObserver",
  "react-query/build/modern/useInfiniteQuery",
];

/** Statistics of a link and of the account. */
const STATISTICS = [
  "core/(?:clicks|hidden-classes|visitors/siphash|visitors/visitor-hashes)",
  "dashboard/pages/link/(?:live|stats)",
  "dashboard/texts/(?:share|stats)",
  "eventsource-parser|queriesObserver|useQueries|useIsFetching",
];

/** The page of shared statistics: a separate bundle, so that it loads nothing of the application. */
export const sharedPageConfig = defineConfig({
  root: resolve(ROOT, "src/dashboard"),
  base: BASE,
  logLevel: "warn",
  build: {
    outDir: resolve(ROOT, "dist/dashboard"),
    emptyOutDir: false,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: { input: resolve(ROOT, "src/dashboard/share.html") },
  },
});

export default defineConfig({
  root: resolve(ROOT, "src/dashboard"),
  base: BASE,
  plugins: [
    withoutFs("qrcode-svg"),
    usedIcons(resolve(ROOT, "src/dashboard")),
    react(),
    preloadMain(resolve(ROOT, "src/dashboard/main.tsx")),
  ],
  css: { postcss: { plugins: [presetMantine()] } },
  logLevel: "warn",
  build: {
    outDir: resolve(ROOT, "dist/dashboard"),
    emptyOutDir: true,
    target: "es2022",
    // The Content-Security-Policy allows no inline script and no data: font.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The application is one file on purpose; its size has its own test (test/dashboard/first-load.test.ts).
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Both are inputs, so that the bundler knows what the application needs from the start.
      input: [resolve(ROOT, "src/dashboard/index.html"), resolve(ROOT, "src/dashboard/main.tsx")],
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            applicationChunk(resolve(ROOT, "src/dashboard/index.html")),
            sharedChunk("first", FIRST_PAGES),
            sharedChunk("overlays", OVERLAYS, 1),
            sharedChunk("controls", CONTROLS),
            sharedChunk("link-header", LINK_HEADER),
            sharedChunk("link-parts", LINK_PARTS),
            sharedChunk("statistics", STATISTICS),
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: { "/dashboard/api": { target: SERVER, headers: { Origin: SERVER } } },
  },
});

/**
 * Puts the application in one file: code that every page needs would otherwise be split by the pages that also use it,
 * and each file costs a request.
 * @param page  absolute path of the page, whose script is the entry
 */
function applicationChunk(page: string): Rolldown.CodeSplittingGroup {
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
 */
function sharedChunk(name: string, paths: readonly string[], minShareCount = 2): Rolldown.CodeSplittingGroup {
  return { name, test: new RegExp(`/(?:${paths.join("|")})[/.]`), minShareCount };
}

/** The first one and everything it imports, without what it loads later. */
function closure<T>(first: T, importsOf: (one: T) => readonly T[]): Set<T> {
  const found = new Set([first]);
  // Iterating over a set also visits members that are added during the iteration.
  for (const one of found) for (const imported of importsOf(one)) found.add(imported);
  return found;
}

/**
 * Lists the application's files in the page, beside the entry script that imports them: the browser downloads them from
 * the first response on, without waiting for that script.
 * @param main  absolute path of the module that the entry script imports
 */
function preloadMain(main: string): Plugin {
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
 */
function usedIcons(folder: string): Plugin {
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
 */
function withoutFs(name: string): Plugin {
  return {
    name: "without-fs",
    enforce: "pre",
    resolveId: (source, importer) =>
      source === "fs" && importer?.includes(`/node_modules/${name}/`) ? EMPTY : undefined,
    load: (id) => (id === EMPTY ? "export {};" : undefined),
  };
}
