/** Downloads of the statistics. */
import { expect, test } from "vitest";

import { csvOf } from "../../src/dashboard/pages/link/stats/csv-rows.ts";

test("numbers are exact, and no cell is run as a formula", () => {
  const rows = [
    { referrer: "=HYPERLINK(1)", clicks: 1_234_567 },
    { referrer: "+1", clicks: 2 },
    { referrer: "@a", clicks: 1 },
    { referrer: 'say "hi", you', clicks: 1 },
  ];
  expect(csvOf(rows)).toBe(
    `referrer,clicks\r\n"'=HYPERLINK(1)",1234567\r\n"'+1",2\r\n"'@a",1\r\n"say ""hi"", you",1\r\n`,
  );
});
