import { expect, test } from "vitest";
import * as z from "zod";

import {
  accountFiltersOf,
  AccountStatsQuery,
  DashboardAccountStatsQuery,
  excludedFilters,
  filterParameters,
  filtersFit,
  sentFilters,
  StatsQuery,
} from "../../../src/core/contract/stats.ts";

const NAMES = ["country", "rule", "city"] as const;
const PARAMETERS = filterParameters(NAMES);
const Query = z.strictObject(PARAMETERS).superRefine(filtersFit(NAMES));

function problemsOf(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => [...path, message].join(" "));
}

test.each([
  [undefined, []],
  ["DE,AT", []],
  [String.raw`a\,b,c\\`, []],
  [Array(100).fill("a").join(","), []],
  [Array(101).fill("a").join(","), ["must have at most 100 values"]],
  ["DE,", ["must not have an empty value"]],
  [String.raw`a\b,`, ["must not have a backslash except before a comma or a backslash"]],
  ["a".repeat(16_384), []],
  ["a".repeat(16_385), ["Too big: expected string to have <=16384 characters"]],
])("the filter %.20s: %j", (text, problems) => {
  expect(problemsOf(PARAMETERS.country, text)).toEqual(problems);
});

test.each([
  [{ country: 8_192, rule: 8_192 }, null],
  [{ rule: 8_192, country: 8_193 }, "rule"],
  [{ country: 8_192, rule: 8_192, city: 1 }, "city"],
])("the last of filters that are too long together has the problem: %j %s", (lengths, last) => {
  const sent = Object.fromEntries(Object.entries(lengths).map(([name, chars]) => [name, "a".repeat(chars)]));
  const problem = `${last} and the other filters must together have at most 16,384 characters`;
  expect(problemsOf(Query, sent)).toEqual(last === null ? [] : [problem]);
  expect(Object.keys(PARAMETERS)).toEqual(NAMES);
});

test.each(["", "rule,", "rule,device", "constructor"])("%j are not names of known filters", (text) => {
  expect(problemsOf(excludedFilters(NAMES), text)).toEqual(["must be names of filters, separated by commas"]);
  for (const fine of [undefined, "rule,country"]) expect(problemsOf(excludedFilters(NAMES), fine)).toEqual([]);
});

test("filters are in the order of their names, and may be negated", () => {
  const country = { grouping: "country", values: ["DE", "AT"] };
  const rule = { grouping: "rule", values: ["a,b"] };
  const sent = { rule: String.raw`a\,b`, country: "DE,AT" };
  expect(sentFilters(NAMES, sent)).toEqual([country, rule]);
  expect(sentFilters(NAMES, { ...sent, exclude: "city,rule" })).toEqual([country, { ...rule, isNegated: true }]);
  expect(sentFilters(["rule", "city"], sent)).toEqual([rule]);
  expect(sentFilters(NAMES, { city: String.raw`a\b` })).toEqual([]);
});

test.each([
  [{ country: "De" }, "country", ["De"]],
  [{ link_id: "lnk_A,lnk_b" }, "link", ["lnk_A", "lnk_b"]],
  [{ tag: "SALE,Größe" }, "tag", ["sale", "grösse"]],
  [{ tag: "A".repeat(100) }, "tag", ["a".repeat(100)]],
  [{ tag: "A".repeat(101) }, "tag", ["A".repeat(101)]],
  [{ domain: "GO.Example.,Bücher.example" }, "domain", ["go.example", "xn--bcher-kva.example"]],
])("of all links, %j is by %s: %j", (sent, grouping, values) => {
  const filter = { grouping, values };
  expect(accountFiltersOf(sent)).toEqual({ filters: [filter] });
  const [exclude = ""] = Object.keys(sent);
  expect(accountFiltersOf({ ...sent, exclude })).toEqual({ filters: [{ ...filter, isNegated: true }] });
  expect(accountFiltersOf({ exclude })).toEqual({});
});

test.each([
  [StatsQuery, { group_by: "tag" }, false],
  [AccountStatsQuery, { group_by: "tag" }, true],
  [StatsQuery, { tag: "a" }, false],
  [AccountStatsQuery, { include: "uniques", include_bots: "true" }, true],
  [AccountStatsQuery, { tag: "a", link_id: "lnk_1", domain: "b.example", country: "DE" }, true],
  [AccountStatsQuery, { tag: "a".repeat(9_000), country: "b".repeat(9_000) }, false],
  [AccountStatsQuery, { exclude: "tag" }, false],
  [DashboardAccountStatsQuery, { exclude: "tag" }, true],
  [DashboardAccountStatsQuery, { exclude: "link" }, false],
])("%# a query is accepted only where it means something", (schema, query, fine) => {
  expect(schema.safeParse(query).success).toBe(fine);
});

test("all links' clicks of people are grouped by country unless the query says otherwise", () => {
  expect(AccountStatsQuery.parse({})).toEqual({ group_by: "country", timezone: "UTC", include_bots: "false" });
});
