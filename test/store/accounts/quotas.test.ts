/** How much one account can store in D1 and R2 (decisions 4, 15). */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { service } from "../../../src/api/service.ts";
import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import { LinkPage } from "../../../src/core/contract/links.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import { type TestAccount, freeAccount, send } from "../../support/test-accounts.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn, signedUp } from "../../support/browser-session.ts";
import { linkDatabases } from "../../../src/store/directory/databases.ts";
import { sumOfLinks } from "../../support/link-databases.ts";
import { quotaExceeded } from "../../support/expected-errors.ts";
import { jsonRequest } from "../../support/api-client.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";

const URL = "https://example.com/";
const LINKS_FULL = quotaExceeded("This account has 10000 links. The free plan allows 10000.");

beforeAll(async () => {
  // Vitest loads lazily imported code file by file: two requests must not wait for that at the same time.
  await preloadSignIn();
  await import("../../../src/api/qr/qr-image.ts");
  await send("GET", "/health");
}, SIGN_IN_LOAD_TIMEOUT_MS);

afterEach(() => {
  vi.useRealTimers();
});

type Holder = Pick<TestAccount, "accountId">;

/** Raises the account's counts by this many links, the same number in each database. */
async function pretendLinks({ accountId }: Holder, links: number, made = links): Promise<void> {
  const databases = linkDatabases(env);
  const part = (count: number, i: number) => Math.floor((count + i) / databases.length);
  await Promise.all(
    databases.map((database, i) =>
      database
        .prepare(
          `INSERT INTO link_counts (account_id, links, made) VALUES (?1, ?2, ?3)
           ON CONFLICT DO UPDATE SET links = links + excluded.links, made = made + excluded.made`,
        )
        .bind(accountId, part(links, i), part(made, i))
        .run(),
    ),
  );
}

async function counted({ accountId }: Holder): Promise<unknown> {
  const sum = (column: string) =>
    sumOfLinks(env, `SELECT ${column} AS n FROM link_counts WHERE account_id = ?1`, accountId);
  return { links: await sum("links"), made: await sum("made") };
}

async function rowsOf({ accountId }: Holder): Promise<unknown> {
  const count = (which: string) =>
    sumOfLinks(env, `SELECT count(*) AS n FROM links WHERE account_id = ?1 AND ${which}`, accountId);
  return { links: await count("deleted_at IS NULL"), made: await count("true") };
}

const made = (replies: ApiResponse[]) => replies.filter(({ status }) => status === 201).length;

describe("15 links of an account", () => {
  test("the count is that of the rows, however links are created and deleted, in both modes", async () => {
    const ann = await freeAccount();
    const trial = await ann.withKey("test");
    const links = await Promise.all([ann.createLink(), ann.createLink(), trial.createLink()]);
    const bodies = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? { url: "nowhere" } : { url: URL }));
    await ann.call("POST", "/v1/links/bulk", { links: bodies });
    await ann.call("POST", "/v1/links", { url: URL, slug: links[0]?.slug });
    await Promise.all([1, 2, 3].map(() => ann.call("DELETE", `/v1/links/${links[1]?.id}`)));
    await trial.call("DELETE", `/v1/links/${links[2]?.id}`);
    expect(await counted(ann)).toEqual({ links: 21, made: 23 });
    expect(await counted(ann)).toEqual(await rowsOf(ann));
  });

  test("concurrent requests create as many links as there is room for; with several databases, at least as many", async () => {
    const ann = await freeAccount();
    const trial = await ann.withKey("test");
    await pretendLinks(ann, 9_980);
    const wanted = { links: Array.from({ length: 10 }, () => ({ url: URL })) };
    const [singles, bulks] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, (_, i) => (i % 2 ? ann : trial).call("POST", "/v1/links", { url: URL }))),
      Promise.all([1, 2, 3].map(() => ann.call("POST", "/v1/links/bulk", wanted))),
    ]);
    const results = bulks.flatMap(({ body }) => BulkResult.parse(body).results);
    const count = made(singles) + results.filter((result) => "link" in result).length;
    if (linkDatabases(env).length === 1) expect(count).toBe(20);
    expect(count).toBeGreaterThanOrEqual(20);
    expect(await rowsOf(ann)).toEqual({ links: count, made: count });
    expect(await counted(ann)).toEqual({ links: 9_980 + count, made: 9_980 + count });
    const full = errorOf(await ann.call("POST", "/v1/links", { url: URL }));
    for (const reply of singles) if (reply.status !== 201) expect(errorOf(reply)).toMatchObject({ code: full?.code });
    if (count === 20) expect(full).toEqual(LINKS_FULL);
  });

  test("a bulk request creates the first of its links, reports the others, and answers the same when repeated", async () => {
    const ann = await freeAccount();
    const taken = await ann.createLink();
    await pretendLinks(ann, 9_992);
    const links = Array.from({ length: 100 }, (_, i) =>
      i === 2 ? { url: URL, slug: taken.slug } : { url: `${URL}${i}` },
    );
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await ann.call("POST", "/v1/links/bulk", { links }, key);
    const { results } = BulkResult.parse(first.body);
    const codes = results.map((result) => ("link" in result ? "made" : result.error.code));
    expect(codes).toEqual([
      "made",
      "made",
      "slug_taken",
      ...Array.from({ length: 5 }, () => "made"),
      ...Array.from({ length: 92 }, () => "quota_exceeded"),
    ]);
    const page = LinkPage.parse((await ann.call("GET", "/v1/links?sort=created_at&limit=100")).body);
    expect(page.data.slice(1)).toEqual(results.flatMap((result) => ("link" in result ? [result.link] : [])));
    const again = await ann.call("POST", "/v1/links/bulk", { links }, key);
    expect([again.headers.get("Idempotent-Replayed"), again.body]).toEqual(["true", first.body]);
  });

  test("a deletion makes room, as does a better plan; the dashboard's API has the same quota", async () => {
    const ann = await signedUp();
    const { id: accountId, email } = (await ann.api("GET", "/account")).body as { id: string; email: string };
    const link = (await ann.api("POST", "/links", { url: URL })).body as { id: string };
    await pretendLinks({ accountId }, 9_999);
    expect(errorOf(await ann.api("POST", "/links", { url: URL }))).toEqual(LINKS_FULL);
    await ann.api("DELETE", `/links/${link.id}`);
    expect((await ann.api("POST", "/links", { url: URL })).status).toBe(201);
    expect(errorOf(await ann.api("POST", "/links", { url: URL }))).toEqual(LINKS_FULL);
    await changePlan(env, email, "premium");
    expect((await ann.api("POST", "/links", { url: URL })).status).toBe(201);
  });

  test("creating and deleting in a loop ends at ten times the quota, since slugs are held permanently", async () => {
    const ann = await freeAccount();
    await pretendLinks(ann, 0, 99_997);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const reply = await ann.call("POST", "/v1/links", { url: URL });
      statuses.push(reply.status);
      if (reply.status === 201) await ann.call("DELETE", `/v1/links/${(reply.body as { id: string }).id}`);
    }
    expect(statuses).toEqual([201, 201, 201, 422, 422]);
    expect(errorOf(await ann.call("POST", "/v1/links", { url: URL }))).toEqual(
      quotaExceeded(
        "This account has created 100000 links, including deleted ones, which keep their slugs. The free plan allows 100000.",
      ),
    );
  });
});

describe("4 stored responses", () => {
  const keep = (actor: TestAccount, body: unknown, path = "/v1/links") =>
    actor.call("POST", path, body, { "Idempotency-Key": crypto.randomUUID() });

  const bytesOf = ({ accountId }: Holder) =>
    env.DB.prepare("SELECT sum(octet_length(answer)) AS n FROM idempotency WHERE account_id = ?1")
      .bind(accountId)
      .first<number>("n");

  const countedBytes = ({ accountId }: Holder) =>
    env.DB.prepare("SELECT bytes FROM idempotency_counts WHERE account_id = ?1").bind(accountId).first<number>("bytes");

  test("contain a link's id, time, slug and domain, not its destination: 100 links of 2 KB take 8 KB", async () => {
    const ann = await freeAccount();
    const links = Array.from({ length: 100 }, (_, i) => ({ url: `${URL}${i}/${"x".repeat(2_000)}` }));
    const reply = await keep(ann, { links }, "/v1/links/bulk");
    expect(BulkResult.parse(reply.body).results.every((result) => "link" in result)).toBe(true);
    expect(await bytesOf(ann)).toBeLessThan(8_000);
    await keep(ann, { url: `${URL}${"x".repeat(8_000)}`, slug: `s-${crypto.randomUUID()}` });
    expect(await bytesOf(ann)).toBeLessThan(8_100);
    expect(await countedBytes(ann)).toBe(((await bytesOf(ann)) ?? 0) + 2 * 110);
  });

  test("no key is in the database, even if one was sent as Idempotency-Key", async () => {
    const ann = await freeAccount();
    await ann.call("POST", "/v1/links", { url: URL }, { "Idempotency-Key": ann.key });
    const { results } = await env.DB.prepare("SELECT * FROM idempotency WHERE account_id = ?1")
      .bind(ann.accountId)
      .all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results.map((row) => Object.values(row).map(String)))).not.toContain(ann.key.slice(9, 30));
  });

  test("at most 10 MB a day on the Free plan, even with concurrent requests; then nothing is done until the next day", async () => {
    const ann = await freeAccount();
    await keep(ann, { url: URL });
    const one = (await countedBytes(ann)) ?? 0;
    await env.DB.prepare("UPDATE idempotency_counts SET bytes = 10000000 - ?2 WHERE account_id = ?1")
      .bind(ann.accountId, 3 * one + 10)
      .run();
    const replies = await Promise.all(Array.from({ length: 8 }, () => keep(ann, { url: URL })));
    expect(made(replies)).toBe(3);
    const refused = replies.find(({ status }) => status !== 201) as ApiResponse;
    expect(errorOf(refused)).toEqual({
      ...quotaExceeded(
        "Responses stored for Idempotency-Key take 10000000 bytes today, the limit of the free plan. The limit resets on the next UTC day.",
      ),
      param: "Idempotency-Key",
    });
    expect(await rowsOf(ann)).toEqual({ links: 4, made: 4 });
    expect((await ann.call("POST", "/v1/links", { url: URL })).status).toBe(201);
    vi.useFakeTimers({ toFake: ["Date"], now: (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000 });
    expect((await keep(ann, { url: URL })).status).toBe(201);
    expect(await countedBytes(ann)).toBe(one);
  });
});

describe("8 QR codes of an account", () => {
  const put = ({ accountId }: Holder, codes: number, bytes: number) =>
    env.DB.prepare("INSERT OR REPLACE INTO qr_counts (account_id, codes, bytes) VALUES (?1, ?2, ?3)")
      .bind(accountId, codes, bytes)
      .run();

  test.each([
    ["10,000 codes", 9_999, 0],
    ["1 GB of images", 1, 999_999_600],
  ])("%s on the Free plan, even with concurrent requests; beyond that no image is stored", async (_, codes, bytes) => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    await put(ann, codes, bytes);
    const before = (await env.QR_IMAGES.list()).objects.length;
    const asked = { link_id: link.id, size: 64 };
    const replies = await Promise.all([1, 2, 3].map(() => ann.call("POST", "/v1/qr", asked)));
    expect(made(replies)).toBe(1);
    expect((await env.QR_IMAGES.list()).objects.length).toBe(before + 1);
    expect(errorOf(replies.find(({ status }) => status !== 201) as ApiResponse)).toEqual(
      quotaExceeded(
        "This account has reached the limit of the free plan: 10000 QR codes or 1000000000 bytes of their images.",
      ),
    );
  });

  test("5,000 codes per link, even with concurrent requests; other links are unaffected, and the account's count is right", async () => {
    const ann = await freeAccount();
    const [link, other] = [await ann.createLink(), await ann.createLink()];
    await ann.createQrCode(link);
    await env.DB.prepare("UPDATE link_qr_counts SET codes = 4999 WHERE link_id = ?1").bind(link.id).run();
    const replies = await Promise.all([1, 2, 3].map(() => ann.call("POST", "/v1/qr", { link_id: link.id, size: 64 })));
    expect(made(replies)).toBe(1);
    expect(errorOf(replies.find(({ status }) => status !== 201) as ApiResponse)).toEqual({
      ...quotaExceeded("This link has 5000 QR codes, the maximum for a link."),
      param: "link_id",
    });
    await ann.createQrCode(other);
    expect(
      await env.DB.prepare("SELECT codes FROM qr_counts WHERE account_id = ?1").bind(ann.accountId).first("codes"),
    ).toBe(3);
  });

  test("a code whose image is refused does not count", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const put = () => Promise.reject(new Error("put: We encountered an internal error. Please try again. (10001)"));
    const failing = { ...env, QR_IMAGES: { put } as unknown as R2Bucket };
    vi.spyOn(console, "error").mockImplementation(() => {});
    const request = new Request("http://localhost:8787/v1/qr", jsonRequest(ann.key, "POST", { link_id: link.id }));
    expect((await service.fetch(request, failing, createExecutionContext())).status).toBe(503);
    for (const table of ["qr_counts", "link_qr_counts"])
      expect(
        await env.DB.prepare(`SELECT codes FROM ${table} WHERE account_id = ?1`).bind(ann.accountId).first("codes"),
      ).toBe(0);
  });

  test("counts codes and the bytes of their images", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const { url } = await ann.createQrCode(link);
    const image = await env.QR_IMAGES.head(url.slice(url.lastIndexOf("/") + 1));
    expect(
      await env.DB.prepare("SELECT codes, bytes FROM qr_counts WHERE account_id = ?1").bind(ann.accountId).first(),
    ).toEqual({ codes: 1, bytes: image?.size });
  });
});

describe("sign-in", () => {
  test("an account keeps its 50 newest sessions", async () => {
    const ann = await signedUp();
    const { id } = (await ann.api("GET", "/account")).body as { id: string };
    const insert = (i: number) =>
      env.DB.prepare(
        `INSERT INTO sessions (id, account_id, token, expires_at, created_at, updated_at)
         VALUES (?1, ?2, ?1, '2099-01-01T00:00:00.000Z', ?3, ?3)`,
      ).bind(`s-${id}-${i}`, id, `2098-01-01T00:00:00.${String(i).padStart(3, "0")}Z`);
    for (let i = 0; i < 60; i++) await insert(i).run();
    const { results } = await env.DB.prepare("SELECT id FROM sessions WHERE account_id = ?1 ORDER BY created_at")
      .bind(id)
      .all<{ id: string }>();
    expect(results.map((row) => row.id)).toEqual(Array.from({ length: 50 }, (_, i) => `s-${id}-${i + 10}`));
    expect((await ann.api("GET", "/account")).status).toBe(401);
  });

  test("an account has 25 passkeys at most", async () => {
    const ann = await signedUp();
    const { id } = (await ann.api("GET", "/account")).body as { id: string };
    const insert = (i: number) =>
      env.DB.prepare(
        `INSERT INTO passkeys (id, account_id, public_key, credential_id, counter, device_type, backed_up)
         VALUES (?1, ?2, 'x', ?1, 0, 'x', 0)`,
      )
        .bind(`p-${id}-${i}`, id)
        .run();
    for (let i = 0; i < 24; i++) await insert(i);
    expect((await ann.api("GET", "/auth/passkey/generate-register-options")).status).toBe(200);
    const last = await Promise.allSettled([24, 25, 26].map(insert));
    expect(last.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = await ann.api("GET", "/auth/passkey/generate-register-options");
    expect([refused.status, refused.body]).toEqual([
      422,
      { code: "QUOTA_EXCEEDED", message: "This account has 25 passkeys, the maximum. Remove one first." },
    ]);
  });
});
