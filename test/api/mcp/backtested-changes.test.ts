/** A change of where visitors go must have been tried on past clicks: which digests let update_link through. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { backtestDigest, DIGEST_TTL_MS, isDigestOf, type TriedChange } from "../../../src/api/mcp/backtest-digest.ts";
import type { Caller } from "../../../src/store/accounts/caller.ts";
import type { Agent } from "../../support/agent.ts";
import { connectAgent } from "../../support/test-agents.ts";
import { premiumAccount } from "../../support/test-accounts.ts";

const RULES = [{ if: { country: "DE", device: "mobile" }, to: "https://example.com/de" }];
const OTHER_RULES = [{ if: { country: "FR" }, to: "https://example.com/fr" }];
const CALL_FIRST = "call backtest_rules";

async function agentWithLink(fields: Record<string, unknown> = {}) {
  const ann = await premiumAccount();
  const { id } = await ann.createLink(fields);
  return { ann, id, agent: await connectAgent(ann) };
}

async function digestOf(agent: Agent, id: string, change: Record<string, unknown>): Promise<unknown> {
  return (await agent.answer("backtest_rules", { id, ...change }))["digest"];
}

const REFUSED = { code: "precondition_failed", param: "digest", message: expect.stringMatching(/backtest_rules/) };

describe("update_link", () => {
  test("changes rules of a link that nobody has visited, after a backtest of no clicks", async () => {
    const { agent, id } = await agentWithLink();
    const tried = await agent.answer("backtest_rules", { id, routing: RULES });
    expect(tried).toMatchObject({ clicks: 0, moved: 0, revision: 1 });
    const { digest, revision } = tried;
    expect(await agent.answer("update_link", { id, revision, routing: RULES, digest })).toMatchObject({
      routing: RULES,
      revision: 2,
    });
  });

  test("changes a url with the rules beside it, in any order of members", async () => {
    const { agent, id } = await agentWithLink();
    const url = "https://example.com/new";
    const digest = await digestOf(agent, id, { url, routing: RULES });
    const reordered = [{ to: RULES[0]?.to, if: { device: "mobile", country: "DE" } }];
    expect(await agent.answer("update_link", { id, revision: 1, digest, routing: reordered, url })).toMatchObject({
      url,
      routing: RULES,
    });
  });

  test("needs no digest for what does not decide between destinations", async () => {
    const { agent, id } = await agentWithLink();
    const args = { id, revision: 1, title: "Spring", tags: ["a"], expires_at: null };
    expect(await agent.answer("update_link", args)).toMatchObject({ title: "Spring", revision: 2 });
  });

  test.each([{ routing: RULES }, { routing: [] }, { routing: RULES, url: "https://example.com/x" }])(
    "refuses %j without a digest, and says what to do first",
    async (change) => {
      const { ann, agent, id } = await agentWithLink();
      expect(await agent.refusal("update_link", { id, revision: 1, ...change })).toMatchObject({
        ...REFUSED,
        message: expect.stringContaining(CALL_FIRST),
      });
      expect((await ann.call("GET", `/v1/links/${id}`)).headers.get("ETag")).toBe('"1"');
    },
  );

  test("wants the rules with a new url, as the backtest had them", async () => {
    const { agent, id } = await agentWithLink();
    const url = "https://example.com/new";
    const digest = await digestOf(agent, id, { url, routing: [] });
    expect(await agent.refusal("update_link", { id, revision: 1, url, digest })).toMatchObject({
      code: "validation_failed",
      param: "routing",
    });
  });

  test("refuses a digest of other rules, of another url, of another link", async () => {
    const { ann, agent, id } = await agentWithLink();
    const other = await ann.createLink();
    const url = "https://example.com/new";
    const digests = [
      await digestOf(agent, id, { routing: OTHER_RULES }),
      await digestOf(agent, id, { routing: RULES, url }),
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

  test("refuses a digest of another account, though link and rules are the same", async () => {
    const { agent, id } = await agentWithLink();
    const digest = await digestOf(agent, id, { routing: RULES });
    const bob = await connectAgent(await premiumAccount());
    expect(await bob.refusal("update_link", { id, revision: 1, routing: RULES, digest })).toMatchObject(REFUSED);
  });

  test("refuses a digest once the link has changed, whichever revision it is sent with", async () => {
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

describe("a digest", () => {
  const caller: Caller = {
    accountId: "acc_1",
    mode: "live",
    plan: "premium",
    scopes: [],
    origin: "api",
    rateKey: "key",
  };
  const tried: TriedChange = { linkId: "lnk_1", revision: 3, url: undefined, routing: RULES };
  const now = 1_800_000_000_000;

  test("is good for an hour and not a millisecond more", async () => {
    const digest = await backtestDigest(env, caller, tried, now);
    expect(await isDigestOf(env, caller, tried, digest, now + DIGEST_TTL_MS - 1)).toBe(true);
    expect(await isDigestOf(env, caller, tried, digest, now + DIGEST_TTL_MS)).toBe(false);
  });

  test("with another end is not signed", async () => {
    const [, signature] = (await backtestDigest(env, caller, tried, now)).split(".");
    const later = `${(now + 2 * DIGEST_TTL_MS).toString(36)}.${signature}`;
    expect(await isDigestOf(env, caller, tried, later, now)).toBe(false);
  });

  test("is of this account, mode, link, revision, url and rules, and this deployment's secret", async () => {
    const digest = await backtestDigest(env, caller, tried, now);
    const isGood = (by: Partial<Caller>, change: Partial<TriedChange>, secret = env.BETTER_AUTH_SECRET ?? "") =>
      isDigestOf({ ...env, BETTER_AUTH_SECRET: secret }, { ...caller, ...by }, { ...tried, ...change }, digest, now);
    expect(await isGood({}, {})).toBe(true);
    expect(await isGood({ rateKey: "another key of the account" }, {})).toBe(true);
    expect(await isGood({ accountId: "acc_2" }, {})).toBe(false);
    expect(await isGood({ mode: "test" }, {})).toBe(false);
    expect(await isGood({}, { linkId: "lnk_2" })).toBe(false);
    expect(await isGood({}, { revision: 4 })).toBe(false);
    expect(await isGood({}, { url: "https://example.com/" })).toBe(false);
    expect(await isGood({}, { routing: OTHER_RULES })).toBe(false);
    expect(await isGood({}, {}, "another secret of at least 32 characters")).toBe(false);
  });
});
