import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

import { OVER_FOUR_DATABASES, TESTED_SETTING } from "./test/support/database-count.ts";

const CORES = Math.max(availableParallelism(), 2);

const WORKER_TESTS = ["test/{api,clicks,edge,store}/**/*.test.ts"];
/** They read documents, and need no workerd. */
const NODE_TESTS_OF_API = ["test/api/{asyncapi,openapi}/**"];

/** What finds, lists or changes links. */
const DIRECTORY_TESTS = [
  "test/api/{inherited-links,links,tags}/**/*.test.ts",
  "test/api/middleware/idempotency.test.ts",
  "test/api/me.test.ts",
  "test/api/stats/account-*.test.ts",
  "test/edge/{case-sensitive-domains,domain-rules,redirect}.test.ts",
  "test/store/{accounts,backup,domains,links}/**/*.test.ts",
];

/** Tests inside workerd that take longest: they need many clicks, or wait for time that passes. */
const LONG_TESTS = [
  "test/api/middleware/{access,errors}.test.ts",
  "test/api/stats/account-*.test.ts",
  "test/clicks/{account-log,account-pages,account-rounds,filters,many-clicks}.test.ts",
  "test/store/accounts/erasure.test.ts",
  "test/store/calls.test.ts",
  "test/store/links/lists-of-databases.test.ts",
];

const PROPERTY_TESTS = globSync("test/**/*.test.ts", { exclude: ["**/node_modules/**"] }).filter((file) =>
  readFileSync(file, "utf8").includes('from "fast-check"'),
);

/** @param settings  variables of the Worker besides those of all tests */
async function workerProject(
  name: string,
  files: { include: string[]; exclude?: string[] },
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
      ...files,
      setupFiles: ["test/support/apply-migrations.ts", "test/support/lazy-modules.ts"],
      globalSetup: ["test/support/dashboard-files.ts"],
      testTimeout: 60_000,
    },
  };
}

/** Pure functions, in Node. Files share their modules, which are loaded once. */
function nodeProject(name: string, include: string[], propertyRuns: number): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include,
      exclude: ["test/dashboard/browser/**"],
      isolate: false,
      setupFiles: ["test/support/property-tests.ts"],
      provide: { propertyRuns },
      testTimeout: 30_000,
    },
  };
}

/** People and programs in front of a whole server, which all files of the project share unless they need their own. */
function serverProject(name: string, include: string[]): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include,
      globalSetup: ["test/support/shared-server.ts"],
      // They wait for a browser and a server most of the time.
      maxWorkers: 2 * CORES,
      sequence: { groupOrder: 1 },
      testTimeout: 60_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 15_000 } },
    },
  };
}

/**
 * `npm test` runs `node`, `worker` and `smoke`, `npm run test:all` the other projects; test/README.md says which tier a test
 * belongs to. With `DATABASES=4` in the environment, links lie in four databases everywhere. `faults` run last and one at a
 * time, because they measure time.
 */
export default defineConfig({
  test: {
    globalSetup: ["test/support/property-seed.ts"],
    reporters: ["default", "./test/support/slowest-files.ts"],
    // By default Vitest leaves one core free.
    maxWorkers: CORES,
    projects: [
      nodeProject("node", ["test/{core,cli,client,docs,dashboard,bench,api/{asyncapi,openapi}}/**/*.test.ts"], 200),
      await workerProject(
        "worker",
        { include: WORKER_TESTS, exclude: [...NODE_TESTS_OF_API, ...LONG_TESTS] },
        TESTED_SETTING,
      ),
      serverProject("smoke", ["test/smoke/**/*.test.ts"]),
      nodeProject("properties", PROPERTY_TESTS, 2_000),
      await workerProject("long", { include: LONG_TESTS }, TESTED_SETTING),
      await workerProject("databases", { include: DIRECTORY_TESTS }, { LINK_DATABASES: OVER_FOUR_DATABASES }),
      serverProject("browser", ["test/dashboard/browser/**/*.test.ts"]),
      serverProject("e2e", ["test/e2e/**/*.test.ts"]),
      {
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          globalSetup: ["test/faults/global-setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
