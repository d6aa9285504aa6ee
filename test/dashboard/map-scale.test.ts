/** Color levels of the world map. */
import { describe, expect, test } from "vitest";

import { levelStarts, mapLevel } from "../../src/dashboard/pages/link/stats/map-scale.ts";

describe("7 the world map", () => {
  test.each([1, 2, 3, 10, 1_000, 12_345_678])(
    "colors for up to %d clicks range from the first step to the last",
    (most) => {
      expect([mapLevel(0, most), mapLevel(most, most)]).toEqual([0, 5]);
      const starts = levelStarts(most);
      for (const { level, from } of starts) {
        expect(mapLevel(from, most)).toBe(level);
        if (from > 1) expect(mapLevel(from - 1, most)).toBeLessThan(level);
      }
      expect(starts.at(-1)).toEqual({ level: 5, from: most });
    },
  );
});
