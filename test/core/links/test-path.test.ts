import { describe, expect, test } from "vitest";

import { hostsOf } from "../../../src/core/deployment/settings.ts";
import { belowTestPath, isTestPath, linkHost, storedDomain } from "../../../src/core/hosts.ts";

const ONE_HOST = hostsOf({}, "https://hop.acme.workers.dev/");
const TWO_HOSTS = hostsOf({ BASE_URL: "https://hop.example", TEST_SHORT_DOMAIN: "t.hop.example" }, "");

describe("1 one host for both modes", () => {
  test.each([
    ["t/spring", "spring"],
    ["T/Spring", "Spring"],
    ["%74/spring", "spring"],
    ["%54/spring/", "spring/"],
    ["t/t", "t"],
    ["t/a/b", "a/b"],
    ["t//", "/"],
  ])("the path %s belongs to a test link: %s", (path, rest) => {
    expect(belowTestPath(path)).toBe(rest);
  });

  test.each(["", "t", "t/", "spring", "tt/spring", "t%2Fspring", "/t/spring", "%7/a", "%84/a", "t?/a", "ｔ/a"])(
    "the path %j is not",
    (path) => {
      expect(belowTestPath(path)).toBeNull();
    },
  );

  test("a stored domain and the API's", () => {
    const domains = [
      ["live", "hop.acme.workers.dev", "hop.acme.workers.dev"],
      ["test", "hop.acme.workers.dev", "hop.acme.workers.dev/t"],
      ["test", "go.example.com", "go.example.com"],
    ] as const;
    for (const [mode, named, stored] of domains) {
      expect(storedDomain(named, mode, ONE_HOST)).toBe(stored);
      expect(linkHost(stored)).toBe(named);
    }
    expect(storedDomain("t.hop.example", "test", TWO_HOSTS)).toBe("t.hop.example");
    expect(storedDomain("hop.example", "test", TWO_HOSTS)).toBe("hop.example");
    expect(linkHost("localhost:8787/t")).toBe("localhost:8787");
  });

  test("the slug t is reserved only on that host", () => {
    expect(["t", "T"].map((slug) => isTestPath(slug, "hop.acme.workers.dev", ONE_HOST))).toEqual([true, true]);
    expect(isTestPath("tt", "hop.acme.workers.dev", ONE_HOST)).toBe(false);
    expect(isTestPath("t", "hop.acme.workers.dev/t", ONE_HOST)).toBe(false);
    expect(isTestPath("t", "go.example.com", ONE_HOST)).toBe(false);
    expect(isTestPath("t", "hop.example", TWO_HOSTS)).toBe(false);
  });
});
