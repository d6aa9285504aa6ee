/** 12 Members that a link has only if they are set, over HTTP and in the database. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { piecesOf } from "../../../src/core/links/bulk-pieces.ts";
import { FLAG_MEMBERS, type FlagMember, LINK_MEMBER_NAMES } from "../../../src/core/links/link-members.ts";
import { updateLink } from "../../../src/store/links/links.ts";
import { queryLinks } from "../../support/link-databases.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import { preconditionFailed, validationFailed } from "../../support/expected-errors.ts";
import { rowsOfDatabase } from "../../support/stored-rows.ts";
import { type TestAccount, freeAccount, premiumAccount } from "../../support/test-accounts.ts";

const URL = "https://example.com/";
/** The fields of 2.1. */
const FIELDS = ["created_at", "domain", "expires_at", "id", "routing", "short_url", "slug", "updated_at", "url"];

/** Every member, with two values. */
const MEMBERS = {
  title: ["Spring sale 🌷", "Summer"],
  tags: [
    ["Spring", "print", "Ümläut"],
    ["PRINT", "new"],
  ],
  starts_at: ["2098-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z"],
  fallback_url: ["https://example.com/Spring?a=%zz#ü", "https://example.org"],
  redirect_status: [301, 308],
  social: [
    { title: 'Spring & "sale"', description: "50 % 🌷", image: "https://example.com/a.png?x=%zz" },
    { image: "https://example.org/" },
  ],
  // Their only value; they can only be absent otherwise.
  ...(Object.fromEntries(FLAG_MEMBERS.map((name) => [name, [true, true]])) as Record<FlagMember, [true, true]>),
};
const FIRST = Object.fromEntries(Object.entries(MEMBERS).map(([name, [one]]) => [name, one]));
const SECOND = Object.fromEntries(Object.entries(MEMBERS).map(([name, [, other]]) => [name, other]));
/** Responses show only that there is a password, and each alias leads to one link: their tests are below. */
const WITHOUT_PASSWORD = LINK_MEMBER_NAMES.filter((name) => name !== "password" && name !== "aliases");
const CLEARED = Object.fromEntries(Object.keys(MEMBERS).map((name) => [name, null]));

const patch = (actor: TestAccount, link: Link, body: unknown, headers: Record<string, string> = {}) =>
  actor.call("PATCH", `/v1/links/${link.id}`, body, headers);
const get = async (actor: TestAccount, { id }: Link) => Link.parse((await actor.call("GET", `/v1/links/${id}`)).body);

function linkOf({ status, body }: ApiResponse, expected: number): Link {
  expect(status, JSON.stringify(body)).toBe(expected);
  return Link.parse(body);
}

/** The tags of a link in the tag index. */
async function indexedTags({ id }: Link): Promise<string[]> {
  const rows = await queryLinks<{ tag: string }>(env, "SELECT tag FROM link_tags WHERE link_id = ?1 ORDER BY tag", id);
  return rows.map(({ tag }) => tag);
}

describe("12 members of a link", () => {
  test("the tests below try every member that a plain link does not have", () => {
    const optional = WITHOUT_PASSWORD.filter((name) => !FIELDS.includes(name));
    expect(Object.keys(MEMBERS).sort()).toEqual([...optional].sort());
  });

  test("a plain link has the nine fields of 2.1 and no other, even if others are sent as null", async () => {
    const ann = await freeAccount();
    for (const body of [
      {},
      CLEARED,
      { tags: [] },
      { forward_query: false },
      { redirect_status: 302 },
      { social: {} },
    ]) {
      const link = await ann.createLink(body);
      expect(Object.keys(link).sort()).toEqual(FIELDS);
      expect(await get(ann, link)).toEqual(link);
    }
  });

  test("POST sets them all; the response, GET and the list return them as sent", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink(FIRST);
    expect(link).toMatchObject(FIRST);
    expect(await get(ann, link)).toEqual(link);
    const listed = { data: [link], has_more: false, next_cursor: null };
    expect((await ann.call("GET", "/v1/links?archived=true")).body).toEqual(listed);
  });

  test.each(Object.entries(MEMBERS))("PATCH sets, changes and clears %s, and leaves the rest", async (name, values) => {
    const ann = await freeAccount();
    const plain = await ann.createLink();
    const [one, other] = values;
    const set = linkOf(await patch(ann, plain, { [name]: one }), 200);
    expect(set).toEqual({ ...plain, [name]: one, updated_at: set.updated_at });
    expect(linkOf(await patch(ann, plain, { url: `${URL}2` }), 200)).toMatchObject({ [name]: one, url: `${URL}2` });
    expect(linkOf(await patch(ann, plain, { [name]: other }), 200)).toMatchObject({ [name]: other });
    const cleared = linkOf(await patch(ann, plain, { [name]: null }), 200);
    expect(Object.keys(cleared).sort()).toEqual(FIELDS);
    expect(await get(ann, plain)).toEqual(cleared);
  });

  test("PATCH of all together; each change is a revision, and If-Match is honored", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink(FIRST);
    const changed = await patch(ann, link, SECOND, { "If-Match": '"1"' });
    expect(linkOf(changed, 200)).toMatchObject(SECOND);
    expect(changed.headers.get("ETag")).toBe('"2"');
    expect(errorOf(await patch(ann, link, CLEARED, { "If-Match": '"1"' }))).toEqual(preconditionFailed('"2"'));
    expect(await get(ann, link)).toMatchObject(SECOND);
    expect(Object.keys(linkOf(await patch(ann, link, CLEARED), 200)).sort()).toEqual(FIELDS);
  });

  test("a repeated request gets the link as created, alone and in bulk", async () => {
    const ann = await freeAccount();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const body = { url: URL, ...FIRST };
    const first = await ann.call("POST", "/v1/links", body, key);
    await patch(ann, linkOf(first, 201), SECOND);
    const again = await ann.call("POST", "/v1/links", body, key);
    expect([again.body, again.headers.get("Idempotent-Replayed")]).toEqual([first.body, "true"]);

    const bulkKey = { "Idempotency-Key": crypto.randomUUID() };
    const links = { links: [body, { url: URL }, { url: URL, ...SECOND }] };
    const bulk = await ann.call("POST", "/v1/links/bulk", links, bulkKey);
    const { results } = BulkResult.parse(bulk.body);
    expect(results).toMatchObject([{ link: FIRST }, { link: { url: URL } }, { link: SECOND }]);
    expect((await ann.call("POST", "/v1/links/bulk", links, bulkKey)).body).toEqual(bulk.body);
  });

  test("a bulk update changes them all, the history lists each change, and a restored revision has all values", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink(FIRST);
    const body = { links: [{ id: link.id, ...SECOND }] };
    const { results } = BulkResult.parse((await ann.call("POST", "/v1/links/bulk-update", body)).body);
    expect(results).toMatchObject([{ link: SECOND }]);
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id, ...CLEARED }] });
    const page = (await ann.call("GET", `/v1/links/${link.id}/revisions`)).body as { data: { changed: string[] }[] };
    const changed = Object.keys(MEMBERS).filter((name) => !FLAG_MEMBERS.some((flag) => flag === name));
    expect(page.data).toMatchObject([{}, SECOND, FIRST]);
    expect(page.data.map((each) => each.changed.toSorted())).toEqual([Object.keys(MEMBERS).sort(), changed.sort(), []]);
    for (const [revision, values] of [
      [1, FIRST],
      [2, SECOND],
    ] as const) {
      const restored = await ann.call("POST", `/v1/links/${link.id}/revisions/${revision}/restore`, {});
      expect(linkOf(restored, 200)).toMatchObject(values);
    }
  });

  test.each(["", "?erase=true"])("a deleted link keeps none of them%s", async (how) => {
    const ann = await freeAccount();
    const link = await ann.createLink(FIRST);
    expect(await indexedTags(link)).toEqual(["print", "spring", "ümläut"]);
    expect((await ann.call("DELETE", `/v1/links/${link.id}${how}`)).status).toBe(204);
    await expectNoTrace(link);
  });
});

/** A tombstone has the columns of a plain link that was deleted. */
async function expectNoTrace(link: Link): Promise<void> {
  const [row] = await queryLinks(env, "SELECT * FROM links WHERE id = ?1", link.id);
  expect(row).toMatchObject(CLEARED);
  expect(await indexedTags(link)).toEqual([]);
  const rows = await rowsOfDatabase();
  expect(rows.filter((text) => text.includes(link.id) && text.includes("Spring"))).toEqual([]);
}

describe("12 title", () => {
  test.each(["a", "x".repeat(200), "🌷".repeat(200), " Spring ", "<b>&\"'", "عربى"])(
    "%j is stored as typed",
    async (title) => {
      const ann = await freeAccount();
      const link = await ann.createLink({ title });
      expect([link.title, (await get(ann, link)).title]).toEqual([title, title]);
    },
  );

  test.each<[unknown, [string, string, string]]>([
    ["", ["title", "too_small", "must have 1 to 200 characters"]],
    ["x".repeat(201), ["title", "too_big", "must have 1 to 200 characters"]],
    ["🌷".repeat(201), ["title", "too_big", "must have 1 to 200 characters"]],
    ["   ", ["title", "invalid_value", "must not be blank"]],
    ["a\nb", ["title", "invalid_value", "must not contain control characters"]],
    ["a\u0000", ["title", "invalid_value", "must not contain control characters"]],
    ["\ud800", ["title", "invalid_value", "must be well-formed Unicode"]],
    [5, ["title", "invalid_type", "must be of type string, not number"]],
  ])("%j is refused", async (title, problem) => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    expect(errorOf(await ann.call("POST", "/v1/links", { url: URL, title }))).toEqual(validationFailed(problem));
    expect(errorOf(await patch(ann, link, { title }))).toEqual(validationFailed(problem));
    expect(await get(ann, link)).toEqual(link);
  });
});

describe("12 tags", () => {
  test("are returned as typed and in order, even twenty of fifty characters", async () => {
    const ann = await freeAccount();
    const tags = Array.from({ length: 20 }, (_, i) => "🌷".repeat(48) + String(99 - i));
    const link = await ann.createLink({ tags });
    expect([link.tags, (await get(ann, link)).tags]).toEqual([tags, tags]);
  });

  test.each<[string, unknown, [string, string, string]]>([
    ["an empty one", [""], ["tags.0", "too_small", "must have 1 to 50 characters"]],
    ["51 characters", ["a", "🌷".repeat(51)], ["tags.1", "too_big", "must have 1 to 50 characters"]],
    ["whitespace around", [" a"], ["tags.0", "invalid_value", "must not begin or end with whitespace"]],
    ["a line break", ["a\nb"], ["tags.0", "invalid_value", "must not contain control characters"]],
    ["half an emoji", ["\ud83c"], ["tags.0", "invalid_value", "must be well-formed Unicode"]],
    ["one twice", ["a", "b", "a"], ["tags.2", "invalid_value", "is tags.0 again; case does not matter"]],
    [
      "one that is equal after case folding",
      ["Straße", "STRASSE"],
      ["tags.1", "invalid_value", "is tags.0 again; case does not matter"],
    ],
    ["a number", [5], ["tags.0", "invalid_type", "must be of type string, not number"]],
    ["a text", "a,b", ["tags", "invalid_type", "must be of type array, not string"]],
    ["twenty-one", Array.from({ length: 21 }, (_, i) => `t${i}`), ["tags", "too_big", "must have at most 20 tags"]],
  ])("%s: refused", async (_name, tags, problem) => {
    const ann = await freeAccount();
    const link = await ann.createLink({ tags: ["kept"] });
    expect(errorOf(await ann.call("POST", "/v1/links", { url: URL, tags }))).toEqual(validationFailed(problem));
    expect(errorOf(await patch(ann, link, { tags }))).toEqual(validationFailed(problem));
    expect(await get(ann, link)).toEqual(link);
    expect(await indexedTags(link)).toEqual(["kept"]);
  });

  test("their index follows every change, even simultaneous ones", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ tags: ["a", "B"] });
    expect(await indexedTags(link)).toEqual(["a", "b"]);
    await patch(ann, link, { url: `${URL}2` });
    expect(await indexedTags(link)).toEqual(["a", "b"]);
    expect(linkOf(await patch(ann, link, { tags: ["b", "c"] }), 200).tags).toEqual(["b", "c"]);
    expect(await indexedTags(link)).toEqual(["b", "c"]);
    await Promise.all(["d", "e", "f"].map((tag) => patch(ann, link, { tags: [tag] })));
    const { tags } = await get(ann, link);
    expect(await indexedTags(link)).toEqual(tags);
    await patch(ann, link, { tags: [] });
    expect(await indexedTags(link)).toEqual([]);
  });
});

describe("12 starts_at", () => {
  const [NINE, TEN, ELEVEN] = ["2099-01-01T09:00:00.000Z", "2099-01-01T10:00:00.000Z", "2099-01-01T11:00:00.000Z"];
  const startsLate = (expiry: string): [string, string, string] => [
    "starts_at",
    "wrong_order",
    `must be before expires_at, which is ${expiry}`,
  ];
  const endsEarly = (start: string): [string, string, string] => [
    "expires_at",
    "wrong_order",
    `must be after starts_at, which is ${start}`,
  ];

  test("accepts an offset, and the past; returned as UTC with milliseconds", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ starts_at: "2099-01-01T11:00:00+01:00" });
    expect(link.starts_at).toBe(TEN);
    expect((await ann.createLink({ starts_at: "1999-01-01T00:00:00Z" })).starts_at).toBe("1999-01-01T00:00:00.000Z");
  });

  test("is removed when an expiry in the past ends the link before it has opened", async () => {
    const ann = await freeAccount();
    const past = "2020-01-01T00:00:00.000Z";
    const [one, other] = [await ann.createLink({ starts_at: TEN }), await ann.createLink({ starts_at: TEN })];
    const ended = linkOf(await patch(ann, one, { expires_at: past }), 200);
    expect(ended).toMatchObject({ expires_at: past });
    expect(ended).not.toHaveProperty("starts_at");
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: other.id, expires_at: past }] });
    expect(await get(ann, other)).not.toHaveProperty("starts_at");
    // A future expiry is compared with the start.
    const later = await ann.createLink({ starts_at: TEN });
    expect(errorOf(await patch(ann, later, { expires_at: NINE }))).toEqual(validationFailed(endsEarly(TEN)));
  });

  test("is before expires_at: on POST, on PATCH against the stored one, and in bulk", async () => {
    const ann = await freeAccount();
    const wrong = { url: URL, starts_at: TEN, expires_at: TEN };
    expect(errorOf(await ann.call("POST", "/v1/links", wrong))).toEqual(validationFailed(startsLate(TEN)));
    const { id } = await ann.createLink({ starts_at: TEN, expires_at: ELEVEN });
    const change = (body: unknown) => ann.call("PATCH", `/v1/links/${id}`, body);
    expect(errorOf(await change({ starts_at: ELEVEN }))).toEqual(validationFailed(startsLate(ELEVEN)));
    expect(errorOf(await change({ expires_at: NINE }))).toEqual(validationFailed(endsEarly(TEN)));
    expect((await change({ expires_at: "2020-01-01T00:00:00Z", starts_at: null })).status).toBe(200);
    expect((await change({ starts_at: NINE, expires_at: TEN })).status).toBe(200);

    const links = [
      { id, expires_at: NINE },
      { id, starts_at: ELEVEN, expires_at: null },
      { id, expires_at: TEN },
    ];
    const { results } = (await ann.call("POST", "/v1/links/bulk-update", { links })).body as { results: unknown[] };
    expect(results).toMatchObject([
      { error: { code: "validation_failed", param: "expires_at" } },
      { link: { starts_at: ELEVEN, expires_at: null } },
      { error: { code: "validation_failed", param: "expires_at" } },
    ]);
  });

  test("and expires_at stay in order when changed at the same time: one of the requests is refused", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ starts_at: NINE, expires_at: ELEVEN });
    const clash = { starts_at: "2099-01-01T10:30:00Z" };
    const replies = await Promise.all(
      [clash, { expires_at: TEN }, clash, { expires_at: TEN }].map((body) => patch(ann, link, body)),
    );
    const { starts_at = "", expires_at } = await get(ann, link);
    expect(Date.parse(starts_at)).toBeLessThan(Date.parse(expires_at ?? ""));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422]);
    for (const reply of replies) if (reply.status === 422) expect(errorOf(reply).code).toBe("validation_failed");
  });

  test("and expires_at are also kept in order by the database, for a change validated against older values", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ starts_at: TEN });
    const { accountId } = ann;
    const caller = { accountId, mode: "live", plan: "free", scopes: [], origin: "api", rateKey: "" } as const;
    const change = updateLink(env, createExecutionContext(), caller, link.id, { expiresAt: Date.parse(NINE) }, null);
    await expect(change).rejects.toMatchObject({
      code: "validation_failed",
      message: "starts_at must be before expires_at, which has just changed",
    });
    expect(await get(ann, link)).toEqual(link);
  });
});

describe("12 fallback_url", () => {
  test.each<[unknown, [string, string, string]]>([
    ["ftp://example.com/", ["fallback_url", "invalid_value", "must begin with http:// or https://"]],
    ["https://a@example.com/", ["fallback_url", "invalid_value", "must not contain a user name or password"]],
    ["http://localhost:8787/x", ["fallback_url", "loop", "must not lead to one of this service's own short domains"]],
    [`https://example.com/${"x".repeat(8_192)}`, ["fallback_url", "too_big", "must have at most 8192 characters"]],
    [5, ["fallback_url", "invalid_type", "must be of type string, not number"]],
  ])("%j is refused", async (fallback_url, problem) => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    expect(errorOf(await ann.call("POST", "/v1/links", { url: URL, fallback_url }))).toEqual(validationFailed(problem));
    expect(errorOf(await patch(ann, link, { fallback_url }))).toEqual(validationFailed(problem));
    expect(await get(ann, link)).toEqual(link);
  });

  test("cannot be on a custom domain of any account", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await ben.activeDomain();
    const reply = await ann.call("POST", "/v1/links", { url: URL, fallback_url: `https://${domain}/x` });
    expect(errorOf(reply)).toMatchObject({ code: "validation_failed", param: "fallback_url" });
  });
});

describe.each(FLAG_MEMBERS)("12 %s", (member) => {
  test("false clears it; a string or a number is refused", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ [member]: true });
    const cleared = linkOf(await patch(ann, link, { [member]: false }), 200);
    expect(Object.keys(cleared).sort()).toEqual(FIELDS);
    for (const [value, type] of [
      ["true", "string"],
      [1, "number"],
    ]) {
      expect(errorOf(await patch(ann, link, { [member]: value }))).toEqual(
        validationFailed([member, "invalid_type", `must be of type boolean, not ${type}`]),
      );
    }
  });
});

describe("12 redirect_status", () => {
  test("302 clears it; other statuses and texts are refused", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ redirect_status: 307 });
    for (const redirect_status of [300, 303, "301", 301.5]) {
      expect(errorOf(await patch(ann, link, { redirect_status }))).toEqual(
        validationFailed(["redirect_status", "invalid_value", "must be one of 302, 301, 307, 308"]),
      );
    }
    expect(await get(ann, link)).toEqual(link);
    expect(Object.keys(linkOf(await patch(ann, link, { redirect_status: 302 }), 200)).sort()).toEqual(FIELDS);
  });
});

describe("17 password", () => {
  const PASSWORD = "needle password";

  test("is set by POST, PATCH and bulk requests, shown only as password_protected, and cleared with null", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ password: PASSWORD });
    expect(link).toMatchObject({ password_protected: true });
    expect(Object.keys(link).sort()).toEqual([...FIELDS, "password_protected"].sort());
    expect(await get(ann, link)).toEqual(link);
    const list = (await ann.call("GET", "/v1/links")).body as { data: Link[] };
    expect(list.data).toEqual([link]);
    const opened = linkOf(await patch(ann, link, { password: null }), 200);
    expect(Object.keys(opened).sort()).toEqual(FIELDS);
    const body = { links: [{ id: link.id, password: PASSWORD, title: "Bulk" }] };
    const [changed] = BulkResult.parse((await ann.call("POST", "/v1/links/bulk-update", body)).body).results;
    expect(changed).toMatchObject({ link: { title: "Bulk", password_protected: true } });
    const made = { links: [{ url: URL, password: PASSWORD }, { url: URL }] };
    const { results } = BulkResult.parse((await ann.call("POST", "/v1/links/bulk", made)).body);
    expect(results.map((result) => "link" in result && result.link.password_protected)).toEqual([true, undefined]);
  });

  test("has 6 to 128 code points", async () => {
    const ann = await freeAccount();
    const problem = (code: string) => validationFailed(["password", code, "must have 6 to 128 characters"]);
    for (const [password, code] of [
      ["", "too_small"],
      ["12345", "too_small"],
      ["🌷".repeat(5), "too_small"],
      ["x".repeat(129), "too_big"],
    ] as const) {
      expect(errorOf(await ann.call("POST", "/v1/links", { url: URL, password }))).toEqual(problem(code));
    }
    await ann.createLink({ password: "🌷".repeat(128) });
    for (const [password, message] of [
      [true, "must be of type string, not boolean"],
      ["tab\tinside", "must not contain control characters"],
    ] as const) {
      const reply = await ann.call("POST", "/v1/links", { url: URL, password });
      expect(errorOf(reply).message).toContain(message);
    }
    const reply = await ann.call("POST", "/v1/links", { url: URL, password_protected: true });
    expect(errorOf(reply)).toMatchObject({ code: "validation_failed", param: "password_protected" });
  });

  test("is not part of the history: a change of it has no entry, and restoring a revision does not change it", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ title: "One" });
    await patch(ann, link, { password: PASSWORD });
    await patch(ann, link, { title: "Two" });
    const page = (await ann.call("GET", `/v1/links/${link.id}/revisions`)).body as { data: object[] };
    expect(page.data).toMatchObject([
      { title: "Two", changed: ["title"] },
      { title: "One", revision: 2 },
    ]);
    expect(JSON.stringify(page)).not.toContain("password");
    const restored = linkOf(await ann.call("POST", `/v1/links/${link.id}/revisions/2/restore`, {}), 200);
    expect(restored).toMatchObject({ title: "One", password_protected: true });
  });

  test("neither it nor a fast hash of it is stored, for retries either; a retry gets the first response", async () => {
    const ann = await freeAccount();
    const body = { url: URL, password: PASSWORD };
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await ann.call("POST", "/v1/links", body, key);
    expect(await ann.call("POST", "/v1/links", body, key)).toMatchObject({ status: 201, body: first.body });
    const other = { ...body, password: "another password" };
    expect((await ann.call("POST", "/v1/links", other, key)).status).toBe(409);
    expect((await rowsOfDatabase()).join()).not.toContain("needle");
    const request = `POST /v1/links\n${JSON.stringify({ password: PASSWORD, url: URL })}`;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(request)));
    const hashes = await env.DB.prepare("SELECT request_hash FROM idempotency WHERE account_id = ?1")
      .bind(ann.accountId)
      .all<{ request_hash: number[] }>();
    expect(hashes.results).toHaveLength(1);
    expect(hashes.results[0]?.request_hash).not.toEqual([...digest]);
  });

  test("is erased with its link", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ password: PASSWORD });
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    const rows = await queryLinks<{ password: null }>(env, "SELECT password FROM links WHERE id = ?1", link.id);
    expect(rows).toEqual([{ password: null }]);
  });

  test("a bulk request sets at most 500 aliases, fewer than a minute's limit on links", async () => {
    const ann = await freeAccount();
    const aliases = Array.from({ length: 20 }, (_, i) => ({ slug: `alias-${i}` }));
    const links = Array.from({ length: 26 }, () => ({ url: URL, aliases }));
    const refused = await ann.call("POST", "/v1/links/bulk", { links });
    const message = "may set at most 500 aliases in one request";
    expect(errorOf(refused)).toEqual(validationFailed(["links", "too_many_aliases", message]));
    expect(piecesOf(links).map(({ length }) => length)).toEqual([25, 1]);
  });

  test("a bulk request sets at most ten, each of which counts as ten links", async () => {
    const ann = await freeAccount();
    const links = (count: number) => Array.from({ length: count }, () => ({ url: URL, password: PASSWORD }));
    const refused = await ann.call("POST", "/v1/links/bulk", { links: links(11) });
    expect(errorOf(refused)).toEqual(
      validationFailed(["links", "too_many_passwords", "may set at most 10 passwords in one request"]),
    );
    expect((await ann.call("POST", "/v1/links/bulk", { links: links(10) })).status).toBe(200);
    const { limits } = (await ann.call("GET", "/v1/me")).body as { limits: object };
    expect(JSON.stringify(limits)).toContain('"used":110');
  });
});
