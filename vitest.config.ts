import { readFileSync } from "node:fs";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Three kinds of tests: `core` in Node, `worker` inside workerd, `e2e` against a whole server on a socket of its own. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "core", include: ["test/core/**/*.test.ts"] } },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                DEV_VISITOR_HEADERS: "1",
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
                TEST_SCHEMA: readFileSync("schema.sql", "utf8"),
              },
            },
          }),
        ],
        test: { name: "worker", include: ["test/worker/**/*.test.ts"], setupFiles: ["test/support/migrate.ts"] },
      },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
