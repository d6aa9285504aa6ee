/**
 * How many calls each kind of request and job makes. Workers' Free plan allows 50 an invocation to databases, objects
 * and other hosts together. Its limits do not say how a batch of statements counts, so each statement counts here.
 * On every plan, six of an invocation's connections may wait for an answer. A seventh waits for its turn.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono, type MiddlewareHandler } from "hono";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import type { ApiEnv } from "../../src/api/context.ts";
import { access, sessionAuth } from "../../src/api/middleware/access.ts";
import { service } from "../../src/api/service.ts";
import { ACCESS_CHECK_INTERVAL_MS } from "../../src/api/streams/event-stream.ts";
import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";
import { BulkResult } from "../../src/core/contract/bulk-links.ts";
import type { Link } from "../../src/core/contract/links.ts";
import type { QrCode, QrCodePage } from "../../src/core/contract/qr-codes.ts";
import { MINUTE_MS } from "../../src/core/time.ts";
import { hostsOf, OBJECT_CALLS_MAX, streamLimits } from "../../src/core/deployment/settings.ts";
import { parseApiKey } from "../../src/core/identifiers.ts";
import { MaintenanceRuns, runDaily, wakeIfDue } from "../../src/maintenance/run-maintenance.ts";
import type { Caller } from "../../src/store/accounts/api-keys.ts";
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { BACKED_UP_TABLE_NAMES } from "../../src/store/backup/table-rows.ts";
import { firstCursor } from "../../src/store/backup/backup-pages.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { isTicketValid } from "../../src/store/streams.ts";
import worker from "../../src/worker.ts";
import { changeLinks, sumOfLinks } from "../support/link-databases.ts";
import {
  BrowserSession,
  newEmail,
  PASSWORD,
  preloadSignIn,
  SIGN_IN_LOAD_TIMEOUT_MS,
  signedUp,
} from "../support/browser-session.ts";
import { type Calls, countCalls } from "../support/counted-calls.ts";
import { createTarget, namedRoutes, routeBody, routePath, ROUTES } from "../support/routes.ts";
import { asSent, BASE_URL, premiumAccount, type TestAccount } from "../support/test-accounts.ts";

const CALLS_MAX = 50;
/** Requests over several databases may need more, which wait for their turn. */
const CONNECTIONS_MAX = env.LINK_DATABASES ? Infinity : 6;
const fetchUncounted = globalThis.fetch;
const LINKS = Array.from({ length: 100 }, (_, i) => ({ url: `https://example.com/${i}` }));

let ann: TestAccount;
let link: Link;
let code: QrCode;

beforeAll(async () => {
  await preloadSignIn();
  // Preloaded, because in tests, objects that import them simultaneously would wait for each other's I/O.
  await Promise.all([import("../../src/clicks/log-copy.ts"), import("../../src/clicks/click-draw.ts")]);
  ann = await premiumAccount();
  link = await ann.createLink();
  code = await ann.createQrCode(link);
}, SIGN_IN_LOAD_TIMEOUT_MS);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Does nothing: tests run maintenance themselves. */
const MAINTENANCE = { getByName: () => ({ wake: async () => {} }) };

const freePlan = (more: object = {}) => countCalls({ ...env, WORKERS_PLAN: "free", ...more } as unknown as Env);

interface Answer extends Pick<Calls, "calls"> {
  status: number;
  text: string;
}

/** Sends a request to the service as its object runs it, or to the Worker, and counts the calls. */
async function send(
  url: string,
  init: RequestInit = {},
  by: Pick<typeof service, "fetch"> = service,
  more: object = {},
): Promise<Answer> {
  const { env: watched, counted, connect } = freePlan(more);
  const fetched = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation((...given: Parameters<typeof fetch>) => connect(fetchUncounted(...given)));
  const ctx = createExecutionContext();
  const response = await by.fetch(new Request(url, { redirect: "manual", ...init }), watched, ctx);
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  await waitOnExecutionContext(ctx);
  expect(counted.connections, url).toBeLessThanOrEqual(CONNECTIONS_MAX);
  return { status: response.status, text, calls: counted.calls + fetched.mock.calls.length };
}

const visit = (url: string) => send(url, {}, worker as unknown as typeof service);

const withKey = (method: string, body?: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json", ...headers },
  ...(body === undefined ? {} : { body: asSent(body) }),
});

const post = (path: string, body: unknown) =>
  send(`${BASE_URL}/v1${path}`, withKey("POST", body, { "Idempotency-Key": crypto.randomUUID() }), service, {
    MAINTENANCE,
  });

const get = (path: string) => send(`${BASE_URL}/v1${path}`, withKey("GET"));

async function hundredLinks(): Promise<Link[]> {
  const made = BulkResult.parse((await ann.call("POST", "/v1/links/bulk", { links: LINKS })).body).results;
  return made.flatMap((result) => ("link" in result ? [result.link] : []));
}

function waitingLinks(): Promise<number> {
  const sql = "SELECT count(*) AS n FROM link_outbox WHERE account_id = ?1 AND due_at = 0";
  return sumOfLinks(env, sql, ann.accountId);
}

/** Creates one code for each of a hundred links. */
async function hundredCodes(): Promise<void> {
  const links = await hundredLinks();
  await env.DB.prepare(
    `INSERT INTO qr_codes (account_id, mode, id, link_id, format, size, fg, bg, created_at)
     SELECT ?1, 'live', 'qr_' || substr(value, 5), value, 'svg', 512, '#000000', '#FFFFFF', ?3 FROM json_each(?2)`,
  )
    .bind(ann.accountId, JSON.stringify(links.map(({ id }) => id)), Date.now())
    .run();
}

const slugs = () => LINKS.map(({ url }) => ({ url, slug: `c-${crypto.randomUUID()}` }));
const changes = async () => (await hundredLinks()).map(({ id }) => ({ id, title: "changed" }));
const ids = async () => (await hundredLinks()).map(({ id }) => ({ id }));

const LARGE_REQUESTS: [name: string, send: () => Promise<Answer>][] = [
  ["a bulk of 100 links with random slugs", async () => post("/links/bulk", { links: LINKS })],
  ["a bulk of 100 links with chosen slugs", async () => post("/links/bulk", { links: slugs() })],
  ["a change of 100 links", async () => post("/links/bulk-update", { links: await changes() })],
  ["a deletion of 100 links", async () => post("/links/bulk-delete", { links: await ids() })],
  ["an erasure of 100 links", async () => post("/links/bulk-delete", { links: await ids(), erase: true })],
  ["a page of 100 links", async () => hundredLinks().then(() => get("/links?limit=100"))],
  [
    "a page of 100 links with their clicks",
    async () => hundredLinks().then(() => get("/links?limit=100&include=clicks")),
  ],
  ["a page of 100 links by their clicks", async () => hundredLinks().then(() => get("/links?limit=100&sort=-clicks"))],
  ["statistics of the account by tag", async () => get("/stats?group_by=tag&tag=a")],
  ["a search", async () => get("/links?limit=100&search=example")],
  ["a page of 100 QR codes", async () => hundredCodes().then(() => get("/qr?limit=100"))],
];

describe("calls of a request", () => {
  test.each(namedRoutes(ROUTES))("%s makes at most 50", async (_, route) => {
    const id = await createTarget(ann, route, await ann.createLink());
    const init = withKey(route.method, routeBody(route, id));
    const { status, calls } = await send(BASE_URL + routePath(route, id), init);
    expect([200, 201, 204]).toContain(status);
    expect(calls).toBeLessThanOrEqual(CALLS_MAX);
  });

  test.each(LARGE_REQUESTS)("%s makes at most 50", async (_, request) => {
    const { status, text, calls } = await request();
    expect(status, text).toBe(200);
    expect(calls).toBeLessThanOrEqual(CALLS_MAX);
  });

  test("a redirect, an unknown slug, an image or a dashboard page takes few calls", async () => {
    const unknown = new URL(`/none-${crypto.randomUUID()}`, link.short_url).href;
    for (const [url, status] of [
      [link.short_url, 302],
      [unknown, 404],
      [code.url, 200],
    ] as const) {
      const answer = await visit(url);
      expect([answer.status, answer.calls <= 10]).toEqual([status, true]);
    }
    const page = await send(`${BASE_URL}/dashboard/links`);
    expect([page.status, page.calls <= 10]).toEqual([200, true]);
  });

  test("signing up and in makes at most 50, as do a session's requests", async () => {
    const account = { email: newEmail(), name: "Test User", password: PASSWORD };
    const headers = { Origin: BASE_URL, "Content-Type": "application/json", "CF-Connecting-IP": "2001:db8:ca11::1" };
    for (const path of ["sign-up", "sign-in"]) {
      const init = { method: "POST", headers, body: JSON.stringify(account) };
      const { status, calls } = await send(`${BASE_URL}/dashboard/api/auth/${path}/email`, init);
      expect(status).toBe(200);
      expect(calls, path).toBeLessThanOrEqual(CALLS_MAX);
    }
    const browser = new BrowserSession();
    await browser.call("POST", "/dashboard/api/auth/sign-in/email", account);
    const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const asked: [method: string, path: string, body?: object][] = [
      ["GET", "/account"],
      ["GET", "/keys"],
      ["GET", "/links?limit=100"],
      ["POST", "/keys", { name: "A key", mode: "live", scopes: ["links:read"] }],
      ["POST", "/utm-templates", { name: "News", utm_source: "news" }],
      ["GET", "/utm-templates"],
      ["PUT", "/saved-views", { name: "Spring", query: "tag=spring" }],
      ["GET", "/saved-views"],
      ["DELETE", "/account", { password: PASSWORD }],
    ];
    for (const [method, path, body] of asked) {
      const init = { method, headers: { ...headers, Cookie }, ...(body ? { body: JSON.stringify(body) } : {}) };
      const { status, text, calls } = await send(`${BASE_URL}/dashboard/api${path}`, init);
      expect([200, 201, 204], `${method} ${path}: ${text}`).toContain(status);
      expect(calls, path).toBeLessThanOrEqual(CALLS_MAX);
    }
  });

  test("requests from monitoring and backups make at most 50", async () => {
    await hundredLinks();
    const asOperator = async (purpose: "operator" | "backup") => ({
      headers: { Authorization: `Bearer ${await issueOperatorToken(env, purpose, MINUTE_MS, Date.now())}` },
    });
    const health = await send(`${BASE_URL}/health?deep`, await asOperator("operator"));
    expect([health.status, health.calls <= CALLS_MAX]).toEqual([200, true]);
    const cursor = { ...firstCursor(), table: BACKED_UP_TABLE_NAMES.indexOf("links") };
    const logs = await send(`${BASE_URL}/dashboard/api/operator/backup`, {
      ...(await asOperator("backup")),
      method: "POST",
      body: JSON.stringify({ format: BACKUP_FORMAT, cursor }),
    });
    expect([logs.status, logs.calls <= CALLS_MAX]).toEqual([200, true]);
    expect(logs.calls).toBeGreaterThan(10);
  });

  test("the Worker makes one call for a request that an object answers", async () => {
    const { env: watched, counted } = freePlan();
    const request = new Request(`${BASE_URL}/v1/me`, withKey("GET")) as Parameters<typeof worker.fetch>[0];
    const response = await worker.fetch(request, watched, createExecutionContext());
    expect([response.status, counted.calls]).toEqual([200, 1]);
    await response.text();
  });
});

test("connections that wait at the same time are counted, without calls to objects", async () => {
  const { env: watched, counted, connect } = countCalls(env);
  const read = () => watched.DB.prepare("SELECT 1").first();
  await read();
  await Promise.all([read(), watched.DB.batch([watched.DB.prepare("SELECT 1")]), watched.VISITOR_SALTS.get("none")]);
  expect(counted.connections).toBe(3);
  await Promise.all(["a", "b", "c", "d"].map((name) => watched.LINK_CLICKS.getByName(name).snapshot()));
  expect(counted.connections).toBe(3);
  await Promise.all([...Array.from({ length: 6 }, read), connect(Promise.resolve())]);
  expect(counted.connections).toBe(7);
});

describe("queries of a stream", () => {
  const CHECKS = streamLimits({ WORKERS_PLAN: "paid" }).lifetimeMs / ACCESS_CHECK_INTERVAL_MS;

  /** Counts the calls of one check. @param init  of a request that may open a stream */
  async function callsOfCheck(init: RequestInit, ...before: MiddlewareHandler<ApiEnv>[]): Promise<number> {
    const { env: watched, counted } = countCalls(env);
    const app = new Hono<ApiEnv>().use(async (c, next) => {
      c.set("hosts", hostsOf(c.env, c.req.url));
      await next();
    });
    for (const each of before) app.use(each);
    app.get("/", access("events:read"), async (c) => {
      const { calls } = counted;
      expect(await c.var.isStillAllowed()).toBe(true);
      return c.json(counted.calls - calls);
    });
    return (await app.request(BASE_URL, init, watched, createExecutionContext())).json();
  }

  test("opening a stream and all its access checks, with a key or a session, take less than 1,000 queries", async () => {
    const opening = await send(`${BASE_URL}/v1/events/stream`, withKey("GET"));
    expect(opening.status).toBe(200);
    const browser = await signedUp();
    const Cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    for (const calls of [
      await callsOfCheck(withKey("GET")),
      await callsOfCheck({ headers: { Cookie } }, sessionAuth),
    ]) {
      expect(calls).toBeGreaterThan(0);
      expect(opening.calls + CHECKS * calls).toBeLessThan(1_000);
    }
  });

  test("on the Free plan, the Worker makes at most 50", async () => {
    const opening = await send(`${BASE_URL}/v1/events/stream`, withKey("GET"), worker as unknown as typeof service);
    expect(opening.status).toBe(200);
    const { env: watched, counted } = freePlan();
    const caller = { accountId: ann.accountId, rateKey: parseApiKey(ann.key)?.id ?? "" } as Caller;
    const request = { link: null, after: null, includeBots: false };
    expect(await isTicketValid(watched, { id: "", caller, sessionId: null, request })).toBe(true);
    const checks = streamLimits({ WORKERS_PLAN: "free" }).lifetimeMs / ACCESS_CHECK_INTERVAL_MS;
    expect(opening.calls + checks * counted.calls).toBeLessThanOrEqual(CALLS_MAX);
  });
});

describe("work that a request defers to stay within its calls", () => {
  test("objects that a bulk change has not notified are notified by the maintenance object", async () => {
    const links = await hundredLinks();
    const wanted = links.map(({ id }) => ({ id, url: "https://example.org/" }));
    const waited = await waitingLinks();
    expect((await post("/links/bulk-update", { links: wanted })).status).toBe(200);
    // The object itself may have begun to notify them; one that was notified may have answered too late.
    expect(await waitingLinks()).toBeLessThan(waited + 100);
    const runs = new MaintenanceRuns();
    while ((await waitingLinks()) > 0) await runs.run(freePlan().env);
  });

  test("QR codes beyond a shorter page are on the next ones", async () => {
    await hundredCodes();
    const seen = new Set<string>();
    for (let path: string | null = "/qr?limit=100"; path !== null;) {
      const { data, next_cursor } = JSON.parse((await get(path)).text) as QrCodePage;
      expect(data.length).toBeLessThanOrEqual(OBJECT_CALLS_MAX.free);
      for (const { id } of data) seen.add(id);
      path = next_cursor && `/qr?limit=100&cursor=${next_cursor}`;
    }
    expect(seen.size).toBeGreaterThan(100);
  });
});

describe("calls of a job", () => {
  test("cron jobs make at most 50, even with as many expired responses as the plan lets an account write in a day", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 33000)
       INSERT INTO idempotency (account_id, mode, key_hash, request_hash, answer, created_at)
       SELECT 'acc_expired', 'live', unhex(printf('%064x', i)), x'00', '{}', 1 FROM n`,
    ).run();
    for (const job of [wakeIfDue, runDaily]) {
      const { env: watched, counted } = freePlan();
      await job(watched);
      expect(counted.calls, job.name).toBeLessThanOrEqual(CALLS_MAX);
      expect(counted.connections, job.name).toBeLessThanOrEqual(CONNECTIONS_MAX);
    }
    const left = "SELECT count(*) AS n FROM idempotency WHERE account_id = 'acc_expired'";
    expect(await env.DB.prepare(left).first("n")).toBe(0);
  });

  test("a run of maintenance makes at most 50, even while links wait for erasure and an account is erased", async () => {
    const ben = await premiumAccount();
    await ben.call("POST", "/v1/links/bulk", { links: LINKS });
    await closeAccount(env, ben.accountId);
    await post("/links/bulk-delete", { links: await ids(), erase: true });
    await env.DB.prepare("UPDATE closed_accounts SET due_at = 0").run();
    await changeLinks(env, "UPDATE link_outbox SET due_at = 0");
    let most = 0;
    const isErased = async () => (await env.DB.prepare("SELECT 1 FROM closed_accounts").first()) === null;
    const runs = new MaintenanceRuns();
    while (!((await isErased()) && (await waitingLinks()) === 0)) {
      const { env: watched, counted } = freePlan();
      await runs.run(watched);
      most = Math.max(most, counted.calls);
      expect(counted.connections).toBeLessThanOrEqual(CONNECTIONS_MAX);
    }
    expect(most).toBeGreaterThan(30);
    expect(most).toBeLessThanOrEqual(CALLS_MAX);
  });
});
