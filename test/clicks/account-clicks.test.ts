/** The object of an account's clicks, with real objects of links. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import type { AccountStatsRequest } from "../../src/core/clicks/account-stats.ts";
import type { Mode } from "../../src/core/account.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import { premiumAccount, type TestAccount, visit } from "../support/test-accounts.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const QUESTION: AccountStatsRequest = {
  groupBy: "link",
  from: 0,
  to: null,
  interval: null,
  timezone: "UTC",
  includeBots: true,
};

const objectOf = ({ accountId }: TestAccount, mode: Mode = "live") =>
  env.ACCOUNT_CLICKS.getByName(feedName(accountId, mode));

async function ask(account: TestAccount, request: Partial<AccountStatsRequest> = {}) {
  const { accountId } = account;
  return objectOf(account).stats({ accountId, mode: "live", tagChanges: null, request: { ...QUESTION, ...request } });
}

test("14 the first question reads the clicks of all links", async () => {
  const ann = await premiumAccount();
  const [one, other] = [await ann.createLink(), await ann.createLink()];
  await ann.createLink();
  for (let i = 0; i < 3; i++) await visit(one.short_url);
  await visit(other.short_url);
  await ann.waitForClicks(3, one);
  await ann.waitForClicks(1, other);
  const answer = await ask(ann);
  expect(answer).toMatchObject({
    kind: "stats",
    total: 4,
    buckets: [
      { key: one.id, clicks: 3 },
      { key: other.id, clicks: 1 },
    ],
  });
  expect(answer).not.toHaveProperty("progress");
});
