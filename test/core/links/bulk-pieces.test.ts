import { expect, test } from "vitest";

import { BODY_MAX_BYTES, BULK_ALIASES_MAX, BULK_LINKS_MAX, BULK_PASSWORDS_MAX } from "../../../src/core/limits.ts";
import { bulkCost, countChangedTags, importCost, piecesOf } from "../../../src/core/links/bulk-pieces.ts";

const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const aliases = (count: number) => ({ aliases: repeat(count, "a") });
/** As JSON with a comma, a text of as many bytes takes three more. */
const HALF_BODY = "x".repeat(BODY_MAX_BYTES / 2 - 50 - 3);

test.each<[string, unknown[], number[]]>([
  ["no items", [], []],
  ["as many links as a request may have", repeat(BULK_LINKS_MAX, {}), [BULK_LINKS_MAX]],
  ["one more", repeat(BULK_LINKS_MAX + 1, {}), [BULK_LINKS_MAX, 1]],
  ["texts that fill a body", [HALF_BODY, HALF_BODY, HALF_BODY], [2, 1]],
  ["texts that are a byte too long", [HALF_BODY, `${HALF_BODY}x`, HALF_BODY], [1, 1, 1]],
  ["a character of two bytes", [HALF_BODY, HALF_BODY.replace("x", "é")], [1, 1]],
  ["passwords", repeat(2 * BULK_PASSWORDS_MAX + 1, { password: "p" }), [BULK_PASSWORDS_MAX, BULK_PASSWORDS_MAX, 1]],
  ["passwords among links without one", [...repeat(BULK_PASSWORDS_MAX, { password: "p" }), {}, {}], [12]],
  ["removed passwords", repeat(BULK_PASSWORDS_MAX + 1, { password: null }), [BULK_PASSWORDS_MAX + 1]],
  ["aliases", repeat(4, aliases(BULK_ALIASES_MAX / 2)), [2, 2]],
  ["an alias too many", [aliases(BULK_ALIASES_MAX), aliases(1), aliases(BULK_ALIASES_MAX - 1)], [1, 2]],
  ["aliases of another type", repeat(3, { aliases: "a".repeat(BULK_ALIASES_MAX) }), [3]],
  ["items that are not objects", [null, 5, {}], [3]],
])("%s: requests of a bulk operation", (_name, items, lengths) => {
  const pieces = piecesOf(items);
  expect(pieces.map(({ length }) => length)).toEqual(lengths);
  expect(pieces.flat()).toEqual(items);
});

test("only the part of an item that is sent counts", () => {
  const items = repeat(3, { row: HALF_BODY, body: { password: "p" } });
  expect(piecesOf(items, ({ body }) => body)).toEqual([items]);
});

test.each([
  { sent: 3, tags: 0, passwords: 0, aliases: 0, cost: 3 },
  { sent: 3, tags: 9, passwords: 0, aliases: 0, cost: 3 },
  { sent: 3, tags: 10, passwords: 0, aliases: 0, cost: 4 },
  { sent: 3, tags: 25, passwords: 0, aliases: 0, cost: 5 },
  { sent: 3, tags: 0, passwords: 2, aliases: 0, cost: 23 },
  { sent: 3, tags: 0, passwords: 0, aliases: 4, cost: 7 },
  { sent: 3, tags: 25, passwords: 2, aliases: 4, cost: 29 },
])(
  "$sent items with $tags changed tags, $passwords passwords and $aliases aliases cost $cost links",
  ({ sent, tags, passwords, aliases, cost }) => {
    expect(bulkCost(sent, tags, passwords, aliases)).toBe(cost);
  },
);

test.each([
  { clicks: 0, chars: 0, cost: 1 },
  { clicks: 99, chars: 8_191, cost: 1 },
  { clicks: 100, chars: 0, cost: 2 },
  { clicks: 0, chars: 8_192, cost: 2 },
  { clicks: 250, chars: 81_920, cost: 11 },
])("an import of $clicks clicks in $chars characters costs $cost links", ({ clicks, chars, cost }) => {
  expect(importCost(clicks, chars)).toBe(cost);
});

test.each([
  { before: [], after: [], changed: 0 },
  { before: ["a", "b"], after: ["b", "a"], changed: 0 },
  { before: ["a"], after: ["a", "b", "c"], changed: 2 },
  { before: ["a", "b"], after: ["a"], changed: 1 },
  { before: ["a", "b"], after: ["c"], changed: 3 },
  { before: ["News"], after: ["news"], changed: 2 },
])("from tags $before to $after, $changed are written", ({ before, after, changed }) => {
  expect(countChangedTags(before, after)).toBe(changed);
});
