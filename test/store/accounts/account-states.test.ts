/** How an account's state affects its links: unless it is open, they answer 410, whatever their own state. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { type OwnerState, findLinksByAddress } from "../../../src/store/links/link-rows.ts";
import { closeAccount } from "../../../src/store/accounts/closed-accounts.ts";
import { freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { visitWithoutDatabase } from "../../support/database-down.ts";
import { changeHomeRows } from "../../support/link-databases.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function setState(accountId: string, state: OwnerState): Promise<void> {
  await changeHomeRows(env, [accountId], "DELETE FROM account_states WHERE account_id = ?1", accountId);
  if (state === "open") return;
  const sql = "INSERT INTO account_states (account_id, state, since) VALUES (?1, ?2, ?3)";
  await changeHomeRows(env, [accountId], sql, accountId, state, Date.now());
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
  freezeClockAt(start);
  expect((await visit(link.short_url)).status).toBe(302);
  await setState(ann.accountId, "suspended");
  freezeClockAt(start + 10_000);
  expect((await visit(link.short_url)).status).toBe(410);
  await setState(ann.accountId, "open");
  freezeClockAt(start + 20_000);
  expect((await visit(link.short_url)).status).toBe(302);
});

test("visited links of a closed account answer 410 within ten seconds, on all its domains, even without the database", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const ann = await premiumAccount();
  const domains = [undefined, (await ann.activeDomain()).domain, (await ann.activeDomain()).domain];
  const links = await Promise.all(
    Array.from({ length: 60 }, (_, i) => {
      const domain = domains[i % domains.length];
      return ann.createLink(domain === undefined ? {} : { domain });
    }),
  );
  const statuses = async (visitOne: (url: string) => Promise<Response>) => {
    // One after the other: a look-up that waits for others may take too long for the database's answer.
    const seen = new Set<number>();
    for (const { short_url } of links) seen.add((await visitOne(short_url)).status);
    return [...seen];
  };
  const start = Date.now();
  freezeClockAt(start);
  expect(await statuses(visit)).toEqual([302]);
  await closeAccount(env, ann.accountId);
  freezeClockAt(start + 10_000);
  expect(await statuses(visit)).toEqual([410]);
  freezeClockAt(start + 25_000);
  expect(await statuses(visitWithoutDatabase)).toEqual([410]);
});

test("the look-up of a redirect returns the account's state with the link's own", async () => {
  const ann = await freeAccount();
  const { domain, slug } = await ann.createLink();
  const look = async () => {
    const found = (await findLinksByAddress(env, [{ name: "", domain, slug }], "first-primary")).values().next().value;
    return [found?.link.state, found?.account];
  };
  expect(await look()).toEqual(["active", "open"]);
  await setState(ann.accountId, "suspended");
  expect(await look()).toEqual(["active", "suspended"]);
  await setState(ann.accountId, "closed");
  expect(await look()).toEqual(["active", "closed"]);
});
