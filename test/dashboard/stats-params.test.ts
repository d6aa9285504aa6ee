/** The settings of the statistics page and their form in the address. */
import { describe, expect, test } from "vitest";

import {
  ACCOUNT_SCOPE,
  parseStatsParams,
  type StatsParams,
  toggleFilter,
  withFilter,
  writeStatsParams,
} from "../../src/dashboard/pages/link/stats/stats-params.ts";

import { parseFilterValues } from "../../src/core/clicks/counting/filters.ts";
import { DashboardAccountStatsQuery, StatsQuery } from "../../src/core/contract/stats.ts";
import { statsQueryOf } from "../../src/dashboard/pages/link/stats/stats-query.ts";

const ZONE = "Europe/Berlin";
const parse = (search: string) => parseStatsParams(new URLSearchParams(search), ZONE);
const write = (params: StatsParams, search = "") =>
  writeStatsParams(new URLSearchParams(search), params, ZONE).toString();

const NO_BOUNDS = { from: null, to: null };

const DEFAULTS: StatsParams = {
  range: { kind: "preset", preset: "all" },
  interval: null,
  zone: ZONE,
  includeBots: false,
  comparison: null,
  filters: {},
  cards: {},
};

const EVERYTHING: StatsParams = {
  range: { kind: "preset", preset: "month" },
  interval: "hour",
  zone: "Asia/Tokyo",
  includeBots: true,
  comparison: "year",
  filters: { country: ["DE", "AT"], rule: ["country=DE,AT&device=mobile"], referrer: ["a b.example"] },
  cards: { places: "city", sources: "qr" },
};

describe("4 the address of the statistics", () => {
  test("an address without parameters means the defaults, and the defaults need no parameters", () => {
    expect(parse("")).toEqual(DEFAULTS);
    expect(write(DEFAULTS)).toBe("");
  });

  test("every setting is restored from the address", () => {
    expect(parse(write(EVERYTHING))).toEqual(EVERYTHING);
  });

  test("days include their time zone, so that the address means the same days everywhere", () => {
    const days: StatsParams = { ...DEFAULTS, range: { kind: "days", first: "2026-01-30", last: "2026-02-01" } };
    expect(write(days)).toBe("from=2026-01-30&to=2026-02-01&tz=Europe%2FBerlin");
    expect(parseStatsParams(new URLSearchParams(write(days)), "UTC")).toEqual(days);
  });

  test("parameters of other parts of the page are kept", () => {
    expect(write(DEFAULTS, "tab=rules&range=week&country=DE")).toBe("tab=rules");
  });

  test.each([
    "range=century",
    "from=2026-02-30&to=2026-03-01",
    "from=2026-03-02&to=2026-03-01",
    "from=2026-03-01",
    "interval=second",
    "tz=Mars/Phobos",
    "tz=%2B02:00",
    "bots=1",
    "country=",
    "places=planet",
  ])("%s is ignored", (search) => {
    expect(parse(search)).toEqual(DEFAULTS);
  });

  test("a hostile address yields no more filters than a request can have", () => {
    const search = Array.from({ length: 500 }, (_, i) => `country=${i}`).join("&");
    expect(parse(`${search}&city=${"x".repeat(70_000)}`).filters).toEqual({
      country: Array.from({ length: 100 }, (_, i) => String(i)),
    });
  });

  test("a request separates a filter's values by commas, and escapes commas in a value", () => {
    const params = parse("country=DE&country=AT&rule=country%3DDE,AT&utm_term=a%5Cb");
    const query = statsQueryOf(params, { from: null, to: null }, "device", undefined);
    expect(query).toMatchObject({ country: "DE,AT", rule: "country=DE\\,AT", utm_term: "a\\\\b" });
    expect(StatsQuery.safeParse(query).success).toBe(true);
    expect(["DE\\,AT", "a\\\\b,c"].map(parseFilterValues)).toEqual([["DE,AT"], ["a\\b", "c"]]);
  });

  test("a negated filter is restored from the address, sent by its parameter, and removed with its last value", () => {
    const filters = { link: ["lnk_1"], country: ["DE"], exclude: ["country", "link"] } as const;
    const params: StatsParams = { ...DEFAULTS, filters };
    const address = writeStatsParams(new URLSearchParams(), params, ZONE, ACCOUNT_SCOPE);
    expect(address.toString()).toBe("range=all&country=DE&link=lnk_1&exclude=country&exclude=link");
    expect(parseStatsParams(address, ZONE, ACCOUNT_SCOPE)).toEqual(params);
    const query = statsQueryOf(params, NO_BOUNDS, "device", undefined);
    expect(DashboardAccountStatsQuery.parse(query)).toMatchObject({ country: "DE", exclude: "country,link_id" });
    expect(
      StatsQuery.safeParse(statsQueryOf(parse("country=DE&exclude=country"), NO_BOUNDS, "os", undefined)).success,
    ).toBe(false);
    expect(toggleFilter(filters, "country", "DE")).toEqual({ link: ["lnk_1"], exclude: ["link"] });
    expect(withFilter(filters, "country", ["DE", "AT"], false)).toMatchObject({
      country: ["DE", "AT"],
      exclude: ["link"],
    });
    expect(parse("exclude=country&exclude=planet")).toEqual(DEFAULTS);
  });

  test("a filter is added and removed", () => {
    const once = toggleFilter({ device: ["mobile"] }, "country", "DE");
    expect(once).toEqual({ device: ["mobile"], country: ["DE"] });
    expect(toggleFilter(once, "country", "AT")).toEqual({ device: ["mobile"], country: ["DE", "AT"] });
    expect(toggleFilter(once, "country", "DE")).toEqual({ device: ["mobile"] });
  });
});
