/** Links with a password, from outside: the form, the cookie, and what no one sees before the password. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { PASSWORD_ROUNDS, PASSWORD_SALT_BYTES, passwordRecord } from "../../src/core/links/link-password.ts";
import { type LinkRow, snapshotOf } from "../../src/store/links/link-rows.ts";
import { fetchAt } from "../support/changed-env.ts";
import { changeLinks, queryLinks } from "../support/link-databases.ts";
import { GOOGLEBOT } from "../support/sample-user-agents.ts";
import { premiumAccount, visit, type VisitOptions } from "../support/test-accounts.ts";

const PASSWORD = "Grüße 🌷";
const SECRET_URL = "https://secret.example/destination";

const ann = await premiumAccount();

function protectedLink(fields: Record<string, unknown> = {}): Promise<Link> {
  return ann.createLink({ url: SECRET_URL, password: PASSWORD, ...fields });
}

function formOf(password: string, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body: new URLSearchParams({ password }), headers };
}

/** Requests from a network of its own, since wrong passwords are counted by network. */
function sendForm(url: string, password: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetchAt(url, {}, formOf(password, headers));
}

/** The cookie of a response, as a browser would return it. */
function cookieOf(response: Response): string {
  return response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
}

async function unlock(link: Link, password = PASSWORD): Promise<string> {
  const response = await sendForm(link.short_url, password);
  expect(response.status).toBe(303);
  return cookieOf(response);
}

/** All that a visitor receives. */
async function textOf(response: Response): Promise<string> {
  return `${JSON.stringify([...response.headers])}${await response.text()}`;
}

describe("17 the form", () => {
  test("GET gets 401 with a form, and neither a challenge of browsers nor the destination", async () => {
    const link = await protectedLink({ title: "Secret title", routing: [{ if: { country: "DE" }, to: SECRET_URL }] });
    for (const headers of [{}, { "User-Agent": GOOGLEBOT }, { "User-Agent": "Slackbot-LinkExpanding 1.0" }]) {
      const reply = await visit(link.short_url, { headers: headers as Record<string, string> });
      expect(reply.status).toBe(401);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        "www-authenticate": 'Form realm="link"',
        "cache-control": "no-store, no-transform",
        "x-robots-tag": "noindex",
        "referrer-policy": "no-referrer",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "content-type": "text/html; charset=utf-8",
      });
      const text = await textOf(reply);
      expect(text).toContain('<form method="post">');
      expect(text).not.toMatch(/secret|location|set-cookie/i);
    }
  });

  test("HEAD gets 401 without a body, and programs get JSON", async () => {
    const link = await protectedLink();
    const head = await visit(link.short_url, { method: "HEAD" });
    expect([head.status, head.headers.get("WWW-Authenticate"), await head.text()]).toEqual([
      401,
      'Form realm="link"',
      "",
    ]);
    const json = await visit(link.short_url, { headers: { Accept: "application/json" } });
    expect([json.status, await json.json()]).toEqual([
      401,
      { error: { code: "password_required", message: "This link is protected by a password" } },
    ]);
  });

  test("the right password gets 303, a cookie for an hour, and is the only click", async () => {
    const link = await protectedLink();
    await visit(link.short_url);
    await visit(link.short_url, { method: "HEAD" });
    await sendForm(link.short_url, "wrong password");
    const reply = await sendForm(link.short_url, PASSWORD);
    expect([reply.status, reply.headers.get("Location"), await reply.text()]).toEqual([303, SECRET_URL, ""]);
    expect(reply.headers.get("Cache-Control")).toBe("private, no-store");
    expect(reply.headers.get("Set-Cookie")).toBe(
      `${cookieOf(reply)}; Max-Age=3600; Path=/${link.slug}; HttpOnly; SameSite=Lax`,
    );
    expect((await ann.statsAfter(1, link)).total).toBe(1);
  });

  test("a decomposed spelling is the same password, and a long one no error", async () => {
    const link = await protectedLink();
    expect((await sendForm(link.short_url, PASSWORD.normalize("NFD"))).status).toBe(303);
    expect((await sendForm(link.short_url, "x".repeat(100_000))).status).toBe(401);
    expect((await sendForm(link.short_url, "")).status).toBe(401);
  });

  test("a wrong password gets the form again", async () => {
    const link = await protectedLink();
    const reply = await sendForm(link.short_url, "grüße 🌷");
    expect(reply.status).toBe(401);
    const text = await textOf(reply);
    expect(text).toContain("Wrong password");
    expect(text).not.toMatch(/secret|location|set-cookie/i);
  });

  test("a scan of a QR code is counted when its form is sent, with the query of the visit", async () => {
    const link = await protectedLink({ forward_query: true });
    const code = await ann.createQrCode(link);
    const reply = await sendForm(`${link.short_url}?qr=${code.id.slice(3)}&a=1`, PASSWORD);
    expect(reply.headers.get("Location")).toBe(`${SECRET_URL}?a=1`);
    await ann.waitForClicks(1, link);
    expect((await ann.qrCode(code)).scans).toBe(1);
  });

  test("POST to other links is 405, whatever it sends", async () => {
    const plain = await ann.createLink();
    for (const url of [plain.short_url, `${plain.short_url}-unknown`]) {
      const reply = await sendForm(url, PASSWORD);
      expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    }
    const link = await protectedLink();
    const json = await fetchAt(link.short_url, {}, { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
    expect(json.status).toBe(405);
  });

  test("an ended link answers as without a password", async () => {
    const link = await protectedLink();
    await ann.updateLink(link, { expires_at: "2020-01-01T00:00:00Z" });
    expect((await visit(link.short_url)).status).toBe(410);
    expect((await sendForm(link.short_url, PASSWORD)).status).toBe(410);
    const replaced = await ann.updateLink(link, { fallback_url: "https://example.com/ended" });
    expect((await visit(replaced.short_url)).headers.get("Location")).toBe("https://example.com/ended");
  });

  test("a password that the deployment's secret did not hash keeps the link closed", async () => {
    const link = await protectedLink();
    const settings = { BETTER_AUTH_SECRET: "another secret of at least 32 characters" };
    const cookie = await unlock(link);
    expect((await fetchAt(link.short_url, settings, { headers: { Cookie: cookie } })).status).toBe(401);
    expect((await fetchAt(link.short_url, { BETTER_AUTH_SECRET: undefined }, formOf(PASSWORD))).status).toBe(503);
    const moved = await protectedLink();
    const record = await passwordRecord(settings, PASSWORD, new Uint8Array(PASSWORD_SALT_BYTES));
    await changeLinks(env, "UPDATE links SET password = ?2 WHERE id = ?1", moved.id, record);
    expect((await sendForm(moved.short_url, PASSWORD)).status).toBe(401);
  });
});

test("17 a release that does not know passwords redirects no one", async () => {
  const rowOf = async ({ id }: Link) => {
    const [row] = await queryLinks<LinkRow>(env, "SELECT * FROM links WHERE id = ?1", id);
    if (!row) throw new Error("no row");
    return { isClosed: row.disabled_at !== null, state: snapshotOf(row).state };
  };
  const link = await protectedLink();
  expect(await rowOf(link)).toEqual({ isClosed: true, state: "restricted" });
  await ann.updateLink(link, { password: null });
  expect(await rowOf(link)).toEqual({ isClosed: false, state: "active" });
  expect((await visit(link.short_url)).headers.get("Location")).toBe(SECRET_URL);
  await ann.updateLink(link, { password: PASSWORD, paused: true });
  await ann.updateLink(link, { paused: null });
  expect(await rowOf(link)).toEqual({ isClosed: true, state: "restricted" });
  expect((await visit(link.short_url)).status).toBe(401);
});

test("17 the destination is in nothing that is sent or logged before the password, whoever asks for whatever address", async () => {
  const logs = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
  const alias = `alias-${crypto.randomUUID().slice(0, 8)}`;
  const link = await protectedLink({
    title: "Secret title",
    routing: [{ if: { not: { country: "AQ" } }, to: `${SECRET_URL}/rule` }],
    fallback_url: `${SECRET_URL}/fallback`,
    social: { title: "Secret card", image: "https://secret.example/card.png" },
    aliases: [{ slug: alias }],
    forward_path: true,
    forward_query: true,
    noindex: true,
    redirect_status: 301,
  });
  const code = await ann.createQrCode(link);
  const { origin } = new URL(link.short_url);
  const paths = [link.slug, alias].flatMap((slug) =>
    ["", "/", "+", "%2B", "/a/b", `?qr=${code.id.slice(3)}`].map((rest) => `${origin}/${slug}${rest}`),
  );
  const visitors = [GOOGLEBOT, "Slackbot-LinkExpanding 1.0", "Twitterbot/1.0", "WhatsApp/2.23.20.0 A", "curl/8.5.0"];
  const everyone = [...visitors.map((agent) => ({ "User-Agent": agent })), { Accept: "application/json" }];
  const requests: RequestInit[] = everyone.flatMap((headers) => [
    { headers },
    { method: "HEAD", headers },
    { method: "OPTIONS", headers },
    formOf("wrong password", { ...headers, "CF-Connecting-IP": crypto.randomUUID() } as Record<string, string>),
    formOf(PASSWORD, { ...headers, "Sec-Fetch-Site": "cross-site" } as Record<string, string>),
  ]);
  for (const path of paths) {
    for (const request of requests) {
      const reply = await fetchAt(path, {}, request);
      expect([path, request, reply.status < 300 || reply.status >= 400]).toEqual([path, request, true]);
      expect(await textOf(reply)).not.toMatch(/secret|location|set-cookie/i);
    }
  }
  for (const log of logs) {
    expect(JSON.stringify(log.mock.calls)).not.toMatch(/secret/i);
    log.mockRestore();
  }
  expect((await sendForm(link.short_url, PASSWORD)).headers.get("Location")).toMatch(SECRET_URL);
});

describe("17 the cookie", () => {
  const withCookie = (url: string, cookie: string, facts: VisitOptions = {}) =>
    visit(url, { ...facts, headers: { Cookie: `a=b; ${cookie}; c=d` } });

  test("it opens this link for GET and HEAD, and counts each visit", async () => {
    const link = await protectedLink();
    const cookie = await unlock(link);
    expect((await withCookie(link.short_url, cookie)).headers.get("Location")).toBe(SECRET_URL);
    expect((await withCookie(link.short_url, cookie, { method: "HEAD" })).status).toBe(302);
    expect((await ann.statsAfter(2, link)).total).toBe(2);
  });

  test("it is void for another link, after a change of the password, and after an hour", async () => {
    const link = await protectedLink();
    const other = await protectedLink();
    const cookie = await unlock(link);
    const [name = "", value = ""] = cookie.split("=");
    expect((await withCookie(other.short_url, cookie)).status).toBe(401);
    expect((await withCookie(other.short_url, `hoplink_${other.id}=${value}`)).status).toBe(401);
    const [expiry = "", signature = ""] = value.split(".");
    const forged = [`${Number(expiry) + 1}.${signature}`, `${expiry}.${"0".repeat(64)}`, `${expiry}.`, "", "%00"];
    for (const each of forged) expect((await withCookie(link.short_url, `${name}=${each}`)).status).toBe(401);
    vi.useFakeTimers({ toFake: ["Date"], now: Number(expiry) * 1000 });
    try {
      expect((await withCookie(link.short_url, cookie)).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
    await ann.updateLink(link, { title: "Changed" });
    expect((await withCookie(link.short_url, cookie)).status).toBe(302);
    // Even the same password is a new version.
    await ann.updateLink(link, { password: PASSWORD });
    expect((await withCookie(link.short_url, cookie)).status).toBe(401);
  });

  test("its path is the slug as requested", async () => {
    const link = await protectedLink({ slug: `Path-${crypto.randomUUID().slice(0, 8)}` });
    const { origin } = new URL(link.short_url);
    for (const [requested, path] of [
      [link.slug.toUpperCase(), link.slug.toUpperCase()],
      [`${link.slug}/`, link.slug],
      [link.slug.replace("P", "%50"), link.slug.replace("P", "%50")],
      [`${link.slug}?a=/b`, link.slug],
    ]) {
      const reply = await sendForm(`${origin}/${requested}`, PASSWORD);
      expect(reply.headers.get("Set-Cookie")).toContain(`; Path=/${path};`);
    }
  });
});

describe("17 other sites and plain HTTP", () => {
  test.for([
    [303, { "Sec-Fetch-Site": "same-origin", Origin: "null" }],
    [303, { Origin: "http://localhost:8787" }],
    [303, {}],
    [403, { "Sec-Fetch-Site": "cross-site" }],
    [403, { "Sec-Fetch-Site": "same-site", Origin: "http://localhost:8787" }],
    [403, { "Sec-Fetch-Site": "none" }],
    [403, { Origin: "null" }],
    [403, { Origin: "https://evil.example" }],
  ] as const)("%d for the right password with %o", async ([status, headers]) => {
    const link = await protectedLink();
    const reply = await sendForm(link.short_url, PASSWORD, headers);
    expect(reply.status).toBe(status);
    if (status === 403) expect(await textOf(reply)).not.toMatch(/secret|location|set-cookie/i);
  });

  test("with https, GET is redirected there, POST is 403, and cookies are Secure", async () => {
    const hosts = { BASE_URL: "https://localhost:8787" };
    const { domain } = await ann.activeDomain();
    for (const link of [await protectedLink(), await protectedLink({ domain })]) {
      const plain = link.short_url.replace("https:", "http:");
      const secure = plain.replace("http:", "https:");
      const get = await fetchAt(`${plain}?a=1`, hosts);
      expect([get.status, get.headers.get("Location")]).toEqual([308, `${secure}?a=1`]);
      const post = await fetchAt(plain, hosts, formOf(PASSWORD));
      expect(post.status).toBe(403);
      expect(await textOf(post)).not.toMatch(/secret|set-cookie/i);
      expect((await fetchAt(secure, hosts)).status).toBe(401);
      const opened = await fetchAt(secure, hosts, formOf(PASSWORD));
      expect(opened.status).toBe(303);
      expect(opened.headers.get("Set-Cookie")).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    }
  });
});

describe("17 wrong passwords", () => {
  test("eleven from a network are refused with Retry-After, right ones too, but not a cookie or other networks", async () => {
    const link = await protectedLink();
    const cookie = await unlock(link);
    const from = (network: string, password: string) =>
      sendForm(link.short_url, password, { "CF-Connecting-IP": network });
    for (let guess = 1; guess <= 10; guess++) expect((await from("192.0.2.1", `guess ${guess}`)).status).toBe(401);
    const refused = await from("192.0.2.1", PASSWORD);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(590);
    expect(await textOf(refused)).not.toMatch(/secret|location|set-cookie/i);
    expect((await visit(link.short_url, { headers: { Cookie: cookie } })).status).toBe(302);
    expect((await from("192.0.2.2", PASSWORD)).status).toBe(303);
  });

  test("are not the reason of a refusal if too many passwords arrive together, which the page says", async () => {
    const link = await protectedLink();
    const held = Promise.withResolvers<void>();
    const hashing = vi.spyOn(crypto.subtle, "deriveBits").mockImplementation(async () => {
      await held.promise;
      return new ArrayBuffer(32);
    });
    const sent = Array.from({ length: 22 }, (_, i) =>
      sendForm(link.short_url, PASSWORD, {
        "CF-Connecting-IP": `192.0.2.${i}`,
        Accept: i % 2 === 0 ? "application/json" : "text/html",
      }),
    );
    await new Promise<void>((isRefused) => {
      let refused = 0;
      for (const reply of sent) void reply.then(({ status }) => status === 429 && ++refused === 2 && isRefused());
    });
    held.resolve();
    const replies = await Promise.all(sent);
    hashing.mockRestore();
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(20);
    const refused = replies.filter(({ status, headers }) => status === 429 && headers.get("Retry-After") === "1");
    expect(refused).toHaveLength(2);
    for (const reply of refused) {
      const text = await textOf(reply);
      expect(text).toContain("Too many people are entering a password at the moment");
      expect(text).not.toMatch(/wrong password|secret|location|set-cookie/i);
    }
    expect((await sendForm(link.short_url, PASSWORD)).status).toBe(303);
  });

  test("that lock a link for everyone are refused without its object until the lock ends", async () => {
    const link = await protectedLink();
    const object = env.LINK_CLICKS.getByName(`${link.domain}/${link.slug}`);
    const attempts = Array.from({ length: 100 }, (_, i) => [Date.now() - 60_000 + i, `network ${i}`]);
    await runInDurableObject(object, (_, { storage }) => storage.kv.put("password_attempts", attempts));
    expect((await sendForm(link.short_url, PASSWORD)).status).toBe(429);
    await runInDurableObject(object, (_, { storage }) => void storage.kv.delete("password_attempts"));
    try {
      vi.useFakeTimers({ toFake: ["Date"], now: Number(attempts[0]?.[0]) + 599_000 });
      const refused = await sendForm(link.short_url, PASSWORD, { "CF-Connecting-IP": "192.0.2.7" });
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
      vi.setSystemTime(Date.now() + 1_000);
      expect((await sendForm(link.short_url, PASSWORD)).status).toBe(303);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the owner sees until when the link is locked for everyone", async () => {
    const link = await protectedLink();
    const seen = async () => (await ann.call("GET", `/v1/links/${link.id}`)).body;
    expect(await seen()).toEqual(link);
    const attempts = Array.from({ length: 100 }, (_, i) => [Date.now(), `network ${i}`]);
    await runInDurableObject(env.LINK_CLICKS.getByName(`${link.domain}/${link.slug}`), (_, { storage }) =>
      storage.kv.put("password_attempts", attempts),
    );
    expect((await sendForm(link.short_url, PASSWORD)).status).toBe(429);
    expect(await seen()).toEqual({ ...link, password_locked_until: expect.stringMatching(/^20.*Z$/) });
    const known = await ann.call("GET", `/v1/links/${link.id}`, undefined, { "If-None-Match": '"1"' });
    expect([known.status, known.headers.get("ETag")]).toEqual([200, '"1"']);
  });

  test("nothing is logged, and no password or network is stored", async () => {
    const logs = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
    const link = await protectedLink({ password: "needle-password" });
    await sendForm(link.short_url, "needle-guess", { "CF-Connecting-IP": "192.0.2.77" });
    await sendForm(link.short_url, "needle-password", { "CF-Connecting-IP": "192.0.2.77" });
    for (const log of logs) {
      expect(JSON.stringify(log.mock.calls)).not.toContain("needle");
      log.mockRestore();
    }
    const [row] = await queryLinks(env, "SELECT * FROM links WHERE id = ?1", link.id);
    expect(JSON.stringify(row)).not.toContain("needle");
    expect((row as unknown as { password: string }).password).toMatch(
      new RegExp(`^1\\.[\\da-f]{8}\\.${PASSWORD_ROUNDS}\\.[\\da-f]{32}\\.[\\da-f]{64}$`),
    );
  });
});
