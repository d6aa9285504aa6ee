/** Input that people type at the command `hoplink`: addresses, times, filters. */
import { expect, test } from "vitest";

import { comingTime, pastTime, rangeQuery } from "../../../src/client/cli/options.ts";
import { chosenConnection, isUnencrypted, serviceUrl } from "../../../src/client/cli/session.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");

test.each([
  ["7d", "2026-11-16T12:00:00.000Z", "2026-11-30T12:00:00.000Z"],
  ["90m", "2026-11-23T10:30:00.000Z", "2026-11-23T13:30:00.000Z"],
  ["2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00.000Z", "2026-12-24T17:00:00.000Z"],
  ["2026-12-24T18:00Z", "2026-12-24T18:00:00.000Z", "2026-12-24T18:00:00.000Z"],
])("%s is %s before now, and %s after", (text, past, coming) => {
  expect([pastTime(text, NOW), comingTime(text, NOW)]).toEqual([past, coming]);
});

test("a time without an offset is in the machine's time zone", () => {
  expect(pastTime("2026-12-24", NOW)).toBe(new Date(2026, 11, 24).toISOString());
  expect(pastTime("2026-12-24 18:30", NOW)).toBe(new Date(2026, 11, 24, 18, 30).toISOString());
});

test.each(["", "soon", "7", "7y", "2026-02-30", "2026-13-01", "2026-12-24T25:00", "9999999d"])(
  "“%s” is not a valid time",
  (text) => {
    expect(() => pastTime(text, NOW)).toThrow("Invalid time");
  },
);

test.each([
  ["hop.example.com", "https://hop.example.com"],
  ["https://hop.example.com/docs?x", "https://hop.example.com"],
  ["http://localhost:8787", "http://localhost:8787"],
  ["https://localhost:8787", "https://localhost:8787"],
  ["localhost:8787", "http://localhost:8787"],
  ["127.0.0.1:8787/dashboard", "http://127.0.0.1:8787"],
  ["localhost.example.com", "https://localhost.example.com"],
])("the address %s is %s", (text, url) => {
  expect(serviceUrl(text)).toBe(url);
});

test.each(["", "ftp://hop.example.com", "https://user:pass@hop.example.com", "https://"])(
  "%s is not a valid address",
  (text) => {
    expect(() => serviceUrl(text)).toThrow("Invalid address");
  },
);

test("a key is sent over the network only encrypted, or does not leave the machine", () => {
  const urls = ["http://hop.example.com", "http://localhost.evil.example", "http://127.0.0.1.evil.example"];
  expect(urls.map(isUnencrypted)).toEqual([true, true, true]);
  const own = [
    "https://hop.example.com",
    "http://localhost:8787",
    "http://test.localhost",
    "http://127.0.0.1:1",
    "http://[::1]:1",
  ];
  expect(own.map(isUnencrypted)).toEqual(own.map(() => false));
});

test("the command line overrides the environment, which overrides the default profile", () => {
  const profiles = new Map(["default", "work"].map((name) => [name, { url: `https://${name}.example`, key: name }]));
  const key = { HOPLINK_API_KEY: "own", HOPLINK_URL: "own.example" };
  expect(chosenConnection(undefined, {}, profiles)).toMatchObject({ profile: "default" });
  expect(chosenConnection(undefined, { HOPLINK_PROFILE: "work" }, profiles)).toMatchObject({ key: "work" });
  expect(chosenConnection(undefined, key, profiles)).toEqual({ profile: null, key: "own", url: "https://own.example" });
  expect(chosenConnection("work", { HOPLINK_API_KEY: "own" }, profiles)).toMatchObject({ key: "work" });
  const keyAlone = { HOPLINK_API_KEY: "own" };
  expect(chosenConnection(undefined, keyAlone, profiles)).toMatchObject({ key: "own", url: "https://default.example" });
  expect(() => chosenConnection(undefined, keyAlone, new Map())).toThrow("HOPLINK_URL is not");
  expect(() => chosenConnection("../x", {}, profiles)).toThrow("Invalid profile name");
});

test("filters have a known name and keys", () => {
  expect(rangeQuery({ filter: ["country=DE,AT", "utm_source=a=b"] })).toEqual({ country: "DE,AT", utm_source: "a=b" });
  const repeated = ["country=DE", "device=mobile", "country=AT,CH"];
  expect(rangeQuery({ filter: repeated })).toEqual({ country: "DE,AT,CH", device: "mobile" });
  expect(() => rangeQuery({ filter: ["planet=mars"] })).toThrow("Invalid filter");
});
