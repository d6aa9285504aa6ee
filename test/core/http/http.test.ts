import { describe, expect, test } from "vitest";

import { hasCurrentEtag } from "../../../src/core/http/entity-tags.ts";
import {
  bulkLinksLeft,
  bulkLinksPolicy,
  exhaustedRateLimit,
  rateLimitPolicy,
} from "../../../src/core/http/rate-limit-headers.ts";
import { prefersProblemJson, readUpTo } from "../../../src/core/http/requests.ts";

describe("15 If-None-Match", () => {
  test.each([
    ['"3"', true],
    ['W/"3"', true],
    ["*", true],
    [" * ", true],
    ['"1", W/"2","3"', true],
    ['"a,b", "3"', true],
    ['"1","2"', false],
    ['"33"', false],
    ['"3,"', false],
    ["3", false],
    ["", false],
    ['"', false],
    ["*, *", false],
    [`${'"x",'.repeat(10_000)}"3"`, true],
    ['"'.repeat(30_001), false],
  ])("%.30s matches the tag 3: %s", (header, expected) => {
    expect(hasCurrentEtag(header, '"3"')).toBe(expected);
  });
});

describe("15 Accept", () => {
  test.each([
    ["application/problem+json", true],
    ["Application/Problem+JSON", true],
    ["application/problem+json, application/json;q=0.9", true],
    ["application/json;q=0.9,application/problem+json", true],
    ["application/problem+json;q=0.5, */*;q=0.1", true],
    ["application/problem+json; charset=utf-8; q=1.000, application/*;q=0.999", true],
    ["text/html, application/problem+json;q=0.001", true],
    ["", false],
    ["*/*", false],
    ["application/json", false],
    ["application/json, application/problem+json", false],
    ["application/problem+json, application/json", false],
    ["application/problem+json, */*", false],
    ["application/problem+json;q=0.8, application/*;q=0.9", false],
    ["application/problem+json;q=0, application/json;q=0", false],
    ["application/problem+json;q=0", false],
    ["application/problem+json;q=2", false],
    ["application/problem+json;q=1e0", false],
    ["application/problem+json;q=0.1234", false],
    ["text/html, application/problem+jsonx", false],
    [`${"a/b,".repeat(10_000)}application/problem+json`, false],
  ])("%.60s prefers problem+json: %s", (header, expected) => {
    expect(prefersProblemJson(header)).toBe(expected);
  });
});

describe("15 rate limits", () => {
  test("policies name the quota and its window", () => {
    expect(rateLimitPolicy("free", ["requests"])).toBe('"requests-key";q=120;w=60, "requests-account";q=600;w=60');
    expect(rateLimitPolicy("premium", ["requests", "qr"])).toBe(
      '"requests-key";q=1200;w=60, "requests-account";q=6000;w=60, "qr-key";q=300;w=60, "qr-account";q=1500;w=60',
    );
  });

  test("policies of bulk requests count links, per minute and per day", () => {
    expect(bulkLinksPolicy("free")).toBe(
      '"links-minute";q=1000;w=60;qu="links", "links-day";q=10000;w=86400;qu="links"',
    );
    expect(bulkLinksPolicy("premium")).toBe(
      '"links-minute";q=10000;w=60;qu="links", "links-day";q=1000000;w=86400;qu="links"',
    );
  });

  test("a refused bulk request is told how many links are left, and for how long", () => {
    expect(bulkLinksLeft("day", 12, 3_600)).toBe('"links-day";r=12;t=3600');
  });

  test("an exhausted limit names its policy, zero remaining requests, and the end of the window", () => {
    expect(exhaustedRateLimit("qr", "account", 17)).toBe('"qr-account";r=0;t=17');
  });
});

test.each([
  [3, "abc", 3],
  [2, null, 3],
  [0, null, 1],
])("up to %i bytes of three are read as %j, from %i chunks", async (maxBytes, text, chunks) => {
  let begun = 0;
  const body = function* () {
    // A source may reuse its buffer.
    const buffer = new Uint8Array(1);
    while (begun < 3) yield buffer.fill(97 + begun++);
  };
  const read = await readUpTo(maxBytes, body());
  expect([read && (await read.text()), begun]).toEqual([text, chunks]);
  expect((await readUpTo(0, []))?.size).toBe(0);
});
