/** Decision 3: links in bulk requests have limits per account, per minute and UTC day, counted exactly. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { Me } from "../../../src/core/contract/me.ts";
import { DAY_MS, MINUTE_MS } from "../../../src/core/time.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import { preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../../support/browser-session.ts";
import { PLAN_UPGRADE_REQUIRED } from "../../support/expected-errors.ts";
import { sumOfLinks } from "../../support/link-databases.ts";
import { freeAccount, premiumAccount, send, TestAccount } from "../../support/test-accounts.ts";

const URL = "https://example.com/";
const TAGS = Array.from({ length: 20 }, (_, i) => `tag ${i}`);
/** Twenty seconds into a minute at noon, so that no test reaches the end of its minute or day. */
const NOON = Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2 + 20_000;

beforeAll(async () => {
  await preloadSignIn();
  await send("GET", "/health");
}, SIGN_IN_LOAD_TIMEOUT_MS);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});

afterEach(() => {
  vi.useRealTimers();
});

type Call = (method: string, path: string, body: unknown) => Promise<ApiResponse>;

const callOf =
  (actor: TestAccount): Call =>
  (method, path, body) =>
    actor.call(method, `/v1${path}`, body);

const create = (actor: TestAccount, count: number, fields: object = {}, headers: Record<string, string> = {}) =>
  actor.call(
    "POST",
    "/v1/links/bulk",
    { links: Array.from({ length: count }, () => ({ url: URL, ...fields })) },
    headers,
  );

async function created(actor: TestAccount, count: number, fields: object = {}): Promise<Link[]> {
  const { results } = BulkResult.parse((await create(actor, count, fields)).body);
  return results.flatMap((result) => ("link" in result ? [result.link] : []));
}

/** Uses up `count` links of the limits, with deletions that find nothing. */
async function spend(call: Call, count: number): Promise<void> {
  const pieces = Array.from({ length: Math.ceil(count / 100) }, (_, i) => Math.min(100, count - i * 100));
  const replies = await Promise.all(
    pieces.map((size) =>
      call("POST", "/links/bulk-delete", { links: Array.from({ length: size }, () => ({ id: "lnk_none" })) }),
    ),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
}

async function used(actor: TestAccount): Promise<{ minute: number; day: number }> {
  const { limits } = Me.parse((await actor.call("GET", "/v1/me")).body);
  return { minute: limits.bulk_links_per_minute.used, day: limits.bulk_links_per_day.used };
}

const linksOf = ({ accountId }: { accountId: string }) =>
  sumOfLinks(env, "SELECT count(*) AS n FROM links WHERE account_id = ?1 AND deleted_at IS NULL", accountId);

function refusal(limit: string, counted: number, left: number, until: number) {
  return {
    status: 429,
    code: "rate_limited",
    message: `This account can change ${limit} in bulk requests. Counted for this request: ${counted}. Left until ${new Date(until).toISOString()}: ${left}.`,
  };
}

const newAlias = () => ({ slug: crypto.randomUUID() });

const MINUTE_END = NOON - (NOON % MINUTE_MS) + MINUTE_MS;
const DAY_END = NOON - (NOON % DAY_MS) + DAY_MS;

describe("3 links in bulk requests", () => {
  test("every alias that is added or removed counts as one more", async () => {
    const ann = await freeAccount();
    const slug = crypto.randomUUID();
    const [link] = await created(ann, 1, { aliases: [{ slug: `${slug}a` }, { slug: `${slug}b` }] });
    expect(await used(ann)).toMatchObject({ minute: 3 });
    const aliases = [{ slug: `${slug}b` }, { slug: `${slug}c` }];
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link?.id, aliases }] });
    expect(await used(ann)).toMatchObject({ minute: 6 });
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link?.id, aliases, title: "x" }] });
    expect(await used(ann)).toMatchObject({ minute: 7 });
  });

  test("an update that counts as more than a minute has is refused with the advice to divide it", async () => {
    const ann = await premiumAccount();
    const links: Link[] = [];
    for (const size of [24, 24, 1]) {
      const bodies = Array.from({ length: size }, () => ({ url: URL, aliases: Array.from({ length: 20 }, newAlias) }));
      const { results } = BulkResult.parse((await ann.call("POST", "/v1/links/bulk", { links: bodies })).body);
      links.push(...results.flatMap((result) => ("link" in result ? [result.link] : [])));
    }
    await changePlan(env, ann.email, "free");
    vi.setSystemTime(MINUTE_END);
    const clear = (some: Link[]) =>
      ann.call("POST", "/v1/links/bulk-update", { links: some.map(({ id }) => ({ id, aliases: [] })) });
    const { message } = errorOf(await clear(links));
    expect(message).toMatch(/Counted for this request: 1,029\. .*: 1,000\. Send fewer links in each request\.$/);
    expect((await clear(links.slice(2))).status).toBe(200);
    expect(errorOf(await clear(links)).message).toMatch(/: 13\.$/);
  });

  test("a Free account can change 1,000 a minute, even with simultaneous requests; above that, a request changes nothing", async () => {
    const ann = await freeAccount();
    await spend(callOf(ann), 905);
    const replies = await Promise.all(Array.from({ length: 7 }, () => create(ann, 30)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429]);
    expect([await linksOf(ann), await used(ann)]).toEqual([90, { minute: 995, day: 995 }]);
    const refused = await create(ann, 6);
    expect(errorOf(refused)).toEqual(refusal("1,000 links per minute", 6, 5, MINUTE_END));
    expect(refused.headers.get("Retry-After")).toBe("41");
    expect(refused.headers.get("RateLimit")).toBe('"links-minute";r=5;t=41');
    expect((await create(ann, 5)).status).toBe(200);
    expect([await linksOf(ann), await used(ann)]).toEqual([95, { minute: 1_000, day: 1_000 }]);
    vi.setSystemTime(MINUTE_END);
    expect((await create(ann, 100)).status).toBe(200);
    expect(await used(ann)).toEqual({ minute: 100, day: 1_100 });
  });

  test.each([
    ["bulk-update", (link: Link) => ({ id: link.id, url: "https://example.org/" })],
    ["bulk-delete", (link: Link) => ({ id: link.id })],
  ])("%s above the limit changes no link", async (path, itemOf) => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    await spend(callOf(ann), 1_000);
    expect((await ann.call("POST", `/v1/links/${path}`, { links: [itemOf(link)] })).status).toBe(429);
    expect((await ann.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
  });

  test("a Free account can change 10,000 a day; the next day begins at midnight UTC", async () => {
    const ann = await freeAccount();
    for (let minute = 0; minute < 10; minute++) {
      vi.setSystemTime(NOON + minute * MINUTE_MS);
      await spend(callOf(ann), minute === 9 ? 990 : 1_000);
    }
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    const refused = await create(ann, 11);
    expect(errorOf(refused)).toEqual(refusal("10,000 links per day", 11, 10, DAY_END));
    const seconds = (DAY_END - NOON) / 1_000 - 600 + 1;
    expect(refused.headers.get("Retry-After")).toBe(String(seconds));
    expect(refused.headers.get("RateLimit")).toBe(`"links-day";r=10;t=${seconds}`);
    expect((await create(ann, 10)).status).toBe(200);
    vi.setSystemTime(DAY_END - 1);
    expect((await create(ann, 1)).status).toBe(429);
    vi.setSystemTime(DAY_END);
    expect((await create(ann, 1)).status).toBe(200);
    expect(await used(ann)).toEqual({ minute: 1, day: 1 });
  });

  test("a Premium account can change 10,000 a minute, and a change of plan takes effect immediately", async () => {
    const ann = await premiumAccount();
    await spend(callOf(ann), 9_999);
    expect(errorOf(await create(ann, 2))).toEqual(refusal("10,000 links per minute", 2, 1, MINUTE_END));
    expect((await create(ann, 1)).status).toBe(200);
    await changePlan(env, ann.email, "free");
    vi.setSystemTime(MINUTE_END);
    expect(errorOf(await create(ann, 1))).toEqual(refusal("10,000 links per day", 1, 0, DAY_END));
  });

  test("a request counted by a clock that is behind does not reopen the window", async () => {
    const ann = await freeAccount();
    await spend(callOf(ann), 1_000);
    vi.setSystemTime(NOON - MINUTE_MS);
    expect((await create(ann, 1)).status).toBe(429);
    vi.setSystemTime(NOON);
    expect((await create(ann, 1)).status).toBe(429);
  });

  test("all keys, both modes and the dashboard share the limits of an account; another account has its own", async () => {
    const browser = await signedUp();
    const api: Call = (method, path, body) => browser.api(method, path, body);
    const { key } = (await api("POST", "/keys", { name: "k", mode: "test" })).body as { key: string };
    const { id, email } = await browser.account();
    const trial = new TestAccount(email, id, key);
    const link = (await api("POST", "/links", { url: URL })).body as Link;
    await spend(api, 500);
    await spend(callOf(trial), 500);
    for (const [path, body] of [
      ["/links/bulk", { links: [{ url: URL }] }],
      ["/links/bulk-update", { links: [{ id: link.id, title: "New" }] }],
      ["/links/bulk-delete", { links: [{ id: link.id }] }],
    ] as const) {
      expect(errorOf(await api("POST", path, body))).toEqual(refusal("1,000 links per minute", 1, 0, MINUTE_END));
      expect((await trial.call("POST", `/v1${path}`, body)).status).toBe(429);
    }
    expect((await api("GET", `/links/${link.id}`, undefined)).body).toEqual(link);
    expect((await create(await freeAccount(), 1)).status).toBe(200);
  });

  test("requests on single links do not count", async () => {
    const ann = await freeAccount();
    await spend(callOf(ann), 1_000);
    const link = await ann.createLink({ tags: TAGS });
    await ann.updateLink(link, { title: "New" });
    expect((await ann.call("POST", `/v1/links/${link.id}/revisions/1/restore`, {})).status).toBe(200);
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    expect(await used(ann)).toEqual({ minute: 1_000, day: 1_000 });
  });
});

describe("3 cost of a bulk request", () => {
  test("each link counts, even a refused one; a body that is refused as a whole counts nothing", async () => {
    const ann = await freeAccount();
    const { slug, id } = await ann.createLink();
    const sent: [path: string, links: unknown[]][] = [
      ["bulk", [{ url: URL }, { url: "nowhere" }, { url: URL, slug }, 5]],
      ["bulk-update", [{ id }, { id: "lnk_none", url: URL }, { id, revision: 9, url: URL }]],
      ["bulk-delete", [{ id: "lnk_none" }, null]],
    ];
    for (const [path, links] of sent) {
      expect((await ann.call("POST", `/v1/links/${path}`, { links })).status).toBe(200);
    }
    expect((await used(ann)).minute).toBe(9);
    const rules = [{ if: { country: "DE" }, to: URL }];
    expect(errorOf(await create(ann, 2, { routing: rules }))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect((await create(ann, 101)).status).toBe(422);
    expect((await used(ann)).minute).toBe(9);
  });

  test("one more for every ten tags added, removed or respelled", async () => {
    const ann = await freeAccount();
    const costOf = async (path: string, links: unknown[]): Promise<number> => {
      const before = (await used(ann)).minute;
      expect((await ann.call("POST", `/v1/links/${path}`, { links })).status).toBe(200);
      return (await used(ann)).minute - before;
    };
    const make = (tags: string[], count = 1) => Array.from({ length: count }, () => ({ url: URL, tags }));
    expect(await costOf("bulk", make(TAGS.slice(0, 9)))).toBe(1);
    expect(await costOf("bulk", make(TAGS.slice(0, 5), 2))).toBe(3);
    expect(await costOf("bulk", make(TAGS, 10))).toBe(30);
    const [one, two] = (await created(ann, 2, { tags: TAGS })) as [Link, Link];
    const retag = (tags: string[] | null) => costOf("bulk-update", [{ id: one.id, tags }]);
    expect(await retag(TAGS.toReversed())).toBe(1);
    expect(await retag([...TAGS.slice(0, 11), ...TAGS.slice(11, 15).map((tag) => tag.toUpperCase())])).toBe(2);
    expect(await retag(TAGS.map((tag) => `other ${tag}`))).toBe(1 + 3);
    expect(await retag(null)).toBe(3);
    expect(await retag(null)).toBe(1);
    expect(await costOf("bulk-update", [{ id: two.id, title: "Tags stay" }])).toBe(1);
    expect(await costOf("bulk-update", [{ id: two.id, tags: null, revision: 9 }])).toBe(1);
    expect(await costOf("bulk-delete", [{ id: two.id }, { id: two.id }])).toBe(2 + 2);
  });

  test("tags beyond the limit are refused with their link, and nothing is applied", async () => {
    const ann = await freeAccount();
    await spend(callOf(ann), 998);
    const refused = await create(ann, 1, { tags: TAGS });
    expect(errorOf(refused)).toEqual(refusal("1,000 links per minute", 3, 2, MINUTE_END));
    expect(await linksOf(ann)).toBe(0);
    expect((await create(ann, 1, { tags: TAGS.slice(0, 19) })).status).toBe(200);
  });
});

describe("3 repeated bulk requests", () => {
  const KEY = { "Idempotency-Key": "once" };

  test("count once, even if copies are in flight, and get the first response even above the limit", async () => {
    const ann = await freeAccount();
    await spend(callOf(ann), 900);
    const copies = await Promise.all([1, 2, 3].map(() => create(ann, 60, { tags: TAGS.slice(0, 5) }, KEY)));
    expect(copies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await used(ann)).minute).toBe(990);
    const again = await create(ann, 60, { tags: TAGS.slice(0, 5) }, KEY);
    expect([again.headers.get("Idempotent-Replayed"), again.body]).toEqual(["true", copies[0]?.body]);
    expect([await linksOf(ann), (await used(ann)).minute]).toEqual([60, 990]);
  });

  test("a refusal is not stored: after Retry-After the request with the same key succeeds", async () => {
    const ann = await freeAccount();
    await spend(callOf(ann), 1_000);
    expect((await create(ann, 2, {}, KEY)).status).toBe(429);
    expect((await create(ann, 3, {}, KEY)).status).toBe(429);
    vi.setSystemTime(NOON + 41_000);
    const done = await create(ann, 2, {}, KEY);
    expect([done.status, done.headers.get("Idempotent-Replayed")]).toEqual([200, null]);
    expect([await linksOf(ann), (await used(ann)).minute]).toEqual([2, 2]);
  });
});
