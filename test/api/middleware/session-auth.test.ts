/** The routes of /v1 with a session cookie instead of a key, and the cross-site requests that are refused. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import {
  type AccountNoteList,
  type CreatedKey,
  type KeyInfo,
  type LinkNote,
  type LinkNoteList,
  UtmTemplate,
  UtmTemplateList,
} from "../../../src/core/contract/dashboard.ts";
import { AccountClickPage } from "../../../src/core/contract/clicks.ts";
import type { Link, LinkPage } from "../../../src/core/contract/links.ts";
import type { Stats } from "../../../src/core/contract/stats.ts";
import { QrCode } from "../../../src/core/contract/qr-codes.ts";
import { dashboardRoutes } from "../../../src/api/urls.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import { createNote } from "../../../src/store/link-notes.ts";
import { BASE_URL, freeAccount, premiumAccount, send, visit } from "../../support/test-accounts.ts";
import { errorOf } from "../../support/api-response.ts";
import { ClickMix } from "../../bench/click-mix.ts";
import { recordClicks } from "../../support/recorded-clicks.ts";
import { fetchAt } from "../../support/changed-env.ts";
import { eventually } from "../../support/eventually.ts";
import {
  BrowserSession,
  SIGN_IN_LOAD_TIMEOUT_MS,
  preloadSignIn,
  newEmail,
  signedUp,
} from "../../support/browser-session.ts";
import {
  INVALID_ORIGIN,
  KEY_NOT_FOUND,
  LINK_NOT_FOUND,
  MISSING_SESSION,
  ROUTE_NOT_FOUND,
  LINK_NOT_API_CREATED,
  PLAN_UPGRADE_REQUIRED,
} from "../../support/expected-errors.ts";
import { openListener } from "../../support/stream-listener.ts";
import { RED_PNG } from "../../support/sample-images.ts";
import { changeHomeRows } from "../../support/link-databases.ts";
import { LINK_ROUTES, namedRoutes, routePath, ROUTES } from "../../support/routes.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const UNSAFE = ROUTES.filter(({ method }) => method !== "GET");

function inDashboard(path: string, id = "none"): string {
  return routePath({ path }, id).slice("/v1".length);
}

describe("decision 1: links created in the dashboard", () => {
  test("are links like any other, and visitors are redirected", async () => {
    const browser = await signedUp();
    const link = await browser.createLink({ url: "https://example.com/made", slug: crypto.randomUUID() });
    expect(link).toMatchObject({ url: "https://example.com/made", domain: "localhost:8787", routing: [] });
    expect((await visit(link.short_url)).headers.get("Location")).toBe("https://example.com/made");
    const page = await browser.api("GET", "/links");
    expect(page.body).toEqual({ data: [{ ...link, origin: "dashboard" }], has_more: false, next_cursor: null });
    expect((await browser.api("DELETE", `/links/${link.id}`)).status).toBe(204);
    expect((await browser.api("GET", "/links")).body).toMatchObject({ data: [] });
  });

  test("have QR codes in the dashboard only: a key can neither create nor find them", async () => {
    const browser = await signedUp();
    const link = await browser.createLink();
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    const byKey = { Authorization: `Bearer ${key}` };
    expect(errorOf(await send("POST", "/v1/qr", { link_id: link.id }, byKey))).toEqual(LINK_NOT_API_CREATED);

    const made = await browser.api("POST", "/qr", { link_id: link.id });
    expect(made.status).toBe(201);
    const code = QrCode.parse(made.body);
    expect(code).toMatchObject({ link_id: link.id, scans: 0 });
    await visit(link.short_url, { search: `?qr=${code.id.replace("qr_", "")}` });
    await visit(link.short_url);
    const scanned = { ...code, scans: 1 };
    await eventually(async () => {
      const { body } = await browser.api("GET", `/qr/${code.id}`);
      return QrCode.parse(body).scans === 1;
    }, "a scan");
    expect((await browser.api("GET", `/qr/${code.id}`)).body).toEqual(scanned);
    expect(errorOf(await send("GET", `/v1/qr/${code.id}`, undefined, byKey))).toMatchObject({
      status: 404,
      code: "qr_not_found",
    });
    expect(errorOf(await send("GET", `/v1/qr?link_id=${link.id}`, undefined, byKey))).toEqual(LINK_NOT_API_CREATED);
  });

  test("a link created with a key also appears in the dashboard, QR codes included", async () => {
    const browser = await signedUp();
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    const made = await send("POST", "/v1/links", { url: "https://example.com/" }, { Authorization: `Bearer ${key}` });
    const { id } = made.body as { id: string };
    expect((await browser.api("GET", `/links/${id}`)).body).toEqual(made.body);
    expect((await browser.api("POST", "/qr", { link_id: id })).status).toBe(201);
  });
});

describe("plans", () => {
  test("a new account is Free; the operator's change takes effect immediately, in both directions", async () => {
    const email = newEmail();
    const browser = await signedUp(email);
    const link = await browser.createLink();
    const write = () => browser.api("PATCH", `/links/${link.id}`, { routing: RULES });
    expect(errorOf(await write())).toEqual(PLAN_UPGRADE_REQUIRED);
    await changePlan(env, email, "premium");
    expect((await browser.account()).plan).toBe("premium");
    expect((await write()).status).toBe(200);
    await changePlan(env, email, "free");
    expect((await browser.account()).plan).toBe("free");
    expect(errorOf(await write())).toEqual(PLAN_UPGRADE_REQUIRED);
  });
});

describe("modes", () => {
  test("the header selects the mode; without it the mode is live", async () => {
    const browser = await signedUp();
    const live = await browser.createLink();
    const trial = await browser.createLink({}, "test");
    expect([live.domain, trial.domain]).toEqual(["localhost:8787", "test.localhost:8787"]);
    expect((await browser.api("GET", "/links")).body).toMatchObject({ data: [{ id: live.id }] });
    expect((await browser.api("GET", "/links", undefined, "live")).body).toMatchObject({ data: [{ id: live.id }] });
    expect((await browser.api("GET", "/links", undefined, "test")).body).toMatchObject({ data: [{ id: trial.id }] });
  });

  test.each(["", "Live", "live, test", "production"])("Hoplink-Mode: %j is refused", async (mode) => {
    const browser = await signedUp();
    const reply = await browser.call("GET", "/dashboard/api/links", undefined, { "Hoplink-Mode": mode });
    expect(errorOf(reply)).toEqual({
      status: 422,
      code: "validation_failed",
      message: "Hoplink-Mode must be live or test",
      param: "Hoplink-Mode",
      errors: [{ path: "Hoplink-Mode", code: "invalid_value", message: "Hoplink-Mode must be live or test" }],
    });
  });

  test.each(namedRoutes(LINK_ROUTES))(
    "%s does not find a link of the other mode",
    async (_, { method, path, body }) => {
      const browser = await signedUp();
      const { id } = await browser.createLink({}, "test");
      const sent = body && "link_id" in body ? { link_id: id } : body;
      expect(errorOf(await browser.api(method, inDashboard(path, id), sent))).toEqual(LINK_NOT_FOUND);
      expect((await browser.api("GET", `/links/${id}`, undefined, "test")).status).toBe(200);
    },
  );
});

describe("other accounts", () => {
  test.each(namedRoutes(LINK_ROUTES))("%s does not find another account's link", async (_, { method, path, body }) => {
    const ann = await premiumAccount();
    const { id } = await ann.createLink();
    const browser = await signedUp();
    const sent = body && "link_id" in body ? { link_id: id } : body;
    expect(errorOf(await browser.api(method, inDashboard(path, id), sent))).toEqual(LINK_NOT_FOUND);
    expect((await ann.call("GET", `/v1/links/${id}`)).status).toBe(200);
  });

  test("keys of another account are neither listed nor revoked", async () => {
    const [mine, theirs] = [await signedUp(), await signedUp()];
    const { id, key } = (await theirs.api("POST", "/keys", { name: "theirs", mode: "live" })).body as CreatedKey;
    expect((await mine.api("GET", "/keys")).body).toEqual({ data: [] });
    expect(errorOf(await mine.api("DELETE", `/keys/${id}`))).toEqual(KEY_NOT_FOUND);
    expect((await send("GET", "/v1/links", undefined, { Authorization: `Bearer ${key}` })).status).toBe(200);
  });
});

describe("statistics in the dashboard", () => {
  const stats = async (browser: BrowserSession, path: string) => {
    const { status, body } = await browser.api("GET", path);
    expect(status, JSON.stringify(body)).toBe(200);
    const { total, buckets } = body as Stats;
    return { total, buckets: Object.fromEntries(buckets.map(({ key, clicks }) => [key, clicks])) };
  };

  test(
    "leave out the values of excluded filters, of a link, of all links and in files, and name links",
    { timeout: 60_000 },
    async () => {
      const browser = await signedUp();
      const link = await browser.createLink({ tags: ["Spring"] });
      const gone = await browser.createLink();
      for (const country of ["DE", "DE", "AT", "US"]) await visit(link.short_url, { country });
      await visit(gone.short_url, { country: "DE" });
      await browser.api("DELETE", `/links/${gone.id}`);
      const ofLink = `/links/${link.id}/stats`;
      await eventually(async () => (await stats(browser, ofLink)).total === 4, "the clicks of the link are counted");
      const withoutTwo = { total: 1, buckets: { US: 1 } };
      expect(await stats(browser, `${ofLink}?country=DE,AT&exclude=country`)).toEqual(withoutTwo);
      expect(await stats(browser, `${ofLink}?country=US&device=mobile&exclude=device`)).toEqual(withoutTwo);
      const file = await browser.api("GET", `/downloads/live/links/${link.id}/clicks/csv?country=DE&exclude=country`);
      expect(String(file.body).trim().split("\n")).toHaveLength(3);

      await eventually(async () => (await stats(browser, "/stats")).total === 5, "all clicks are counted");
      expect(await stats(browser, `/stats?link_id=${gone.id}&exclude=link_id&group_by=link`)).toEqual({
        total: 4,
        buckets: { [link.id]: 4 },
      });
      expect(await stats(browser, "/stats?tag=spring&exclude=tag")).toEqual({ total: 1, buckets: { DE: 1 } });
      const { body } = await browser.api("GET", "/stats?group_by=link");
      expect((body as Stats).buckets).toEqual([
        { key: link.id, name: link.short_url, clicks: 4 },
        { key: gone.id, clicks: 1 },
      ]);
    },
  );

  test("refuse unknown names of excluded filters, and /v1 has no such parameter", async () => {
    const browser = await signedUp();
    const { id } = await browser.createLink();
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    for (const refused of [
      await browser.api("GET", `/links/${id}/stats?exclude=planet`),
      await browser.api("GET", `/links/${id}/stats?exclude=tag`),
      await browser.api("GET", `/stats?exclude=`),
      await send("GET", `/v1/stats?country=DE&exclude=country`, undefined, { Authorization: `Bearer ${key}` }),
      await send("GET", `/v1/links/${id}/stats?exclude=country`, undefined, { Authorization: `Bearer ${key}` }),
    ]) {
      expect(errorOf(refused)).toMatchObject({ status: 422, errors: [{ path: "exclude" }] });
    }
  });
});

describe("notes about a link", () => {
  const NOTE = { at: "2026-11-05T12:00:00+01:00", text: " Poster printed " };
  const LIMITED = 50;
  const notesOf = async (browser: BrowserSession, id: string) =>
    ((await browser.api("GET", `/links/${id}/notes`)).body as LinkNoteList).data;

  test("are created, listed by time, changed and deleted, by their own account and in their mode only", async () => {
    const [browser, stranger] = [await signedUp(), await signedUp()];
    const [link, other] = [await browser.createLink(), await browser.createLink()];
    const path = `/links/${link.id}/notes`;
    expect(await notesOf(browser, link.id)).toEqual([]);
    const later = await browser.api("POST", path, NOTE);
    expect([later.status, later.body]).toEqual([
      201,
      { id: expect.stringMatching(/^note_\w{26}$/) as string, at: "2026-11-05T11:00:00.000Z", text: "Poster printed" },
    ]);
    const earlier = (await browser.api("POST", path, { at: "2026-11-01T00:00:00Z", text: "🎈" })).body as LinkNote;
    expect(await notesOf(browser, link.id)).toEqual([earlier, later.body]);
    expect(await notesOf(browser, other.id)).toEqual([]);
    const ofOther = (await browser.api("POST", `/links/${other.id}/notes`, NOTE)).body as LinkNote;
    const all = (await browser.api("GET", "/account/notes")).body as AccountNoteList;
    expect(all.data.map(({ link_id, ...note }) => [link_id, note])).toEqual(
      expect.arrayContaining([
        [link.id, earlier],
        [link.id, later.body],
        [other.id, ofOther],
      ]),
    );
    expect(all.data.length).toBe(3);
    expect((await browser.api("GET", "/account/notes", undefined, "test")).body).toEqual({ data: [] });
    expect((await stranger.api("GET", "/account/notes")).body).toEqual({ data: [] });
    for (const [method, body] of [["GET"], ["POST", NOTE]] as const) {
      expect(errorOf(await stranger.api(method, path, body))).toEqual(LINK_NOT_FOUND);
      expect(errorOf(await browser.api(method, path, body, "test"))).toEqual(LINK_NOT_FOUND);
    }
    const notFound = { status: 404, code: "not_found", message: "This note does not exist." };
    for (const [method, body] of [["DELETE"], ["PUT", NOTE]] as const) {
      expect(errorOf(await stranger.api(method, `${path}/${earlier.id}`, body))).toEqual(LINK_NOT_FOUND);
      const elsewhere = `/links/${other.id}/notes/${earlier.id}`;
      expect(errorOf(await browser.api(method, elsewhere, body))).toEqual(notFound);
    }
    const changed = { id: earlier.id, at: "2026-11-02T00:00:00.000Z", text: "🪧" };
    const { id: _, ...sent } = changed;
    expect((await browser.api("PUT", `${path}/${earlier.id}`, sent)).status).toBe(204);
    expect(await notesOf(browser, link.id)).toEqual([changed, later.body]);
    expect((await browser.api("DELETE", `${path}/${earlier.id}`)).status).toBe(204);
    expect(errorOf(await browser.api("DELETE", `${path}/${earlier.id}`))).toEqual(notFound);
    expect(await notesOf(browser, link.id)).toEqual([later.body]);
  });

  test("about all links are the account's own in each mode, and outlive its links", async () => {
    const [browser, stranger] = [await signedUp(), await signedUp()];
    const link = await browser.createLink();
    const path = "/links/all/notes";
    const created = await browser.api("POST", path, NOTE);
    const note = created.body as LinkNote;
    expect([created.status, await notesOf(browser, "all"), await notesOf(browser, link.id)]).toEqual([201, [note], []]);
    expect(await notesOf(stranger, "all")).toEqual([]);
    expect((await browser.api("GET", path, undefined, "test")).body).toEqual({ data: [] });
    expect((await stranger.api("DELETE", `${path}/${note.id}`)).status).toBe(404);
    await browser.api("DELETE", `/links/${link.id}`);
    expect((await browser.api("PUT", `${path}/${note.id}`, { ...NOTE, text: "Fair" })).status).toBe(204);
    expect(await notesOf(browser, "all")).toEqual([{ ...note, text: "Fair" }]);
    expect((await browser.api("DELETE", `${path}/${note.id}`)).status).toBe(204);
  });

  test("are refused if they are invalid, and are no part of /v1", async () => {
    const browser = await signedUp();
    const { id } = await browser.createLink();
    for (const [path, note] of [
      ["at", { text: "Poster" }],
      ["at", { ...NOTE, at: "yesterday" }],
      ["text", { ...NOTE, text: "  " }],
      ["text", { ...NOTE, text: "t".repeat(201) }],
      ["text", { ...NOTE, text: "a\nb" }],
      ["id", { ...NOTE, id: "note_other" }],
    ] as const) {
      const refused = errorOf(await browser.api("POST", `/links/${id}/notes`, note));
      expect(refused).toMatchObject({ status: 422, code: "validation_failed", errors: [{ path }] });
    }
    expect(errorOf(await (await freeAccount()).call("GET", `/v1/links/${id}/notes`))).toEqual(ROUTE_NOT_FOUND);
  });

  test("are at most 50 of a link, and end with it", async () => {
    const browser = await signedUp();
    const [link, gone] = [await browser.createLink(), await browser.createLink()];
    const create = (id: string) => browser.api("POST", `/links/${id}/notes`, NOTE);
    const replies = await Promise.all(Array.from({ length: LIMITED + 3 }, () => create(gone.id)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(LIMITED);
    expect(errorOf(await create(gone.id))).toMatchObject({ status: 422, code: "quota_exceeded" });
    const { id: accountId } = (await browser.api("GET", "/account")).body as { id: string };
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 950)
       INSERT INTO link_notes SELECT ?1, 'live', ?2, 'note_' || i, 0, 'x' FROM n`,
    )
      .bind(accountId, gone.id)
      .run();
    expect(errorOf(await create(link.id))).toMatchObject({ status: 422, code: "quota_exceeded" });
    await browser.api("DELETE", `/links/${gone.id}`);
    const rows = env.DB.prepare("SELECT link_id FROM link_notes WHERE account_id = ?1").bind(accountId);
    expect((await rows.all()).results).toEqual([]);
    // A request that has found the link before it was deleted.
    const caller = { accountId, mode: "live", plan: "free", scopes: [], origin: "dashboard", rateKey: "" } as const;
    const late = createNote(env, caller, gone.id, { ...NOTE, text: "late" });
    await expect(late).rejects.toMatchObject({ code: "link_not_found" });
    expect((await create(link.id)).status).toBe(201);
    expect((await rows.all()).results).toEqual([{ link_id: link.id }]);
  });
});

describe("10 the design of a domain's pages", () => {
  const LOGO = `data:image/png;base64,${btoa(String.fromCharCode(...RED_PNG))}`;
  const HOSTILE = `<script>"a"&'b'</script><img src=//evil.example>`;
  const ESCAPED = "&#60;script&#62;&#34;a&#34;&#38;&#39;b&#39;&#60;/script&#62;&#60;img src=//evil.example&#62;";

  /** A verified domain of a new account. */
  async function withDomain() {
    const browser = await signedUp();
    const domain = `${crypto.randomUUID()}.example`;
    const { id } = (await browser.api("POST", "/domains", { domain })).body as { id: string };
    const account = (await browser.api("GET", "/account")).body as { id: string };
    const sql = "UPDATE domains SET status = 'active', verified_at = 1, check_started_at = ?2 WHERE id = ?1";
    await changeHomeRows(env, [account.id], sql, id, Date.now());
    const set = (design: object) => browser.api("PUT", `/domains/${id}/page`, design);
    return { browser, domain, id, set };
  }

  test("has the owner's name, logo and texts on every page, as text, and loads nothing", async () => {
    const { browser, domain, id, set } = await withDomain();
    const texts = { missing: "m", expired: "e", gone: "g", paused: "p", not_open: "n", password: "w", peek: "k" };
    const design = {
      name: HOSTILE,
      logo: LOGO,
      ...Object.fromEntries(Object.entries(texts).map(([page, text]) => [page, `${text} ${HOSTILE}`])),
    };
    const saved = await set(design);
    expect([saved.status, saved.body]).toEqual([200, design]);
    expect((await browser.api("GET", `/domains/${id}/page`)).body).toEqual(design);
    const link = (fields: object) => browser.createLink({ domain, ...fields });
    const [paused, early, locked, open] = [
      await link({ paused: true }),
      await link({ starts_at: "2099-01-01T00:00:00Z" }),
      await link({ password: "correct horse", url: "https://secret.example/", title: "Secret" }),
      await link({}),
    ];
    const [gone, expired] = [await link({}), await link({})];
    await browser.api("DELETE", `/links/${gone.id}`);
    await browser.api("PATCH", `/links/${expired.id}`, { expires_at: "2026-01-01T00:00:00Z" });
    const pages: [string, number, string, string][] = [
      [`http://${domain}/unknown`, 404, "m", "This link does not exist"],
      [gone.short_url, 410, "g", "This link is no longer available"],
      [expired.short_url, 410, "e", "This link is no longer available"],
      [paused.short_url, 404, "p", "This link is paused"],
      [early.short_url, 404, "n", "This link is not open yet"],
      [locked.short_url, 401, "w", "This link is protected by a password"],
      [`${open.short_url}+`, 200, "k", "Where this link goes"],
      [`${locked.short_url}+`, 200, "k", "Where this link goes"],
    ];
    for (const [url, status, text, title] of pages) {
      const reply = await visit(url.replace("https:", "http:"));
      const html = await reply.text();
      expect([reply.status, html.includes(`<h1>${title}</h1>`)], title).toEqual([status, true]);
      expect(html).toContain(`<header><img src="${LOGO}" alt="">${ESCAPED}</header>`);
      expect(html).toContain(`<p>${text} ${ESCAPED}`);
      expect(html).not.toMatch(/<script|evil\.example>|https?:\/\/(?!example\.com)|[Ss]ecret/);
      expect(reply.headers.get("Content-Security-Policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; img-src data:",
      );
      expect(reply.headers.get("X-Robots-Tag")).toBe("noindex");
    }
    // Visitors get the default within ten seconds (test/edge/domain-rules.test.ts).
    expect((await set({})).body).toEqual({});
    expect((await browser.api("GET", `/domains/${id}/page`)).body).toEqual({});
  });

  test.each<[string, object]>([
    ["name", { name: "n".repeat(61) }],
    ["name", { name: " " }],
    ["gone", { gone: "t".repeat(301) }],
    ["paused", { paused: "\ud83d" }],
    ["logo", { logo: "https://evil.example/logo.png" }],
    ["logo", { logo: `data:image/svg+xml;base64,${btoa("<svg/>")}` }],
    ["logo", { logo: LOGO.replace("png", "webp") }],
    ["logo", { logo: `data:image/png;base64,${btoa("no image")}` }],
    ["logo", { logo: `${LOGO}" onload="x` }],
    ["logo", { logo: `data:image/png;base64,${btoa(String.fromCharCode(...RED_PNG) + "x".repeat(16 * 1024))}` }],
    ["title", { title: "Unknown member" }],
  ])("refuses an invalid %s, and another account's domain", async (path, design) => {
    const [{ browser, id, set }, other] = [await withDomain(), await signedUp()];
    expect(errorOf(await set(design))).toMatchObject({ status: 422, errors: [{ path }] });
    expect((await browser.api("GET", `/domains/${id}/page`)).body).toEqual({});
    for (const method of ["GET", "PUT"]) {
      const reply = await other.api(method, `/domains/${id}/page`, method === "PUT" ? {} : undefined);
      expect(errorOf(reply)).toMatchObject({ status: 404, code: "domain_not_found" });
    }
  });
});

describe("UTM templates", () => {
  const NEWS = { name: "Newsletter", utm_source: "news", utm_medium: "email" };
  const NOT_FOUND = { status: 404, code: "not_found", message: "This UTM template does not exist." };
  const create = async (browser: BrowserSession, template: object = NEWS) =>
    UtmTemplate.parse((await browser.api("POST", "/utm-templates", template)).body);
  const list = async (browser: BrowserSession) =>
    UtmTemplateList.parse((await browser.api("GET", "/utm-templates")).body).data;

  test("are created, changed as a whole, listed by name in both modes, and deleted", async () => {
    const browser = await signedUp();
    expect(await list(browser)).toEqual([]);
    const made = await create(browser, { ...NEWS, name: " Newsletter ", utm_medium: "email " });
    expect(made).toEqual({ id: expect.stringMatching(/^utm_\w{26}$/) as string, ...NEWS });
    const ads = await create(browser, { name: "ads", utm_source: "search", utm_content: "🎈 & more" });
    expect(await list(browser)).toEqual([ads, made]);
    expect((await browser.api("GET", "/utm-templates", undefined, "test")).body).toEqual({ data: [ads, made] });

    const changes = { name: "Monthly", utm_campaign: "june" };
    const changed = await browser.api("PUT", `/utm-templates/${made.id}`, changes);
    expect([changed.status, changed.body]).toEqual([200, { id: made.id, ...changes }]);
    expect((await browser.api("DELETE", `/utm-templates/${ads.id}`)).status).toBe(204);
    expect(await list(browser)).toEqual([{ id: made.id, ...changes }]);
    for (const method of ["PUT", "DELETE"]) {
      const body = method === "PUT" ? changes : undefined;
      expect(errorOf(await browser.api(method, `/utm-templates/${ads.id}`, body))).toEqual(NOT_FOUND);
    }
  });

  test.each<[string, object]>([
    ["name", { ...NEWS, name: "  " }],
    ["name", { ...NEWS, name: "n".repeat(101) }],
    ["name", { utm_source: "news" }],
    ["utm_source", { name: "Nothing" }],
    ["utm_source", { ...NEWS, utm_source: "" }],
    ["utm_term", { ...NEWS, utm_term: "t".repeat(201) }],
    ["utm_term", { ...NEWS, utm_term: "a\nb" }],
    ["utm_term", { ...NEWS, utm_term: "\ud83d" }],
    ["utm_term", { ...NEWS, utm_term: null }],
    // 200 characters each, but 4,800 bytes.
    ["utm_source", { name: "Bytes", utm_source: "🎈".repeat(200), utm_medium: "🎈".repeat(200) }],
    ["id", { ...NEWS, id: "utm_other" }],
  ])("with an invalid %s are refused", async (path, template) => {
    const browser = await signedUp();
    const { id } = await create(browser);
    for (const refused of [
      await browser.api("POST", "/utm-templates", template),
      await browser.api("PUT", `/utm-templates/${id}`, template),
    ]) {
      expect(errorOf(refused)).toMatchObject({ status: 422, code: "validation_failed", errors: [{ path }] });
    }
    expect(await list(browser)).toEqual([{ id, ...NEWS }]);
  });

  test("of another account do not exist", async () => {
    const [mine, theirs] = [await signedUp(), await signedUp()];
    const { id } = await create(theirs);
    expect(await list(mine)).toEqual([]);
    expect(errorOf(await mine.api("PUT", `/utm-templates/${id}`, { name: "Mine", utm_source: "x" }))).toEqual(
      NOT_FOUND,
    );
    expect(errorOf(await mine.api("DELETE", `/utm-templates/${id}`))).toEqual(NOT_FOUND);
    expect(await list(theirs)).toEqual([{ id, ...NEWS }]);
  });

  test("are at most 50, however many requests arrive at once, and are no part of /v1", async () => {
    const browser = await signedUp();
    const replies = await Promise.all(Array.from({ length: 55 }, () => browser.api("POST", "/utm-templates", NEWS)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = replies.filter(({ status }) => status !== 201).map((reply) => errorOf(reply).code);
    expect(refused).toEqual(Array.from({ length: 5 }, () => "quota_exceeded"));
    expect(await list(browser)).toHaveLength(50);
    expect(errorOf(await (await freeAccount()).call("GET", "/v1/utm-templates"))).toEqual(ROUTE_NOT_FOUND);
  });
});

describe("saved views", () => {
  const SPRING = { name: "Spring", query: "tag=spring&sort=-clicks" };
  const NOT_FOUND = { status: 404, code: "not_found", message: "This saved view does not exist." };
  const list = async (browser: BrowserSession) => (await browser.api("GET", "/saved-views")).body;

  test("are saved, replaced by name, listed by name in both modes, and deleted", async () => {
    const [mine, theirs] = [await signedUp(), await signedUp()];
    expect(await list(mine)).toEqual({ data: [] });
    const saved = await mine.api("PUT", "/saved-views", { ...SPRING, name: " Spring " });
    expect([saved.status, saved.body]).toEqual([200, SPRING]);
    const other = { name: "a/ä & b", query: "" };
    await mine.api("PUT", "/saved-views", other);
    const changed = { ...SPRING, query: "status=archived" };
    await mine.api("PUT", "/saved-views", changed);
    expect(await list(mine)).toEqual({ data: [other, changed] });
    expect((await mine.api("GET", "/saved-views", undefined, "test")).body).toEqual({ data: [other, changed] });
    const path = `/saved-views?${new URLSearchParams({ name: other.name })}`;
    expect(errorOf(await theirs.api("DELETE", path))).toEqual(NOT_FOUND);
    expect((await mine.api("DELETE", path)).status).toBe(204);
    expect(errorOf(await mine.api("DELETE", path))).toEqual(NOT_FOUND);
    expect([await list(mine), await list(theirs)]).toEqual([{ data: [changed] }, { data: [] }]);
  });

  test.each<[string, object]>([
    ["name", { ...SPRING, name: " " }],
    ["name", { ...SPRING, name: "n".repeat(61) }],
    ["query", { name: "No query" }],
    ["query", { name: "Long", query: "q".repeat(4_097) }],
    ["query", { name: "Raw", query: "tag=ä" }],
    ["id", { ...SPRING, id: "1" }],
  ])("with an invalid %s are refused", async (path, view) => {
    const browser = await signedUp();
    const refused = errorOf(await browser.api("PUT", "/saved-views", view));
    expect(refused).toMatchObject({ status: 422, code: "validation_failed", errors: [{ path }] });
    expect(await list(browser)).toEqual({ data: [] });
  });

  test("are at most 50, however many requests arrive at once; existing ones can still be replaced", async () => {
    const browser = await signedUp();
    const save = (i: number) => browser.api("PUT", "/saved-views", { ...SPRING, name: `View ${i}` });
    const replies = await Promise.all(Array.from({ length: 55 }, (_, i) => save(i)));
    const refused = replies.filter(({ status }) => status !== 200).map((reply) => errorOf(reply).code);
    expect(refused).toEqual(Array.from({ length: 5 }, () => "quota_exceeded"));
    const { data } = (await list(browser)) as { data: { name: string }[] };
    expect(data).toHaveLength(50);
    expect((await browser.api("PUT", "/saved-views", { ...SPRING, name: data[0]?.name })).status).toBe(200);
  });
});

describe("the dashboard's list of links", () => {
  test("filters by rules and origin as well, and lists of the API do not", async () => {
    const browser = await signedUp();
    await changePlan(env, (await browser.account()).email, "premium");
    const mark = crypto.randomUUID().slice(0, 8);
    const plain = await browser.createLink({ slug: `one-${mark}` });
    const ruled = await browser.createLink({ routing: RULES, slug: `other-${mark}` });
    const handedOver = await browser.createLink({ url: "https://shop.example/" });
    await browser.api("POST", "/links/hand-over", { links: [{ id: handedOver.id }] });
    const found = async (query: Record<string, string>) => {
      const reply = await browser.api("GET", `/links?${new URLSearchParams({ ...query, sort: "created_at" })}`);
      return (reply.body as LinkPage).data.map(({ id }) => id);
    };
    expect(await found({ rules: "true" })).toEqual([ruled.id]);
    expect(await found({ rules: "false", search: mark })).toEqual([plain.id]);
    expect(await found({ origin: "api" })).toEqual([handedOver.id]);
    expect(await found({ origin: "dashboard", search: "example.com/de" })).toEqual([]);
    expect(await found({ origin: "dashboard", rules: "true", search: `other-${mark}` })).toEqual([ruled.id]);
    expect((await browser.api("GET", "/links?sort=-clicks&origin=api&search=shop")).body).toMatchObject({
      data: [{ id: handedOver.id, origin: "api" }],
    });
    expect((await browser.api("GET", "/links?rules=true")).body).toMatchObject({ data: [{ origin: "dashboard" }] });
    expect((await browser.api("GET", "/links?rules=some")).status).toBe(422);
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    const byKey = (query: string) => send("GET", `/v1/links?${query}`, undefined, { Authorization: `Bearer ${key}` });
    const [listed] = ((await byKey("limit=1")).body as LinkPage).data;
    expect([typeof listed?.id, listed && "origin" in listed]).toEqual(["string", false]);
    expect((await byKey("origin=api")).status).toBe(422);
  });
});

describe("downloads of a link's clicks", () => {
  const path = (mode: string, id: string, format: string) => `/downloads/${mode}/links/${id}/clicks/${format}`;

  test("have the mode in their path, and columns that Excel reads as UTF-8", async () => {
    const browser = await signedUp();
    for (const mode of ["live", "test"] as const) {
      const link = await browser.createLink({}, mode);
      const csv = await browser.api("GET", path(mode, link.id, "csv"));
      expect([csv.status, csv.headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
      expect(csv.headers.get("Content-Disposition")).toBe(`attachment; filename="${link.slug}-clicks.csv"`);
      expect(String(csv.body)).toMatch(/^\uFEFF?seq,occurred_at,/);
      expect((await browser.api("GET", path(mode, link.id, "ndjson"))).status).toBe(200);
      const other = mode === "live" ? "test" : "live";
      expect(errorOf(await browser.api("GET", path(other, link.id, "csv")))).toEqual(LINK_NOT_FOUND);
      const refused = [path("all", link.id, "csv"), path(mode, link.id, "xml"), `${path(mode, link.id, "csv")}?x=1`];
      const statuses = [];
      for (const each of refused) statuses.push((await browser.api("GET", each)).status);
      expect(statuses).toEqual([422, 404, 422]);
    }
  });

  test("are not available to other accounts or without a session", async () => {
    const link = await (await signedUp()).createLink({}, "live");
    expect(errorOf(await (await signedUp()).api("GET", path("live", link.id, "csv")))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await new BrowserSession().api("GET", path("live", link.id, "csv")))).toEqual(MISSING_SESSION);
  });
});

test("14 the live feed begins with the latest clicks on all links, whatever created them", async () => {
  const browser = await signedUp();
  const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
  const body = { url: "https://example.com/" };
  const made = await send("POST", "/v1/links", body, { Authorization: `Bearer ${key}` });
  const links = [await browser.createLink(), made.body as Link];
  for (const [i, link] of links.entries()) {
    const batch = new ClickMix().batch(Date.parse("2026-03-01T00:00:00Z"), 70);
    await recordClicks(
      link,
      batch.map((click, n) => ({ ...click, at: Date.parse("2026-03-01T00:00:00Z") + 2 * n + i })),
    );
  }
  const all = AccountClickPage.parse((await browser.api("GET", "/clicks?limit=140")).body);
  const latest = AccountClickPage.parse((await browser.api("GET", "/clicks/latest")).body);
  expect(all.data).toHaveLength(140);
  expect(latest.data).toEqual(all.data.slice(-100));
  expect((await browser.api("GET", "/clicks/latest", undefined, "test")).body).toMatchObject({ data: [] });
  expect((await browser.api("GET", "/clicks/latest?limit=1")).status).toBe(422);
  expect(errorOf(await (await freeAccount()).call("GET", "/v1/clicks/latest"))).toEqual(ROUTE_NOT_FOUND);
});

describe("1 links of the dashboard, handed over to the API", () => {
  const handOver = async (browser: BrowserSession, ids: string[], mode?: "test") =>
    (await browser.api("POST", "/links/hand-over", { links: ids.map((id) => ({ id })) }, mode)).body;
  const notFound = { error: expect.objectContaining({ code: "link_not_found" }) };

  test("have QR codes and streams under /v1, again with the same result, and keep their content and history", async () => {
    const browser = await signedUp();
    const [one, two] = [await browser.createLink({ title: "One" }), await browser.createLink()];
    const hidden = (await browser.api("POST", "/qr", { link_id: one.id })).body as QrCode;
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    const byKey = { Authorization: `Bearer ${key}` };
    const make = () => send("POST", "/v1/qr", { link_id: one.id }, byKey);
    expect(errorOf(await make())).toMatchObject({ code: "link_not_api_created" });
    expect((await browser.api("GET", `/links/${one.id}/origin`)).body).toEqual({ origin: "dashboard" });

    const results = [one, two].map(({ id }) => ({ id, origin: "api" }));
    expect(await handOver(browser, [one.id, two.id])).toEqual({ results });
    expect((await browser.api("GET", `/links/${one.id}/origin`)).body).toEqual({ origin: "api" });
    const after = (await send("GET", `/v1/links/${one.id}`, undefined, byKey)).body as Link;
    expect(after).toEqual({ ...one, updated_at: after.updated_at });
    expect(await handOver(browser, [two.id, one.id, one.id])).toEqual({
      results: [results[1], results[0], results[0]],
    });
    expect((await send("GET", `/v1/links/${one.id}`, undefined, byKey)).body).toEqual(after);
    const history = (await browser.api("GET", `/links/${one.id}/revisions`)).body as { data: unknown[] };
    expect(history.data).toHaveLength(1);

    expect((await make()).status).toBe(201);
    expect((await send("GET", `/v1/qr/${hidden.id}`, undefined, byKey)).body).toEqual(hidden);
    const stream = await openListener({ key }, {});
    await stream.waitUntil(({ events }) => events.length > 0, "the stream is open");
    await visit(two.short_url);
    expect((await stream.waitForClicks(1)).map(({ link_id }) => link_id)).toEqual([two.id]);
    await stream.close();
  });

  test("only by their own account, in their mode, and not through /v1; deleted links are refused", async () => {
    const [browser, stranger] = [await signedUp(), await signedUp()];
    const [link, gone] = [await browser.createLink(), await browser.createLink()];
    await browser.api("DELETE", `/links/${gone.id}`);
    expect(await handOver(stranger, [link.id])).toEqual({ results: [notFound] });
    expect(await handOver(browser, [link.id], "test")).toEqual({ results: [notFound] });
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    const body = { links: [{ id: link.id }] };
    const byKey = { Authorization: `Bearer ${key}` };
    expect((await send("POST", "/v1/links/hand-over", body, byKey)).status).toBe(405);
    expect((await send("GET", `/v1/links/${link.id}/origin`, undefined, byKey)).status).toBe(404);
    expect((await browser.api("GET", `/links/${link.id}/origin`)).body).toEqual({ origin: "dashboard" });
    expect(await handOver(browser, ["lnk_none", gone.id, link.id])).toEqual({
      results: [notFound, notFound, { id: link.id, origin: "api" }],
    });
    for (const wrong of [{}, { links: [] }, { links: [{ id: 5 }] }, { links: [{ id: link.id, origin: "api" }] }]) {
      expect(errorOf(await browser.api("POST", "/links/hand-over", wrong))).toMatchObject({
        code: "validation_failed",
      });
    }
  });
});

describe("without a session", () => {
  test("the dashboard serves every route of /v1", () => {
    const served = new Set(dashboardRoutes.routes.map(({ method, path }) => `${method} ${path}`));
    for (const { method, path } of ROUTES) expect(served).toContain(`${method} ${path}`);
  });

  test.each([
    ...namedRoutes(ROUTES),
    ...namedRoutes([
      { method: "GET", path: "/keys", scope: "links:read" },
      { method: "GET", path: "/utm-templates", scope: "links:read" },
      { method: "GET", path: "/links/:id/notes", scope: "links:read" },
      { method: "GET", path: "/account/notes", scope: "links:read" },
      { method: "GET", path: "/clicks/latest", scope: "stats:read" },
    ]),
  ])("%s requires sign-in, even with a key", async (_, { method, path, body }) => {
    const reply = await new BrowserSession().api(method, inDashboard(path), body);
    expect(errorOf(reply)).toEqual(MISSING_SESSION);
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    const { key } = await freeAccount();
    const headers = { Authorization: `Bearer ${key}` };
    const withKey = await new BrowserSession().call(method, `/dashboard/api${inDashboard(path)}`, body, headers);
    expect(errorOf(withKey)).toEqual(MISSING_SESSION);
  });

  test("an unknown route does not reveal which routes exist", async () => {
    expect(errorOf(await new BrowserSession().api("GET", "/none"))).toEqual(MISSING_SESSION);
    expect(errorOf(await (await signedUp()).api("GET", "/none"))).toEqual(ROUTE_NOT_FOUND);
  });

  test("the cookie has no effect at /v1", async () => {
    const browser = await signedUp();
    expect((await browser.call("GET", "/v1/links")).status).toBe(401);
  });

  test.each([
    ["cut", (value: string) => value.slice(0, -8)],
    ["forged with another signature", (value: string) => `${value.slice(0, value.indexOf("."))}.${"A".repeat(43)}%3D`],
    ["without its signature", (value: string) => value.slice(0, value.indexOf("."))],
    ["empty", () => ""],
  ])("a cookie that is %s is invalid", async (_, forged) => {
    const browser = await signedUp();
    for (const [name, value] of browser.cookies) browser.cookies.set(name, forged(value));
    expect(errorOf(await browser.api("GET", "/links"))).toEqual(MISSING_SESSION);
  });
});

describe("requests that another site triggers in a browser", () => {
  const FOREIGN: [string, Record<string, string | null>][] = [
    ["of another origin", { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }],
    ["of another port", { Origin: "http://localhost:8788", "Sec-Fetch-Site": "same-site" }],
    ["of a subdomain", { Origin: "http://test.localhost:8787", "Sec-Fetch-Site": "same-site" }],
    ["of an opaque origin", { Origin: "null", "Sec-Fetch-Site": "cross-site" }],
    ["with contradicting headers", { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" }],
    ["without both headers", { Origin: null, "Sec-Fetch-Site": null }],
    ["typed into the address bar", { Origin: null, "Sec-Fetch-Site": "none" }],
  ];

  test.each(namedRoutes(UNSAFE))("%s is refused with any of these headers, and changes nothing", async (_, route) => {
    const browser = await signedUp();
    const link = await browser.createLink();
    for (const [, headers] of FOREIGN) {
      const path = `/dashboard/api${inDashboard(route.path, link.id)}`;
      expect(errorOf(await browser.call(route.method, path, route.body, headers))).toEqual(INVALID_ORIGIN);
    }
    expect((await browser.api("GET", "/links")).body).toMatchObject({ data: [link] });
  });

  test.each(FOREIGN)("a request %s cannot sign in, out or up, add a key or delete the account", async (_, headers) => {
    const email = newEmail();
    const browser = await signedUp(email);
    for (const [method, path, body] of [
      ["POST", "/auth/sign-in/email", { email, password: "x".repeat(10) }],
      ["POST", "/auth/sign-up/email", { email: newEmail(), password: "x".repeat(10), name: "" }],
      ["POST", "/auth/sign-out", {}],
      ["POST", "/keys", { name: "k", mode: "live" }],
      ["DELETE", "/account", {}],
    ] as const) {
      const reply = await browser.call(method, `/dashboard/api${path}`, body, headers);
      expect(errorOf(reply)).toEqual(INVALID_ORIGIN);
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
    expect(await browser.account()).toMatchObject({ email });
    expect((await browser.api("GET", "/keys")).body).toEqual({ data: [] });
  });

  test.each([
    ["its origin only", { Origin: BASE_URL, "Sec-Fetch-Site": null }],
    ["Sec-Fetch-Site only", { Origin: null, "Sec-Fetch-Site": "same-origin" }],
  ])("the dashboard's own page is accepted by %s", async (_, headers) => {
    const browser = await signedUp();
    const reply = await browser.call("POST", "/dashboard/api/links", { url: "https://example.com/" }, headers);
    expect(reply.status).toBe(201);
  });

  test("no other page can read a response", async () => {
    const browser = await signedUp();
    const reply = await browser.call("GET", "/dashboard/api/links", undefined, { Origin: "https://evil.example" });
    expect(reply.headers.get("Access-Control-Allow-Origin")).toBeNull();
    const preflight = await browser.call("OPTIONS", "/dashboard/api/links", undefined, {
      Origin: "https://evil.example",
      "Access-Control-Request-Method": "POST",
    });
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });
});

describe("5.2 API keys", () => {
  test("are shown once, listed without their secret, used, and revoked from the next request on", async () => {
    const browser = await signedUp();
    const reply = await browser.api("POST", "/keys", { name: " shop ", mode: "test", scopes: ["links:read"] });
    expect(reply.status).toBe(201);
    const { key, ...info } = reply.body as CreatedKey;
    expect(key).toMatch(/^svc_test_\w{46}$/);
    expect(info).toEqual({
      id: key.slice("svc_test_".length, "svc_test_".length + 8),
      name: "shop",
      mode: "test",
      scopes: ["links:read"],
      last_four: key.slice(-10, -6),
      created_at: expect.stringMatching(/^\d{4}-/),
      last_used_at: null,
      exposed_at: null,
    });
    expect((await browser.api("GET", "/keys")).body).toEqual({ data: [info] });
    const use = () => send("GET", "/v1/links", undefined, { Authorization: `Bearer ${key}` });
    expect((await use()).status).toBe(200);
    await expect
      .poll(async () => ((await browser.api("GET", "/keys")).body as { data: KeyInfo[] }).data[0]?.last_used_at)
      .toBe(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`);
    const since = Date.now();
    const plain = "http://api.hop.example";
    const headers = { Authorization: `Bearer ${key}` };
    await fetchAt(`${plain}/v1/links`, { BASE_URL: plain.replace("http:", "https:") }, { headers });
    const [listed] = ((await browser.api("GET", "/keys")).body as { data: KeyInfo[] }).data;
    expect(Date.parse(listed?.exposed_at ?? "")).toBeGreaterThanOrEqual(since);
    expect((await browser.api("DELETE", `/keys/${info.id}`)).status).toBe(204);
    expect((await use()).status).toBe(401);
    expect((await browser.api("GET", "/keys")).body).toEqual({ data: [] });
    expect(errorOf(await browser.api("DELETE", `/keys/${info.id}`))).toEqual(KEY_NOT_FOUND);
  });

  test("have every scope when none is named; both modes are listed, newest first", async () => {
    const browser = await signedUp();
    for (const mode of ["live", "test"] as const) {
      expect((await browser.api("POST", "/keys", { name: mode, mode })).status).toBe(201);
      const madeAt = Date.now();
      await eventually(() => Date.now() > madeAt, "the next key is newer");
    }
    const { data } = (await browser.api("GET", "/keys")).body as { data: KeyInfo[] };
    expect(data.map(({ name, scopes }) => [name, scopes.length])).toEqual([
      ["test", 8],
      ["live", 8],
    ]);
  });

  test.each([
    ["without a name", { mode: "live" }, "name"],
    ["with a name of spaces", { name: "  ", mode: "live" }, "name"],
    ["with a name of 101 characters", { name: "n".repeat(101), mode: "live" }, "name"],
    ["without a mode", { name: "k" }, "mode"],
    ["of an unknown mode", { name: "k", mode: "prod" }, "mode"],
    ["without scopes", { name: "k", mode: "live", scopes: [] }, "scopes"],
    ["with an unknown scope", { name: "k", mode: "live", scopes: ["all"] }, "scopes.0"],
    ["with a repeated scope", { name: "k", mode: "live", scopes: ["qr:read", "qr:read"] }, "scopes"],
    ["with another field", { name: "k", mode: "live", account_id: "acc_1" }, "account_id"],
  ])("%s are refused", async (_, body, param) => {
    const browser = await signedUp();
    expect(errorOf(await browser.api("POST", "/keys", body))).toMatchObject({ code: "validation_failed", param });
    expect((await browser.api("GET", "/keys")).body).toEqual({ data: [] });
  });
});

describe("slug availability", () => {
  test("covers the mode's default domain, including slugs of other accounts and of deleted links", async () => {
    const [mine, theirs] = [await signedUp(), await signedUp()];
    const slug = `S-${crypto.randomUUID()}/Größe`;
    const path = `/slugs/${encodeURIComponent(slug)}`;
    const check = async (mode?: "live" | "test") => (await mine.api("GET", path, undefined, mode)).body;
    expect(await check()).toEqual({ slug, available: true, reason: null });
    const link = await theirs.createLink({ slug: slug.toLowerCase() });
    expect(await check()).toEqual({ slug, available: false, reason: "is taken" });
    expect(await check("test")).toEqual({ slug, available: true, reason: null });
    await theirs.api("DELETE", `/links/${link.id}`);
    expect(await check()).toMatchObject({ available: false });
    // The account of its first segment can use others.
    const sibling = `/slugs/${encodeURIComponent(`${slug.split("/")[0]}/x`)}`;
    expect((await mine.api("GET", sibling)).body).toMatchObject({ available: false, reason: "is taken" });
    expect((await theirs.api("GET", sibling)).body).toMatchObject({ available: true });
  });

  test.each([
    ["assets", "is reserved"],
    [
      "no%20spaces",
      "must contain only letters, digits, emoji and - _ . ~, in segments that begin and end with a letter, digit or emoji",
    ],
    ["a".repeat(129), "must have 1 to 128 characters"],
    ["p%D0%B0ypal", "must not mix scripts in a segment"],
  ])("%s: %s", async (slug, reason) => {
    const reply = await (await signedUp()).api("GET", `/slugs/${slug}`);
    expect(reply.body).toEqual({ slug: decodeURIComponent(slug), available: false, reason });
  });
});
