/** GET /v1/links?include=revision: with it, a client changes listed links only if they are unchanged since. */
import { describe, expect, test } from "vitest";

import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import { LinkPage } from "../../../src/core/contract/links.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

async function listed(actor: TestAccount): Promise<LinkPage["data"]> {
  const reply = await actor.call("GET", "/v1/links?include=revision&sort=created_at");
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkPage.parse(reply.body).data;
}

describe("12 include=revision", () => {
  test("12 adds to each link the number in its ETag, and nothing else", async () => {
    const ann = await premiumAccount();
    const [one, two] = [await ann.createLink(), await ann.createLink({ tags: ["a"] })];
    const changed = await ann.call("PATCH", `/v1/links/${two.id}`, { title: "Two" });
    expect(await listed(ann)).toEqual([
      { ...one, revision: 1 },
      { ...(changed.body as object), revision: 2 },
    ]);
    expect(changed.headers.get("ETag")).toBe('"2"');
  });

  test("12 a bulk update accepts it, and refuses the link that has changed since", async () => {
    const ann = await premiumAccount();
    await Promise.all([ann.createLink(), ann.createLink()]);
    const links = await listed(ann);
    await ann.call("PATCH", `/v1/links/${links[0]?.id}`, { title: "Changed by another request" });
    const sent = links.map(({ id, revision }) => ({ id, revision, title: "Mine" }));
    const reply = await ann.call("POST", "/v1/links/bulk-update", { links: sent });
    expect(BulkResult.parse(reply.body).results).toMatchObject([
      { error: { code: "precondition_failed" } },
      { link: { title: "Mine" } },
    ]);
    expect((await listed(ann)).map(({ title }) => title)).toEqual(["Changed by another request", "Mine"]);
  });
});
