/**
 * Builds the dashboard into `dist/dashboard`, which the Worker serves under `/dashboard`. `npm run dev:dashboard`
 * serves it with hot reload instead, and forwards its requests to a running `npm run dev`.
 */
import { resolve } from "node:path";

import react from "@vitejs/plugin-react";
import presetMantine from "postcss-preset-mantine";
import { defineConfig } from "vite";

import { applicationChunk, preloadMain, sharedChunk, usedIcons, withoutFs } from "./vite-plugins.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVER = `http://localhost:${process.env.PORT ?? 8787}`;

/** What the overview and the list of links need besides the application. */
const FIRST_PAGES = [
  "@mantine/core/esm/components/(?:Badge|Checkbox|Collapse|Input|InputBase|NativeSelect|Progress|TextInput|Transition)",
  "@mantine/core/esm/components/Combobox/(?:Combobox.module|ComboboxChevron|get-parsed-combobox-data)",
  "@mantine/core/esm/core/(?:Box|MantineProvider|styles-api|utils/create-safe-context)",
  "@mantine/core/esm/utils/(?:InlineInput|InputsGroupFieldset)",
  "@mantine/hooks/esm/(?:use-(?:clipboard|collapse|debounced-callback|disclosure|document-title|intersection|merged-ref|uncontrolled)|utils)",
  "query-core/build/modern/mutationObserver",
  "react-query/build/modern/useMutation",
  "punycode",
  "core/limits",
  "core/links/(?:case-folding|link-members|typed-url)",
  "core/visitors/fact-values",
  "dashboard/api/(?:domains|mutations|waits)",
  "dashboard/components/(?:card|confirm-removal|copy-buttons|page|use-seen)",
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
  "core/links/(?:buckets|conditions|routing|time-window)",
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
  base: "/dashboard/",
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
  base: "/dashboard/",
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
