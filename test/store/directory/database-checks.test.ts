import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { checkDatabases, type CopiedRow, differingAccounts } from "../../../src/store/directory/database-checks.ts";

function row(accountId: string, state: string): CopiedRow {
  return { accountId, content: JSON.stringify([accountId, state]) };
}

test.each<[string, CopiedRow[], CopiedRow[], string[]]>([
  ["nothing on either side", [], [], []],
  ["the same, in another order", [row("a", "x"), row("b", "y")], [row("b", "y"), row("a", "x")], []],
  ["a missing row", [row("a", "x"), row("b", "y")], [row("a", "x")], ["b"]],
  ["a surplus row", [row("a", "x")], [row("a", "x"), row("b", "y")], ["b"]],
  ["different content: each account once", [row("a", "x"), row("b", "y")], [row("a", "z"), row("b", "y")], ["a"]],
  ["one of two rows of an account", [row("a", "x"), row("a", "y")], [row("a", "y")], ["a"]],
])("copies are compared: %s", (_, home, copies, differing) => {
  expect([...differingAccounts(home, copies)]).toEqual(differing);
});

test("databases that fail are named in the order of their numbers", async () => {
  const down = { prepare: () => ({ bind: () => ({ run: () => Promise.reject(new Error("down")) }) }) };
  const LINK_DATABASES = JSON.stringify({ LINKS_10: "0-299", LINKS_2: "300-599", DB: "600-1023" });
  const on = { ...env, LINKS_10: down, LINKS_2: down, LINK_DATABASES };
  await expect(checkDatabases(on)).rejects.toThrow(/^LINKS_2: down; LINKS_10: down$/);
});
