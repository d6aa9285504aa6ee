/** GET /v1/links?include=clicks: the total clicks of each link. */
import { describe, expect, test } from "vitest";

import { type Link, LinkPage } from "../../../src/core/contract/links.ts";
import { errorOf } from "../../support/api-response.ts";
import { insufficientScope } from "../../support/expected-errors.ts";
import { premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

const GOOGLEBOT = { headers: { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" } };

async function list(actor: TestAccount, query: string): Promise<LinkPage> {
  const reply = await actor.call("GET", `/v1/links?${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkPage.parse(reply.body);
}

/** Visits by the given numbers of people and bots, all stored. */
async function click(actor: TestAccount, link: Link, people: number, bots = 0): Promise<void> {
  for (let i = 0; i < people; i++) await visit(link.short_url, { country: "DE" });
  for (let i = 0; i < bots; i++) await visit(link.short_url, GOOGLEBOT);
  if (people + bots > 0) await actor.waitForClicks(people + bots, link);
}

describe("12 include=clicks", () => {
  test("12 adds to each link its total human clicks, and nothing else", async () => {
    const ann = await premiumAccount();
    const links = [await ann.createLink(), await ann.createLink({ tags: ["a"] }), await ann.createLink()];
    const [none, some, bots] = links as [Link, Link, Link];
    await click(ann, some, 3, 1);
    await click(ann, bots, 0, 2);
    const expected = [
      { ...none, clicks: 0 },
      { ...some, clicks: 3 },
      { ...bots, clicks: 0 },
    ];
    expect((await list(ann, "include=clicks&sort=created_at")).data).toEqual(expected);
    expect((await list(ann, "sort=created_at")).data).toEqual(links);
    expect((await list(ann, "include=clicks&tag=a")).data).toEqual([{ ...some, clicks: 3 }]);
    const [first, second] = [await list(ann, "include=clicks&limit=2"), expected.toReversed()];
    const next = await list(ann, `include=clicks&limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...next.data]).toEqual(second);
  });

  test("12 counts every stored click, and makes no time range final", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    for (let clicks = 1; clicks <= 3; clicks++) {
      await click(ann, link, 1);
      await ann.waitForClicks(clicks, link);
      expect((await list(ann, "include=clicks")).data).toEqual([{ ...link, clicks }]);
    }
  });

  test.for(["include=clicks", "sort=-clicks"])("12 %s needs the scope stats:read", async (query) => {
    const ann = await premiumAccount();
    await ann.createLink();
    const refused = await (await ann.withKey("live", ["links:read"])).call("GET", `/v1/links?${query}`);
    expect(errorOf(refused)).toEqual(insufficientScope("stats:read"));
    // Before the values are checked.
    const wrong = await (await ann.withKey("live", ["links:read"])).call("GET", `/v1/links?${query}&limit=0`);
    expect(errorOf(wrong)).toEqual(insufficientScope("stats:read"));
    const both = await ann.withKey("live", ["links:read", "stats:read"]);
    expect((await both.call("GET", `/v1/links?${query}`)).status).toBe(200);
  });

  test.for(["include=uniques", "include=", "include=clicks&include=clicks"])("12 %s answers 422", async (query) => {
    const ann = await premiumAccount();
    const reply = await ann.call("GET", `/v1/links?${query}`);
    expect([reply.status, errorOf(reply).code, errorOf(reply).param]).toEqual([422, "validation_failed", "include"]);
  });

  test("12 clicks cannot be sent", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call("PATCH", `/v1/links/${link.id}`, { clicks: 5 });
    expect([reply.status, errorOf(reply).param]).toEqual([422, "clicks"]);
  });
});
