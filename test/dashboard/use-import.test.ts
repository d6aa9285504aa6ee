/** The CSV file of the rows that an import refused. */
import { expect, test } from "vitest";

import { refusedCsv } from "../../src/dashboard/pages/import/use-import.ts";

test("one row for each refused or differing link, and texts of the file do not run as formulas", () => {
  const csv = refusedCsv(
    {
      refused: [{ at: 3, address: "=cmd|x/a", reason: "Slug is reserved.", advice: "Use another, please." }],
      differs: [{ at: 5, address: "go.example.com/b", members: ["url", "tags"] }],
    },
    "line",
  );
  expect(csv.split("\n")).toEqual([
    "line,address,reason,advice",
    `3,'=cmd|x/a,Slug is reserved.,"Use another, please."`,
    '5,go.example.com/b,"This link already exists with different values: url, tags",The existing link is not changed unless you choose to overwrite it.',
  ]);
});
