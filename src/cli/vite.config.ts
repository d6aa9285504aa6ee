/**
 * Builds the dashboard into `dist/dashboard`, which the Worker serves under `/dashboard`. `npm run dev:dashboard`
 * serves it with hot reload instead, and forwards its requests to a running `npm run dev`.
 */
import { resolve } from "node:path";

import react from "@vitejs/plugin-react";
import presetMantine from "postcss-preset-mantine";
import { defineConfig } from "vite";

import { applicationChunk, preloadMain, smallChunk, usedIcons, withoutFs } from "./vite-plugins.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVER = `http://localhost:${process.env.PORT ?? 8787}`;

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
            smallChunk("names", /[\\/]pages[\\/]link[\\/]visitor-names/),
            smallChunk("components", /[\\/](?:components[\\/](?:card|confirm-removal|use-seen)|api[\\/]waits)\./),
            smallChunk(
              "formatting",
              /[\\/]src[\\/](?:dashboard[\\/]formatting[\\/]|core[\\/](?:links[\\/](?:link-members|typed-url)|visitors[\\/]fact-values))/,
            ),
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
