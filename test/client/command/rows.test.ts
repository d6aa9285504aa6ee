/** Exports that break off anywhere continue after their last whole row. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { placeAfter, RowSplitter } from "../../../src/client/cli/export-clicks.ts";
import { csvRow } from "../../../src/core/encoding/csv.ts";

const text = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r\n", "ü", "東", "=") });

test("rows do not depend on how a file is split into chunks", () => {
  const cells = fc.array(fc.tuple(fc.nat(), text, text), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      cells,
      fc.constantFrom("csv" as const, "ndjson" as const),
      fc.nat(),
      fc.nat(),
      (rows, format, first, second) => {
        const lines = rows.map((row) => (format === "csv" ? csvRow(row) : `${JSON.stringify(row)}\n`));
        const file = Buffer.from(lines.join(""));
        const cuts = [first % (file.length + 1), second % (file.length + 1)].toSorted((a, b) => a - b);
        const splitter = new RowSplitter(format);
        const chunks = [file.subarray(0, cuts[0]), file.subarray(cuts[0], cuts[1]), file.subarray(cuts[1])];
        const out = chunks.map((chunk) => Buffer.from(splitter.push(chunk)));
        expect(Buffer.concat(out).equals(file)).toBe(true);
        expect([splitter.rows, splitter.hasRest, splitter.lastRow]).toEqual([
          rows.length,
          false,
          lines.at(-1)?.trimEnd(),
        ]);
      },
    ),
  );
});

test("incomplete rows are held back", () => {
  const splitter = new RowSplitter("csv");
  const push = (chunk: string) => Buffer.from(splitter.push(Buffer.from(chunk))).toString();
  expect([push('seq,title\r\n1,"a\r'), push('\nb"'), push("\r\n2,c")]).toEqual(["seq,title\r\n", "", '1,"a\r\nb"\r\n']);
  expect([splitter.rows, splitter.hasRest]).toEqual([2, true]);
});

test("a row determines where to continue", () => {
  expect(placeAfter("17,2026-11-21T09:10:00.000Z,human", "csv", false)).toBe("17");
  expect(placeAfter("seq,occurred_at,class", "csv", false)).toBeNull();
  expect(placeAfter("lnk_1,go.example.com,17,2026-11-21T09:10:00.000Z,human", "csv", true)).toBe(
    "2026-11-21T09:10:00.000Z,lnk_1,17",
  );
  const click = { link_id: "lnk_1", seq: 17, occurred_at: "2026-11-21T09:10:00.000Z" };
  expect(placeAfter(JSON.stringify(click), "ndjson", true)).toBe("2026-11-21T09:10:00.000Z,lnk_1,17");
});

test("a row that never ends is refused", () => {
  const splitter = new RowSplitter("ndjson");
  const chunk = Buffer.alloc(400_000, "x");
  splitter.push(chunk);
  splitter.push(chunk);
  expect(() => splitter.push(chunk)).toThrow("a row has more than 1,000,000 bytes");
});
