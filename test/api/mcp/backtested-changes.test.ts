/** A change of where visitors go must first be backtested: which digests update_link accepts. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import {
  backtestDigest,
  DECIDING_MEMBERS,
  DIGEST_TTL_MS,
  isDigestOf,
  type TriedChange,
} from "../../../src/api/mcp/backtested-changes.ts";
import { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import type { ClickPage } from "../../../src/core/contract/clicks.ts";
import type { Caller } from "../../../src/store/accounts/api-keys.ts";
import type { Agent } from "../../support/agent.ts";
import { connectAgent } from "../../support/test-agents.ts";
import { premiumAccount, visit } from "../../support/test-accounts.ts";

const RULES = [{ if: { country: "DE", device: "mobile" }, to: "https://example.com/de" }];
const OTHER_RULES = [{ if: { country: "FR" }, to: "https://example.com/fr" }];
const NEW_URL = "https://example.com/new";
const PAST = "2026-01-01T00:00:00Z";
const FUTURE = "2100-01-01T00:00:00.000Z";

/** Changes of every member that decides where visitors go. */
const CHANGES: Record<string, unknown>[] = [
  { url: NEW_URL },
  { routing: RULES },
  { routing: [] },
  { starts_at: FUTURE },
  { expires_at: PAST },
  { expires_at: FUTURE },
  { expires_at: null },
  { fallback_url: "https://example.com/over" },
  { fallback_url: null },
];

async function agentWithLink(fields: Record<string, unknown> = {}) {
  const ann = await premiumAccount();
  const link = await ann.createLink(fields);
  return { ann, link, id: link.id, agent: await connectAgent(ann) };
}

async function agentWithVisitedLink(fields: Record<string, unknown> = {}) {
  const made = await agentWithLink(fields);
  for (const country of ["DE", "FR"]) await visit(made.link.short_url, { country });
  await made.ann.waitForClicks(2, made.link);
  return made;
}

async function digestOf(agent: Agent, id: string, change: Record<string, unknown>): Promise<unknown> {
  return (await agent.answer("backtest_change", { id, ...change }))["digest"];
}

const REFUSED = { code: "precondition_failed", param: "digest", message: expect.stringMatching(/backtest_change/) };

describe("update_link", () => {
  test("changes rules of a link without visits, after a backtest of no clicks", async () => {
    const { agent, id } = await agentWithLink();
    const tried = await agent.answer("backtest_change", { id, routing: RULES });
    expect(tried).toMatchObject({ clicks: 0, moved: 0, open: true, revision: 1 });
    const { digest, revision } = tried;
    expect(await agent.answer("update_link", { id, revision, routing: RULES, digest })).toMatchObject({
      routing: RULES,
      revision: 2,
    });
  });

  test("changes several members together, in any order", async () => {
    const { agent, id } = await agentWithLink();
    const digest = await digestOf(agent, id, { url: NEW_URL, routing: RULES, expires_at: FUTURE });
    const reordered = [{ to: RULES[0]?.to, if: { device: "mobile", country: "DE" } }];
    const args = { id, expires_at: FUTURE, revision: 1, digest, routing: reordered, url: NEW_URL, title: "Spring" };
    expect(await agent.answer("update_link", args)).toMatchObject({
      url: NEW_URL,
      routing: RULES,
      expires_at: FUTURE,
      title: "Spring",
    });
  });

  test("needs no digest for names, nor for query forwarding", async () => {
    const { agent, id } = await agentWithLink();
    const args = { id, revision: 1, title: "Spring", tags: ["a"], forward_query: true };
    expect(await agent.answer("update_link", args)).toMatchObject({ title: "Spring", revision: 2 });
  });

  test.each(CHANGES)(
    "refuses %j without a digest, and names the required step; with it, applies the change",
    async (change) => {
      const { ann, agent, id } = await agentWithLink();
      const [member = ""] = Object.keys(change);
      expect(await agent.refusal("update_link", { id, revision: 1, ...change })).toMatchObject({
        ...REFUSED,
        message: `To change ${member}, send a digest: first call backtest_change with the same members`,
      });
      expect((await ann.call("GET", `/v1/links/${id}`)).headers.get("ETag")).toBe('"1"');
      const digest = await digestOf(agent, id, change);
      expect(await agent.answer("update_link", { id, revision: 1, ...change, digest })).toMatchObject({ revision: 2 });
    },
  );

  test("the tests above change every member that affects where visitors go", () => {
    const tried = CHANGES.flatMap((change) => Object.keys(change));
    expect([...new Set(tried)].sort()).toEqual([...DECIDING_MEMBERS].sort());
  });

  test("refuses a digest of other values, of more or fewer members, or of another link", async () => {
    const { ann, agent, id } = await agentWithLink();
    const other = await ann.createLink();
    const digests = [
      await digestOf(agent, id, { routing: OTHER_RULES }),
      await digestOf(agent, id, { routing: RULES, url: NEW_URL }),
      await digestOf(agent, id, { routing: RULES, expires_at: FUTURE }),
      await digestOf(agent, id, {}),
      await digestOf(agent, other.id, { routing: RULES }),
      "",
      "x",
      "zzzzzzzz.".padEnd(73, "0"),
    ];
    for (const digest of digests) {
      expect(await agent.refusal("update_link", { id, revision: 1, routing: RULES, digest })).toMatchObject(REFUSED);
    }
    expect(await agent.answer("get_link", { id })).toMatchObject({ routing: [], revision: 1 });
  });

  test("refuses the digest of one time for another", async () => {
    const { agent, id } = await agentWithLink();
    const digest = await digestOf(agent, id, { expires_at: FUTURE });
    expect(await agent.refusal("update_link", { id, revision: 1, expires_at: PAST, digest })).toMatchObject(REFUSED);
  });

  test("refuses a digest of another account, even for the same link and rules", async () => {
    const { agent, id } = await agentWithLink();
    const digest = await digestOf(agent, id, { routing: RULES });
    const bob = await connectAgent(await premiumAccount());
    expect(await bob.refusal("update_link", { id, revision: 1, routing: RULES, digest })).toMatchObject(REFUSED);
  });

  test("refuses a digest once the link has changed, whatever revision is sent with it", async () => {
    const { agent, id } = await agentWithLink();
    const digest = await digestOf(agent, id, { routing: RULES });
    await agent.answer("update_link", { id, revision: 1, title: "Spring" });
    expect(await agent.refusal("update_link", { id, revision: 2, routing: RULES, digest })).toMatchObject(REFUSED);
    expect(await agent.refusal("update_link", { id, revision: 1, routing: RULES, digest })).toMatchObject({
      code: "precondition_failed",
      param: "If-Match",
    });
  });
});

describe("backtest_change", () => {
  test("applies the members that are sent, and keeps the others", async () => {
    const { agent, id } = await agentWithVisitedLink({ routing: [{ if: { country: "DE" }, to: NEW_URL }] });
    expect(await agent.answer("backtest_change", { id })).toMatchObject({ clicks: 2, moved: 0 });
    const url = "https://example.com/other";
    expect(await agent.answer("backtest_change", { id, url })).toMatchObject({
      clicks: 2,
      moved: 1,
      samples: [{ seq: 2, before: "https://example.com/", after: url }],
    });
    expect(await agent.answer("backtest_change", { id, routing: [] })).toMatchObject({ clicks: 2, moved: 1 });
  });

  test.each([
    [{ expires_at: PAST }, { expires_at: "2026-01-01T00:00:00.000Z", fallback_url: null }],
    [{ starts_at: FUTURE }, { starts_at: FUTURE, expires_at: null, fallback_url: null }],
    [{ expires_at: PAST, fallback_url: NEW_URL }, { fallback_url: NEW_URL }],
  ])("reports that %j sends everyone elsewhere, as update_link then does", async (change, opening) => {
    const { agent, link, id } = await agentWithVisitedLink();
    const tried = await agent.answer("backtest_change", { id, ...change });
    expect(tried).toMatchObject({
      ...opening,
      open: false,
      clicks: 2,
      moved: 2,
      rules: [{ rule: "default", before: 2, after: 0 }],
    });
    const { digest, revision } = tried;
    await agent.answer("update_link", { id, revision, digest, ...change });
    const { status, headers } = await visit(link.short_url);
    const gone = "expires_at" in change ? 410 : 404;
    expect([status, headers.get("Location")]).toEqual("fallback_url" in change ? [302, NEW_URL] : [gone, null]);
  });

  test.each([{ expires_at: FUTURE }, { starts_at: PAST }, { fallback_url: NEW_URL }])(
    "reports that %j moves no one now",
    async (change) => {
      const { agent, id } = await agentWithVisitedLink();
      expect(await agent.answer("backtest_change", { id, ...change })).toMatchObject({
        open: true,
        clicks: 2,
        moved: 0,
      });
    },
  );

  test("reports that an expired link has no visitors, until its expiry is cleared", async () => {
    const { agent, id } = await agentWithVisitedLink();
    const { digest } = await agent.answer("backtest_change", { id, expires_at: PAST });
    await agent.answer("update_link", { id, revision: 1, expires_at: PAST, digest });
    expect(await agent.answer("backtest_change", { id, url: NEW_URL })).toMatchObject({ open: false, moved: 2 });
    expect(await agent.answer("backtest_change", { id, expires_at: null })).toMatchObject({ open: true, moved: 0 });
  });

  test("returns no digest for a range set by the caller, whether a millisecond or a year", async () => {
    const { agent, link, id } = await agentWithVisitedLink();
    const ranges = [
      { from: link.created_at, to: new Date(Date.parse(link.created_at) + 1).toISOString() },
      { from: link.created_at },
      { to: FUTURE },
      { from: "2025-01-01T00:00:00Z", to: FUTURE },
    ];
    for (const range of ranges) {
      const tried = await agent.answer("backtest_change", { id, routing: RULES, ...range });
      expect(tried).toMatchObject(range.from === undefined ? {} : { from: new Date(range.from).toISOString() });
      expect(tried).not.toHaveProperty("digest");
      expect(tried).not.toHaveProperty("digest_expires_at");
    }
  });

  test("reads the latest clicks if thirty days contain too many", async () => {
    const { ann, agent, link, id } = await agentWithVisitedLink();
    const { data } = (await ann.call("GET", `/v1/links/${id}/clicks`)).body as ClickPage;
    const latest = data[1]?.occurred_at ?? "";
    // Ten million clicks would take minutes.
    const refuse = () =>
      vi
        .spyOn(LinkClicks.prototype, "backtest")
        .mockResolvedValueOnce({ kind: "too_many_clicks", from: Date.parse(latest) });
    refuse();
    const tried = await agent.answer("backtest_change", { id, url: NEW_URL });
    expect(tried).toMatchObject({ from: latest, digest: expect.any(String) });
    refuse();
    const ofOwnChoice = { id, url: NEW_URL, from: link.created_at };
    expect(await agent.refusal("backtest_change", ofOwnChoice)).toMatchObject({ code: "range_too_large" });
  });
});

describe("a digest", () => {
  const caller: Caller = {
    accountId: "acc_1",
    mode: "live",
    plan: "premium",
    scopes: [],
    origin: "api",
    rateKey: "key",
  };
  const tried: TriedChange = { linkId: "lnk_1", revision: 3, members: { routing: RULES } };
  const now = 1_800_000_000_000;

  test("is valid for an hour and not a millisecond longer", async () => {
    const digest = await backtestDigest(env, caller, tried, now);
    expect(await isDigestOf(env, caller, tried, digest, now + DIGEST_TTL_MS - 1)).toBe(true);
    expect(await isDigestOf(env, caller, tried, digest, now + DIGEST_TTL_MS)).toBe(false);
  });

  test("with another expiry is not valid", async () => {
    const [, signature] = (await backtestDigest(env, caller, tried, now)).split(".");
    const later = `${(now + 2 * DIGEST_TTL_MS).toString(36)}.${signature}`;
    expect(await isDigestOf(env, caller, tried, later, now)).toBe(false);
  });

  test("is bound to this account, mode, link, revision and members, and this deployment's secret", async () => {
    const digest = await backtestDigest(env, caller, tried, now);
    const isGood = (by: Partial<Caller>, change: Partial<TriedChange>, secret = env.BETTER_AUTH_SECRET ?? "") =>
      isDigestOf({ ...env, BETTER_AUTH_SECRET: secret }, { ...caller, ...by }, { ...tried, ...change }, digest, now);
    expect(await isGood({}, {})).toBe(true);
    expect(await isGood({ rateKey: "another key of the account" }, {})).toBe(true);
    expect(await isGood({ accountId: "acc_2" }, {})).toBe(false);
    expect(await isGood({ mode: "test" }, {})).toBe(false);
    expect(await isGood({}, { linkId: "lnk_2" })).toBe(false);
    expect(await isGood({}, { revision: 4 })).toBe(false);
    expect(await isGood({}, { members: { routing: RULES, url: "https://example.com/" } })).toBe(false);
    expect(await isGood({}, { members: { routing: OTHER_RULES } })).toBe(false);
    expect(await isGood({}, { members: {} })).toBe(false);
    expect(await isGood({}, {}, "another secret of at least 32 characters")).toBe(false);
  });
});
