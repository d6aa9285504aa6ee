/** GET /v1/tags: the tags of an account's links, with the number of links. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { TagPage } from "../../../src/core/contract/links.ts";
import { sumOfLinks } from "../../support/link-databases.ts";
import { errorOf } from "../../support/api-response.ts";
import { withRowCount } from "../../support/rows-read.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";
import { linkDatabases } from "../../../src/store/directory/databases.ts";
import { listTags } from "../../../src/store/links/tags.ts";

async function page(actor: TestAccount, query: Record<string, string> = {}): Promise<TagPage> {
  const reply = await actor.call("GET", `/v1/tags?${new URLSearchParams(query)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return TagPage.parse(reply.body);
}

/** Every tag with its number of links, from all pages. */
async function tagsOf(actor: TestAccount, query: Record<string, string> = {}): Promise<[string, number][]> {
  const tags: [string, number][] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { data, has_more, next_cursor }: TagPage = await page(actor, { ...query, ...(cursor ? { cursor } : {}) });
    expect(has_more).toBe(next_cursor !== null);
    for (const { tag, links } of data) tags.push([tag, links]);
    cursor = next_cursor;
  }
  return tags;
}

describe("14 GET /v1/tags", () => {
  test("14 without tags returns an empty page", async () => {
    const ann = await premiumAccount();
    await ann.createLink();
    expect(await page(ann)).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  test("14 lists tags alphabetically with the number of their links, in their latest spelling", async () => {
    const ann = await premiumAccount();
    await ann.createLink({ tags: ["spring", "Print"] });
    await ann.createLink({ tags: ["Straße", "SPRING"] });
    await ann.call("POST", "/v1/links/bulk", {
      links: [
        { url: "https://example.com/", tags: ["print", "Ärger", "😀"] },
        { url: "https://example.com/", tags: ["STRASSE", "\uFFFD"] },
      ],
    });
    expect(await tagsOf(ann)).toEqual([
      ["print", 2],
      ["SPRING", 2],
      ["STRASSE", 2],
      ["Ärger", 1],
      ["\uFFFD", 1],
      ["😀", 1],
    ]);
  });

  test("14 follows every change of a link: tags added, removed, respelled, restored, and deletion", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ tags: ["a", "b"] });
    const other = await ann.createLink({ tags: ["B"] });
    await ann.updateLink(link, { tags: ["A", "c"] });
    expect(await tagsOf(ann)).toEqual([
      ["A", 1],
      ["B", 1],
      ["c", 1],
    ]);
    await ann.updateLink(link, { title: "tags stay" });
    await ann.call("POST", `/v1/links/${link.id}/revisions/1/restore`, {});
    expect(await tagsOf(ann)).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    await ann.updateLink(other, { tags: null });
    expect(await tagsOf(ann)).toEqual([]);
    const rows = await sumOfLinks(env, "SELECT count(*) AS n FROM tags WHERE account_id = ?1", ann.accountId);
    expect(rows).toBe(0);
  });

  test("14 pages have no gap and no repeat, even if the tag of the cursor has been removed", async () => {
    const ann = await premiumAccount();
    const names = Array.from({ length: 45 }, (_, i) => `tag ${String(i).padStart(2, "0")}`);
    const links = [];
    for (let i = 0; i < 45; i += 15) links.push(await ann.createLink({ tags: names.slice(i, i + 15) }));
    expect((await page(ann)).data).toHaveLength(20);
    expect((await tagsOf(ann, { limit: "7" })).map(([tag]) => tag)).toEqual(names);
    const first = await page(ann, { limit: "15" });
    await ann.updateLink(links[1] as never, { tags: names.slice(16, 30) });
    const rest = await tagsOf(ann, { limit: "100", cursor: first.next_cursor ?? "" });
    expect(rest.map(([tag]) => tag)).toEqual(names.slice(16));
  });

  test("14 search finds tags by prefix, in any case", async () => {
    const ann = await premiumAccount();
    await ann.createLink({ tags: ["Spring", "sprint", "SPRI", "offspring", "spra", "sprj", "Éte", "été"].slice(0, 7) });
    expect((await tagsOf(ann, { search: "sPRi", limit: "1" })).map(([tag]) => tag)).toEqual([
      "SPRI",
      "Spring",
      "sprint",
    ]);
    expect((await tagsOf(ann, { search: "éT" })).map(([tag]) => tag)).toEqual(["Éte"]);
    expect(await tagsOf(ann, { search: "%" })).toEqual([]);
    // A cursor of another list does not lead to tags without the prefix.
    expect((await tagsOf(ann, { search: "spri", cursor: "a" })).map(([tag]) => tag)).toEqual([
      "SPRI",
      "Spring",
      "sprint",
    ]);
  });

  test("14 returns nothing of another account or mode", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    await ann.createLink({ tags: ["hers"] });
    const testMode = await ann.withKey("test");
    await testMode.createLink({ tags: ["of the test"] });
    expect(await tagsOf(ben)).toEqual([]);
    expect(await tagsOf(ann)).toEqual([["hers", 1]]);
    expect(await tagsOf(testMode)).toEqual([["of the test", 1]]);
  });

  test.for([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["search=", "search"],
    [`search=${"a".repeat(51)}`, "search"],
    [`cursor=${"a".repeat(301)}`, "cursor"],
    ["cursor=", "cursor"],
    ["search=a&search=b", "search"],
    ["tag=a", "tag"],
  ] as const)("14 %s answers 422 and names the parameter", async ([query, param]) => {
    const ann = await premiumAccount();
    const reply = await ann.call("GET", `/v1/tags?${query}`);
    expect(reply.status).toBe(422);
    expect(errorOf(reply)).toMatchObject({ code: "validation_failed", param });
  });

  test("14 a page reads one row per tag, however many links have them and whatever other accounts have", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const links = Array.from({ length: 50 }, () => ({ url: "https://example.com/", tags: ["a", "b", "c", "d"] }));
    for (const actor of [ann, ben]) await actor.call("POST", "/v1/links/bulk", { links });
    const caller = { accountId: ann.accountId, mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: "" };
    const { env: watched, counted } = withRowCount(env);
    const { items } = await listTags(watched, caller as never, { limit: 2, search: "b" });
    expect(items).toEqual([{ tag: "b", name: "b", links: 50 }]);
    expect(counted.rows).toBeLessThanOrEqual(3 * linkDatabases(env).length);
  });
});

test("each change of an account's tags increments its counter, and nothing else does", async () => {
  const ann = await premiumAccount();
  const changes = () =>
    sumOfLinks(env, "SELECT tag_changes AS n FROM link_counts WHERE account_id = ?1", ann.accountId);
  await ann.createLink();
  expect(await changes()).toBe(0);
  const link = await ann.createLink({ tags: ["a"] });
  expect(await changes()).toBe(1);
  await ann.updateLink(link, { title: "b", tags: ["a"] });
  expect(await changes()).toBe(1);
  await ann.updateLink(link, { tags: ["A"] });
  expect(await changes()).toBe(2);
  await ann.call("DELETE", `/v1/links/${link.id}`);
  expect(await changes()).toBe(3);
});
