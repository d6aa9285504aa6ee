import { expect, test } from "vitest";

import { problemText } from "../../../src/core/deployment/deployment-problems.ts";
import { settingsProblem } from "../../../src/store/operators/deployment-state.ts";

const COMMAND = "openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET";

test.each([
  [{}, `This deployment's BETTER_AUTH_SECRET is not set: ${COMMAND}`],
  [{ BETTER_AUTH_SECRET: "" }, `This deployment's BETTER_AUTH_SECRET is not set: ${COMMAND}`],
  [
    { BETTER_AUTH_SECRET: "x".repeat(31) },
    `This deployment's BETTER_AUTH_SECRET has fewer than 32 characters: ${COMMAND}`,
  ],
  [{ BETTER_AUTH_SECRET: "x".repeat(32) }, null],
  [{ BETTER_AUTH_SECRET: "x".repeat(32), ABUSE_CONTACT: "abuse@hop.example" }, null],
  [
    { BETTER_AUTH_SECRET: "x".repeat(32), ABUSE_CONTACT: "abuse" },
    "This deployment's ABUSE_CONTACT must be an email address, an http or https URL, or empty",
  ],
  [
    { BETTER_AUTH_SECRET: "x".repeat(32), SHORT_DOMAIN: "hop.example" },
    "This deployment's SHORT_DOMAIN is set, but its BASE_URL is not",
  ],
  [{ BETTER_AUTH_SECRET: "x".repeat(32), HOME_URL: "https://example.com/" }, null],
  [
    { BETTER_AUTH_SECRET: "x".repeat(32), NOT_FOUND_URL: "example.com" },
    "This deployment's NOT_FOUND_URL must be an http or https URL that does not lead to its own short domains, or empty",
  ],
])("%j", (settings, problem) => {
  const found = settingsProblem(settings);
  expect(found && problemText(found)).toBe(problem);
  expect(found?.code).toBe(problem === null ? undefined : "misconfigured");
});
