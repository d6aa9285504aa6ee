/** `Idempotency-Key`: returns the first response again for 24 hours, whatever changes in the meantime. */
import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { keyedDigest } from "../../../src/core/derived-keys.ts";
import { canonicalJson } from "../../../src/core/contract/primitives.ts";
import { type Link, Link as LinkSchema } from "../../../src/core/contract/links.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import worker from "../../../src/worker.ts";
import { type TestAccount, freeAccount, premiumAccount } from "../../support/test-accounts.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";
import { changeLinks } from "../../support/link-databases.ts";
import {
  INVALID_JSON,
  validationFailed,
  LINK_NOT_FOUND,
  PLAN_UPGRADE_REQUIRED,
  slugTaken,
} from "../../support/expected-errors.ts";

const URL = "https://example.com/";
const DAY_MS = 86_400_000;
const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const CONFLICT = {
  status: 409,
  code: "idempotency_conflict",
  message: "This Idempotency-Key was used for another request in the last 24 hours.",
  param: "Idempotency-Key",
};

function newKey(): string {
  return crypto.randomUUID();
}

function post(actor: TestAccount, path: string, body: unknown, key: string): Promise<ApiResponse> {
  return actor.call("POST", path, body, { "Idempotency-Key": key });
}

async function links(actor: TestAccount): Promise<Link[]> {
  return ((await actor.call("GET", "/v1/links?limit=100")).body as { data: Link[] }).data;
}

function answerOf({ status, headers, body }: ApiResponse) {
  return { status, body, etag: headers.get("ETag"), type: headers.get("Content-Type") };
}

function isReplay({ headers }: ApiResponse): boolean {
  const said = headers.get("Idempotent-Replayed");
  expect([null, "true"]).toContain(said);
  return said !== null;
}

/** Ages an account's stored responses. */
async function age(actor: TestAccount, ms: number): Promise<void> {
  const older = (table: string) => `UPDATE ${table} SET created_at = created_at - ?2 WHERE account_id = ?1`;
  await env.DB.prepare(older("idempotency")).bind(actor.accountId, ms).run();
  await changeLinks(env, older("request_shares"), actor.accountId, ms);
}

function kept(actor: TestAccount): Promise<number | null> {
  return env.DB.prepare("SELECT count(*) AS n FROM idempotency WHERE account_id = ?1")
    .bind(actor.accountId)
    .first<number>("n");
}

/** The POST routes, each with two different bodies. */
const POSTS = [
  ["/v1/links", () => [{ url: URL, slug: `i-${newKey()}` }, { url: "https://example.org/" }]],
  ["/v1/links/bulk", () => [{ links: [{ url: URL, slug: `i-${newKey()}` }, { url: 5 }] }, { links: [{ url: URL }] }]],
  [
    "/v1/links/bulk-update",
    () => [{ links: [{ id: ":id", url: "https://example.com/2" }, { url: 5 }] }, { links: [{ id: ":id", url: URL }] }],
  ],
  ["/v1/links/bulk-delete", () => [{ links: [{ id: ":id" }, { id: ":id" }] }, { links: [{ id: "lnk_none" }] }]],
  ["/v1/links/:id/resolve", () => [{ country: "DE" }, { country: "FR" }]],
  ["/v1/qr", () => [{ link_id: ":id" }, { link_id: ":id", size: 64 }]],
] as const;

/** The number of links that the first body of a route creates, negative if it deletes them. */
const LINKS_MADE: Record<string, number> = { "/v1/links": 1, "/v1/links/bulk": 1, "/v1/links/bulk-delete": -1 };

describe.each(POSTS)("POST %s", (route, bodies) => {
  async function prepared() {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    const [body, other] = bodies();
    const about = (sent: unknown): unknown => JSON.parse(JSON.stringify(sent).replaceAll(":id", link.id));
    return { ann, link, body: about(body), other: about(other), path: route.replace(":id", link.id) };
  }

  test("repeated returns the same status, body and ETag, marked as a replay, and has no effect", async () => {
    const { ann, body, path } = await prepared();
    const key = newKey();
    const first = await post(ann, path, body, key);
    expect([first.status < 300, isReplay(first)]).toEqual([true, false]);
    const made = await links(ann);
    for (let i = 0; i < 3; i++) {
      const again = await post(ann, path, body, key);
      expect(isReplay(again)).toBe(true);
      expect(answerOf(again)).toEqual(answerOf(first));
      expect(again.headers.get("X-Request-Id")).not.toBe(first.headers.get("X-Request-Id"));
    }
    expect(await links(ann)).toEqual(made);
  });

  test("with another body answers 409 idempotency_conflict and has no effect", async () => {
    const { ann, body, other, path } = await prepared();
    const key = newKey();
    const first = await post(ann, path, body, key);
    const made = await links(ann);
    const refused = await post(ann, path, other, key);
    expect(errorOf(refused)).toEqual(CONFLICT);
    expect(isReplay(refused)).toBe(false);
    expect(await links(ann)).toEqual(made);
    expect(answerOf(await post(ann, path, body, key))).toEqual(answerOf(first));
  });

  test("20 simultaneous copies have one effect and the same response", async () => {
    const { ann, body, path } = await prepared();
    const key = newKey();
    const before = (await links(ann)).length;
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(ann, path, body, key)));
    const [first] = replies;
    if (!first) throw new Error("no reply");
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
    for (const reply of replies) expect(answerOf(reply)).toEqual(answerOf(first));
    expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1);
    expect((await links(ann)).length - before).toBe(LINKS_MADE[route] ?? 0);
    expect(await kept(ann)).toBe(1);
  });

  test("without the header every request is new", async () => {
    const { ann, other, path } = await prepared();
    for (let i = 0; i < 2; i++) {
      const reply = await ann.call("POST", path, other);
      expect([reply.status < 300, isReplay(reply)]).toEqual([true, false]);
    }
    expect(await kept(ann)).toBe(0);
  });

  test.each([
    ["", "empty"],
    ["a b", "a space"],
    ["a\tb", "a tab"],
    ["k".repeat(256), "too long"],
  ])("refuses the key %j (%s) and has no effect", async (key) => {
    const { ann, body, path } = await prepared();
    const before = await links(ann);
    const message = "must be 1 to 255 printable ASCII characters without spaces";
    expect(errorOf(await post(ann, path, body, key))).toEqual(
      validationFailed(["Idempotency-Key", "invalid_value", message]),
    );
    expect(await links(ann)).toEqual(before);
  });
});

describe("Idempotency-Key", () => {
  test("has up to 255 printable characters", async () => {
    const ann = await premiumAccount();
    const key = "!~".padEnd(255, "k");
    const first = await post(ann, "/v1/links", { url: URL }, key);
    const again = await post(ann, "/v1/links", { url: URL }, key);
    expect([first.status, isReplay(again)]).toEqual([201, true]);
  });

  test("20 simultaneous copies with a random slug create one link", async () => {
    const ann = await premiumAccount();
    const key = newKey();
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(ann, "/v1/links", { url: URL }, key)));
    const [link, ...others] = await links(ann);
    expect(others).toEqual([]);
    for (const reply of replies) expect(answerOf(reply)).toMatchObject({ status: 201, body: link, etag: '"1"' });
  });

  test("compares values, not bytes: order of names, white space, spelling of numbers and strings, encoding", async () => {
    const ann = await premiumAccount();
    const key = newKey();
    const rule = '{"if":{"percent":50,"query":{"b":true,"a":["x","y"]}},"to":"https://example.com/de"}';
    const first = await post(ann, "/v1/links", `{"url":"${URL}","routing":[${rule}]}`, key);
    const spelled =
      '\n{ "routing" : [ {"to":"https:\\/\\/example.com/d\\u0065","if":{"query":{"a":["x","y"],"b":true},"percent":5.0E1}} ], "url":"https://example.com/" }';
    const again = await post(ann, "/v1/links", spelled, key);
    expect([first.status, isReplay(again), answerOf(again)]).toEqual([201, true, answerOf(first)]);
    for (const other of [spelled.replace('"x","y"', '"y","x"'), spelled.replace("5.0E1", "51"), `{"url":"${URL}"}`]) {
      expect(errorOf(await post(ann, "/v1/links", other, key))).toEqual(CONFLICT);
    }
  });

  test("of simultaneous different requests one succeeds, the others answer 409", async () => {
    const ann = await premiumAccount();
    const key = newKey();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => post(ann, "/v1/links", { url: `${URL}${i}` }, key)),
    );
    const done = replies.filter(({ status }) => status === 201);
    expect(done).toHaveLength(1);
    for (const reply of replies) if (reply.status !== 201) expect(errorOf(reply)).toEqual(CONFLICT);
    expect(await links(ann)).toEqual([done[0]?.body]);
  });

  test("used on another route, or for another link, answers 409", async () => {
    const ann = await premiumAccount();
    const [one, two] = [await ann.createLink(), await ann.createLink()];
    const key = newKey();
    expect((await post(ann, `/v1/links/${one.id}/resolve`, {}, key)).status).toBe(200);
    expect(errorOf(await post(ann, `/v1/links/${two.id}/resolve`, {}, key))).toEqual(CONFLICT);
    expect(errorOf(await post(ann, "/v1/links", {}, key))).toEqual(CONFLICT);
    expect(errorOf(await post(ann, "/v1/links/bulk", {}, key))).toEqual(CONFLICT);
  });

  test("belongs to an account and a mode, not to one of its API keys", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const [annAgain, annTesting] = [await ann.withKey("live"), await ann.withKey("test")];
    const key = newKey();
    const body = { url: URL };
    const first = await post(ann, "/v1/links", body, key);
    const again = await post(annAgain, "/v1/links", body, key);
    expect([isReplay(again), answerOf(again)]).toEqual([true, answerOf(first)]);
    for (const stranger of [ben, annTesting]) {
      const own = await post(stranger, "/v1/links", body, key);
      expect([own.status, isReplay(own)]).toEqual([201, false]);
      expect(LinkSchema.parse(own.body).id).not.toBe(LinkSchema.parse(first.body).id);
    }
  });

  test("returns the first response even if the link was changed or deleted, or the plan has changed", async () => {
    const ann = await premiumAccount();
    const key = newKey();
    const body = { url: URL, routing: RULES };
    const first = await post(ann, "/v1/links", body, key);
    const link = LinkSchema.parse(first.body);
    await ann.updateLink(link, { url: "https://example.org/" });
    expect(answerOf(await post(ann, "/v1/links", body, key))).toEqual(answerOf(first));
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(answerOf(await post(ann, "/v1/links", body, key))).toEqual(answerOf(first));
    await changePlan(env, ann.email, "free");
    expect(answerOf(await post(ann, "/v1/links", body, key))).toEqual(answerOf(first));
  });

  test("is evaluated after existence and syntax", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const key = newKey();
    await post(ann, `/v1/links/${link.id}/resolve`, {}, key);
    expect(errorOf(await post(ann, `/v1/links/${link.id}/resolve`, "{", key))).toEqual(INVALID_JSON);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(errorOf(await post(ann, `/v1/links/${link.id}/resolve`, {}, key))).toEqual(LINK_NOT_FOUND);
  });

  test("of a refused request may be used again, for the same and for another body", async () => {
    const ben = await freeAccount();
    const slug = `i-${newKey()}`;
    await ben.createLink({ slug });
    const key = newKey();
    const ruled = { url: URL, routing: RULES };
    expect(errorOf(await post(ben, "/v1/links", { nope: 1, url: URL }, key))).toEqual(
      validationFailed(["nope", "unknown_field", "is unknown"]),
    );
    expect(errorOf(await post(ben, "/v1/links", { url: URL, slug }, key))).toEqual(slugTaken(slug));
    expect(errorOf(await post(ben, "/v1/links", ruled, key))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(await kept(ben)).toBe(0);
    await changePlan(env, ben.email, "premium");
    const done = await post(ben, "/v1/links", ruled, key);
    expect([done.status, isReplay(done)]).toEqual([201, false]);
  });

  test("is ignored on PATCH and DELETE", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const headers = { "Idempotency-Key": newKey() };
    for (const etag of ['"2"', '"3"']) {
      const reply = await ann.call("PATCH", `/v1/links/${link.id}`, { url: URL }, headers);
      expect([reply.status, reply.headers.get("ETag"), isReplay(reply)]).toEqual([200, etag, false]);
    }
    expect((await ann.call("DELETE", `/v1/links/${link.id}`, undefined, headers)).status).toBe(204);
    expect(await kept(ann)).toBe(0);
  });
});

describe("after 24 hours", () => {
  test("a key is new again; a minute before it is not", async () => {
    const ann = await premiumAccount();
    const key = newKey();
    const first = await post(ann, "/v1/links", { url: URL }, key);
    await age(ann, DAY_MS - 60_000);
    const again = await post(ann, "/v1/links", { url: URL }, key);
    expect([isReplay(again), answerOf(again)]).toEqual([true, answerOf(first)]);
    await age(ann, 60_000);
    const fresh = await post(ann, "/v1/links", { url: "https://example.org/" }, key);
    expect([fresh.status, isReplay(fresh)]).toEqual([201, false]);
    const replayed = await post(ann, "/v1/links", { url: "https://example.org/" }, key);
    expect([isReplay(replayed), answerOf(replayed)]).toEqual([true, answerOf(fresh)]);
    expect(await links(ann)).toHaveLength(2);
    expect(await kept(ann)).toBe(1);
  });

  test("20 simultaneous copies with an expired key create one link", async () => {
    const ann = await premiumAccount();
    const key = newKey();
    await post(ann, "/v1/links", { url: URL }, key);
    await age(ann, DAY_MS);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(ann, "/v1/links", { url: URL }, key)));
    expect(new Set(replies.map(({ body }) => LinkSchema.parse(body).id)).size).toBe(1);
    expect(await links(ann)).toHaveLength(2);
  });

  test("the daily sweep removes every expired response, and nothing else", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const key = newKey();
    const first = await post(ann, "/v1/links", { url: URL }, key);
    await post(ben, "/v1/links", { url: URL }, key);
    await env.DB.prepare(
      `INSERT INTO idempotency (account_id, mode, key_hash, request_hash, answer, created_at)
       WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10500)
       SELECT ?1, 'live', CAST('old-' || n AS BLOB), x'00', '{}', ?2 FROM counted`,
    )
      .bind(ben.accountId, Date.now())
      .run();
    await age(ben, DAY_MS);
    expect(await kept(ben)).toBe(10_501);
    await worker.scheduled(createScheduledController(), env);
    expect([await kept(ann), await kept(ben)]).toEqual([1, 0]);
    const again = await post(ann, "/v1/links", { url: URL }, key);
    expect([isReplay(again), answerOf(again)]).toEqual([true, answerOf(first)]);
  });
});

test("a body that an earlier release accepted and this one does not: 409, and nothing is created", async () => {
  const ann = await freeAccount();
  const key = newKey();
  const sent = { url: URL, accepted_once: true };
  const [keyHash, requestHash] = await Promise.all([
    keyedDigest(env, "request-key", key),
    keyedDigest(env, "request", `POST /v1/links\n${canonicalJson(sent)}`),
  ]);
  await env.DB.prepare(
    `INSERT INTO idempotency (account_id, mode, key_hash, request_hash, answer, created_at)
     VALUES (?1, 'live', ?2, ?3, ?4, ?5)`,
  )
    .bind(ann.accountId, keyHash, requestHash, JSON.stringify(["lnk_stored", 0, "stored"]), Date.now())
    .run();
  const again = await post(ann, "/v1/links", sent, key);
  expect(again.status).toBe(409);
  expect(errorOf(again)).toMatchObject({ code: "idempotency_conflict", param: "Idempotency-Key" });
  expect(errorOf(await post(ann, "/v1/links", { url: URL }, key))).toEqual(CONFLICT);
  expect(await links(ann)).toEqual([]);
});
