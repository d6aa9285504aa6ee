/**
 * An account whose clicks are counted by its links' objects and by its own, for tests inside workerd, with the isolates
 * that send them and the clock.
 */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";

import type { AccountStatsAnswer } from "../../src/core/clicks/protocol/account-object-rpc.ts";
import type { AccountStatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { BulkResult } from "../../src/core/contract/bulk-links.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { type LinkSnapshot, addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import { eraseFromAccountClicks } from "../../src/store/account-object-client.ts";
import { eraseLinkObject, readStats, recordBatch } from "../../src/store/link-object-client.ts";
import { type FoundLink, findLinksByAddress } from "../../src/store/links/link-rows.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { eventually } from "./eventually.ts";
import { type Click, packClicks } from "./pack-clicks.ts";
import { premiumAccount, type TestAccount } from "./test-accounts.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const DAY_MS = 1_440 * MINUTE_MS;

const QUESTION: AccountStatsRequest = {
  groupBy: "link",
  from: 0,
  to: null,
  interval: null,
  timezone: "UTC",
  includeBots: true,
};

export const objectOf = ({ accountId }: TestAccount) => env.ACCOUNT_CLICKS.getByName(feedName(accountId, "live"));
export const objectOfLink = ({ domain, slug }: LinkSnapshot) =>
  env.LINK_CLICKS.getByName(addressObjectName(domain, slug));

export async function ask(account: TestAccount, request: Partial<AccountStatsRequest> = {}) {
  const { accountId } = account;
  const question = { accountId, mode: "live" as const, tagChanges: null, request: { ...QUESTION, ...request } };
  const answer: AccountStatsAnswer = await objectOf(account).stats(question);
  if (answer.kind !== "stats") throw new Error(`answered ${answer.kind}`);
  return answer;
}

/** Clears an object's memory, if it runs. */
export async function evict(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object).catch((error: unknown) => {
    if (!String(error).includes("not currently running")) throw error;
  });
}

export const clicksOf = ({ buckets }: { buckets: { key: string; clicks: number }[] }) =>
  Object.fromEntries(buckets.map(({ key, clicks }) => [key, clicks]));

export async function findLink({ domain, slug }: Pick<Link, "domain" | "slug">): Promise<FoundLink> {
  const key = { name: addressObjectName(domain, slug), domain, slug };
  const found = (await findLinksByAddress(env, [key], "first-primary")).get(key.name);
  if (!found) throw new Error("no link");
  return found;
}

let batches = 0;

/** Clicks as sent by an isolate that has read the link before. */
export async function send({ link, statsSince }: FoundLink, clicks: readonly Click[]): Promise<void> {
  const batch = { id: ++batches, revision: link.revision, clicks: packClicks(clicks), snapshot: link };
  const { kind } = await recordBatch(env, link, statsSince === 0 ? batch : { ...batch, statsSince });
  expect(kind).toBe("recorded");
}

const mix = new ClickMix();

export function clicksAt(at: number, count: number): Click[] {
  return mix.batch(at, count).map((click) => ({ ...click, at: Math.min(click.at, Date.now()), rule: "" }));
}

/** Links of an account, what isolates know of them, and the clock. */
export class Account {
  readonly owner: TestAccount;
  readonly links: LinkSnapshot[] = [];
  /** Links as an isolate has cached them, and since when, epoch ms. */
  readonly #cached = new Map<string, { found: FoundLink; readAt: number }>();

  static async open(): Promise<Account> {
    return new Account(await premiumAccount());
  }

  private constructor(owner: TestAccount) {
    this.owner = owner;
  }

  async addLink(): Promise<LinkSnapshot> {
    const { link } = await findLink(await this.owner.createLink());
    this.links.push(link);
    return link;
  }

  async addLinks(count: number): Promise<void> {
    const links = Array.from({ length: count }, () => ({ url: "https://example.com/" }));
    const { results } = BulkResult.parse((await this.owner.call("POST", "/v1/links/bulk", { links })).body);
    for (const result of results) if ("link" in result) this.links.push((await findLink(result.link)).link);
  }

  /** Isolates read a link at most every ten seconds, and send clicks some seconds later. */
  async click(link: LinkSnapshot, count: number, secondsLate = 0): Promise<void> {
    const now = Date.now();
    const cached = this.#cached.get(link.id);
    const entry =
      cached && now - cached.readAt < 10 * SECOND_MS ? cached : { found: await findLink(link), readAt: now };
    this.#cached.set(link.id, entry);
    await send(entry.found, clicksAt(now - secondsLate * SECOND_MS, count));
  }

  async erase(link: LinkSnapshot): Promise<void> {
    this.links.splice(this.links.indexOf(link), 1);
    await eraseLinkObject(env, { ...link, state: "deleted" });
    await eventually(async () => {
      const [{ status }] = await Promise.allSettled([eraseFromAccountClicks(env, link)]);
      // It is due by the test's clock.
      if (status === "rejected") await runDurableObjectAlarm(objectOf(this.owner));
      return status === "fulfilled";
    }, "the link is erased");
  }

  /** Expects the sum of the links' own answers. */
  async expectAsLinks(request: Partial<AccountStatsRequest> = {}): Promise<number> {
    const answer = await ask(this.owner, request);
    const { groupBy, ...rest } = { ...QUESTION, ...request, to: answer.to };
    const byLink = new Map<string, number>();
    const sums = new Map<string, number>();
    const series = new Map<number, number>(answer.series.map(({ start }) => [start, 0]));
    for (const link of this.links) {
      const grouping = groupBy === "link" || groupBy === "tag" || groupBy === "domain" ? "country" : groupBy;
      const { filters: _, ...question } = rest;
      const stats = await readStats(env, link, { ...question, groupBy: grouping });
      if (stats.kind !== "stats") throw new Error(stats.kind);
      if (stats.total > 0) byLink.set(link.id, stats.total);
      for (const { key, clicks } of stats.buckets) sums.set(key, (sums.get(key) ?? 0) + clicks);
      for (const { start, clicks } of stats.series) series.set(start, (series.get(start) ?? 0) + clicks);
    }
    expect(clicksOf(answer), JSON.stringify(request)).toEqual(Object.fromEntries(groupBy === "link" ? byLink : sums));
    expect(answer.series).toEqual([...series].map(([start, clicks]) => ({ start, clicks })));
    expect(answer.total).toBe([...byLink.values()].reduce((sum, n) => sum + n, 0));
    return answer.asOf;
  }
}
