import { expect, test } from "vitest";

import { formatBytes } from "../../src/dashboard/formatting/numbers.ts";

test.each([
  [0, "0 MB"],
  [200_000_000, "200 MB"],
  [999_900_000, "999.9 MB"],
  [5 * 1024 ** 3, "5.4 GB"],
  [100_000_000_000, "100 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
