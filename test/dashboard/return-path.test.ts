/** The path that sign-in returns to, which anybody may have written into a link. */
import { describe, expect, test } from "vitest";

import { returnPath } from "../../src/dashboard/pages/auth/return-path.ts";

describe("after signing in one goes nowhere but into the dashboard", () => {
  test.each([
    ["next=/settings/domains", "/settings/domains"],
    [`next=${encodeURIComponent("/links?search=a&sort=created_at")}`, "/links?search=a&sort=created_at"],
    ["", "/links"],
    ["next=", "/links"],
    ["next=https://evil.example/", "/links"],
    ["next=//evil.example/", "/links"],
    ["next=/\\evil.example/", "/links"],
    ["next=javascript:alert(1)", "/links"],
    ["next=/sign-in", "/links"],
    ["next=/setup", "/links"],
    ["next=/setup?again", "/links"],
    ["next=/settings/account", "/settings/account"],
  ])("%s", (search, path) => {
    expect(returnPath(search)).toBe(path);
  });
});
