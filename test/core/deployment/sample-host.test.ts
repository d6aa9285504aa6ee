import { expect, test } from "vitest";

import { SAMPLE_ORIGIN, withOwnHost } from "../../../src/core/deployment/sample-host.ts";

test.each([
  [`curl "${SAMPLE_ORIGIN}/v1/links"`, `curl "https://api.hop.example/v1/links"`],
  [
    `"domain": "localhost:8787", "short_url": "${SAMPLE_ORIGIN}/a"`,
    `"domain": "api.hop.example", "short_url": "https://api.hop.example/a"`,
  ],
  ["a text about localhost without a sample", "a text about localhost without a sample"],
])("%s on another host", (text, expected) => {
  expect(withOwnHost(text, "https://api.hop.example")).toBe(expected);
});

test("if the sample's host is the deployment's own, nothing changes", () => {
  expect(withOwnHost(`${SAMPLE_ORIGIN}/a`, SAMPLE_ORIGIN)).toBe(`${SAMPLE_ORIGIN}/a`);
});
