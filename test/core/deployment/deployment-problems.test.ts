import { expect, test } from "vitest";

import { looksLikeOperatorToken, newOperatorToken, redactKeys, setupUrl } from "../../../src/core/identifiers.ts";
import { migrationsProblem, missingParts, problemText } from "../../../src/core/deployment/deployment-problems.ts";
import { hostsOf } from "../../../src/core/deployment/settings.ts";
import { hostsProblem } from "../../../src/core/hosts.ts";

test.each([
  [{}, null],
  [{ DB: ["0001_a.sql", "0002_b.sql"] }, "The database has no tables yet: npm run setup"],
  [{ DB: ["0002_b.sql"] }, "The database lacks 0002_b.sql: npm run setup"],
  [{ LINKS_3: ["0002_b.sql"] }, "The database LINKS_3 lacks 0002_b.sql: npm run setup"],
  [
    { DB: ["0002_b.sql"], LINKS_1: ["0001_a.sql", "0002_b.sql"] },
    "The database lacks 0002_b.sql; The database LINKS_1 has no tables yet: npm run setup",
  ],
])("pending of two migrations: %j", (pendingOf, text) => {
  const lacking = Object.entries(pendingOf).map(([database, pending]: [string, string[]]) => ({ database, pending }));
  const problem = migrationsProblem(lacking, 2);
  expect(problem && problemText(problem)).toBe(text);
});

test.each([
  ["https://api.hop.example", "hop.example", "t.hop.example", null],
  ["https://hop.example", "", "", null],
  ["http://localhost:8787", "localhost:8787", "test.localhost:8787", null],
  [
    "https://api.hop.example",
    "localhost:8787",
    "test.localhost:8787",
    "The service is on api.hop.example, but links are on localhost:8787",
  ],
  [
    "https://api.hop.example",
    "hop.example",
    "test.localhost",
    "The service is on api.hop.example, but links are on test.localhost",
  ],
])("hosts %s, %s, %s: %s", (BASE_URL, SHORT_DOMAIN, TEST_SHORT_DOMAIN, problem) => {
  expect(hostsProblem(hostsOf({ BASE_URL, SHORT_DOMAIN, TEST_SHORT_DOMAIN }, BASE_URL))).toBe(problem);
});

test("an operator's token is URL-safe, is never echoed, and is in the fragment of the one-time address", () => {
  const token = newOperatorToken(Uint8Array.from({ length: 32 }, (_, i) => 255 - (i % 9)));
  expect(token).toMatch(/^opr_[\w-]{43}$/);
  expect(looksLikeOperatorToken(token)).toBe(true);
  expect(redactKeys(`/dashboard/${token} and ${token.replace("_", "%5F")}`)).toBe("/dashboard/opr_… and opr_…");
  const url = new URL(setupUrl("https://hop.example", token));
  expect([url.pathname, url.search, url.hash]).toEqual(["/dashboard/setup", "", `#token=${token}`]);
});

test.each([
  ["hop.acme.workers.dev", false, ["short_domain", "bucket"]],
  ["hop.acme.workers.dev:8787", true, ["short_domain"]],
  ["hop.example", false, ["bucket"]],
  ["hop.example", true, []],
  ["hop.workers.dev.example", true, []],
])("links on %s, with a bucket: %s, lack %j", (live, hasBucket, parts) => {
  expect(missingParts({ shortDomains: { live, test: "hop.acme.workers.dev/t" } }, hasBucket)).toEqual(parts);
});
