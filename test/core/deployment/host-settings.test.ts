import { describe, expect, test } from "vitest";

import {
  cdnUrl,
  configuredHosts,
  hostSettingsProblem,
  hostsOf,
  hostsOfLink,
} from "../../../src/core/deployment/settings.ts";
import { isCustomDomain, isServiceShortDomain, parseRequestUrl, shortUrl } from "../../../src/core/hosts.ts";

const SERVICE = { kind: "service" };

/** The base URL and the short domains of the hosts. */
function placesOf(url: string, settings = {}) {
  const { baseUrl, shortDomains } = hostsOf(settings, url);
  return { baseUrl, ...shortDomains };
}

describe("1 no hosts configured", () => {
  test.each([
    ["https://hoplink.acme.workers.dev/v1/links", "https://hoplink.acme.workers.dev", "hoplink.acme.workers.dev"],
    ["http://hoplink.acme.workers.dev/", "https://hoplink.acme.workers.dev", "hoplink.acme.workers.dev"],
    ["https://hoplink.acme.workers.dev./", "https://hoplink.acme.workers.dev", "hoplink.acme.workers.dev"],
    ["http://hoplink.acme.workers.dev:4711/", "https://hoplink.acme.workers.dev", "hoplink.acme.workers.dev"],
    ["http://localhost:8787/spring?a=b", "http://localhost:8787", "localhost:8787"],
    ["https://HopLink.Acme.Workers.DEV/", "https://hoplink.acme.workers.dev", "hoplink.acme.workers.dev"],
    ["http://LOCALHOST:8787/", "http://localhost:8787", "localhost:8787"],
    ["http://localhost/", "http://localhost", "localhost"],
    ["http://127.0.0.1:1/", "http://127.0.0.1:1", "127.0.0.1:1"],
    ["http://[::1]:4711/", "http://[::1]:4711", "[::1]:4711"],
    ["https://[::1]/", "https://[::1]", "[::1]"],
  ])("%s is the service's own host", (url, baseUrl, host) => {
    expect(placesOf(url)).toEqual({ baseUrl, live: host, test: `${host}/t` });
    const hosts = hostsOf({}, url);
    expect(parseRequestUrl(`${new URL(url).origin}/v1/links`, hosts)).toEqual(SERVICE);
    expect(parseRequestUrl(`${new URL(url).origin}/spring`, hosts)).toMatchObject({ domain: host, slug: "spring" });
    expect(isCustomDomain(host, hosts)).toBe(false);
    expect(cdnUrl({}, hosts)).toBe(`${baseUrl}/cdn`);
  });

  test.each([
    "https://go.example.com/v1/links",
    "https://go.example.com/",
    "http://localhost.example.com/dashboard",
    "http://test.localhost:8787/health",
    "http://127.0.0.2:8787/docs",
    "https://workers.dev/v1",
    "https://evilworkers.dev/v1",
    "https://hoplink.acme.workers.dev.example.com/v1",
    "http://[::2]/v1",
  ])("%s is for visitors, on a domain that is not the service's", (url) => {
    const hosts = hostsOf({}, url);
    expect(parseRequestUrl(url, hosts)).toMatchObject({ kind: "visitor", domain: new URL(url).hostname });
    expect(isCustomDomain(new URL(url).hostname, hosts)).toBe(true);
  });

  test.each(["a b.workers.dev", "a<b.workers.dev", "localhost:99999", "localhost:x", "[::1]:-1", "\u0000.workers.dev"])(
    "a Host header %j does not reach the service",
    (host) => {
      expect(parseRequestUrl(`http://${host}/v1`, hostsOf({}, `http://${host}/v1`))).toMatchObject({ kind: "visitor" });
    },
  );

  test("hosts are case-insensitive, since some clients send them in upper case", () => {
    const settings = { BASE_URL: "https://go.example.com" };
    expect(parseRequestUrl("https://GO.Example.com/v1", hostsOf(settings, ""))).toEqual(SERVICE);
    const visit = parseRequestUrl("https://GO.Example.com/Spring", hostsOf(settings, ""));
    expect(visit).toMatchObject({ domain: "go.example.com", slug: "Spring" });
  });

  test("each host has its own links, and another deployment's host is not a loop", () => {
    const hosts = hostsOf({}, "https://hoplink.acme.workers.dev/v1/links");
    expect(isServiceShortDomain(new URL("https://hoplink.acme.workers.dev/t/spring"), hosts)).toBe(true);
    expect(isServiceShortDomain(new URL("https://hoplink.other.workers.dev/spring"), hosts)).toBe(false);
  });

  test("a link's stored domain determines its short URL", () => {
    const urlOf = (domain: string) => shortUrl({ domain, slug: "a" }, hostsOfLink({}, domain));
    expect(urlOf("hoplink.acme.workers.dev")).toBe("https://hoplink.acme.workers.dev/a");
    expect(urlOf("hoplink.acme.workers.dev/t")).toBe("https://hoplink.acme.workers.dev/t/a");
    expect(urlOf("localhost:8787/t")).toBe("http://localhost:8787/t/a");
    expect(urlOf("go.example.com")).toBe("https://go.example.com/a");
  });

  test("hosts are cached, up to a bounded number", () => {
    const first = hostsOf({}, "https://hoplink.acme.workers.dev/a");
    expect(hostsOf({}, "https://hoplink.acme.workers.dev/b?c")).toBe(first);
    for (let i = 0; i < 1_000; i++) hostsOf({}, `https://hoplink.account${i}.workers.dev/a`);
    expect(hostsOf({}, "https://hoplink.acme.workers.dev/a")).not.toBe(first);
    expect(hostsOf({}, "https://hoplink.acme.workers.dev/a")).toEqual(first);
  });
});

describe("1 configured hosts", () => {
  const api = { BASE_URL: "https://api.hop.example" };
  const away = "https://hoplink.acme.workers.dev/v1/links";

  test.each([
    [api, "api.hop.example", "api.hop.example/t"],
    [{ ...api, SHORT_DOMAIN: "", TEST_SHORT_DOMAIN: "", CDN_URL: "" }, "api.hop.example", "api.hop.example/t"],
    [{ ...api, SHORT_DOMAIN: "Hop.Example" }, "hop.example", "hop.example/t"],
    [{ ...api, SHORT_DOMAIN: "hop.example", TEST_SHORT_DOMAIN: "HOP.example" }, "hop.example", "hop.example/t"],
    [{ ...api, TEST_SHORT_DOMAIN: "t.hop.example" }, "api.hop.example", "t.hop.example"],
    [{ BASE_URL: "http://localhost:8787" }, "localhost:8787", "localhost:8787/t"],
  ])("%j: links at %s, test links at %s, whichever host received the request", (settings, live, testDomain) => {
    const baseUrl = settings.BASE_URL;
    expect(placesOf(away, settings)).toEqual({ baseUrl, live, test: testDomain });
    expect(parseRequestUrl(away, hostsOf(settings, away))).toMatchObject({ domain: "hoplink.acme.workers.dev" });
    expect(configuredHosts(settings)).toBe(hostsOf(settings, away));
  });

  test("images may have a separate host", () => {
    expect(cdnUrl({ ...api, CDN_URL: "https://cdn.hop.example" }, hostsOf(api, away))).toBe("https://cdn.hop.example");
    expect(cdnUrl(api, hostsOf(api, away))).toBe("https://api.hop.example/cdn");
  });

  test.each([
    [{}, null],
    [api, null],
    [{ ...api, SHORT_DOMAIN: "hop.example", TEST_SHORT_DOMAIN: "t.hop.example" }, null],
    [{ CDN_URL: "https://cdn.hop.example" }, null],
    [{ SHORT_DOMAIN: "hop.example" }, "This deployment's SHORT_DOMAIN is set, but its BASE_URL is not"],
    [{ TEST_SHORT_DOMAIN: "t.example" }, "This deployment's TEST_SHORT_DOMAIN is set, but its BASE_URL is not"],
    [{ BASE_URL: "hop.example" }, "This deployment's BASE_URL must be a URL that begins with https:// or http://"],
    [
      { BASE_URL: "ftp://hop.example" },
      "This deployment's BASE_URL must be a URL that begins with https:// or http://",
    ],
    [{ CDN_URL: "cdn" }, "This deployment's CDN_URL must be a URL that begins with https:// or http://"],
  ])("%j: %s", (settings, problem) => {
    expect(hostSettingsProblem(settings)).toBe(problem);
  });

  test.each(["hop.example", "ftp://hop.example", "localhost:8787"])("%s as BASE_URL is ignored", (BASE_URL) => {
    expect(configuredHosts({ BASE_URL })).toBeNull();
  });
});
