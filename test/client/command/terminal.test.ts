/** Output of the command `hoplink`: colors, tables, sparklines, progress, and no text that controls the terminal. */
import stringWidth from "string-width";
import { expect, test } from "vitest";

import { hasColors, progressText } from "../../../src/client/cli/io.ts";
import { sparkline } from "../../../src/client/cli/commands/stats.ts";
import { clockTime, tableLines, visibleText } from "../../../src/client/cli/terminal-text.ts";

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
])("with %j and a terminal (%s) there are colors: %s", (environment, isTerminal, expected) => {
  expect(hasColors(environment, isTerminal)).toBe(expected);
});

test("escapes, line ends, bidirectional controls and lone surrogates are made visible", () => {
  expect(visibleText("a\u001b[31mb\r\nc\u202ed\u2028e\ud800f")).toBe(
    "a\\u{1b}[31mb\\u{d}\\u{a}c\\u{202e}d\\u{2028}e\\u{d800}f",
  );
  expect([visibleText("Zürich 東京 🎉"), visibleText(undefined), visibleText(7)]).toEqual(["Zürich 東京 🎉", "", "7"]);
});

test("columns are as wide as their contents, even with wide characters", () => {
  const columns = [
    { title: "CITY", cell: ([city]: string[]) => city },
    { title: "CLICKS", align: "right" as const, cell: ([, clicks]: string[]) => clicks },
  ];
  const rows = [
    ["東京", "1"],
    ["Köln", "1,234"],
    ["🎉", "2"],
  ];
  expect(tableLines(columns, rows)).toEqual(["CITY  CLICKS", "東京       1", "Köln   1,234", "🎉         2"]);
});

test("cells are safe for a terminal", () => {
  expect(tableLines([{ title: "TITLE", cell: (text: string) => text }], ["a\u001b[31m"])).toEqual([
    "TITLE",
    "a\\u{1b}[31m",
  ]);
});

test("at a terminal the widest columns shrink, by whole characters", () => {
  const columns = ["A", "B", "C"].map((title, i) => ({ title, cell: (row: string[]) => row[i] }));
  const rows = [["x".repeat(60), "東".repeat(40), "short"]];
  for (const width of [60, 80, 121]) {
    const lines = tableLines(columns, rows, width);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/x….*東….*short$/);
  }
  expect(tableLines(columns, rows, 200)[1]).not.toContain("…");
});

test("a sparkline has a bar for each value, and shows the smallest ones", () => {
  expect(sparkline([0, 1, 500, 1000], 10)).toBe("▁▂▅█");
  expect(sparkline([], 10)).toBe("");
  expect(sparkline([0, 0], 10)).toBe("▁▁");
  expect([
    ...sparkline(
      Array.from({ length: 1_000 }, (_, i) => i),
      40,
    ),
  ]).toHaveLength(40);
});

test("progress is a bar if the total is known", () => {
  expect(progressText(500, 1_000, "links")).toBe(`${"█".repeat(12)}${"░".repeat(12)} 500 of 1,000 links`);
  expect(progressText(1_234, null, "clicks")).toBe("1,234 clicks");
  expect(progressText(0, 0, "links")).toContain("█".repeat(24));
});

test("a click of another day is shown with its date", () => {
  const now = new Date(2026, 10, 28, 0, 5).getTime();
  const at = (day: number, ...clock: [number, number, number]) => new Date(2026, 10, day, ...clock).toISOString();
  expect(clockTime(at(28, 0, 4, 9), now)).toBe("00:04:09");
  expect(clockTime(at(27, 23, 59, 59), now)).toBe("2026-11-27 23:59:59");
});
