import { expect, test } from "vitest";

import { formatBytes, formatCount } from "../../src/dashboard/formatting/numbers.ts";

test.each([
  [0, "0 MB"],
  [200_000_000, "200 MB"],
  [999_900_000, "999.9 MB"],
  [5 * 1024 ** 3, "5.4 GB"],
  [100_000_000_000, "100 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [999.5, "999.5"],
  [1_000, "1,000"],
  [1_234_567, "1,234,567"],
])("a count of %d is %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});
