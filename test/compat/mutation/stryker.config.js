/**
 * `npm run test:mutation` in `test/compat`: changes src/core in one place at a time (a mutant) and runs core's tests,
 * of which one should fail. Prints the mutants that live, and the share that died in each file. Remembers its results
 * in artifacts/, so that the next run retries only what changed. `-- --mutate src/core/links/routing.ts` limits it to a
 * file.
 *
 * Nothing is excluded, not even texts. No test compares descriptions of the contract, which are written for people:
 * their mutants live.
 */
export default {
  mutate: ["src/core/**/*.ts", "!src/core/**/*.d.ts"],
  testRunner: "vitest",
  vitest: { configFile: "test/compat/mutation/vitest.config.ts" },
  plugins: ["@stryker-mutator/vitest-runner"],
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  incremental: true,
  incrementalFile: "artifacts/mutation.json",
  tempDirName: "artifacts/mutation",
  cleanTempDir: "always",
  // Suppresses the advice to skip mutants of module-level constants, which are tables that matter here.
  warnings: { slow: false },
  ignorePatterns: ["dist", "artifacts", ".wrangler"],
  // One test runner uses one core and a half.
  concurrency: 1,
  thresholds: { high: 95, low: 90, break: 90 },
  // Stryker rewrites tsconfig.json by an API that TypeScript 7 no longer has. Nothing here needs the rewrite.
  tsconfigFile: "none",
  disableTypeChecks: false,
};
