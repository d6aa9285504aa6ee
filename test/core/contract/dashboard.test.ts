import { describe, expect, test } from "vitest";
import type { z } from "zod";

import {
  AccountInfo,
  CreatedKey,
  CreateKey,
  DashboardConfig,
  Reauthenticate,
  KeyList,
  SlugCheck,
} from "../../../src/core/contract/dashboard.ts";

const ACCOUNT = {
  id: "acc_1",
  email: "ann@a.example",
  name: "",
  plan: "free",
  is_operator: false,
  created_at: "2026-11-21T09:00:00.000Z",
};
const KEY = {
  id: "key_1",
  name: "a",
  mode: "live",
  scopes: ["links:read"],
  last_four: "abcd",
  created_at: "2026-11-21T09:00:00.000Z",
  last_used_at: null,
  exposed_at: null,
};
const CONFIG = {
  signups: "open",
  providers: ["github", "google"],
  passkeys: true,
  has_accounts: true,
  short_domains: { live: "hop.example", test: "test.hop.example" },
};
const SLUG = { slug: "a", available: false, reason: "slug is taken" };

describe("responses to the dashboard", () => {
  test.each<[z.ZodType, unknown]>([
    [AccountInfo, ACCOUNT],
    [AccountInfo, { ...ACCOUNT, plan: "premium" }],
    [KeyList, { data: [KEY, { ...KEY, mode: "test", last_used_at: "2026-11-21T09:00:00.000Z" }] }],
    [KeyList, { data: [{ ...KEY, exposed_at: "2026-11-21T09:00:00.000Z" }] }],
    [CreatedKey, { ...KEY, key: "svc_live_a" }],
    [DashboardConfig, CONFIG],
    [DashboardConfig, { ...CONFIG, signups: "closed", providers: [] }],
    [SlugCheck, SLUG],
    [SlugCheck, { ...SLUG, available: true, reason: null }],
    [Reauthenticate, {}],
    [Reauthenticate, { password: "x".repeat(1_000) }],
  ])("%# is complete", (schema, value) => {
    expect(schema.parse(value)).toEqual(value);
  });

  test.each<[z.ZodType, unknown]>([
    [AccountInfo, { ...ACCOUNT, plan: "gold" }],
    [AccountInfo, { ...ACCOUNT, created_at: "2026-11-21T09:00:00Z" }],
    [AccountInfo, { ...ACCOUNT, more: 1 }],
    [AccountInfo, { ...ACCOUNT, name: undefined }],
    [KeyList, {}],
    [KeyList, { data: [{}] }],
    [CreatedKey, KEY],
    [DashboardConfig, { ...CONFIG, signups: "" }],
    [DashboardConfig, { ...CONFIG, providers: ["gitlab"] }],
    [DashboardConfig, { ...CONFIG, short_domains: {} }],
    [SlugCheck, { slug: "a", available: true }],
    [Reauthenticate, { password: "x".repeat(1_001) }],
    [Reauthenticate, { password: 5 }],
  ])("%# is incomplete", (schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});

describe("a new key", () => {
  const key = { name: "a", mode: "live" };

  test("has a trimmed name, and all scopes if it names none", () => {
    expect(CreateKey.parse({ ...key, name: " a " })).toEqual({
      ...key,
      scopes: expect.arrayContaining(["links:read", "links:write"]),
    });
    expect(CreateKey.parse({ ...key, name: "x".repeat(100), scopes: ["links:read"] })).toMatchObject({
      scopes: ["links:read"],
    });
  });

  test.each([
    [{ name: " " }, "must not be empty"],
    [{ name: "x".repeat(101) }, "Too big: expected string to have <=100 characters"],
    [{ scopes: [] }, "must name at least one scope"],
    [{ scopes: ["links:read", "links:read"] }, "must name each scope once"],
  ])("%j: %s", (facts, message) => {
    expect(CreateKey.safeParse({ ...key, ...facts }).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});
