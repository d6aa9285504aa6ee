import { expect, test } from "vitest";

import { bulkCost, countChangedTags, importCost } from "../../../src/core/links/bulk-pieces.ts";

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
