/**
 * Shared pages: what the owner chooses, and what viewers without an account can find out, also by combining views. The
 * clock is stopped, because statistics are cached for a minute.
 */
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { ScanQueue } from "../../../src/clicks/scan-queue.ts";
import { type Share, SharedStats } from "../../../src/core/contract/dashboard.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { resumeAccount, suspendAccount } from "../../../src/store/accounts/accounts.ts";
import { closeAccount } from "../../../src/store/accounts/closed-accounts.ts";
import { errorOf, readResponse } from "../../support/api-response.ts";
import {
  type BrowserSession,
  preloadSignIn,
  SIGN_IN_LOAD_TIMEOUT_MS,
  signedUp,
} from "../../support/browser-session.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { BASE_URL, visit } from "../../support/test-accounts.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

let browser: BrowserSession;
let now: number;

beforeEach(async () => {
  now = Date.now();
  freezeClockAt(now);
  browser = await signedUp();
});

afterEach(() => {
  vi.useRealTimers();
});

const CHOSEN = { name: "Report", group_by: ["country"], first: null, last: null, timezone: "UTC", expires_at: null };

async function share(fields: object): Promise<Share & { token: string }> {
  const reply = await browser.api("POST", "/shares", { ...CHOSEN, ...fields });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  const made = reply.body as Share;
  return { ...made, token: /^http:\/\/localhost:8787\/share\/(shr_[0-9a-f]{64})$/.exec(made.url ?? "")?.[1] ?? "" };
}

let viewers = 0;

/** A view from another network than the others, without a session. */
function fetchShared(token: string, path = "/dashboard/api/shared/", ip = `198.51.${++viewers >> 8}.${viewers & 255}`) {
  const headers = { "CF-Connecting-IP": ip, Accept: path === "/share/" ? "text/html" : "application/json" };
  return exports.default.fetch(`${BASE_URL}${path}${token}`, { headers });
}

const NOT_SHARED = { status: 404, code: "not_found", message: "This page is not shared, or no longer." };

/** The statistics once the cached ones are too old. */
async function view({ token }: { token: string }): Promise<SharedStats> {
  now += MINUTE_MS;
  freezeClockAt(now);
  const reply = await readResponse(await fetchShared(token));
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return SharedStats.parse(reply.body);
}

const shown = ({ groups }: SharedStats) =>
  groups.map(({ buckets }) => Object.fromEntries(buckets.map(({ key, clicks }) => [key, clicks])));

/** Visits, stored a second later. */
async function click(link: Link, counts: Record<string, number>): Promise<void> {
  const total = async () => {
    const { body } = await browser.api("GET", `/links/${link.id}/stats`);
    return (body as { total: number }).total;
  };
  const before = await total();
  let sent = 0;
  for (const [country, clicks] of Object.entries(counts)) {
    for (let i = 0; i < clicks; i++, sent++) await visit(link.short_url, { country });
  }
  now += 1_000;
  freezeClockAt(now);
  await eventually(async () => (await total()) === before + sent, "the clicks");
}

describe("a viewer", () => {
  test("sees the chosen dimensions and nothing else of the link, its account or its other statistics", async () => {
    const link = await browser.createLink({ url: "https://secret.example/x", title: "Secret", tags: ["private"] });
    const page = await share({ link_id: link.id });
    await click(link, { DE: 10, FR: 5, AT: 3 });
    const stats = await view(page);
    const day = `${new Date(now).toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect(Object.keys(stats).sort().join()).toBe(
      "from,groups,groups_until,interval,last,name,series,timezone,to,total",
    );
    expect(stats).toMatchObject({ name: "Report", timezone: "UTC", last: null, total: 18, interval: "day" });
    expect(stats.series.at(-1)?.start).toBe(day);
    expect(stats.groups).toEqual([
      {
        group_by: "country",
        buckets: [
          { key: "DE", clicks: 10 },
          { key: "other", clicks: 8 },
        ],
      },
    ]);
    const response = await fetchShared(page.token);
    expect(response.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Set-Cookie")).toBeNull();
    const text = await response.text();
    const { id: account, email } = await browser.account();
    for (const secret of ["ecret", "private", link.id, link.slug, account, email, page.id]) {
      expect(text).not.toContain(secret);
    }
    const parameters = [
      "group_by=device",
      "from=2026-01-01T00:00:00Z",
      "interval=minute",
      "country=AT",
      "timezone=UTC",
    ];
    for (const parameter of parameters) {
      const refused = await readResponse(await fetchShared(`${page.token}?${parameter}`));
      expect([parameter, refused.status]).toEqual([parameter, 422]);
    }
    for (const path of ["", "/links", `/links/${link.id}/stats`, "/shares", "/account"]) {
      const reply = await fetchShared("", `/dashboard/api${path}`);
      expect([401, 404]).toContain(reply.status);
      await reply.text();
    }
    const html = await fetchShared(page.token, "/share/");
    expect([html.status, html.headers.get("X-Robots-Tag"), html.headers.get("Referrer-Policy")]).toEqual([
      200,
      "noindex",
      "no-referrer",
    ]);
    expect(await html.text()).not.toMatch(/Report|ecret|DE/);
  });

  test("cannot compute a few clicks from two views, nor from two pages of the same link", async () => {
    const link = await browser.createLink();
    const [first, second] = [
      await share({ link_id: link.id }),
      await share({ link_id: link.id, group_by: ["device"] }),
    ];
    await click(link, { DE: 4 });
    expect(await view(first)).toMatchObject({ total: 4, groups_until: null, groups: [{ buckets: [] }] });
    await click(link, { DE: 5 });
    const before = await view(first);
    expect(shown(before)).toEqual([{ DE: 9 }]);
    // Each of these would reveal the country of one visitor, and with the other page also the device.
    for (let i = 0; i < 4; i++) {
      await click(link, { AT: 1 });
      const [one, other] = [await view(first), await view(second)];
      expect([one.total, one.groups, one.groups_until]).toEqual([10 + i, before.groups, before.groups_until]);
      expect([other.total, shown(other), other.groups_until]).toEqual([10 + i, [{ other: 9 }], before.groups_until]);
    }
    // A page that is shared later begins where the others are.
    const late = await share({ link_id: link.id });
    expect((await view(late)).groups_until).toBe(before.groups_until);
    await click(link, { AT: 1 });
    const [one, other] = [await view(late), await view(first)];
    expect(shown(one)).toEqual([{ DE: 9, AT: 5 }]);
    expect(one.groups_until).not.toBe(before.groups_until);
    expect([other.groups, other.groups_until]).toEqual([one.groups, one.groups_until]);
  });

  test("cannot compute a few clicks from a page that was revoked and the one that replaces it", async () => {
    const link = await browser.createLink();
    const revoke = async ({ id }: Share) => expect((await browser.api("DELETE", `/shares/${id}`)).status).toBe(204);
    let page = await share({ link_id: link.id });
    await click(link, { DE: 9, AT: 5 });
    expect(shown(await view(page))).toEqual([{ DE: 9, AT: 5 }]);
    for (const fresh of [{ AT: 1 }, { AT: 3 }]) {
      await revoke(page);
      await click(link, fresh);
      expect((await browser.api("GET", `/shares?link_id=${link.id}`)).body).toEqual({ data: [] });
      page = await share({ link_id: link.id });
      expect(shown(await view(page))).toEqual([{ DE: 9, AT: 5 }]);
    }
    await click(link, { AT: 1 });
    expect(shown(await view(page))).toEqual([{ DE: 9, AT: 10 }]);
    await revoke(page);
    const { id } = await browser.account();
    const rows = env.DB.prepare("SELECT id FROM shares WHERE account_id = ?1").bind(id);
    expect((await rows.all()).results).toEqual([{ id: page.id }]);
    // A page without counted groups leaves nothing.
    await revoke(await share({ tag: "spring", first: "2026-01-01" }));
    expect((await rows.all()).results).toEqual([{ id: page.id }]);
  });

  test("gets statistics that are at most a minute old, and too many views are refused", async () => {
    const link = await browser.createLink();
    const page = await share({ link_id: link.id });
    expect((await view(page)).total).toBe(0);
    await click(link, { DE: 1 });
    const cached = SharedStats.parse(await (await fetchShared(page.token)).json());
    expect(cached.total).toBe(0);
    expect((await view(page)).total).toBe(1);
    const ip = "203.0.113.77";
    for (let i = 0; i < 60; i++) {
      const reply = await fetchShared(i % 2 ? page.token : `shr_${"0".repeat(64)}`, "/dashboard/api/shared/", ip);
      expect(reply.status).toBe(i % 2 ? 200 : 404);
      await reply.text();
    }
    for (const path of ["/dashboard/api/shared/", "/share/"]) {
      const refused = await fetchShared(page.token, path, ip);
      expect([refused.status, Number(refused.headers.get("Retry-After")) > 0]).toEqual([429, true]);
      await refused.text();
    }
  });

  test("of a tag sees the clicks of its links on the chosen days, and fifty at once cost one count", async () => {
    const [tagged, other] = [await browser.createLink({ tags: ["Spring"] }), await browser.createLink()];
    await click(tagged, { DE: 6 });
    await click(other, { AT: 7 });
    const first = new Date(now - DAY_MS).toISOString().slice(0, 10);
    const page = await share({ tag: "SPRING", first });
    vi.useRealTimers();
    // The account's clicks are read for the first time.
    await eventually(async () => {
      now = Date.now() + ++viewers * MINUTE_MS;
      return shown(await view(page))[0]?.["DE"] === 6;
    }, "the clicks of the tag");
    const stats = await view(page);
    expect([stats.total, shown(stats), stats.from]).toEqual([6, [{ DE: 6 }], `${first}T00:00:00.000Z`]);
    const runs = vi.spyOn(ScanQueue.prototype, "run");
    const fresh = await share({ tag: "spring", first });
    const views = await Promise.all(
      Array.from({ length: 50 }, async () => readResponse(await fetchShared(fresh.token))),
    );
    expect(views.map(({ status }) => status)).toEqual(views.map(() => 200));
    expect(new Set(views.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(SharedStats.parse(views[0]?.body)).toMatchObject({ total: 6, groups: stats.groups });
    // Four questions: the range, the series, whether the groups grow, and the groups.
    expect(runs).toHaveBeenCalledTimes(4);
    runs.mockRestore();
    const past = await share({ tag: "spring", first: "2026-01-01", last: "2026-01-31" });
    expect(await view(past)).toMatchObject({ total: 0, to: "2026-02-01T00:00:00.000Z", interval: "day" });
  });
});

describe("a shared page ends", () => {
  const isShared = async ({ token }: { token: string }) => {
    const [api, html] = [await fetchShared(token), await fetchShared(token, "/share/")];
    await html.text();
    const reply = await readResponse(api);
    if (reply.status === 404) expect(errorOf(reply)).toEqual(NOT_SHARED);
    expect(html.status).toBe(reply.status);
    expect(html.headers.get("X-Robots-Tag")).toBe("noindex");
    return reply.status === 200;
  };

  test("with the next view when it is revoked, and when it expires", async () => {
    const link = await browser.createLink();
    const expires_at = new Date(now + 10 * MINUTE_MS).toISOString();
    const [revoked, expiring] = [await share({ link_id: link.id }), await share({ link_id: link.id, expires_at })];
    expect([await isShared(revoked), await isShared(expiring)]).toEqual([true, true]);
    expect((await browser.api("DELETE", `/shares/${revoked.id}`)).status).toBe(204);
    expect([await isShared(revoked), await isShared(expiring)]).toEqual([false, true]);
    expect(errorOf(await browser.api("DELETE", `/shares/${revoked.id}`))).toEqual(NOT_SHARED);
    freezeClockAt(Date.parse(expires_at));
    expect(await isShared(expiring)).toBe(false);
  });

  test("while its account is suspended, with its link, and when the account is closed", async () => {
    const [link, deleted] = [await browser.createLink(), await browser.createLink()];
    const [page, gone] = [await share({ link_id: link.id }), await share({ link_id: deleted.id })];
    // Its statistics are cached, but must not outlive the link.
    expect(await isShared(gone)).toBe(true);
    const { id } = await browser.account();
    await suspendAccount(env, id);
    expect(await isShared(page)).toBe(false);
    await resumeAccount(env, id);
    expect(await isShared(page)).toBe(true);
    await browser.api("DELETE", `/links/${deleted.id}`);
    expect(await isShared(gone)).toBe(false);
    await closeAccount(env, id);
    expect(await isShared(page)).toBe(false);
  });

  test("for guesses: no part of a token, id or other spelling finds it", async () => {
    const link = await browser.createLink();
    const { token, id } = await share({ link_id: link.id });
    const { results } = await env.DB.prepare("SELECT * FROM shares WHERE id = ?1").bind(id).all();
    const stored = JSON.stringify(results);
    expect([stored.includes(id), stored.includes(token.slice(4))]).toEqual([true, false]);
    const hash = String(results[0]?.["token_hash"]);
    const guesses = [id, hash, `shr_${hash}`, token.toUpperCase(), token.slice(0, -1), `${token}0`, `${token}%00`, "%"];
    for (const guess of guesses) {
      for (const path of ["/dashboard/api/shared/", "/share/"]) {
        const reply = await fetchShared(guess, path);
        expect([guess, reply.status]).toEqual([guess, 404]);
        await reply.text();
      }
    }
  });
});

describe("the owner", () => {
  test("lists pages of a link with their URLs, and other accounts and modes neither see nor revoke them", async () => {
    const [link, other] = [await browser.createLink(), await browser.createLink()];
    const { token: _, ...first } = await share({
      link_id: link.id,
      group_by: [],
      expires_at: "2099-01-01T00:00:00Z",
    });
    freezeClockAt(now + 1);
    const { token: __, ...second } = await share({ link_id: link.id, name: "  Again " });
    expect(first).toMatchObject({ ...CHOSEN, group_by: [], expires_at: "2099-01-01T00:00:00.000Z" });
    expect(second).toMatchObject({ ...CHOSEN, name: "Again" });
    const list = async (query: string, by = browser, mode: "live" | "test" = "live") =>
      (await by.api("GET", `/shares?${query}`, undefined, mode)).body;
    expect(await list(`link_id=${link.id}`)).toEqual({ data: [second, first] });
    expect([await list(`link_id=${other.id}`), await list("tag=spring")]).toEqual([{ data: [] }, { data: [] }]);
    expect(await list(`link_id=${link.id}&tag=spring`)).toMatchObject({ error: { code: "validation_failed" } });
    freezeClockAt(now + 2);
    const { token: ___, ...ofTag } = await share({ tag: "Spring", first: "2026-01-01" });
    expect(ofTag).toMatchObject({ tag: "spring" });
    expect(await list("")).toEqual({ data: [ofTag, second, first] });
    const stranger = await signedUp();
    for (const [by, mode] of [
      [stranger, "live"],
      [browser, "test"],
    ] as const) {
      expect(await list("", by, mode)).toEqual({ data: [] });
      expect(await list(`link_id=${link.id}`, by, mode)).toMatchObject({ error: { code: "link_not_found" } });
      expect(errorOf(await by.api("DELETE", `/shares/${first.id}`, undefined, mode))).toEqual(NOT_SHARED);
      const theirs = await by.api("POST", "/shares", { ...CHOSEN, link_id: link.id }, mode);
      expect(errorOf(theirs)).toMatchObject({ status: 404, code: "link_not_found" });
    }
    expect(await list(`link_id=${link.id}`)).toEqual({ data: [second, first] });
  });

  test.each<[string, object]>([
    ["link_id", { tag: "spring", first: "2026-01-01" }],
    ["link_id", { link_id: undefined }],
    ["first", { link_id: undefined, tag: "spring" }],
    ["first", { first: "2026-02-30" }],
    ["first", { first: "1999-12-31" }],
    ["last", { first: "2026-01-02", last: "2026-01-01" }],
    ["last", { last: "2099-01-01" }],
    ["timezone", { timezone: "Mars/Olympus" }],
    ["name", { name: " " }],
    ["name", { name: "n".repeat(101) }],
    ["group_by", { group_by: ["country", "country"] }],
    ["group_by.0", { group_by: ["qr"] }],
    ["group_by", { group_by: ["country", "city", "os", "browser", "device", "language", "referrer"] }],
    ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
    ["from", { from: "2026-01-01T00:00:00Z" }],
  ])("cannot share with an invalid %s", async (path, fields) => {
    const link = await browser.createLink();
    const refused = await browser.api("POST", "/shares", { ...CHOSEN, link_id: link.id, ...fields });
    expect(errorOf(refused)).toMatchObject({ status: 422, code: "validation_failed", errors: [{ path }] });
  });

  test("has room again after links are deleted, with which their pages end", async () => {
    const { id } = await browser.account();
    const rows = async () =>
      (await env.DB.prepare("SELECT id FROM shares WHERE account_id = ?1").bind(id).all()).results;
    for (const mode of ["live", "test"] as const) {
      const deleted = await browser.createLink({}, mode);
      const row = `INSERT INTO shares (account_id, mode, id, token_hash, subject, settings, created_at)
        SELECT ?1, ?2, 'shr_' || ?2 || value, ?1 || ?2 || value, ?3, ?4, 1 FROM json_each(?5)`;
      const numbers = JSON.stringify(Array.from({ length: 49 }, (_, i) => i));
      await env.DB.prepare(row).bind(id, mode, deleted.id, JSON.stringify(CHOSEN), numbers).run();
      await browser.api("DELETE", `/links/${deleted.id}`, undefined, mode);
      expect(await rows()).toEqual([]);
    }
    const link = await browser.createLink();
    const kept = await share({ link_id: link.id });
    await share({ tag: "spring", first: "2026-01-01" });
    await share({ link_id: link.id });
    expect(await rows()).toHaveLength(3);
    expect((await fetchShared(kept.token)).status).toBe(200);
  });

  test("shares at most 100 pages, however many requests arrive at once", async () => {
    const link = await browser.createLink();
    const settings = JSON.stringify({ ...CHOSEN, expires_at: undefined });
    const { id } = await browser.account();
    const row = `INSERT INTO shares (account_id, mode, id, token_hash, subject, settings, created_at)
      SELECT ?1, 'live', 'shr_' || value, ?1 || value, 'tag:x', ?2, 1 FROM json_each(?3)`;
    await env.DB.prepare(row)
      .bind(id, settings, JSON.stringify(Array.from({ length: 98 }, (_, i) => i)))
      .run();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => browser.api("POST", "/shares", { ...CHOSEN, link_id: link.id })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422]);
  });
});
