/** Filters of a link's statistics as the API accepts them. */
import { describe, expect, test, vi } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import type { Stats } from "../../../src/core/contract/stats.ts";
import { GROUPINGS } from "../../../src/core/clicks/counting/groupings.ts";
import { errorOf } from "../../support/api-response.ts";
import { IPHONE_SAFARI } from "../../support/sample-user-agents.ts";
import { premiumAccount, visit, type VisitOptions } from "../../support/test-accounts.ts";

vi.setConfig({ testTimeout: 30_000 });

const ann = await premiumAccount();

const IPHONE = { headers: { "User-Agent": IPHONE_SAFARI } };
const VISITS: VisitOptions[] = [
  { country: "DE", ...IPHONE, search: "?utm_source=news" },
  { country: "DE", city: "Berlin", headers: { Referer: "https://example.org/" } },
  { country: "AT", ...IPHONE },
  { country: "JP", city: "東京" },
];

/** A link with a rule whose key and destination have commas, and these visits. */
async function visitedLink(): Promise<Link> {
  const link = await ann.createLink({
    url: "https://example.com/?a,b",
    routing: [{ if: { country: ["DE", "AT"], device: "mobile" }, to: "https://example.com/c,d" }],
  });
  for (const options of VISITS) await visit(link.short_url, options);
  await ann.waitForClicks(VISITS.length, link);
  return link;
}

const escaped = (key: string) => key.replace(/[\\,]/g, "\\$&");
const sum = (items: readonly { clicks: number }[]) => items.reduce((total, { clicks }) => total + clicks, 0);

describe("14 filters", () => {
  test("14 every grouping can be a filter, by the keys of its buckets", async () => {
    const link = await visitedLink();
    for (const group_by of GROUPINGS) {
      const { buckets } = await ann.stats(link, { group_by });
      for (const { key, clicks } of buckets) {
        const filtered: Stats = await ann.stats(link, { group_by, [group_by]: escaped(key), interval: "day" });
        expect({ ...filtered, series: sum(filtered.series) }).toMatchObject({
          total: clicks,
          buckets: [{ key, clicks }],
          series: clicks,
        });
      }
      const all = buckets.map(({ key }) => escaped(key)).join(",");
      expect((await ann.stats(link, { group_by, [group_by]: all })).buckets).toEqual(buckets);
    }
  });

  test.for<[Record<string, string>, Record<string, number>]>([
    [{ country: "DE,AT" }, { DE: 2, AT: 1 }],
    [
      { country: "DE,AT", device: "mobile" },
      { DE: 1, AT: 1 },
    ],
    [{ rule: String.raw`country=AT\,DE&device=mobile`, country: "DE" }, { DE: 1 }],
    [{ destination: String.raw`https://example.com/c\,d` }, { AT: 1, DE: 1 }],
    [{ city: "東京,Berlin", referrer: "direct" }, { JP: 1 }],
    [{ utm_source: "none", os: "ios" }, { AT: 1 }],
    [{ country: "US" }, {}],
    [{ country: "de" }, {}],
  ])("14 values of one filter are alternatives, several filters must all match: %o", async ([query, expected]) => {
    const link = await visitedLink();
    const { total, buckets } = await ann.stats(link, query);
    expect(Object.fromEntries(buckets.map(({ key, clicks }) => [key, clicks]))).toEqual(expected);
    expect(total).toBe(sum(buckets));
  });

  test("14 include=uniques adds unique visitors to the total, to buckets and series, and nothing else", async () => {
    const link = await visitedLink();
    const query = { interval: "month", country: "DE,JP", to: "2100-01-01T00:00:00Z", from: "2099-12-01T00:00:00Z" };
    expect(await ann.stats(link, query)).not.toHaveProperty("unique_visitors");
    expect(await ann.stats(link, { ...query, include: "uniques" })).toEqual({
      ...(await ann.stats(link, query)),
      unique_visitors: 0,
      series: [{ start: "2099-12-01T00:00:00.000Z", clicks: 0, unique_visitors: 0 }],
    });
    const { buckets } = await ann.stats(link, { include: "uniques" });
    expect(buckets.every(({ unique_visitors = NaN, clicks }) => unique_visitors <= clicks)).toBe(true);
  });

  test("14 a link without clicks has none under filters", async () => {
    const link = await ann.createLink();
    expect(await ann.stats(link, { country: "DE", include: "uniques", interval: "day" })).toMatchObject({
      total: 0,
      unique_visitors: 0,
      buckets: [],
    });
  });
});

describe("14 invalid filters", () => {
  test.for([
    ["an empty value", "country=", "country", "country must not have an empty value"],
    ["an empty value between others", "country=DE,,AT", "country", "country must not have an empty value"],
    ["a backslash", "city=a%5Cb", "city", "city must not have a backslash except before a comma or a backslash"],
    [
      "a backslash at the end",
      "city=a%5C",
      "city",
      "city must not have a backslash except before a comma or a backslash",
    ],
    ["a parameter given twice", "country=DE&country=AT", "country", "country must be given once"],
    ["101 values", `qr=${Array(101).fill("a").join(",")}`, "qr", "qr must have at most 100 values"],
    [
      "more than 16,384 characters in all",
      `city=${"a".repeat(8_000)}&destination=${"b".repeat(8_385)}`,
      "destination",
      "destination and the other filters must together have at most 16,384 characters",
    ],
    ["an unknown grouping", "colour=red", "colour", "colour is unknown"],
    ["an unknown include value", "include=clicks", "include", "include must be one of uniques"],
  ] as const)("14 %s answers 422 and names the parameter", async ([_name, query, param, message]) => {
    const link = await ann.createLink();
    const reply = await ann.call("GET", `/v1/links/${link.id}/stats?${query}`);
    expect(reply.status).toBe(422);
    expect(errorOf(reply)).toMatchObject({ code: "validation_failed", param, message });
  });
});
