import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { Plugin } from "vite";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import type { DepsOptimizationOptions } from "vitest/node";
import { unstable_readConfig as readConfig } from "wrangler";

import { OVER_FOUR_DATABASES, TESTED_SETTING } from "./test/support/database-count.ts";
import LongestFirst from "./test/support/longest-first.ts";

// Commands show times in the zone of the machine.
process.env.TZ = "UTC";
// Tests start Node hundreds of times: with its compiled code cached, a command starts in three quarters of the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/node");

const CORES = Math.max(availableParallelism(), 2);

const MODULE_RUNNER = "test/support/module-runner.ts";

/** All tests in workerd. Tests of the API's documents do not need it. */
const WORKER_TESTS = testFiles("test/{api,clicks,edge,store}/**/*.test.ts", "test/api/{asyncapi,openapi}/**");

/** They need many clicks, hash many passwords, or wait for time to pass. */
const LONG_TESTS = testFiles(
  "test/{api/{links/password-secrecy,middleware/{access,errors}},api/stats/account-*,clicks/{account-*,filters,many-clicks,row-sizes},store/accounts/erasure,store/calls}.test.ts",
);

/** They read or write whole tables, or check which modules the Worker loads first. */
const WHOLE_DATABASE_TESTS = testFiles(
  "test/{api/{links/{link-members,social-image},operator-door,qr/qr-logo,unfinished-deployment},store/{auth/lazy-loading,backup/table-rows,directory/{bucket-moves,lists-of-databases},links/{link-tags,query-plans}}}.test.ts",
);

/** They change state that the files in one isolate share: storage, the clock, or a module's state. */
const ISOLATED_TESTS = WORKER_TESTS.filter(
  (file) =>
    WHOLE_DATABASE_TESTS.includes(file) ||
    contains(file, /support\/(clock|virtual-time|simulated-load)|\bvi\.useFakeTimers|globalThis\b/),
);

const SHARED_TESTS = without(WORKER_TESTS, ISOLATED_TESTS);

/** Tests that find, list or change links. */
const DIRECTORY_TESTS = testFiles(
  "test/{api/{links,tags}/**/*,api/middleware/idempotency,api/me,api/stats/account-{clicks,model},edge/{case-sensitive-domains,domain-rules,redirect},store/{calls,{accounts,backup,directory,domains,links}/**/*}}.test.ts",
  // These concern values, and counts of requests.
  "test/{api/links/{link-members,password-secrecy},store/accounts/rate-limits}.test.ts",
);

const PROPERTY_TESTS = testFiles("test/**/*.test.ts").filter((file) => contains(file, / from "fast-check"/));

function testFiles(include: string, ...exclude: string[]): string[] {
  return globSync(include, { exclude: ["**/node_modules/**", ...exclude] });
}

function contains(file: string, pattern: RegExp): boolean {
  return pattern.test(readFileSync(file, "utf8"));
}

function without(files: readonly string[], others: readonly string[]): string[] {
  return files.filter((file) => !others.includes(file));
}

function hashOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** Random requests, more of them than in `worker`. */
const HOSTILE_TESTS = testFiles("test/api/hostile-requests.test.ts");

/** Each isolate of a test in workerd fetches its modules with their source maps. Those of packages are never read. */
const WITHOUT_MAPS_OF_PACKAGES: Plugin = {
  name: "without-maps-of-packages",
  enforce: "post",
  transform: (code, id) => (id.includes("/node_modules/") ? { code, map: { mappings: "" } } : null),
};

/** The modules that stand in for parts of packages in the Worker's bundle. */
const STAND_INS = Object.entries(readConfig({ config: "./wrangler.toml" }).alias ?? {}).map(([module, path]) => ({
  find: new RegExp(`^${module}$`),
  replacement: join(import.meta.dirname, String(path)),
}));

/**
 * Packages that Vite bundles once, into its cache: module by module, each isolate would fetch 800 files for the sign-in
 * library, and 120 for the others.
 */
const BUNDLED_PACKAGES: DepsOptimizationOptions = {
  enabled: true,
  include: [
    "@better-auth/kysely-adapter",
    "@better-auth/passkey",
    "@modelcontextprotocol/server",
    "better-auth/api",
    "better-auth/crypto",
    "better-auth/minimal",
    "hono",
    "hono/factory",
    "hono/http-exception",
    "kysely",
    "kysely-d1",
    "tldts",
    "zod",
  ],
  rolldownOptions: {
    external: [/^(node|cloudflare):/],
    // Vite's cache does not notice when a module within a package's bundle changes, but when this text does.
    output: { footer: `/* ${hashOf(STAND_INS.map(({ replacement }) => replacement))} */` },
  },
};

/**
 * @param isolate  whether each file has its own isolate and storage, instead of sharing those of the project
 * @param settings  variables of the Worker in addition to those of all tests
 * @param hostileRequests  how many random requests are sent
 */
async function workerProject(
  name: string,
  include: string[],
  {
    isolate = true,
    settings = TESTED_SETTING,
    hostileRequests = 1_000,
  }: { isolate?: boolean; settings?: Record<string, string>; hostileRequests?: number } = {},
): Promise<TestProjectInlineConfiguration> {
  return {
    resolve: { alias: STAND_INS },
    plugins: [
      WITHOUT_MAPS_OF_PACKAGES,
      cloudflareTest({
        wrangler: { configPath: "./wrangler.toml" },
        miniflare: {
          d1Databases: [
            // Databases of unfinished deployments: one gets its tables in a test, the other never.
            "NEW_DB",
            "EMPTY_DB",
            // For links, in addition to DB.
            "LINKS_1",
            "LINKS_2",
            "LINKS_3",
          ],
          bindings: {
            BASE_URL: "http://localhost:8787",
            SHORT_DOMAIN: "localhost:8787",
            TEST_SHORT_DOMAIN: "test.localhost:8787",
            DEV_VISITOR_HEADERS: "1",
            // Nothing listens on this port: tests that need DNS start their own server (test/e2e).
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
      isolate,
      setupFiles: [
        // First: the others then load their modules faster.
        MODULE_RUNNER,
        "test/support/apply-migrations.ts",
        "test/support/lazy-modules.ts",
        "test/support/strict-storage.ts",
      ],
      globalSetup: ["test/support/dashboard-files.ts"],
      provide: { hostileRequests },
      deps: { optimizer: { ssr: BUNDLED_PACKAGES } },
      // In a shared isolate a spy that a test forgets would stay for the files after it.
      restoreMocks: !isolate,
      testTimeout: 60_000,
    },
  };
}

const NODE_TESTS = testFiles(
  "test/{core,cli,client,docs,dashboard,bench,api/{asyncapi,openapi}}/**/*.test.ts",
  "test/dashboard/browser/**",
);

/** They measure CPU time, in a separate process. */
const MEASURED_TESTS = testFiles("test/core/{linear-time,qr/hostile-logos,visitors/user-agent-cpu}.test.ts");

/** Pure functions, in Node. */
function nodeProject(
  name: string,
  include: string[],
  { isolate = false, propertyRuns = 200 } = {},
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include,
      isolate,
      setupFiles: [MODULE_RUNNER, "test/support/property-tests.ts"],
      provide: { propertyRuns },
      testTimeout: 30_000,
    },
  };
}

/** People and programs in front of a whole server, which the files of the project share unless they need their own. */
function serverProject(name: string, include: string[]): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include,
      // Every file ends what it has started: the next one of its process loads only modules that are new to it.
      isolate: false,
      setupFiles: [MODULE_RUNNER, "test/support/doubling-buffers.ts"],
      globalSetup: ["test/support/shared-server.ts"],
      // They wait for a browser and a server most of the time.
      maxWorkers: 2 * CORES,
      sequence: { groupOrder: 1 },
      testTimeout: 60_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 30_000 } },
    },
  };
}

/**
 * In tests all objects share one isolate. After thousands of requests, work that one of them still waits for may end in
 * the context of another, where workerd refuses it. The responses are not affected.
 * @returns false for an error to be ignored
 */
function isUnexpected(error: { message: string; VITEST_TEST_PATH?: unknown }): boolean {
  const isLongRun = String(error.VITEST_TEST_PATH).includes("hostile-requests");
  return !(isLongRun && error.message.includes("on behalf of a different Durable Object"));
}

/**
 * `npm test` runs `node`, `worker`, `worker-isolated` and `smoke`, `npm run test:all` the other projects;
 * test/README.md describes the tier of each test. With `DATABASES=4` in the environment, links are in four databases
 * everywhere. `faults` run last, because some of them measure time.
 */
export default defineConfig({
  test: {
    globalSetup: ["test/support/property-seed.ts"],
    sequence: { sequencer: LongestFirst },
    onUnhandledError: isUnexpected,
    reporters: ["default", "./test/support/slowest-files.ts"],
    // One more than there are cores: a test in workerd waits for its runtime a third of the time.
    maxWorkers: CORES + 1,
    projects: [
      nodeProject("node", without(NODE_TESTS, MEASURED_TESTS)),
      await workerProject("worker", without(SHARED_TESTS, LONG_TESTS), { isolate: false }),
      await workerProject("worker-isolated", without(ISOLATED_TESTS, LONG_TESTS)),
      serverProject("smoke", ["test/smoke/**/*.test.ts"]),
      nodeProject("properties", PROPERTY_TESTS, { propertyRuns: 1_000 }),
      await workerProject("properties-worker", HOSTILE_TESTS, {
        hostileRequests: Number(process.env.HOSTILE_REQUESTS ?? 10_000),
      }),
      nodeProject("measured", MEASURED_TESTS, { isolate: true }),
      await workerProject("long", LONG_TESTS),
      await workerProject("databases", without(DIRECTORY_TESTS, ISOLATED_TESTS), {
        isolate: false,
        settings: { LINK_DATABASES: OVER_FOUR_DATABASES },
      }),
      await workerProject("databases-isolated", without(DIRECTORY_TESTS, SHARED_TESTS), {
        settings: { LINK_DATABASES: OVER_FOUR_DATABASES },
      }),
      serverProject("browser", ["test/dashboard/browser/**/*.test.ts"]),
      serverProject("e2e", ["test/e2e/**/*.test.ts"]),
      {
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          setupFiles: [MODULE_RUNNER],
          globalSetup: ["test/faults/global-setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          // They wait for rates and outages a sixth of the time.
          maxWorkers: 2 * CORES,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
