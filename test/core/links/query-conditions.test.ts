import { expect, test } from "vitest";

import { metQueryConditions, type RoutingRule, wasMet } from "../../../src/core/links/routing.ts";
import { visitor } from "../visitors/visitors.ts";

const to = "https://example.com/";

function met(routing: RoutingRule[], search: string): string {
  return metQueryConditions({ url: to, routing, expiresAt: null }, visitor({ search }));
}

test.each([
  ["no rules", [], "a=1", ""],
  ["no query condition", [{ if: { country: "DE" }, to }], "a=1", ""],
  ["no condition holds", [{ if: { query: { a: true } }, to }], "b=1", ""],
  [
    "the first of two",
    [
      { if: { query: { a: true } }, to },
      { if: { query: { b: "2" } }, to },
    ],
    "a=1&b=1",
    "1",
  ],
  [
    "the second of two",
    [
      { if: { query: { a: true } }, to },
      { if: { query: { b: "2" } }, to },
    ],
    "b=2",
    "2",
  ],
  [
    "a rule's own condition comes before that of its not",
    [{ if: { query: { a: true }, not: { query: { b: true } } }, to }],
    "b",
    "2",
  ],
  [
    "a condition only in a not",
    [
      { if: { country: "DE" }, to },
      { if: { not: { query: { b: true } } }, to },
    ],
    "b=",
    "1",
  ],
  [
    "regardless of earlier matching rules and of a rule's other conditions",
    [
      { if: { device: "other" }, to },
      { if: { country: "DE", query: { a: true } }, to },
    ],
    "a",
    "1",
  ],
] satisfies [string, RoutingRule[], string, string][])("%s", (_name, routing, search, bits) => {
  expect(met(routing, search)).toBe(bits);
});

test("more conditions than a number has bits", () => {
  const rules = Array.from({ length: 100 }, (_, i): RoutingRule => {
    return { if: { query: { [`q${i}`]: true }, not: { query: { [`n${i}`]: true } } }, to };
  });
  expect(met(rules, "q0&n99&q50")).toBe(((1n << 0n) | (1n << 199n) | (1n << 100n)).toString(16));
  const all = rules.map((_, i) => `q${i}&n${i}`).join("&");
  expect(met(rules, all)).toBe("f".repeat(50));
});

test.each([
  ["", []],
  ["1", [0]],
  ["8", [3]],
  ["1f", [0, 1, 2, 3, 4]],
  ["f0", [4, 5, 6, 7]],
  [`1${"0".repeat(49)}`, [196]],
])("the bits %j are of the conditions %j", (bits, indexes) => {
  const all = Array.from({ length: 200 }, (_, index) => index);
  expect(all.filter((index) => wasMet(bits, index))).toEqual(indexes);
});
