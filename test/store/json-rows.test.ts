/** Rows that statements read as JSON: in one text, or in several where D1 would refuse one. */
import { expect, test } from "vitest";

import { jsonTexts } from "../../src/store/json-rows.ts";

/** Of a value that is bound to a statement. */
const D1_VALUE_MAX_BYTES = 2_000_000;

test.each([
  ["none", [], 0],
  ["few", [["a", 1, null], ["b"]], 1],
  ["long ones", Array.from({ length: 100 }, (_, i) => [i, "漢".repeat(20_000)]), 4],
  ["one that is long itself", [["x".repeat(1_500_000)], ["y"]], 2],
])("%s", (_, rows: unknown[], count) => {
  const texts = jsonTexts(rows);
  expect(texts).toHaveLength(count);
  expect(texts.flatMap((text) => JSON.parse(text) as unknown[])).toEqual(rows);
  for (const text of texts) expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(D1_VALUE_MAX_BYTES);
});
