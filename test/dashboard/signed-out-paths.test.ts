/** The path that sign-in returns to. Anyone can put one into a link. */
import { describe, expect, test } from "vitest";

import { returnPath } from "../../src/dashboard/signed-out-paths.ts";

describe("sign-in leads only to pages of the dashboard", () => {
  test.each([
    ["next=/settings/domains", "/settings/domains"],
    [`next=${encodeURIComponent("/links?search=a&sort=created_at")}`, "/links?search=a&sort=created_at"],
    ["", "/"],
    ["next=", "/"],
    ["next=https://evil.example/", "/"],
    ["next=//evil.example/", "/"],
    ["next=/\\evil.example/", "/"],
    ["next=javascript:alert(1)", "/"],
    ["next=/sign-in", "/"],
    ["next=/setup", "/"],
    ["next=/setup?again", "/"],
    ["next=/reset#token=a", "/"],
    ["next=/settings/account", "/settings/account"],
    ["next=/../spring", "/"],
    ["next=/links/../../spring", "/"],
    [`next=${encodeURIComponent("/%2e%2e/spring")}`, "/"],
    [`next=${encodeURIComponent("/.\t./spring")}`, "/"],
    ["next=/..\\spring", "/"],
    ["next=/links/..//evil.example/", "/"],
    ["next=/links/../sign-in", "/"],
    ["next=@evil.example/", "/"],
    ["next=/links/./lnk_1", "/links/lnk_1"],
  ])("%s", (search, path) => {
    expect(returnPath(search)).toBe(path);
  });
});
