/** No texts of visitors and owners, in clicks or tags, can fill the memory of the account's object. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { TagCache } from "../../src/clicks/account/account-state.ts";
import type { Click } from "../support/pack-clicks.ts";
import { premiumAccount } from "../support/test-accounts.ts";
import { ask, clicksOf, findLink, objectOfLink, send } from "../support/account-of-links.ts";

vi.setConfig({ testTimeout: 120_000 });

afterEach(() => {
  vi.restoreAllMocks();
});

function longClick(n: number): Click {
  const text = (field: number) => `${field} ${n} `.padEnd(64, "ü");
  return {
    at: Date.now() - 60_000,
    class: "human",
    rule: "",
    qr: "",
    utm_source: text(1),
    utm_medium: text(2),
    utm_campaign: text(3),
    utm_term: text(4),
    utm_content: text(5),
  };
}

test("14 a draw of clicks with long texts has about as many bytes as requested, and all clicks arrive", async () => {
  const account = await premiumAccount();
  const found = await findLink(await account.createLink());
  const count = 3_000;
  for (let n = 0; n < count; n += 50) {
    await send(
      found,
      Array.from({ length: 50 }, (_, i) => longClick(n + i)),
    );
  }
  const maxBytes = 256 * 1024;
  const request = { linkId: found.link.id, from: 0, before: 1, maxBytes };
  const drawn = await objectOfLink(found.link).draw({ ...request, before: Date.now() - 30_000 });
  if (drawn.kind !== "drawn") throw new Error(drawn.kind);
  expect(drawn.more).toBe(true);
  expect(drawn.clicks.length).toBeLessThan(3 * maxBytes);
  expect(clicksOf(await ask(account, { groupBy: "link" }))).toEqual({ [found.link.id]: count });
});

test("14 tags are read once for all queries that wait for them", async () => {
  const account = await premiumAccount();
  const { id } = await account.createLink({ tags: ["spring", "summer"] });
  const queries = vi.spyOn(env.DB, "withSession");
  const cache = new TagCache(env);
  const reference = { accountId: account.accountId, mode: "live" as const };
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => cache.tagsOf(reference, 1 + (i % 2))));
  for (const tagsOf of answers) expect(tagsOf(id)).toEqual(["spring", "summer"]);
  expect(queries.mock.calls.length).toBeLessThanOrEqual(2);
});
