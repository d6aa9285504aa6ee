/** Finds links in pasted text. */
import { expect, test } from "vitest";

import { pastedLinks } from "../../src/dashboard/pages/links/pasted-links.ts";

test.each<[string, string[]]>([
  ["https://example.com/a", ["https://example.com/a"]],
  ["  example.com/a \n", ["example.com/a"]],
  ["https://example.com/?a=1,2;3", ["https://example.com/?a=1,2;3"]],
  ["https://example.com/a\r\n\r\nhttps://example.com/b", ["https://example.com/a", "https://example.com/b"]],
  ["https://example.com/a,one\nexample.com/b\ttwo", ["https://example.com/a,one", "example.com/b\ttwo"]],
])("%j has links", (text, links) => {
  expect(pastedLinks(text)).toEqual(links);
});

test.each([
  "",
  "\n",
  "hello",
  "see https://example.com/a for more",
  "https://example.com/a\nand a note",
  "javascript:alert(1)",
  "ftp://example.com/",
  "https://",
  `https://example.com/${"a".repeat(2_000_000)}`,
])("other text has none: %.40j", (text) => {
  expect(pastedLinks(text)).toEqual([]);
});
