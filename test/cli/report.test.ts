import { expect, test } from "vitest";

import { formatReport } from "../../src/cli/command.ts";

test("a list is printed in lines, and none of its text controls the terminal or starts a new line", () => {
  const data = [
    { id: "lnk_1", url: "https://example.com/\u001b]0;gone\u0007\nlnk_9\tactive", last: null },
    { id: "lnk_2", url: "https://example.com/\u202e", last: "ä" },
  ];
  expect(formatReport({ account_id: "acc_1", data, has_more: false, next_cursor: null })).toBe(
    [
      "account_id  acc_1",
      "id\turl\tlast",
      "lnk_1\thttps://example.com/\\u{1b}]0;gone\\u{7}\\u{a}lnk_9\\u{9}active\t",
      "lnk_2\thttps://example.com/\\u{202e}\tä",
      "has_more    false",
      "next_cursor ",
    ].join("\n"),
  );
});
