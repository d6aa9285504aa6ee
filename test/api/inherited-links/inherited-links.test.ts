/** A domain that changed hands: its former holder's links, who may act on them, and whose their clicks are. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { type Domain } from "../../../src/core/contract/domains.ts";
import { InheritedLinkPage } from "../../../src/core/contract/inherited-links.ts";
import { Link } from "../../../src/core/contract/links.ts";
import worker from "../../../src/worker.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { freezeClockAt } from "../../support/clock.ts";
import {
  domainTransferred,
  validationFailed,
  PLAN_UPGRADE_REQUIRED,
  slugTaken,
} from "../../support/expected-errors.ts";
import { errorOf } from "../../support/api-response.ts";
import { changeHomeRows, changeLinks, queryLinks, sumOfLinks, withDatabases } from "../../support/link-databases.ts";

const NOT_INHERITED = {
  status: 404,
  code: "link_not_found",
  message: "No link of another account has this slug on the domain",
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Handover {
  /** Who made the link. */
  former: TestAccount;
  /** Whose the domain is now. */
  holder: TestAccount;
  domain: Domain;
  link: Link;
}

async function handover(fields: Record<string, unknown> = {}): Promise<Handover> {
  const [former, holder] = [await premiumAccount(), await premiumAccount()];
  const { domain } = await former.activeDomain();
  const link = await former.createLink({ domain, slug: "Spring", url: "https://former.example/", ...fields });
  return { former, holder, link, domain: await holder.inheritDomain(domain) };
}

function takeOver({ holder, domain }: Handover, body: object = { url: "https://holder.example/" }, headers = {}) {
  return holder.call("POST", `/v1/domains/${domain.id}/links/spring/take-over`, body, headers);
}

async function list(holder: TestAccount, { id }: Domain, query = ""): Promise<InheritedLinkPage> {
  return InheritedLinkPage.parse((await holder.call("GET", `/v1/domains/${id}/links${query}`)).body);
}

async function whereTo(link: Link): Promise<[number, string | null]> {
  const response = await visit(link.short_url);
  return [response.status, response.headers.get("Location")];
}

/** A visit while the database is down, to an isolate that has forgotten what it read. */
async function visitWithoutDatabase({ short_url }: Link): Promise<Response> {
  vi.spyOn(console, "error").mockImplementation(() => {});
  freezeClockAt(Date.now() + 60_000);
  const fail = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
  const statement: unknown = { bind: () => statement, first: fail, all: fail, run: fail };
  const database = { prepare: () => statement, batch: fail };
  const failing = { ...database, withSession: () => database } as unknown as D1Database;
  const ctx = createExecutionContext();
  const request = new Request(short_url, { redirect: "manual" }) as Request<unknown, IncomingRequestCfProperties>;
  const response = await worker.fetch(
    request,
    withDatabases(env, () => failing),
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}

describe("its former holder", () => {
  test("changes no link on it and makes no code of one, but reads and deletes them", async () => {
    const { former, domain, link } = await handover();
    const path = `/v1/links/${link.id}`;
    for (const change of [{ url: "https://evil.example/" }, { expires_at: null }, { routing: [] }]) {
      expect(errorOf(await former.call("PATCH", path, change))).toEqual(domainTransferred(domain.domain));
    }
    const code = await former.call("POST", "/v1/qr", { link_id: link.id });
    expect(errorOf(code)).toEqual(domainTransferred(domain.domain));
    expect((await former.call("PATCH", path, {})).body).toEqual(link);
    expect((await former.call("GET", path)).body).toEqual(link);
    expect(await whereTo(link)).toEqual([302, "https://former.example/"]);
    expect((await former.statsAfter(1, link)).total).toBe(1);
    expect((await former.call("DELETE", path)).status).toBe(204);
  });

  test("is anybody who is not the holder, the same account's other mode included", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const link = await ann.createLink({ domain });
    await (await ann.withKey("test")).inheritDomain(domain);
    expect(errorOf(await ann.call("PATCH", `/v1/links/${link.id}`, { url: "https://example.com/2" }))).toEqual(
      domainTransferred(domain),
    );
  });

  test("may change them again when nobody holds the name any more", async () => {
    const { former, holder, domain, link } = await handover();
    expect((await holder.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    expect((await former.updateLink(link, { url: "https://former.example/2" })).url).toBe("https://former.example/2");
  });
});

describe("its new holder", () => {
  test("sees address, state and age of what others made on it, and nothing else", async () => {
    const { former, holder, domain, link } = await handover({
      routing: [{ if: { country: "DE" }, to: "https://x.example/" }],
    });
    await holder.createLink({ domain: domain.domain, slug: "own" });
    const expected = {
      slug: "Spring",
      domain: domain.domain,
      short_url: link.short_url,
      state: "active",
      created_at: link.created_at,
    };
    expect(await list(holder, domain)).toEqual({ data: [expected], has_more: false, next_cursor: null });
    expect((await holder.call("GET", `/v1/links/${link.id}`)).status).toBe(404);
    const formers = (await former.call("GET", "/v1/domains")).body as { data: Domain[] };
    const refused = await former.call("GET", `/v1/domains/${formers.data[0]?.id}/links`);
    expect(errorOf(refused)).toMatchObject({ code: "domain_not_verified" });
    expect((await former.call("GET", `/v1/domains/${domain.id}/links`)).status).toBe(404);
  });

  test("sees them page by page, of every state, by slug in any case", async () => {
    const { former, holder, domain } = await handover();
    const activeSql = "UPDATE domains SET status = 'active' WHERE account_id = ?1";
    await changeHomeRows(env, [former.accountId], activeSql, former.accountId);
    const made: Record<string, Link> = {};
    for (const slug of ["b", "A", "d", "C"]) made[slug] = await former.createLink({ domain: domain.domain, slug });
    await former.call("DELETE", `/v1/links/${made.b?.id}`);
    await holder.call("POST", `/v1/domains/${domain.id}/links/c/disable`);
    await changeLinks(env, "UPDATE links SET expires_at = 1 WHERE id = ?1", made.d?.id ?? "");
    const seen: [string, string][] = [];
    let query = "?limit=2";
    for (;;) {
      const page = await list(holder, domain, query);
      seen.push(...page.data.map(({ slug, state }): [string, string] => [slug, state]));
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) break;
      query = `?limit=2&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([
      ["A", "active"],
      ["b", "deleted"],
      ["C", "disabled"],
      ["d", "expired"],
      ["Spring", "active"],
    ]);
  });

  test("has a bounded part of a large domain looked through for a page", async () => {
    const { holder, domain } = await handover({ slug: "zzz" });
    await env.DB.prepare(
      `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
       SELECT ?1, 'live', 'lnk_' || n, 'api', ?2, printf('own-%05d', n), '', '[]', 1, 1, 1 FROM numbers`,
    )
      .bind(holder.accountId, domain.domain)
      .run();
    const first = await list(holder, domain);
    expect(first).toEqual({ data: [], has_more: true, next_cursor: "own-05000" });
    expect((await list(holder, domain, `?cursor=${first.next_cursor}`)).data).toMatchObject([{ slug: "zzz" }]);
  });

  test("disables them: visitors get 410 within ten seconds, and the former holder cannot undo it", async () => {
    const { former, holder, domain, link } = await handover();
    const start = Date.now();
    freezeClockAt(start);
    expect(await whereTo(link)).toEqual([302, "https://former.example/"]);
    const disable = () => holder.call("POST", `/v1/domains/${domain.id}/links/SPRING/disable`);
    for (const reply of [await disable(), await disable()]) {
      expect([reply.status, reply.body]).toMatchObject([200, { slug: "Spring", state: "disabled" }]);
    }
    freezeClockAt(start + 10_000);
    expect((await visit(link.short_url)).status).toBe(410);
    const patched = await former.call("PATCH", `/v1/links/${link.id}`, { expires_at: null });
    expect(patched.status).toBe(409);
    expect((await visit(link.short_url)).status).toBe(410);
  });

  test("acts neither on own links, nor on names that are not there, nor on other domains", async () => {
    const { former, holder, domain } = await handover();
    await holder.createLink({ domain: domain.domain, slug: "own" });
    const other = await former.activeDomain();
    for (const [by, id, slug] of [
      [holder, domain.id, "own"],
      [holder, domain.id, "none"],
      [former, other.id, "spring"],
    ] as const) {
      for (const [what, body] of [["disable"], ["take-over", { url: "https://example.com/" }]] as const) {
        const reply = await by.call("POST", `/v1/domains/${id}/links/${slug}/${what}`, body);
        expect(errorOf(reply), `${slug} ${what}`).toEqual(NOT_INHERITED);
      }
    }
    expect((await holder.call("POST", `/v1/domains/${other.id}/links/spring/disable`)).status).toBe(404);
  });
});

describe("taking a link over", () => {
  test("makes a new link at the address: visitors go there, each owner keeps the clicks of the own one", async () => {
    const hand = await handover();
    const { former, holder, link } = hand;
    const code = await former.call("POST", "/v1/qr", { link_id: link.id });
    expect(code.status).toBe(409);
    await whereTo(link);
    await former.waitForClicks(1, link);
    const reply = await takeOver(hand);
    expect(reply.status).toBe(201);
    const taken = Link.parse(reply.body);
    expect(taken).toMatchObject({ slug: "Spring", short_url: link.short_url, url: "https://holder.example/" });
    expect(taken.id).not.toBe(link.id);
    // An isolate that holds the old link records one more click of it, and hears of its end then.
    await expect.poll(() => whereTo(link)).toEqual([302, "https://holder.example/"]);
    await holder.waitForClicks(1, taken);
    const clicks = (await holder.clicks(taken)).data;
    expect(clicks.every(({ destination }) => destination === "https://holder.example/")).toBe(true);
    expect((await former.call("GET", `/v1/links/${link.id}`)).status).toBe(404);
    expect((await former.call("PATCH", `/v1/links/${link.id}`, { url: "https://evil.example/" })).status).toBe(404);
    expect((await holder.stats(taken)).total).toBe(clicks.length);
    const { id, total } = await ownHistory(former, link);
    expect([id, total]).toEqual([link.id, expect.any(Number)]);
    expect(total).toBeGreaterThanOrEqual(1);
  });

  /** What the old link's object still counts, as the account's statistics will read it. */
  async function ownHistory({ accountId }: TestAccount, link: Link): Promise<{ id: string; total: number }> {
    const sql = "SELECT id FROM links WHERE account_id = ?1 AND id = ?2";
    const [row] = await queryLinks<{ id: string }>(env, sql, accountId, link.id);
    const object = env.LINK_CLICKS.getByName(`${link.domain}/spring`);
    const { clicks } = (await object.clicks({ after: 0, limit: 100 })) as { clicks: { destination: string }[] };
    expect(clicks.every(({ destination }) => destination === "https://former.example/")).toBe(true);
    return { id: row?.id ?? "", total: clicks.length };
  }

  test("is heard of by isolates that nobody visits within ten seconds, changes to the new link too", async () => {
    const hand = await handover();
    const start = Date.now();
    freezeClockAt(start);
    await whereTo(hand.link);
    const taken = Link.parse((await takeOver(hand)).body);
    freezeClockAt(start + 10_000);
    expect(await whereTo(hand.link)).toEqual([302, "https://holder.example/"]);
    await hand.holder.updateLink(taken, { url: "https://holder.example/2" });
    freezeClockAt(start + 20_000);
    expect(await whereTo(hand.link)).toEqual([302, "https://holder.example/2"]);
  });

  test("keeps the slug taken: nobody makes a second link at the address", async () => {
    const hand = await handover();
    await takeOver(hand);
    const again = { url: "https://example.com/", domain: hand.domain.domain, slug: "spring" };
    expect(errorOf(await hand.holder.call("POST", "/v1/links", again))).toEqual(
      slugTaken("spring", hand.domain.domain),
    );
    expect(errorOf(await takeOver(hand))).toEqual(NOT_INHERITED);
  });

  test("happens once, however often and however close together it is asked for", async () => {
    const hand = await handover();
    const headers = { "Idempotency-Key": "once" };
    const replies = await Promise.all([1, 2, 3].map(() => takeOver(hand, { url: "https://holder.example/" }, headers)));
    replies.push(await takeOver(hand, { url: "https://holder.example/" }, headers));
    const bodies = replies.filter(({ status }) => status === 201).map(({ body }) => Link.parse(body).id);
    expect(new Set(bodies).size).toBe(1);
    expect(replies.at(-1)?.headers.get("Idempotent-Replayed")).toBe("true");
    expect((await hand.holder.call("GET", "/v1/links")).body).toMatchObject({ data: [{ id: bodies[0] }] });
  });

  test("keeps no destination or rule to answer again: erased, the link leaves none behind", async () => {
    const hand = await handover();
    const routing = [{ if: { country: "DE" }, to: "https://holder.example/marker-rule" }];
    const body = { url: "https://holder.example/marker-url", routing, expires_at: "2050-01-31T12:00:00+01:00" };
    const [made, again] = [
      await takeOver(hand, body, { "Idempotency-Key": "once" }),
      await takeOver(hand, body, { "Idempotency-Key": "once" }),
    ];
    expect([again.status, again.body]).toEqual([201, made.body]);
    expect(again.headers.get("ETag")).toBe(made.headers.get("ETag"));
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const { results } = await env.DB.prepare("SELECT answer FROM idempotency WHERE account_id = ?1")
      .bind(hand.holder.accountId)
      .all<{ answer: string }>();
    expect(results.filter(({ answer }) => answer.includes("marker"))).toEqual([]);
  });

  test("against the former holder's deletion and the holder's disabling at that moment ends in one link", async () => {
    const hand = await handover();
    const { former, holder, domain, link } = hand;
    const [taken] = await Promise.all([
      takeOver(hand),
      former.call("DELETE", `/v1/links/${link.id}`),
      holder.call("POST", `/v1/domains/${domain.id}/links/spring/disable`),
    ]);
    expect(taken.status, JSON.stringify(taken.body)).toBe(201);
    await expect.poll(() => whereTo(link)).toEqual([302, "https://holder.example/"]);
    const sql = "SELECT count(*) AS n FROM links WHERE domain = ?1 AND successor_id IS NULL";
    expect(await sumOfLinks(env, sql, domain.domain)).toBe(1);
  });

  test("of a link that changes at each attempt asks to try again, and changes nothing", async () => {
    const hand = await handover();
    // Keeps the link from being ended, as a change between the read and the write does.
    await changeLinks(
      env,
      `CREATE TRIGGER changed_meanwhile BEFORE UPDATE OF successor_id ON links WHEN old.id = '${hand.link.id}'
       BEGIN SELECT RAISE(IGNORE); END`,
    );
    const reply = await takeOver(hand).finally(() => changeLinks(env, "DROP TRIGGER changed_meanwhile"));
    expect(errorOf(reply)).toEqual({
      status: 503,
      code: "unavailable",
      message: "The link was changed again and again meanwhile; try again",
    });
    expect(reply.headers.get("Retry-After")).toBe("1");
    expect(await whereTo(hand.link)).toEqual([302, "https://former.example/"]);
    expect((await takeOver(hand)).status).toBe(201);
  });

  test("is open for links that their former holder deleted, lest all names be burnt", async () => {
    const hand = await handover();
    await hand.former.call("DELETE", `/v1/links/${hand.link.id}`);
    expect((await takeOver(hand)).status).toBe(201);
    expect(await whereTo(hand.link)).toEqual([302, "https://holder.example/"]);
  });

  test("goes on when the domain passes on again, and back", async () => {
    const hand = await handover();
    const second = Link.parse((await takeOver(hand)).body);
    await expect.poll(() => whereTo(second)).toEqual([302, "https://holder.example/"]);
    await hand.holder.waitForClicks(1, second);
    const back = await hand.former.call("GET", "/v1/domains");
    const [{ id }] = (back.body as { data: [Domain] }).data;
    const [former, holder] = [hand.former.accountId, hand.holder.accountId];
    await changeHomeRows(env, [holder], "UPDATE domains SET verified_at = NULL WHERE id = ?1", hand.domain.id);
    await changeHomeRows(env, [former], "UPDATE domains SET verified_at = 1, status = 'active' WHERE id = ?1", id);
    const body = { url: "https://former.example/again" };
    const third = Link.parse((await hand.former.call("POST", `/v1/domains/${id}/links/spring/take-over`, body)).body);
    await expect.poll(() => whereTo(third)).toEqual([302, "https://former.example/again"]);
    await hand.former.waitForClicks(1, third);
    const all = (await hand.former.clicks(third)).data;
    expect(all.every(({ destination }) => destination === "https://former.example/again")).toBe(true);
    // The objects lead from one to the next.
    const response = await visitWithoutDatabase(third);
    expect([response.status, response.headers.get("Location")]).toEqual([302, "https://former.example/again"]);
  });

  test("while the database is down: the old destination is served no more; the new one once it was clicked", async () => {
    const hand = await handover();
    await whereTo(hand.link);
    await hand.former.waitForClicks(1, hand.link);
    const taken = Link.parse((await takeOver(hand)).body);
    expect((await visitWithoutDatabase(hand.link)).status).toBe(503);
    vi.useRealTimers();
    await expect.poll(() => whereTo(taken)).toEqual([302, "https://holder.example/"]);
    await hand.holder.waitForClicks(1, taken);
    const response = await visitWithoutDatabase(taken);
    expect([response.status, response.headers.get("Location")]).toEqual([302, "https://holder.example/"]);
  });

  test("counts for the new holder's quota, and no more for the former's", async () => {
    const hand = await handover();
    const count = ({ accountId }: TestAccount) =>
      sumOfLinks(env, "SELECT links AS n FROM link_counts WHERE account_id = ?1", accountId);
    const { accountId } = hand.holder;
    const sql = "INSERT INTO link_counts (account_id, links, made) VALUES (?1, 1000000, 1000000)";
    await changeLinks(env, sql, accountId);
    expect(errorOf(await takeOver(hand))).toMatchObject({ status: 422, code: "quota_exceeded" });
    expect(await whereTo(hand.link)).toEqual([302, "https://former.example/"]);
    await changeLinks(env, "DELETE FROM link_counts WHERE account_id = ?1", accountId);
    expect((await takeOver(hand)).status).toBe(201);
    expect([await count(hand.holder), await count(hand.former)]).toEqual([1, 0]);
  });

  test("judges the new link as any other, and needs the domain active", async () => {
    const hand = await handover();
    const { holder, domain, link } = hand;
    expect(errorOf(await takeOver(hand, {}))).toEqual(validationFailed(["url", "required", "is required"]));
    expect(errorOf(await takeOver(hand, { url: "https://example.com/", slug: "other" }))).toMatchObject({
      code: "validation_failed",
      param: "slug",
    });
    const inactiveSql = "UPDATE domains SET status = 'misconfigured' WHERE id = ?1";
    await changeHomeRows(env, [holder.accountId], inactiveSql, domain.id);
    expect(errorOf(await takeOver(hand))).toMatchObject({
      status: 422,
      errors: [{ path: "domain", code: "not_active" }],
    });
    expect(await whereTo(link)).toEqual([302, "https://former.example/"]);
    expect((await holder.call("POST", `/v1/domains/${domain.id}/links/spring/disable`)).status).toBe(200);
    const free = await freeAccount();
    const next = await free.inheritDomain(domain.domain);
    const rules = { url: "https://example.com/", routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] };
    const path = `/v1/domains/${next.id}/links/spring/take-over`;
    expect(errorOf(await free.call("POST", path, rules))).toEqual(PLAN_UPGRADE_REQUIRED);
  });
});

test("every look-up of an address is served by the index of addresses", async () => {
  const source = "FROM links WHERE domain = 'a' AND slug = 'b'";
  const planOf = async (sql: string) =>
    JSON.stringify((await env.DB.prepare(`EXPLAIN QUERY PLAN SELECT 1 ${sql}`).all()).results);
  expect(await planOf(`${source} AND successor_id IS NULL`)).toContain("links_by_address");
  expect(await planOf(source)).not.toContain("links_by_address");
});
