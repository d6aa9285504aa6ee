/** 7: every refusal has its status, code and shape; an internal error is answered without details. */
import {
  applyD1Migrations,
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { ScanQueue } from "../../../src/clicks/scan-queue.ts";
import { ERRORS, type ErrorCode } from "../../../src/core/errors.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { suspendAccount } from "../../../src/store/accounts/accounts.ts";
import worker from "../../../src/worker.ts";
import { changeLinks } from "../../support/link-databases.ts";
import { type TestAccount, BASE_URL, freeAccount, premiumAccount, send, visit } from "../../support/test-accounts.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn, signedUp } from "../../support/browser-session.ts";
import {
  ACCOUNT_SUSPENDED,
  DOMAIN_NOT_FOUND,
  INVALID_JSON,
  INVALID_API_KEY,
  INVALID_ORIGIN,
  INVALID_PASSWORD,
  KEY_NOT_FOUND,
  IMPORT_NOT_FOUND,
  LINK_NOT_FOUND,
  MISSING_API_KEY,
  MISSING_SESSION,
  LINK_NOT_API_CREATED,
  ROUTE_NOT_FOUND,
  PLAN_UPGRADE_REQUIRED,
  QR_NOT_FOUND,
  RATE_LIMITED,
  PAYLOAD_TOO_LARGE,
  TOO_MANY_STREAMS,
  UNSUPPORTED_MEDIA_TYPE,
  contrastTooLow,
  domainHasLinks,
  domainInUse,
  domainTransferred,
  domainTaken,
  httpsRequired,
  validationFailed,
  insufficientScope,
  preconditionFailed,
  quotaExceeded,
  sizeTooSmall,
  slugTaken,
} from "../../support/expected-errors.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";
import { routeBody, namedRoutes, routeName, routePath, ROUTES, createTarget } from "../../support/routes.ts";
import { openListener } from "../../support/stream-listener.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const URL_ONLY = '{"url":"https://example.com/"}';
/** A domain's files are larger than other bodies. */
const bodyMaxBytes = ({ method, path }: { method: string; path: string }) =>
  method === "PATCH" && path === "/domains/:id" ? 524_288 : 262_144;
const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const REQUEST_ID = /^req_[0-9a-z]{26}$/;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A body of any kind, with exactly these headers. */
async function sendRaw(
  actor: TestAccount,
  method: string,
  path: string,
  body: BodyInit,
  headers: Record<string, string>,
): Promise<ApiResponse> {
  const response = await exports.default.fetch(BASE_URL + path, {
    method,
    body,
    headers: { Authorization: `Bearer ${actor.key}`, ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const JSON_TYPE = { "Content-Type": "application/json" };

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

/** A request to the Worker with other bindings. */
async function withEnv(changed: Partial<Env>, path: string, init: RequestInit): Promise<ApiResponse> {
  const ctx = createExecutionContext();
  const request = new Request(BASE_URL + path, init) as Request<unknown, IncomingRequestCfProperties>;
  const response = await worker.fetch(request, { ...env, ...changed }, ctx);
  const reply = { status: response.status, headers: response.headers, body: await response.json() };
  await waitOnExecutionContext(ctx);
  return reply;
}

function postFromPage(body: unknown): RequestInit {
  return { method: "POST", headers: { Origin: BASE_URL, ...JSON_TYPE }, body: JSON.stringify(body) };
}

/** A database whose statements fail when they name this table. */
function databaseWithout(table: string, message: string): D1Database {
  const fail = () => Promise.reject(new Error(message));
  const broken: unknown = { bind: () => broken, first: fail, all: fail, run: fail };
  return {
    prepare: (sql: string) => (sql.includes(table) ? broken : env.DB.prepare(sql)),
    batch: fail,
    // better-auth recognizes D1 by it.
    exec: fail,
  } as unknown as D1Database;
}

const REFUSING = { limit: async () => ({ success: false }) } as RateLimit;

/** Codes that only requests of the dashboard receive. */
const OF_THE_DASHBOARD: ReadonlySet<ErrorCode> = new Set([
  "missing_session",
  "invalid_origin",
  "invalid_password",
  "key_not_found",
  "invalid_setup_token",
  "already_set_up",
]);
/** Also the code of the deployment's health, which pages of other sites do not request. */
const WITHOUT_CORS: ReadonlySet<ErrorCode> = new Set([...OF_THE_DASHBOARD, "invalid_operator_token"]);

/** Imports one click. @param number  of the import */
async function importOne(ann: TestAccount, number: number, fields: object, link?: { id: string }) {
  const { id } = link ?? (await ann.createLink());
  const body = { clicks: [{ at: "2024-05-01T12:00:00Z" }], ...fields };
  return ann.call("PUT", `/v1/imports/imp_${String(number).padStart(32, "0")}/links/${id}`, body);
}

const HTTPS_BASE_URL = BASE_URL.replace("http:", "https:");

/** For each code, a request refused with it, the complete refusal, and the service's base URL if it is another. */
const CASES: Record<ErrorCode, (ann: TestAccount) => Promise<[ApiResponse, Record<string, unknown>, string?]>> = {
  invalid_json: async (ann) => [await ann.call("POST", "/v1/links", "{"), INVALID_JSON],
  missing_api_key: async () => [await send("GET", "/v1/links"), MISSING_API_KEY],
  invalid_api_key: async () => [
    await send("GET", "/v1/links", undefined, { Authorization: "Bearer svc_live_x" }),
    INVALID_API_KEY,
  ],
  https_required: async () => [
    await withEnv({ BASE_URL: HTTPS_BASE_URL }, "/v1/links", {}),
    httpsRequired(HTTPS_BASE_URL),
    HTTPS_BASE_URL,
  ],
  missing_session: async () => [await send("GET", "/dashboard/api/links"), MISSING_SESSION],
  invalid_origin: async () => [await send("POST", "/dashboard/api/links", URL_ONLY), INVALID_ORIGIN],
  invalid_password: async () => [
    await (await signedUp()).api("DELETE", "/account", { password: "a guess" }),
    INVALID_PASSWORD,
  ],
  key_not_found: async () => [await (await signedUp()).api("DELETE", "/keys/none"), KEY_NOT_FOUND],
  plan_upgrade_required: async () => [
    await (await freeAccount()).call("POST", "/v1/links", { url: "https://example.com/", routing: RULES }),
    PLAN_UPGRADE_REQUIRED,
  ],
  account_suspended: async (ann) => {
    await suspendAccount(env, ann.accountId);
    return [await ann.call("GET", "/v1/links"), ACCOUNT_SUSPENDED];
  },
  insufficient_scope: async (ann) => [
    await (await ann.withKey("live", ["links:read"])).call("POST", "/v1/links", URL_ONLY),
    insufficientScope("links:write"),
  ],
  not_found: async (ann) => [await ann.call("GET", "/v1/none"), ROUTE_NOT_FOUND],
  link_not_found: async (ann) => [await ann.call("GET", "/v1/links/lnk_none"), LINK_NOT_FOUND],
  import_not_found: async (ann) => [await ann.call("GET", "/v1/imports/imp_none"), IMPORT_NOT_FOUND],
  import_conflict: async (ann) => {
    const message = "The link has 0 clicks of this import: offset must not be higher.";
    return [await importOne(ann, 1, { offset: 1 }), { status: 409, code: "import_conflict", message, param: "offset" }];
  },
  link_has_clicks: async (ann) => {
    const link = await ann.createLink();
    await importOne(ann, 1, {}, link);
    return [
      await importOne(ann, 2, {}, link),
      { status: 409, code: "link_has_clicks", message: ERRORS.link_has_clicks.when },
    ];
  },
  qr_not_found: async (ann) => [await ann.call("GET", "/v1/qr/qr_none"), QR_NOT_FOUND],
  domain_not_found: async (ann) => [await ann.call("GET", "/v1/domains/dom_none"), DOMAIN_NOT_FOUND],
  domain_taken: async (ann) => {
    const { domain } = await ann.createDomain();
    return [await ann.call("POST", "/v1/domains", { domain }), domainTaken(domain, "is already one of your domains")];
  },
  domain_transferred: async (ann) => {
    const { domain } = await ann.activeDomain();
    const { id } = await ann.createLink({ domain });
    await (await premiumAccount()).inheritDomain(domain);
    return [await ann.call("PATCH", `/v1/links/${id}`, URL_ONLY), domainTransferred(domain)];
  },
  domain_has_links: async (ann) => {
    const { id, domain } = await ann.activeDomain();
    await ann.createLink({ domain });
    return [await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: true }), domainHasLinks(domain)];
  },
  domain_in_use: async (ann) => {
    const { id, domain } = await ann.activeDomain();
    await ann.createLink({ domain });
    return [await ann.call("DELETE", `/v1/domains/${id}`), domainInUse(domain)];
  },
  method_not_allowed: async (ann) => [
    await ann.call("PUT", "/v1/links"),
    { status: 405, code: "method_not_allowed", message: "This route supports only GET, HEAD, POST." },
  ],
  slug_taken: async (ann) => {
    const { slug } = await ann.createLink();
    return [await ann.call("POST", "/v1/links", { url: "https://example.com/", slug }), slugTaken(slug)];
  },
  idempotency_conflict: async (ann) => {
    const headers = { "Idempotency-Key": "once" };
    await ann.call("POST", "/v1/links", { url: "https://example.com/1" }, headers);
    return [
      await ann.call("POST", "/v1/links", { url: "https://example.com/2" }, headers),
      {
        status: 409,
        code: "idempotency_conflict",
        message: "This Idempotency-Key was used for another request in the last 24 hours.",
        param: "Idempotency-Key",
      },
    ];
  },
  precondition_failed: async (ann) => {
    const { id } = await ann.createLink();
    return [await ann.call("PATCH", `/v1/links/${id}`, {}, { "If-Match": '"2"' }), preconditionFailed('"1"')];
  },
  payload_too_large: async (ann) => [await ann.call("POST", "/v1/links", " ".repeat(300 * 1024)), PAYLOAD_TOO_LARGE],
  unsupported_media_type: async (ann) => [
    await ann.call("POST", "/v1/links", URL_ONLY, { "Content-Type": "text/plain" }),
    UNSUPPORTED_MEDIA_TYPE,
  ],
  validation_failed: async (ann) => [
    await ann.call("POST", "/v1/links", {}),
    validationFailed(["url", "required", "is required"]),
  ],
  contrast_too_low: async (ann) => {
    const { id } = await ann.createLink();
    return [await ann.call("POST", "/v1/qr", { link_id: id, fg: "#777777" }), contrastTooLow("4.478")];
  },
  link_not_api_created: async (ann) => {
    const { id } = await ann.createLink();
    await changeLinks(env, "UPDATE links SET origin = 'dashboard' WHERE id = ?1", id);
    return [await ann.call("POST", "/v1/qr", { link_id: id }), LINK_NOT_API_CREATED];
  },
  size_too_small: async (ann) => {
    const { id } = await ann.createLink();
    const reply = await ann.call("POST", "/v1/qr", { link_id: id, size: 64, margin: 16 });
    return [reply, sizeTooSmall({ least: 65, margin: 16, ecc: "M", size: 64 })];
  },
  quota_exceeded: async () => {
    const bob = await freeAccount();
    for (let i = 0; i < 10; i++) await bob.createDomain();
    return [
      await bob.call("POST", "/v1/domains", { domain: `go.${crypto.randomUUID()}.example` }),
      quotaExceeded("This account has 10 live domains, the limit of the free plan."),
    ];
  },
  too_many_intervals: async (ann) => {
    const { id } = await ann.createLink();
    const range = "interval=minute&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z";
    return [
      await ann.call("GET", `/v1/links/${id}/stats?${range}`),
      {
        status: 422,
        code: "too_many_intervals",
        message: "The range has more than 2000 intervals. Choose a longer interval or a shorter range.",
        param: "interval",
      },
    ];
  },
  range_too_large: async (ann) => {
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const object = env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));
    // Ten million clicks would take minutes; the check uses only their positions.
    const at = await runInDurableObject(object, (_, { storage: { sql } }) => {
      const clicks = "INSERT INTO batches (position, at, batch, revision, columns)";
      const copied = "FROM batches WHERE position = 0";
      for (const position of [1, 10_000_000])
        sql.exec(`${clicks} SELECT ?1, at + ?1, ?1, 1, columns ${copied}`, position);
      return sql.exec<{ at: number }>("SELECT at FROM batches WHERE position = 1").one().at;
    });
    await evictDurableObject(object);
    const from = new Date(at).toISOString();
    return [
      await ann.call("GET", `/v1/links/${link.id}/stats?country=DE&to=2100-01-01T00:00:00Z`),
      {
        status: 422,
        code: "range_too_large",
        message: `The range has more than 10,000,000 clicks, which is too many to count with filters or by unique visitor: from must be ${from} or later`,
        param: "from",
        errors: [{ path: "from", code: "too_small", message: `from must be ${from} or later` }],
      },
    ];
  },
  rate_limited: async (ann) => [
    await withEnv({ RATE_PREMIUM: REFUSING }, "/v1/links", { headers: { Authorization: `Bearer ${ann.key}` } }),
    RATE_LIMITED,
  ],
  too_many_streams: async () => {
    const bob = await freeAccount();
    const streams = await Promise.all([1, 2, 3, 4, 5].map(() => openListener(bob)));
    const reply = await bob.call("GET", "/v1/events/stream");
    await Promise.all(streams.map((stream) => stream.close()));
    return [reply, TOO_MANY_STREAMS];
  },
  too_many_exports: async (ann) => {
    const path = `/v1/links/${(await ann.createLink()).id}/clicks`;
    const headers = { Authorization: `Bearer ${ann.key}`, Accept: "text/csv" };
    const ctx = createExecutionContext();
    const read = () =>
      worker.fetch(
        new Request(BASE_URL + path, { headers }) as Request<unknown, IncomingRequestCfProperties>,
        env,
        ctx,
      );
    const open = await Promise.all([1, 2, 3, 4].map(read));
    const reply = await withEnv({}, path, { headers });
    await Promise.all(open.map(({ body }) => body?.cancel()));
    return [
      reply,
      {
        status: 429,
        code: "too_many_exports",
        message: "The account already has 4 exports in progress. Retry when one of them has ended.",
      },
    ];
  },
  too_many_reads: async (ann) => {
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    vi.spyOn(ScanQueue.prototype, "run").mockResolvedValue("busy");
    const log = vi.spyOn(console, "error");
    const reply = await ann.call("GET", `/v1/links/${link.id}/stats?country=DE`);
    expect(log).not.toHaveBeenCalled();
    return [
      reply,
      {
        status: 429,
        code: "too_many_reads",
        message:
          "Other requests are already reading these clicks, and this request waited two seconds for its turn. Retry in a few seconds.",
      },
    ];
  },
  internal_error: async (ann) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = databaseWithout("FROM links", "D1_ERROR: no such table: links at offset 14: SQLITE_ERROR");
    return [
      await withEnv({ DB: broken }, "/v1/links", { headers: { Authorization: `Bearer ${ann.key}` } }),
      {
        status: 500,
        code: "internal_error",
        message: "Internal error. Quote `request_id` when you report it.",
      },
    ];
  },
  misconfigured: async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    return [
      await withEnv({ BETTER_AUTH_SECRET: "too short" }, "/v1/links", {}),
      {
        status: 503,
        code: "misconfigured",
        message:
          "This deployment's BETTER_AUTH_SECRET has fewer than 32 characters: openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET",
      },
    ];
  },
  not_migrated: async (ann) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    return [
      await withEnv({ DB: env.EMPTY_DB }, "/v1/links", { headers: { Authorization: `Bearer ${ann.key}` } }),
      { status: 503, code: "not_migrated", message: "The database has no tables yet: npm run setup" },
    ];
  },
  invalid_operator_token: async () => [
    await send("GET", "/health?deep"),
    {
      status: 401,
      code: "invalid_operator_token",
      message:
        "Send a valid operator token as Authorization: Bearer <token>. To create one, run: npm run admin -- operator token --remote",
    },
  ],
  invalid_setup_token: async () => {
    await applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS);
    return [
      await withEnv({ DB: env.NEW_DB }, "/dashboard/api/setup/check", postFromPage({ token: "opr_" })),
      { status: 403, code: "invalid_setup_token", message: ERRORS.invalid_setup_token.when },
    ];
  },
  already_set_up: async () => [
    await withEnv({}, "/dashboard/api/setup/check", postFromPage({ token: "opr_" })),
    { status: 409, code: "already_set_up", message: ERRORS.already_set_up.when },
  ],
  unavailable: async (ann) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = databaseWithout("FROM links", "D1_ERROR: Network connection lost.");
    return [
      await withEnv({ DB: broken }, "/v1/links", { headers: { Authorization: `Bearer ${ann.key}` } }),
      {
        status: 503,
        code: "unavailable",
        message: "Storage did not respond. No data was lost. Retry after `Retry-After` seconds.",
      },
    ];
  },
};

describe("7 every error", () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])("%s has its status, its message and the common shape", async (code) => {
    const [reply, refusal, base] = await CASES[code](await premiumAccount());
    expect(errorOf(reply, base)).toEqual(refusal);
    expect(refusal.code).toBe(code);
    expect(reply.headers.get("Content-Type")).toBe("application/json");
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    expect(reply.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(reply.headers.get("X-Request-Id")).toMatch(REQUEST_ID);
    expect(reply.headers.get("Access-Control-Allow-Origin")).toBe(WITHOUT_CORS.has(code) ? null : "*");
    expect(reply.headers.get("ETag")).toBeNull();
    const wait = reply.headers.get("Retry-After");
    if (code === "rate_limited") expect(wait).toMatch(/^([1-9]|[1-5]\d|60)$/);
    else
      expect(wait).toBe(
        {
          too_many_streams: "2",
          too_many_exports: "5",
          too_many_reads: "2",
          unavailable: "5",
          misconfigured: "60",
          not_migrated: "60",
        }[code as string] ?? null,
      );
    const asksForKey = reply.status === 401 && !OF_THE_DASHBOARD.has(code);
    expect(reply.headers.get("WWW-Authenticate")).toBe(asksForKey ? 'Bearer realm="hoplink"' : null);
    expect(reply.headers.get("Allow")).toBe(reply.status === 405 ? "GET, HEAD, POST" : null);
  });
});

describe("the number of reported problems is bounded", () => {
  const manyFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));

  test("to 100 for a body, with their total number", async () => {
    const reply = await (await premiumAccount()).call("POST", "/v1/links", manyFields(20_000));
    const { message, errors } = (reply.body as { error: { message: string; errors: unknown[] } }).error;
    expect([reply.status, errors.length]).toEqual([422, 100]);
    expect(message).toBe("url is required (and 20000 more, see errors)");
  });

  test("to 10 for each link of a bulk request", async () => {
    const links = Array.from({ length: 100 }, () => ({ url: "https://example.com/", ...manyFields(200) }));
    const reply = await (await premiumAccount()).call("POST", "/v1/links/bulk", { links });
    const { results } = reply.body as { results: { error: { errors: unknown[] } }[] };
    expect(results.map(({ error }) => error.errors.length)).toEqual(Array.from({ length: 100 }, () => 10));
  });

  test("a name that is half the body is truncated", async () => {
    const reply = await (await premiumAccount()).call("POST", "/v1/links", { ["n".repeat(200_000)]: 1 });
    expect(reply.status).toBe(422);
    expect(JSON.stringify(reply.body).length).toBeLessThan(2_000);
  });
});

describe("internal errors", () => {
  const SECRET = "D1_ERROR: near SECRET_TABLE: syntax error";

  test.each([
    ["GET", "/v1/links", "FROM links"],
    ["GET", "/v1/links/lnk_1", "FROM links"],
    ["GET", "/v1/links", "FROM api_keys"],
    ["GET", "/v1/none", "FROM api_keys"],
    ["POST", "/v1/links", "INTO links"],
  ])("%s %s without %s answers internal_error; only the log has the cause", async (method, path, table) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { key } = await premiumAccount();
    const reply = await withEnv({ DB: databaseWithout(table, SECRET) }, path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...JSON_TYPE, "Idempotency-Key": "fault" },
      ...(method === "POST" ? { body: URL_ONLY } : {}),
    });
    expect(errorOf(reply)).toEqual({
      status: 500,
      code: "internal_error",
      message: "Internal error. Quote `request_id` when you report it.",
    });
    expect(JSON.stringify([reply.body, [...reply.headers]])).not.toContain("SECRET_TABLE");
    expect(log).toHaveBeenCalledOnce();
    const logged = JSON.stringify(log.mock.calls);
    expect(logged).toContain(reply.headers.get("X-Request-Id"));
    expect(logged).toContain("SECRET_TABLE");
    expect(logged).not.toContain(key);
  });

  test("an internal error is logged without the key in its path", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { key } = await premiumAccount();
    for (const sent of [key, key.replaceAll("_", "%5f")]) {
      await withEnv({ DB: databaseWithout("FROM links", `D1_ERROR: no such id ${sent}`) }, `/v1/links/${sent}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
    }
    expect(log).toHaveBeenCalledTimes(2);
    expect(JSON.stringify(log.mock.calls)).toContain("/v1/links/svc_live_…");
    expect(JSON.stringify(log.mock.calls)).not.toContain(key.slice(17, 30));
  });

  const OF_D1 = [
    "D1 DB reset because its code was updated.",
    "Internal error while starting up D1 DB storage caused object to be reset.",
    "Network connection lost.",
    "Internal error in D1 DB storage caused object to be reset.",
    "Cannot resolve D1 DB due to transient issue on remote node.",
    "D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1 DB is overloaded. Requests queued for too long.",
    "D1 DB is overloaded. Too many requests queued.",
    "D1 DB's isolate exceeded its memory limit and was reset.",
    "D1 DB exceeded its CPU time limit and was reset.",
    "internal error; reference = 0a1b2c3d4e5f",
    "database is locked: SQLITE_BUSY",
    "Failed to get session commit token: internal error; reference = 0a1b2c3d4e5f",
    "internal error",
    "Your account has exceeded D1's free tier daily row read limit.",
    "Your account has exceeded D1's free tier daily row write limit.",
  ].map((message) => `D1_ERROR: ${message}`);

  let key: string;
  beforeAll(async () => {
    ({ key } = await premiumAccount());
  });

  test.each([
    "Network connection lost.",
    "Durable Object reset because its code was updated.",
    "The Durable Object's code has been updated, this version can no longer access storage.",
    "Durable Object storage operation exceeded timeout which caused object to be reset.",
    "Durable Object is overloaded. Too many requests queued.",
    "Durable Object exceeded its CPU time limit and was reset.",
    "Cannot resolve Durable Object due to transient issue on remote node.",
    "internal error; reference = 0a1b2c3d4e5f",
    'The RPC receiver does not implement the method "stats".',
    "get: We encountered an internal error. Please try again. (10001)",
    "put: Reduce your rate of simultaneous reads on the same object. (10058)",
    "Your account is generating too much load on Durable Objects. Please back off and try again later.",
    "Your account is doing too many concurrent storage operations. Please back off and try again later.",
    "cannot access storage because object has moved to a different machine",
    ...OF_D1,
  ])("the storage error %j is reported as unavailable: 503 with Retry-After", async (message) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = databaseWithout("FROM links", message);
    const reply = await withEnv({ DB: broken }, "/v1/links", { headers: { Authorization: `Bearer ${key}` } });
    expect(errorOf(reply)).toEqual({
      status: 503,
      code: "unavailable",
      message: "Storage did not respond. No data was lost. Retry after `Retry-After` seconds.",
    });
    expect(reply.headers.get("Retry-After")).toBe("5");
  });

  test("a storage error during sign-in answers 503 unavailable as well", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = databaseWithout('"accounts"', "D1_ERROR: Network connection lost.");
    const credentials = postFromPage({ email: "ann@example.com", password: "correct horse battery" });
    const reply = await withEnv({ DB: broken }, "/dashboard/api/auth/sign-in/email", credentials);
    expect([errorOf(reply).code, reply.status, reply.headers.get("Retry-After")]).toEqual(["unavailable", 503, "5"]);
  });

  test.each([
    ["GET", "/dashboard/api/links", 'from "sessions"'],
    ["GET", "/dashboard/api/auth/get-session", 'from "sessions"'],
    ["GET", "/dashboard/api/auth/list-sessions", 'from "sessions"'],
    // The session would continue unnoticed.
    ["POST", "/dashboard/api/auth/sign-out", 'delete from "sessions"'],
    ["POST", "/dashboard/api/auth/sign-up/email", 'insert into "accounts"'],
  ])("a storage error that sign-in would hide is unavailable too: %s %s", async (method, path, statement) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const browser = await signedUp();
    const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery", name: "Ann" };
    const init = method === "GET" ? { method, headers: {} } : postFromPage(body);
    const broken = databaseWithout(statement, "D1_ERROR: Network connection lost.");
    const headers = { ...init.headers, Cookie: cookies, "CF-Connecting-IP": browser.ip };
    const reply = await withEnv({ DB: broken }, path, { ...init, headers });
    expect([errorOf(reply).code, reply.status, reply.headers.get("Retry-After")]).toEqual(["unavailable", 503, "5"]);
    expect((await browser.account()).id).toMatch(/^acc_/);
  });

  test("/health answers 503 in the same shape when the database does not answer", async () => {
    const broken = databaseWithout("SELECT 1", "D1_ERROR: Network connection lost.");
    const reply = await withEnv({ DB: broken }, "/health", {});
    expect(errorOf(reply)).toEqual({ status: 503, code: "unavailable", message: "The database does not respond" });
    expect(reply.headers.get("Retry-After")).toBe("5");
    expect(await send("GET", "/health")).toMatchObject({ status: 200, body: { status: "ok" } });
  });
});

/** Every route that reads a body. */
const WITH_BODY = ROUTES.filter(({ body }) => body !== undefined);

describe.each(namedRoutes(WITH_BODY))("5.5 %s: the body", (_, route) => {
  async function prepared() {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const path = routePath(route, await createTarget(ann, route, link));
    const post = (body: BodyInit, headers: Record<string, string> = JSON_TYPE) =>
      sendRaw(ann, route.method, path, body, headers);
    return { post, right: JSON.stringify(routeBody(route, link.id)) };
  }

  /** For bodies that are refused, and so change nothing. */
  let refusing: Awaited<ReturnType<typeof prepared>>;
  beforeAll(async () => {
    refusing = await prepared();
  });

  test.each([
    "application/json",
    "Application/JSON; charset=utf-8",
    "application/json;profile=x",
    " application/json ",
  ])("as %j is read", async (type) => {
    const { post, right } = await prepared();
    const reply = await post(right, { "Content-Type": type });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "text/json",
    "application/merge-patch+json",
    "application/jsonp",
    "multipart/form-data; boundary=application/json",
    "application/json, text/plain",
  ])("as %j answers 415", async (type) => {
    const { post, right } = refusing;
    expect(errorOf(await post(right, { "Content-Type": type }))).toEqual(UNSUPPORTED_MEDIA_TYPE);
  });

  test("without a media type answers 415", async () => {
    const { post, right } = refusing;
    expect(errorOf(await post(bytes(right), {}))).toEqual(UNSUPPORTED_MEDIA_TYPE);
  });

  test.each(["", " ", "{", '{"url":}', "{'url':1}", '{"url":"https://example.com/",}', "undefined", "{}{}", "\u0000"])(
    "%j is not JSON: 400",
    async (text) => {
      expect(errorOf(await refusing.post(bytes(text)))).toEqual(INVALID_JSON);
    },
  );

  test("that is not UTF-8 answers 400 and is not repaired", async () => {
    const { post } = refusing;
    const latin1 = new Uint8Array([...bytes('{"url":"https://example.com/'), 0xe4, ...bytes('"}')]);
    const notUtf8 = { ...INVALID_JSON, message: "The body is not valid UTF-8." };
    expect(errorOf(await post(latin1))).toEqual(notUtf8);
    expect(errorOf(await post(new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])))).toEqual(notUtf8);
  });

  test.each([
    ["[]", "array"],
    ["null", "null"],
    ["5", "number"],
    ["true", "boolean"],
    ['"text"', "string"],
  ])("%s is not an object: 422", async (text, type) => {
    expect(errorOf(await refusing.post(text))).toEqual(
      validationFailed(["", "invalid_type", `must be of type object, not ${type}`]),
    );
  });

  const maxBytes = bodyMaxBytes(route);
  const tooLarge = { ...PAYLOAD_TOO_LARGE, message: `The body is too large. Send at most ${maxBytes} bytes.` };

  test("over 256 KiB answers 413, with or without Content-Length; 256 KiB are accepted", async () => {
    const { post, right } = await prepared();
    const largest = right.padEnd(maxBytes);
    expect((await post(largest)).status).toBeLessThan(300);
    // A domain is added once, so the same body is then read and refused for its value.
    expect((await post(chunked(largest))).status).toBeOneOf([200, 201, 409]);
    expect(errorOf(await post(`${largest} `))).toEqual(tooLarge);
    expect(errorOf(await post(chunked(`${largest} `)))).toEqual(tooLarge);
    expect(errorOf(await post(chunked(" ".repeat(maxBytes + 40_000))))).toEqual(tooLarge);
    // The limit is in bytes, not characters.
    expect(errorOf(await post(`"${"ä".repeat(maxBytes / 2)}"`))).toEqual(tooLarge);
  });

  test("without an end is not read beyond the limit", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect(errorOf(await refusing.post(endless))).toEqual(tooLarge);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
  });
});

/** A body in chunks, without a Content-Length. */
function chunked(text: string): ReadableStream<Uint8Array> {
  const all = bytes(text);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= all.length) return controller.close();
      controller.enqueue(all.slice(at, at + 50_000));
      at += 50_000;
    },
  });
}

describe("405 with Allow", () => {
  const ALLOWED: Record<string, string[]> = {
    "/links": ["GET", "HEAD", "POST"],
    // Methods other than POST refer to a link with the id "bulk".
    "/links/bulk": ["DELETE", "GET", "HEAD", "PATCH", "POST"],
    "/links/bulk-update": ["DELETE", "GET", "HEAD", "PATCH", "POST"],
    "/links/bulk-delete": ["DELETE", "GET", "HEAD", "PATCH", "POST"],
    "/links/:id": ["DELETE", "GET", "HEAD", "PATCH"],
    "/links/:id/revisions": ["GET", "HEAD"],
    "/links/:id/revisions/:revision/restore": ["POST"],
    "/links/:id/resolve": ["POST"],
    "/links/:id/backtest": ["POST"],
    "/links/:id/social/image": ["PUT"],
    "/imports/:id/links/:link_id": ["PUT"],
    "/imports/:id": ["DELETE", "GET", "HEAD"],
    "/links/:id/stats": ["GET", "HEAD"],
    "/links/:id/clicks": ["GET", "HEAD"],
    "/clicks": ["GET", "HEAD"],
    "/qr": ["GET", "HEAD", "POST"],
    "/qr/:id": ["GET", "HEAD", "PATCH"],
    "/domains": ["GET", "HEAD", "POST"],
    "/domains/:id": ["DELETE", "GET", "HEAD", "PATCH"],
    "/me": ["GET", "HEAD"],
    "/stats": ["GET", "HEAD"],
    "/tags": ["GET", "HEAD"],
    "/events/stream": ["GET", "HEAD"],
  };

  test("is tested on every route", () => {
    expect(new Set(Object.keys(ALLOWED))).toEqual(new Set(ROUTES.map(({ path }) => path)));
    for (const route of ROUTES) expect(ALLOWED[route.path], routeName(route)).toContain(route.method);
  });

  let ann: TestAccount;
  let link: Link;
  beforeAll(async () => {
    ann = await premiumAccount();
    link = await ann.createLink();
  });

  test.each(Object.entries(ALLOWED))("/v1%s", async (path, allowed) => {
    const allow = allowed.join(", ");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "PURGE"]) {
      if (allowed.includes(method)) continue;
      for (const id of ["lnk_none", link.id]) {
        const reply = await ann.call(method, `/v1${path.replace(":id", id)}`);
        expect(errorOf(reply), method).toEqual({
          status: 405,
          code: "method_not_allowed",
          message: `This route supports only ${allow}.`,
        });
        expect(reply.headers.get("Allow")).toBe(allow);
      }
    }
    expect((await ann.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
  });
});

describe("X-Request-Id", () => {
  test("is on every response and always different", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const replies = [
      await ann.call("GET", "/v1/links"),
      await ann.call("HEAD", "/v1/links"),
      await ann.call("POST", "/v1/links", URL_ONLY),
      await ann.call("PATCH", `/v1/links/${link.id}`, {}),
      await ann.call("DELETE", `/v1/links/${link.id}`),
      await ann.call("GET", `/v1/links/${link.id}`),
      await ann.call("GET", "/v1/none"),
      await send("GET", "/v1/links"),
      await send("OPTIONS", "/v1/links"),
      await send("GET", "/health"),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 200, 204, 404, 404, 401, 204, 200]);
    const ids = replies.map(({ headers }) => headers.get("X-Request-Id"));
    for (const id of ids) expect(id).toMatch(REQUEST_ID);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is set by the service, not the caller", async () => {
    const reply = await send("GET", "/v1/links", undefined, { "X-Request-Id": "req_00000000000000000000000000" });
    expect(errorOf(reply)).toEqual(MISSING_API_KEY);
    expect(reply.headers.get("X-Request-Id")).not.toBe("req_00000000000000000000000000");
  });
});
