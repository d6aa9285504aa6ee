/** Texts with line breaks are no formulas in any of the CSV files: titles, tags and parameters of visits may have them. */
import { expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { refusedCsv } from "../../src/dashboard/pages/import/refused-csv.ts";
import { csvOf } from "../../src/dashboard/pages/link/stats/csv-rows.ts";
import { resultsCsv } from "../../src/dashboard/pages/links/bulk-csv.ts";
import { csvPart } from "../../src/dashboard/pages/links/export-rows.ts";

const FILES: Record<string, (text: string) => string> = {
  "refused rows of an import": (address) =>
    refusedCsv({ refused: [{ at: 3, address, reason: "", advice: "" }], differs: [] }, "line"),
  statistics: (key) => csvOf([{ key, clicks: 1 }]),
  "results of many links": (url) => resultsCsv([{ line: { number: 1, link: { url } }, result: { error: "" } }]),
  links: (title) => csvPart([{ title, routing: [] } as unknown as Link], true),
};

test.each(Object.entries(FILES))("%s", (_name, fileWith) => {
  for (const text of ["=1+1\n", "=cmd|' /C calc'!A0\nx", "+1\r\nx", "-1\nx", "@x\n\n", "\t=1\n", "\r=1", "\n=1"]) {
    expect(fileWith(text)).toContain(`"'${text}"`);
  }
  expect(fileWith("a=1\nb")).toContain(`"a=1\nb"`);
});
