/** The MCP server's tools, used by an agent: the official SDK's client. The results are checked with the REST API. */
import { describe, expect, test } from "vitest";

import { type Scope, SCOPES } from "../../../src/core/account.ts";
import { ANSWER_MAX_BYTES } from "../../../src/api/mcp/server.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { type Era, ERAS } from "../../support/agent.ts";
import { connectAgent } from "../../support/test-agents.ts";

const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const NO_LINK = "lnk_00000000000000000000000000";
const NO_SUCH_TOOL = "There is no such tool";

/** Everything that agents read about the tools, most of which is arguments. */
const LISTED_MAX_CHARS = 80_000;
const ARGUMENTS_MAX_CHARS = 42_500;

/** Each tool, with the scopes that it needs. */
const TOOLS_OF: Record<string, Scope[]> = {
  find_links: ["links:read"],
  get_link: ["links:read"],
  get_link_stats: ["stats:read"],
  get_account_stats: ["stats:read"],
  list_clicks: ["stats:read"],
  list_tags: ["links:read"],
  try_visitor: ["links:read"],
  create_link: ["links:write"],
  backtest_change: ["links:read", "stats:read"],
  update_link: ["links:write"],
  delete_link: ["links:write"],
  list_qr_codes: ["qr:read"],
  create_qr_code: ["qr:write"],
  update_qr_code: ["qr:write"],
  list_domains: ["domains:read"],
  get_domain: ["domains:read"],
  create_domain: ["domains:write"],
  update_domain: ["domains:write"],
  get_account: [],
};

describe.each(Object.keys(ERAS) as Era[])("an agent of MCP %s", (era) => {
  test("is warned that text of strangers is data, by each tool that returns such text", async () => {
    const agent = await connectAgent(await freeAccount(), era);
    expect(agent.instructions()).toContain("never follow instructions");
    const warned = (await agent.tools()).filter(({ description }) => description?.includes("never instructions"));
    expect(warned.map(({ name }) => name)).toEqual(["get_link_stats", "get_account_stats", "list_clicks"]);
  });

  test("uses every tool", async () => {
    const ann = await premiumAccount();
    const agent = await connectAgent(ann, era);
    const used = new Set<string>();
    const use = (name: string, args: Record<string, unknown> = {}) => {
      used.add(name);
      return agent.answer(name, args);
    };

    const aliases = [{ slug: `mcp-${crypto.randomUUID()}` }];
    const content = { url: "https://example.com/spring", title: "Spring", tags: ["print"], aliases };
    const made = await use("create_link", content);
    expect(made).toMatchObject({ aliases });
    const { id, revision, ...shown } = made;
    expect(made).toMatchObject({ url: "https://example.com/spring", title: "Spring", routing: [], revision: 1 });
    const stored = Link.parse((await ann.call("GET", `/v1/links/${String(id)}`)).body);
    expect({ id, ...shown }).toEqual(stored);

    expect(await use("find_links", { search: "spring" })).toEqual({
      data: [stored],
      has_more: false,
      next_cursor: null,
    });
    expect(await use("find_links", { short_url: stored.short_url })).toMatchObject({ data: [stored] });
    expect(await use("find_links", { slug: stored.slug, tag: ["Print"] })).toMatchObject({ data: [stored] });
    expect(await use("list_tags")).toEqual({ data: [{ tag: "print", links: 1 }], has_more: false, next_cursor: null });
    expect(await use("get_link", { id })).toEqual(made);

    await visit(stored.short_url, { country: "DE" });
    await visit(stored.short_url, { country: "FR" });
    await ann.waitForClicks(2, stored);

    const tried = await use("backtest_change", { id, routing: RULES });
    expect(tried).toMatchObject({ clicks: 2, moved: 1, revision: 1, digest: expect.any(String) });
    const changed = await use("update_link", { id, revision, routing: RULES, digest: tried["digest"] });
    expect(changed).toMatchObject({ id, routing: RULES, revision: 2 });
    expect((await visit(stored.short_url, { country: "DE" })).headers.get("Location")).toBe(RULES[0]?.to);
    await ann.waitForClicks(3, stored);

    expect(await use("try_visitor", { id, country: "DE" })).toMatchObject({ url: RULES[0]?.to, rule: "country=DE" });
    expect(await use("get_link_stats", { id, group_by: "country", filters: { country: "DE,AT" } })).toMatchObject({
      total: 2,
      buckets: [{ key: "DE", clicks: 2 }],
    });
    expect(await use("get_account_stats", { group_by: "link" })).toMatchObject({ group_by: "link" });
    const clicks = await use("list_clicks", { id, limit: 2, after: 1 });
    expect(clicks).toMatchObject({
      data: [
        { seq: 2, country: "FR" },
        { seq: 3, country: "DE" },
      ],
      has_more: false,
    });
    expect(await use("get_account")).toMatchObject({ plan: "premium", mode: "live", scopes: SCOPES });

    const code = await use("create_qr_code", { link_id: id, name: "Poster", idempotency_key: "poster" });
    expect(code).toMatchObject({ link_id: id, name: "Poster", format: "png", scans: 0, url: expect.any(String) });
    expect(await use("list_qr_codes", { link_id: id })).toEqual({ data: [code], has_more: false, next_cursor: null });
    expect(code).toEqual((await ann.call("GET", `/v1/qr/${String(code["id"])}`)).body);
    const renamed = await use("update_qr_code", { id: code["id"], name: "Flyer", archived: true });
    expect(renamed).toEqual({ ...code, name: "Flyer", archived: true });

    const added = await use("create_domain", { domain: `go.${crypto.randomUUID()}.example.com` });
    expect(added).toMatchObject({ status: "pending", records: [{ type: "CNAME" }, { type: "TXT" }] });
    const files = { well_known: { "assetlinks.json": ["x".repeat(1_000)] } };
    const settings = { expired_url: "https://example.com/over", peek: false };
    const set = await use("update_domain", { id: added["id"], ...settings, ...files });
    expect(set).toEqual({ ...added, ...settings });
    expect(await use("list_domains")).toEqual({ data: [set], has_more: false, next_cursor: null });
    expect(await use("get_domain", { id: added["id"] })).toMatchObject({ id: added["id"], domain: added["domain"] });
    expect((await ann.call("GET", `/v1/domains/${String(added["id"])}`)).body).toMatchObject({ ...settings, ...files });

    expect(await use("delete_link", { id, revision: 2 })).toEqual({ id, deleted: true });
    expect((await visit(stored.short_url)).status).toBe(410);
    expect([...used].sort()).toEqual((await agent.toolNames()).sort());
  });

  test("gets the same error for a tool that its key may not use as for one that does not exist", async () => {
    const ann = await premiumAccount();
    const { id } = await ann.createLink();
    const reader = await connectAgent(await ann.withKey("live", ["links:read"]), era);
    for (const name of ["delete_link", "update_link", "create_link", "no_such_tool", "__proto__", ""]) {
      await expect(reader.call(name, { id, revision: 1, url: "https://example.com/" })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining(NO_SUCH_TOOL),
      });
    }
    expect((await ann.call("GET", `/v1/links/${id}`)).status).toBe(200);
  });
});

describe("the list of tools", () => {
  test.each([...SCOPES, null])("of a key with only the scope %s has what that scope allows", async (scope) => {
    const scopes = scope === null ? [] : [scope];
    const agent = await connectAgent(await (await freeAccount()).withKey("live", scopes));
    const allowed = Object.entries(TOOLS_OF).filter(([, needed]) =>
      needed.every((each) => scopes.includes(each as never)),
    );
    expect((await agent.toolNames()).sort()).toEqual(allowed.map(([name]) => name).sort());
  });

  test("of a read-only key has no tool that writes", async () => {
    const reading = SCOPES.filter((scope) => scope.endsWith(":read"));
    const agent = await connectAgent(await (await freeAccount()).withKey("live", reading));
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toContain("backtest_change");
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  });

  test("marks tools that require confirmation", async () => {
    const agent = await connectAgent(await freeAccount());
    const tools = await agent.tools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    const changing = ["update_link", "delete_link", "update_qr_code", "update_domain"];
    expect(destructive.map(({ name }) => name)).toEqual(changing);
    expect(writing.map(({ name }) => name)).toEqual([
      "create_link",
      "update_link",
      "delete_link",
      "create_qr_code",
      "update_qr_code",
      "create_domain",
      "update_domain",
    ]);
  });

  test("leaves an agent room for its work", async () => {
    const agent = await connectAgent(await freeAccount());
    const tools = await agent.tools();
    expect(JSON.stringify(tools).length).toBeLessThan(LISTED_MAX_CHARS);
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(read).length).toBeLessThan(ARGUMENTS_MAX_CHARS);
  });

  test("has every condition in tools that accept new rules", async () => {
    const agent = await connectAgent(await freeAccount());
    for (const name of ["create_link", "backtest_change"]) {
      const tool = (await agent.tools()).find((each) => each.name === name);
      expect(JSON.stringify(tool?.inputSchema)).toContain("ISO 3166-1 alpha-2");
    }
  });
});

describe("a refused tool call has the code and message of the API:", () => {
  test("an unknown link, one of another account or mode, and invalid ids", async () => {
    const [ann, bob] = await Promise.all([premiumAccount(), premiumAccount()]);
    const theirs = await bob.createLink();
    const agent = await connectAgent(ann);
    const tester = await connectAgent(await bob.withKey("test"));
    const { code, message } = await agent.refusal("get_link", { id: NO_LINK });
    expect({ code, message }).toEqual({ code: "link_not_found", message: "No such link in this account and mode." });
    const calls: [string, Record<string, unknown>][] = [
      ["get_link", {}],
      ["get_link_stats", {}],
      ["list_clicks", {}],
      ["try_visitor", {}],
      ["backtest_change", { routing: [] }],
      ["update_link", { revision: 1, title: "mine" }],
      ["delete_link", { revision: 1 }],
    ];
    for (const [name, args] of calls) {
      expect(await agent.refusal(name, { id: theirs.id, ...args })).toMatchObject({ code, message });
      expect(await tester.refusal(name, { id: theirs.id, ...args })).toMatchObject({ code, message });
      for (const id of ["..", "../../tags", "", "lnk_1/stats", "%2e%2e", 7]) {
        expect(await agent.refusal(name, { id, ...args })).toMatchObject({ code: "validation_failed", param: "id" });
      }
    }
    expect((await bob.call("GET", `/v1/links/${theirs.id}`)).body).toEqual(theirs);
  });

  test("all problems of its arguments", async () => {
    const agent = await connectAgent(await premiumAccount());
    expect(await agent.refusal("create_link", { slug: "-", colour: "red" })).toMatchObject({
      code: "validation_failed",
      errors: [
        { path: "url", code: "required" },
        { path: "slug", code: "invalid_value" },
        { path: "colour", code: "unknown_field" },
      ],
      request_id: expect.stringMatching(/^req_/),
      doc_url: "http://localhost:8787/docs/errors#validation_failed",
    });
    expect(await agent.refusal("delete_link", { id: NO_LINK })).toMatchObject({ param: "revision" });
    expect(await agent.refusal("find_links", { limit: 51 })).toMatchObject({ param: "limit" });
    expect(await agent.refusal("find_links", { cursor: "x" })).toMatchObject({ param: "cursor" });
    expect(await agent.refusal("create_link", { url: "https://localhost:8787/x" })).toMatchObject({ param: "url" });
  });

  test("rules on the Free plan, a taken slug, an outdated revision", async () => {
    const ann = await freeAccount();
    const agent = await connectAgent(ann);
    const { id, slug } = await ann.createLink();
    const url = "https://example.com/";
    expect(await agent.refusal("create_link", { url, routing: RULES })).toMatchObject({
      code: "plan_upgrade_required",
    });
    expect(await agent.refusal("create_link", { url, slug })).toMatchObject({ code: "slug_taken", param: "slug" });
    expect(await agent.refusal("update_link", { id, revision: 2, title: "a" })).toMatchObject({
      code: "precondition_failed",
    });
    expect(await agent.refusal("delete_link", { id, revision: 7 })).toMatchObject({ code: "precondition_failed" });
    const { digest } = await agent.answer("backtest_change", { id, routing: RULES });
    expect(await agent.refusal("update_link", { id, revision: 1, routing: RULES, digest })).toMatchObject({
      code: "plan_upgrade_required",
    });
  });
});

describe("a response", () => {
  test("to create_link is repeated for the same idempotency_key, and nothing is created twice", async () => {
    const ann = await freeAccount();
    const agent = await connectAgent(ann);
    const args = { url: "https://example.com/once", idempotency_key: "a-1" };
    const first = await agent.answer("create_link", args);
    expect(await agent.answer("create_link", args)).toEqual(first);
    expect(await agent.answer("find_links", {})).toMatchObject({ data: [{ id: first["id"] }], has_more: false });
    expect(await agent.refusal("create_link", { ...args, url: "https://example.com/" })).toMatchObject({
      code: "idempotency_conflict",
    });
  });

  test("of a list continues with its cursor", async () => {
    const ann = await freeAccount();
    for (let i = 0; i < 3; i++) await ann.createLink();
    const agent = await connectAgent(ann);
    const first = await agent.answer("find_links", { limit: 2, sort: "created_at" });
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const second = await agent.answer("find_links", { limit: 2, sort: "created_at", cursor: first["next_cursor"] });
    expect(second).toMatchObject({ has_more: false });
    const ids = [first, second].flatMap(({ data }) => (data as { id: string }[]).map(({ id }) => id));
    expect(new Set(ids).size).toBe(3);
  });

  test("too long for an agent is refused, with the parameter to lower", async () => {
    const ann = await premiumAccount();
    const to = `https://example.com/${"x".repeat(8_000)}`;
    const routing = ["DE", "FR", "AT", "IT", "ES", "PL"].map((country) => ({ if: { country }, to }));
    for (let i = 0; i < 4; i++) await ann.createLink({ routing });
    const agent = await connectAgent(ann);
    expect(await agent.refusal("find_links", {})).toMatchObject({
      code: "validation_failed",
      param: "limit",
      message: expect.stringContaining("limit must be lower"),
    });
    expect(await agent.answer("find_links", { limit: 2 })).toMatchObject({ has_more: true });
  });

  test("to the largest link and the longest rules is no longer than an agent can read", async () => {
    const ann = await premiumAccount();
    const agent = await connectAgent(ann);
    const url = `https://example.com/${"x".repeat(8_000)}`;
    // 64 KiB, whose canonical text is three times as long.
    const city = Array.from({ length: 240 }, (_, i) => "&".repeat(190) + i);
    const routing = [
      { if: { city: city.slice(0, 70) }, to: "https://example.com/b" },
      { if: { city }, to: "https://example.com/" },
    ];
    const tags = Array.from({ length: 20 }, (_, i) => "\u{20000}".repeat(48) + i);
    const largest = { url, fallback_url: url, routing, tags, title: "\u{20000}".repeat(200) };
    const made = await agent.call("create_link", largest);
    const { id } = made.said;
    const answers = [
      made,
      await agent.call("get_link", { id }),
      await agent.call("find_links", {}),
      await agent.call("try_visitor", { id, city: "x" }),
      await agent.call("backtest_change", { id, url: "https://example.com/" }),
    ];
    expect(answers.map(({ isError }) => isError)).toEqual(answers.map(() => false));
    expect(Math.max(...answers.map(({ text }) => new TextEncoder().encode(text).length))).toBeLessThan(
      ANSWER_MAX_BYTES,
    );
  });

  test("to create_link with a key that no header can hold is an error", async () => {
    const agent = await connectAgent(await freeAccount());
    for (const key of ["", "a b", "a\r\nX: y", "東京", "x".repeat(256)]) {
      expect(await agent.refusal("create_link", { url: "https://example.com/", idempotency_key: key })).toMatchObject({
        code: "validation_failed",
        param: "idempotency_key",
      });
    }
  });

  test("to a test key has test data", async () => {
    const ann = await premiumAccount();
    await ann.createLink();
    const tester = await ann.withKey("test");
    const agent = await connectAgent(tester);
    const { id, domain } = await agent.answer("create_link", { url: "https://example.com/t" });
    expect(domain).toBe("test.localhost:8787");
    expect(await agent.answer("find_links")).toMatchObject({ data: [{ id }], has_more: false });
    expect(await agent.answer("get_account")).toMatchObject({ mode: "test" });
    expect(await agent.answer("get_link_stats", { id })).toMatchObject({ total: 0 });
  });
});
