import { join, resolve } from "node:path";

import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const ROOT = resolve(import.meta.dirname, "../..");

const COMMON = {
  testTimeout: 60_000,
  hookTimeout: 300_000,
  globalSetup: [join(ROOT, "test/support/shared-server.ts")],
};

/** The tests of the command `hoplink`, on another Node. */
function commandOn(node: string): TestProjectInlineConfiguration {
  return {
    root: ROOT,
    test: {
      ...COMMON,
      name: node,
      include: ["test/e2e/hoplink-*.test.ts"],
      env: { HOPLINK_NODE: join(import.meta.dirname, "node_modules", node, "bin/node") },
    },
  };
}

export default defineConfig({
  test: {
    // As in the root: tests mostly wait.
    maxWorkers: 2,
    projects: [
      { test: { ...COMMON, name: "compat", include: ["*.test.ts"] } },
      commandOn("node-20"),
      commandOn("node-22"),
    ],
  },
});
