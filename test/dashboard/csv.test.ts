/** CSV files contain no cell that a spreadsheet runs as a formula. */
import { expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { toCsv } from "../../src/dashboard/files/csv.ts";
import { refusedCsv } from "../../src/dashboard/pages/import/use-import.ts";
import { csvPart, resultsCsv } from "../../src/dashboard/pages/links/bulk-csv.ts";

const FILES: Record<string, (text: string) => string> = {
  "refused rows of an import": (address) =>
    refusedCsv({ refused: [{ at: 3, address, reason: "", advice: "" }], differs: [] }, "line"),
  statistics: (key) => toCsv([{ key, clicks: 1 }]),
  "results of many links": (url) => resultsCsv([{ line: { number: 1, link: { url } }, result: { error: "" } }]),
  links: (title) => csvPart([{ title, routing: [] } as unknown as Link], true),
};

/** Titles, tags and parameters of visits can contain line breaks. */
test.each(Object.entries(FILES))("texts with line breaks are not run as formulas: %s", (_name, fileWith) => {
  for (const text of ["=1+1\n", "=cmd|' /C calc'!A0\nx", "+1\r\nx", "-1\nx", "@x\n\n", "\t1\n"]) {
    expect(fileWith(text)).toContain(`"'${text}"`);
  }
  expect(fileWith("a\n=1;@x")).toContain(`"a\n'=1;'@x"`);
  expect(fileWith("a=1\nb")).toContain(`"a=1\nb"`);
});

test("numbers are exact, and no cell is run as a formula", () => {
  const rows = [
    { referrer: "=HYPERLINK(1)", clicks: 1_234_567 },
    { referrer: "+1", clicks: 2 },
    { referrer: "@a", clicks: 1 },
    { referrer: 'say "hi", you', clicks: 1 },
  ];
  expect(toCsv(rows)).toBe(`referrer,clicks\n'=HYPERLINK(1),1234567\n'+1,2\n'@a,1\n"say ""hi"", you",1`);
});
