import { defineConfig } from "vitest/config";

/**
 * Core's own tests, for Stryker, and the test of the OpenAPI document, which is generated from core's schemas. Four
 * files are left out, which only lowers the score: instrumented code is too slow for the limits on CPU time, and
 * decoding every QR code again for every mutant would take hours.
 */
export default defineConfig({
  test: {
    include: ["test/core/**/*.test.ts", "test/api/openapi/*.test.ts"],
    exclude: ["test/core/**/{linear-time,user-agent-cpu,decode,hostile-logos}.test.ts"],
    testTimeout: 30_000,
  },
});
