/** What an account's state does to its links: they answer 410 unless it is open, whatever their own state. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { type AccountState, findLinks } from "../../src/store/links.ts";
import { freeAccount, visit } from "../support/actors.ts";
import { setClock } from "../support/clock.ts";

afterEach(() => void vi.useRealTimers());

async function setState(accountId: string, state: AccountState): Promise<void> {
  await env.DB.prepare("DELETE FROM account_states WHERE account_id = ?1").bind(accountId).run();
  if (state === "open") return;
  await env.DB.prepare("INSERT INTO account_states (account_id, state, since) VALUES (?1, ?2, ?3)")
    .bind(accountId, state, Date.now())
    .run();
}

test.each(["suspended", "closed"] as const)("links of a %s account answer 410", async (state) => {
  const ann = await freeAccount();
  const link = await ann.createLink();
  await setState(ann.accountId, state);
  expect((await visit(link.short_url)).status).toBe(410);
});

test("a suspended account's visited links answer 410 within ten seconds, and redirect again once it is resumed", async () => {
  const ann = await freeAccount();
  const link = await ann.createLink();
  const start = Date.now();
  setClock(start);
  expect((await visit(link.short_url)).status).toBe(302);
  await setState(ann.accountId, "suspended");
  setClock(start + 10_000);
  expect((await visit(link.short_url)).status).toBe(410);
  await setState(ann.accountId, "open");
  setClock(start + 20_000);
  expect((await visit(link.short_url)).status).toBe(302);
});

test("the look-up of a redirect tells the account's state beside the link's own", async () => {
  const ann = await freeAccount();
  const { domain, slug } = await ann.createLink();
  const look = async () => {
    const found = (await findLinks(env, [{ name: "", domain, slug }], "first-primary")).values().next().value;
    return [found?.link.state, found?.account];
  };
  expect(await look()).toEqual(["active", "open"]);
  await setState(ann.accountId, "suspended");
  expect(await look()).toEqual(["active", "suspended"]);
  await setState(ann.accountId, "closed");
  expect(await look()).toEqual(["active", "closed"]);
});
