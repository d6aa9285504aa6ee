import { describe, expect, test } from "vitest";

import { ownDefaultRedirects, hostsOf, defaultRedirectSettingsProblem } from "../../../src/core/deployment/settings.ts";

type Settings = Parameters<typeof defaultRedirectSettingsProblem>[0];

const HOSTS = {
  BASE_URL: "https://api.hop.example",
  SHORT_DOMAIN: "hop.example",
  TEST_SHORT_DOMAIN: "try.hop.example",
};
const NAMES = { HOME_URL: "rootUrl", NOT_FOUND_URL: "notFoundUrl", EXPIRED_URL: "expiredUrl" } as const;
const NONE = { rootUrl: null, notFoundUrl: null, expiredUrl: null };

describe.each(Object.entries(NAMES))("%s", (name, member) => {
  test.each([
    "https://example.com/",
    "HTTP://example.com",
    "https://example.com?a=@b#c",
    "https://example.com/über-uns?q=[ü]",
    "https://münchen.example/",
    "https://[2001:db8::1]:8443/a",
    "https://api.hop.example/docs",
    "https://www.hop.example/",
    `https://example.com/${"x".repeat(8_172)}`,
  ])("%j is used as it is", (url) => {
    const settings: Settings = { ...HOSTS, [name]: url };
    expect(ownDefaultRedirects(settings, hostsOf(settings, ""))).toEqual({ ...NONE, [member]: url });
    expect(defaultRedirectSettingsProblem(settings)).toBeNull();
  });

  test.each([
    "example.com",
    "/docs",
    "//example.com/",
    "https://",
    "https:example.com",
    "https:///example.com",
    "https://example.com/a b",
    " https://example.com/",
    "https://example.com/\n",
    "https://user:password@example.com/",
    "https://user@example.com/",
    "https://example.com\\@evil.example/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "https://hop.example/",
    "https://HOP.example./x",
    "http://try.hop.example/x",
    `https://example.com/${"x".repeat(8_173)}`,
    `https://example.com/${"ü".repeat(1_363)}`,
  ])("%j is not used, and reported", (url) => {
    const settings: Settings = { ...HOSTS, [name]: url };
    expect(ownDefaultRedirects(settings, hostsOf(settings, ""))).toEqual(NONE);
    expect(defaultRedirectSettingsProblem(settings)).toContain(
      `This deployment's ${name} must be an http or https URL`,
    );
  });
});

test("empty settings are like absent ones", () => {
  const settings: Settings = { ...HOSTS, HOME_URL: "", NOT_FOUND_URL: "" };
  expect(ownDefaultRedirects(settings, hostsOf(settings, ""))).toEqual(NONE);
  expect(defaultRedirectSettingsProblem(settings)).toBeNull();
});

test("without configured hosts, a loop depends on the host of the request", () => {
  const settings: Settings = { EXPIRED_URL: "https://hoplink.acme.workers.dev/over" };
  expect(defaultRedirectSettingsProblem(settings)).toBeNull();
  const pagesAt = (url: string) => ownDefaultRedirects(settings, hostsOf(settings, url)).expiredUrl;
  expect(pagesAt("https://hoplink.acme.workers.dev/a")).toBeNull();
  expect(pagesAt("https://hoplink.other.workers.dev/a")).toBe(settings.EXPIRED_URL);
});
