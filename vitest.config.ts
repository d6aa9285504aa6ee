import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

import { OVER_FOUR_DATABASES, TESTED_SETTING } from "./test/support/database-count.ts";

/** What finds, lists or changes links. */
const DIRECTORY_TESTS = [
  "test/api/{inherited-links,links,tags}/**/*.test.ts",
  "test/api/middleware/idempotency.test.ts",
  "test/api/me.test.ts",
  "test/api/stats/account-*.test.ts",
  "test/edge/{case-sensitive-domains,domain-rules,redirect}.test.ts",
  "test/store/{accounts,backup,domains,links}/**/*.test.ts",
];

/** @param settings  variables of the Worker besides those of all tests */
async function workerProject(
  name: string,
  include: string[],
  settings: Record<string, string>,
): Promise<TestProjectInlineConfiguration> {
  return {
    plugins: [
      cloudflareTest({
        wrangler: { configPath: "./wrangler.toml" },
        miniflare: {
          d1Databases: [
            // Databases of deployments that are not finished: one gets its tables in a test, the other never.
            "NEW_DB",
            "EMPTY_DB",
            // For links, beside DB.
            "LINKS_1",
            "LINKS_2",
            "LINKS_3",
          ],
          bindings: {
            BASE_URL: "http://localhost:8787",
            SHORT_DOMAIN: "localhost:8787",
            TEST_SHORT_DOMAIN: "test.localhost:8787",
            DEV_VISITOR_HEADERS: "1",
            // Nothing listens on this port: tests that need DNS start a server of their own (test/e2e).
            DOH_URL: "http://127.0.0.1:9/dns-query",
            BETTER_AUTH_SECRET: "the tests' own secret, 32 characters or more",
            SIGNUPS: "open",
            // Tests replace bindings of the Worker, which an object does not see (test/e2e/free-plan.test.ts).
            WORKERS_PLAN: "paid",
            TEST_MIGRATIONS: await readD1Migrations("./migrations"),
            TEST_SCHEMA: readFileSync("schema.sql", "utf8"),
            ...settings,
          },
        },
      }),
    ],
    test: {
      name,
      include,
      exclude: ["test/api/{asyncapi,openapi}/**"],
      setupFiles: ["test/support/apply-migrations.ts", "test/support/lazy-modules.ts"],
      globalSetup: ["test/support/dashboard-files.ts"],
      testTimeout: 60_000,
    },
  };
}

/**
 * Test projects: `node` for pure functions, `worker` inside workerd, `worker-4` the same with links spread over four
 * databases, `e2e` against a whole server on a port of its own, and `faults`, which break a server under load. With
 * `DATABASES=4` in the environment all of them have four. `faults` run last and one at a time, because they measure time.
 */
export default defineConfig({
  test: {
    reporters: ["default", "./test/support/slowest-files.ts"],
    // By default Vitest leaves one core free, which makes one worker on two cores; but tests mostly wait, for servers
    // and browsers.
    maxWorkers: Math.max(availableParallelism() - 1, 2),
    projects: [
      {
        test: {
          name: "node",
          include: ["test/{core,cli,client,docs,dashboard,bench,api/{asyncapi,openapi}}/**/*.test.ts"],
          exclude: ["test/dashboard/browser/**"],
          testTimeout: 30_000,
        },
      },
      await workerProject("worker", ["test/{api,clicks,edge,store}/**/*.test.ts"], TESTED_SETTING),
      await workerProject("worker-4", DIRECTORY_TESTS, { LINK_DATABASES: OVER_FOUR_DATABASES }),
      {
        test: {
          name: "e2e",
          include: ["test/{e2e,dashboard/browser}/**/*.test.ts"],
          globalSetup: ["test/support/unpacked-browser.ts"],
          testTimeout: 60_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          globalSetup: ["test/faults/global-setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
