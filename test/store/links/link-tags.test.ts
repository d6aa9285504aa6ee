/** Cost of tags: rows written, as D1 bills them. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { UNSET_CONTENT } from "../../../src/core/links/link-members.ts";
import type { Caller } from "../../../src/store/accounts/api-keys.ts";
import { insertLinksStatements, newLinkRecord } from "../../../src/store/links/link-creation.ts";
import { contentAssignmentsSql, contentValues } from "../../../src/store/links/link-writes.ts";
import { prepareNamed } from "../../../src/store/statements.ts";

const CALLER: Caller = { accountId: "acc_tags", mode: "live", plan: "free", scopes: [], origin: "api", rateKey: "" };

async function rowsOfCreation(tags: string[]): Promise<[id: string, rows: number]> {
  const content = { ...UNSET_CONTENT, url: "https://example.com/", title: "A title", tags };
  const link = newLinkRecord(CALLER, { ...content, slug: crypto.randomUUID(), domain: "localhost:8787" });
  const [inserted] = await env.DB.batch(insertLinksStatements(env, env.DB, [link]));
  return [link.id, inserted?.meta.rows_written ?? 0];
}

async function rowsOfChange(id: string, changes: { url?: string; tags?: string[] }): Promise<number> {
  const sql = `UPDATE links SET ${contentAssignmentsSql(":changes", "$")} WHERE account_id = :account_id AND mode = :mode AND id = :id`;
  const values = {
    changes: JSON.stringify(contentValues(changes)),
    now: Date.now(),
    changed_by: "dashboard",
    account_id: CALLER.accountId,
    mode: CALLER.mode,
    id,
  };
  return (await prepareNamed(env.DB, sql, values).run()).meta.rows_written;
}

test("a link without tags writes no extra row; a change of tags writes one, two for each added or removed tag, and one for each whose spelling changes", async () => {
  const [plain, plainRows] = await rowsOfCreation([]);
  const [tagged, taggedRows] = await rowsOfCreation(["a", "B", "c"]);
  // The extra row counts the account's tag changes; these are its first tags.
  expect(taggedRows).toBe(plainRows + 2 * 3 + 1);
  const changeRows = await rowsOfChange(plain, { url: "https://example.com/2" });
  expect(await rowsOfChange(tagged, { url: "https://example.com/2" })).toBe(changeRows);
  expect(await rowsOfChange(tagged, { tags: ["a", "b", "d"] })).toBe(changeRows + 1 + 2 + 2 + 1);
  expect(await rowsOfChange(tagged, { tags: [] })).toBe(changeRows + 1 + 2 * 3);
});
