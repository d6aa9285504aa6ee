/**
 * Domains inside workerd: ownership, operations that happen once, the reads of a redirect, and links that race with a
 * domain. DNS is covered by test/e2e/domains.test.ts, which has a DNS server.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { Domain } from "../../src/core/contract/domains.ts";
import type { Caller } from "../../src/store/accounts/api-keys.ts";
import worker from "../../src/worker.ts";
import { claimDomain } from "../../src/store/domains/domain-claims.ts";
import { deleteDomain, writePageDesign } from "../../src/store/domains/domains.ts";
import { linkDatabases } from "../../src/store/directory/databases.ts";
import { findKnownDomains } from "../../src/store/domains/known-domains.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../support/test-accounts.ts";
import { freezeClockAt } from "../support/clock.ts";
import { DOMAIN_NOT_FOUND, domainTaken, validationFailed, quotaExceeded } from "../support/expected-errors.ts";
import { errorOf } from "../support/api-response.ts";
import { changeHomeRows, withDatabases } from "../support/link-databases.ts";
import { withRowCount } from "../support/rows-read.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** `DB`, and all bindings, with databases that record each statement and its session. */
function listening(): { DB: D1Database; bindings: typeof env; statements: string[]; sessions: string[] } {
  const statements: string[] = [];
  const sessions: string[] = [];
  const listeningTo = (database: D1Database) => {
    const note = (sql: string, session = "") => {
      statements.push(sql);
      sessions.push(session);
      return database.prepare(sql);
    };
    return {
      prepare: (sql: string) => note(sql),
      batch: (all: D1PreparedStatement[]) => database.batch(all),
      withSession: (session: string) => ({ prepare: (sql: string) => note(sql, session) }),
    } as unknown as D1Database;
  };
  return { DB: listeningTo(env.DB), bindings: withDatabases(env, listeningTo), statements, sessions };
}

function callerOf({ accountId }: TestAccount): Caller {
  return { accountId, mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: "" };
}

async function visitWith(
  bindings: typeof env,
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; location: string | null }> {
  const ctx = createExecutionContext();
  const request = new Request(url, { headers, redirect: "manual" }) as Request<unknown, IncomingRequestCfProperties>;
  const response = await worker.fetch(request, bindings, ctx);
  await waitOnExecutionContext(ctx);
  return { status: response.status, location: response.headers.get("Location") };
}

/** Bindings with which every query fails. */
function withoutDatabases(): typeof env {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const fail = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
  const statement: unknown = { bind: () => statement, all: fail };
  const down = { withSession: () => ({ prepare: () => statement }) } as unknown as D1Database;
  return withDatabases(env, () => down);
}

describe("1 domains of other accounts", () => {
  test.each([
    ["GET", undefined],
    ["PATCH", { root_url: "https://thief.example/" }],
    ["DELETE", undefined],
  ])(
    "%s answers 404 for a domain of another account, of the other mode, or that does not exist, and changes nothing",
    async (method, body) => {
      const [ann, ben] = [await premiumAccount(), await premiumAccount()];
      const domain = await ann.createDomain();
      for (const [by, id] of [
        [ben, domain.id],
        [await ann.withKey("test"), domain.id],
        [ann, "dom_00000000000000000000000000"],
        [ann, "%00'--"],
      ] as const) {
        expect(errorOf(await by.call(method, `/v1/domains/${id}`, body))).toEqual(DOMAIN_NOT_FOUND);
      }
      expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({ data: [domain] });
      expect((await ben.call("GET", "/v1/domains")).body).toMatchObject({ data: [] });
    },
  );
});

describe("10 one name in all its spellings", () => {
  test("is the same domain in every request", async () => {
    const ann = await premiumAccount();
    const name = `${crypto.randomUUID()}.bücher.example`;
    const { domain } = await ann.activeDomain(name);
    const made = [];
    for (const spelling of [name, `${name.toUpperCase()}.`, `${domain}.`]) {
      made.unshift(await ann.createLink({ domain: spelling }));
    }
    expect(made.map((link) => link.domain)).toEqual(Array(3).fill(domain));
    for (const spelling of [name, name.toUpperCase(), `${domain}.`]) {
      const listed = await ann.call("GET", `/v1/links?${new URLSearchParams({ domain: spelling })}`);
      expect(listed.body, spelling).toMatchObject({ data: made });
    }
  });

  test("a name that only the configuration rules out is reported with all other problems of the body", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await ann.call("POST", "/v1/domains", { domain: "github.io", colour: "red" }))).toEqual(
      validationFailed(
        ["colour", "unknown_field", "is unknown"],
        ["domain", "invalid_value", "must not be a public suffix, under which anyone can register names"],
      ),
    );
  });
});

describe("10 the design of a domain's pages", () => {
  test("is on them within ten seconds of each change; without one, they have the default", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const page = async () => (await visit(`http://${domain}/unknown`, { headers: { Accept: "text/html" } })).text();
    const standard = [`<header>${domain}</header>`, "Check the address for typos."];
    const now = Date.now();
    freezeClockAt(now);
    for (const text of standard) expect(await page()).toContain(text);
    await writePageDesign(env, callerOf(ann), id, { name: "Bakery", missing: "Sold out." });
    freezeClockAt(now + 10_000);
    const designed = await page();
    expect(designed).toMatch(/<header>Bakery<\/header>[^]*Sold out\./);
    for (const text of standard) expect(designed).not.toContain(text);
    await writePageDesign(env, callerOf(ann), id, {});
    freezeClockAt(now + 20_000);
    for (const text of standard) expect(await page()).toContain(text);
  });
});

describe("10 number of domains per account", () => {
  test("is limited by the plan, per mode, even for simultaneous requests", async () => {
    const ann = await freeAccount();
    const names = Array.from({ length: 12 }, () => `go.${crypto.randomUUID()}.example`);
    const replies = await Promise.all(names.map((domain) => ann.call("POST", "/v1/domains", { domain })));
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(2);
    for (const reply of refused) {
      expect(errorOf(reply)).toEqual(quotaExceeded("This account has 10 live domains, the limit of the free plan."));
    }
    const first = Domain.parse(replies.find(({ status }) => status === 201)?.body);
    await (await ann.withKey("test")).createDomain();
    expect((await ann.call("DELETE", `/v1/domains/${first.id}`)).status).toBe(204);
    await ann.createDomain();
    await env.DB.prepare("UPDATE accounts SET plan = 'premium' WHERE id = ?1").bind(ann.accountId).run();
    await ann.createDomain();
  });

  test("names that were held and given up count up to ten times the limit, and each can be added again", async () => {
    const ann = await freeAccount();
    const names = Array.from({ length: 100 }, () => `go.${crypto.randomUUID()}.example`);
    const sql = `INSERT INTO domain_holders (domain, account_id, mode, tenure)
      SELECT value, ?2, 'live', 1 FROM json_each(?1)`;
    await env.DB.prepare(sql)
      .bind(JSON.stringify(names.slice(1)), ann.accountId)
      .run();
    const { id } = await ann.activeDomain(names[0]);
    expect((await ann.call("DELETE", `/v1/domains/${id}`)).status).toBe(204);
    const refused = await ann.call("POST", "/v1/domains", { domain: `go.${crypto.randomUUID()}.example` });
    const message = "This account has held 100 live domains, including deleted ones, the limit of the free plan.";
    expect(errorOf(refused)).toEqual(quotaExceeded(message));
    await ann.createDomain(names[0]);
    await (await ann.withKey("test")).createDomain();
  });
});

describe("10 look-ups by an index", () => {
  /** D1's query plan for the statement of `request` that contains `part`. */
  async function planOf(part: string, request: (DB: D1Database) => Promise<unknown>): Promise<string> {
    const { DB, statements } = listening();
    await request(DB);
    const sql = statements.find((each) => each.includes(part));
    const values = Array.from({ length: 5 }, () => null);
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...values.slice(0, Math.max(...[...(sql ?? "").matchAll(/\?(\d+)/g)].map(([, index]) => Number(index)))))
      .all<{ detail: string }>();
    return results.map(({ detail }) => detail).join("\n");
  }

  test("giving up a domain searches the links on it, not all links of the account", async () => {
    const ann = await premiumAccount();
    const caller = callerOf(ann);
    const { id } = await ann.createDomain();
    const plan = await planOf("INDEXED BY links_on_custom_domains", (DB) => deleteDomain({ ...env, DB }, caller, id));
    expect(plan).toMatch(
      /SEARCH (l|links) USING (COVERING )?INDEX links_on_custom_domains \(domain=\? AND account_id=\? AND mode=\?\)/,
    );
  });

  test("giving up a domain reads a few rows, however many tombstones and links elsewhere precede its one link", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const link = await ann.createLink({ domain, slug: "zz-last" });
    await env.DB.prepare(
      `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision, deleted_at, on_custom_domain)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 40000)
       SELECT ?1, 'live', printf('lnk_%026d', i), 'api', iif(i % 4, ?2, 'localhost:8787'), ?3 || '-' || i, '', '[]', 1, 1, 2,
         iif(i % 4, 1, NULL), iif(i % 4, 1, 0) FROM n`,
    )
      .bind(ann.accountId, domain, `a-${crypto.randomUUID()}`)
      .run();
    const giveUp = async () => {
      const watched = withRowCount(env);
      const given = await deleteDomain(watched.env, callerOf(ann), id).catch((error: unknown) => error);
      return { given, rows: watched.counted.rows };
    };
    const refused = await giveUp();
    expect(refused.given).toMatchObject({ code: "domain_in_use" });
    expect(refused.rows).toBeLessThan(20);
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    const given = await giveUp();
    expect(given.given).toMatchObject({ id, domain });
    // If links are in several databases, the lock is copied to each.
    expect(given.rows).toBeLessThan(25 * linkDatabases(env).length);
  });

  test("names are found one by one, the account's own and those of others", async () => {
    const caller = callerOf(await premiumAccount());
    const plan = await planOf("json_each", (DB) => findKnownDomains({ ...env, DB }, caller, ["a.example"]));
    expect(plan).toMatch(/SEARCH own USING INDEX domains_by_owner \(account_id=\? AND mode=\? AND domain=\?\)/);
    expect(plan).toMatch(/SEARCH d USING (COVERING )?INDEX domains_verified \(domain=\?\)/);
  });
});

describe("10 the custom hostname of a lapsed holder", () => {
  test("is scheduled for deletion, even if the new holder gives up the name before taking it over", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const anns = await ann.createDomain();
    const bens = await ben.createDomain(anns.domain);
    const hostname = crypto.randomUUID();
    await env.DB.prepare("UPDATE domains SET verified_at = 1, custom_hostname_id = ?2 WHERE id = ?1")
      .bind(anns.id, hostname)
      .run();
    const noted = async () =>
      (await env.DB.prepare("SELECT id, due_at FROM hostname_releases WHERE domain = ?1").bind(anns.domain).all())
        .results;
    // Another claim came first: nothing of its account is touched.
    expect(await claimDomain(env, callerOf(ben), bens.id, "dom_another")).toBe(false);
    expect(await noted()).toEqual([]);
    const start = Date.now();
    expect(await claimDomain(env, callerOf(ben), bens.id, anns.id)).toBe(true);
    await deleteDomain(env, callerOf(ben), bens.id);
    expect(await noted()).toEqual([{ id: hostname, due_at: expect.any(Number) }]);
    // Not before the new holder had a day to take it over.
    expect((await noted())[0]?.due_at).toBeGreaterThanOrEqual(start + 86_400_000);
  });
});

describe("4 Idempotency-Key on POST /v1/domains", () => {
  test("returns the first response, even for copies in flight; another body answers 409", async () => {
    const ann = await premiumAccount();
    const body = { domain: `go.${crypto.randomUUID()}.example` };
    const headers = { "Idempotency-Key": "add" };
    const replies = await Promise.all(Array.from({ length: 5 }, () => ann.call("POST", "/v1/domains", body, headers)));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const [first] = replies;
    for (const reply of replies) expect(reply.body).toEqual(first?.body);
    expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({ data: [Domain.parse(first?.body)] });
    const other = await ann.call("POST", "/v1/domains", { domain: "other.brand.example" }, headers);
    expect(errorOf(other)).toMatchObject({ status: 409, code: "idempotency_conflict" });
    expect(errorOf(await ann.call("POST", "/v1/domains", body))).toEqual(
      domainTaken(body.domain, "is already one of your domains"),
    );
  });
});

describe("6 the reads of a redirect on a custom domain", () => {
  test("a link: only links, never domains; a miss: the domain, once in ten seconds", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    await ann.createLink({ domain, slug: "here", url: "https://example.com/here" });
    await ann.call("PATCH", `/v1/domains/${id}`, { not_found_url: "https://example.com/lost" });
    freezeClockAt("2026-11-21T12:00:00.000Z");
    const { bindings, statements, sessions } = listening();
    expect(await visitWith(bindings, `http://${domain}/here`)).toEqual({
      status: 302,
      location: "https://example.com/here",
    });
    expect(statements).toHaveLength(1);
    expect(statements.join()).not.toContain("domains");
    expect((await visitWith(bindings, `http://${domain}/here`)).status).toBe(302);
    expect(statements).toHaveLength(1);

    const readDomains = () => statements.filter((sql) => sql.includes("FROM domains")).length;
    const lost = { status: 302, location: "https://example.com/lost" };
    expect(await visitWith(bindings, `http://${domain}/none-1`)).toEqual(lost);
    expect(await visitWith(bindings, `http://${domain}/none-2`)).toEqual(lost);
    expect(readDomains()).toBe(1);
    // A replica may lag by more than the promised ten seconds.
    const redirects = statements.findIndex((sql) => sql.includes("FROM domains"));
    expect(sessions[redirects]).toBe("first-primary");

    await ann.call("PATCH", `/v1/domains/${id}`, { not_found_url: "https://example.com/new" });
    freezeClockAt("2026-11-21T12:00:09.999Z");
    expect(await visitWith(bindings, `http://${domain}/none-3`)).toEqual(lost);
    freezeClockAt("2026-11-21T12:00:10.000Z");
    expect(await visitWith(bindings, `http://${domain}/none-4`)).toMatchObject({ location: "https://example.com/new" });
    expect(readDomains()).toBe(2);
  });

  test("a miss on the service's own domains reads no domain", async () => {
    const { bindings, statements } = listening();
    expect((await visitWith(bindings, "http://localhost:8787/there-is-none")).status).toBe(404);
    expect((await visitWith(bindings, "http://test.localhost:8787/")).status).toBe(404);
    expect(statements.join()).not.toContain("domains");
  });

  test("a created link is found, even if its domain was visited a moment before", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    await ann.call("PATCH", `/v1/domains/${id}`, { not_found_url: "https://example.com/lost" });
    const url = `http://${domain}/soon`;
    expect((await visit(url)).headers.get("Location")).toBe("https://example.com/lost");
    await ann.createLink({ domain, slug: "soon", url: "https://example.com/made" });
    expect((await visit(url)).headers.get("Location")).toBe("https://example.com/made");
  });

  test("simultaneous visits to one domain read it once; clients that request many unknown domains must wait", async () => {
    const { bindings, statements } = listening();
    const readDomains = () => statements.filter((sql) => sql.includes("FROM domains")).length;
    const unknown = `http://go.${crypto.randomUUID()}.example/`;
    const replies = await Promise.all(Array.from({ length: 20 }, () => visitWith(bindings, unknown)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(404));
    expect(readDomains()).toBe(1);

    const scanner = { "CF-Connecting-IP": "198.51.100.1" };
    const scan = () => visitWith(bindings, `http://go.${crypto.randomUUID()}.example/`, scanner);
    for (let i = 0; i < 100; i++) expect((await scan()).status).toBe(404);
    const asked = readDomains();
    expect((await scan()).status).toBe(429);
    expect(readDomains()).toBe(asked);
    // A domain that the isolate knows takes no look-up.
    expect((await visitWith(bindings, unknown, scanner)).status).toBe(404);
  });

  test("an expired link reads the domain, once in ten seconds", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const link = await ann.createLink({ domain, slug: "over" });
    await ann.updateLink(link, { expires_at: "2026-01-01T00:00:00Z" });
    await ann.call("PATCH", `/v1/domains/${id}`, { expired_url: "https://example.com/over?a=ü" });
    const start = Date.now();
    freezeClockAt(start);
    const { bindings, statements } = listening();
    const readDomains = () => statements.filter((sql) => sql.includes("FROM domains")).length;
    for (const search of ["", "?b=c"]) {
      expect(await visitWith(bindings, `http://${domain}/over${search}`)).toEqual({
        status: 302,
        location: "https://example.com/over?a=%C3%BC",
      });
    }
    expect(readDomains()).toBe(1);
    await ann.call("PATCH", `/v1/domains/${id}`, { expired_url: null });
    freezeClockAt(start + 10_000);
    expect((await visitWith(bindings, `http://${domain}/over`)).status).toBe(410);
    expect(readDomains()).toBe(2);
    expect((await ann.stats(link, { include_bots: "true" })).total).toBe(0);
  });

  test("with the database down an expired link that the isolate knows is 410", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const start = Date.now();
    freezeClockAt(start);
    const expires_at = new Date(start + 2_000).toISOString();
    await ann.createLink({ domain, slug: "ending", expires_at });
    expect((await visitWith(env, `http://${domain}/ending`)).status).toBe(302);
    freezeClockAt(start + 2_000);
    expect((await visitWith(withoutDatabases(), `http://${domain}/ending`)).status).toBe(410);
  });

  test("with the database down a miss is 503, never a 404", async () => {
    const bindings = withoutDatabases();
    expect((await visitWith(bindings, `http://go.${crypto.randomUUID()}.example/`)).status).toBe(503);
    expect((await visitWith(bindings, `http://go.${crypto.randomUUID()}.example/a`)).status).toBe(503);
  });
});

/** The examples of "Supporting associated domains" (Apple) and "Statement list syntax" (Google). */
const APPLE_FILE = {
  applinks: {
    details: [
      {
        appIDs: ["ABCDE12345.com.example.app", "ABCDE12345.com.example.app2"],
        components: [
          {
            "#": "no_universal_links",
            exclude: true,
            comment:
              "Matches any URL with a fragment that equals no_universal_links and instructs the system not to open it as a universal link.",
          },
          { "/": "/buy/*", comment: "Matches any URL with a path that starts with /buy/." },
          {
            "/": "/help/*",
            "?": { articleNumber: "????" },
            comment:
              "Matches any URL with a path that starts with /help/ and that has a query item with name 'articleNumber' and a value of exactly four characters.",
          },
        ],
      },
    ],
  },
  webcredentials: { apps: ["ABCDE12345.com.example.app"] },
  appclips: { apps: ["ABCED12345.com.example.MyApp.Clip"] },
};
const ANDROID_FILE = [
  {
    relation: ["delegate_permission/common.handle_all_urls"],
    target: {
      namespace: "android_app",
      package_name: "com.example",
      sha256_cert_fingerprints: [
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5",
      ],
    },
  },
];
const APPLE_PATHS = ["/.well-known/apple-app-site-association", "/apple-app-site-association"];
const ANDROID_PATH = "/.well-known/assetlinks.json";

describe("10 files for apps", () => {
  const APPLE_TEXT = JSON.stringify(APPLE_FILE);
  const ANDROID_TEXT = JSON.stringify(ANDROID_FILE);
  const files = (apple: unknown, android: unknown) => ({
    well_known: { "apple-app-site-association": apple, "assetlinks.json": android },
  });

  async function read(url: string, method = "GET") {
    const response = await visit(url, { method });
    return [response.status, response.headers.get("Content-Type"), await response.text()];
  }

  test("10 are served as sent, byte for byte, on their domain only", async () => {
    const ann = await premiumAccount();
    const [{ id, domain }, other] = [await ann.activeDomain(), await ann.activeDomain()];
    const sent = files(APPLE_FILE, ANDROID_FILE);
    const changed = await ann.call("PATCH", `/v1/domains/${id}`, JSON.stringify(sent, null, 3), {
      "Content-Type": "application/json",
    });
    expect([changed.status, changed.body]).toMatchObject([200, sent]);
    expect(JSON.stringify((changed.body as Domain).well_known)).toBe(JSON.stringify(sent.well_known));
    expect((await ann.call("GET", `/v1/domains/${id}`)).body).toEqual(changed.body);
    const { data } = (await ann.call("GET", "/v1/domains")).body as { data: Domain[] };
    expect(data.map(({ well_known }) => well_known)).toEqual([undefined, sent.well_known]);
    for (const path of APPLE_PATHS) {
      expect(await read(`http://${domain}${path}`)).toEqual([200, "application/json", APPLE_TEXT]);
      expect(await read(`http://${domain}${path}?a=b`, "HEAD")).toEqual([200, "application/json", ""]);
    }
    expect(await read(`http://${domain}${ANDROID_PATH}`)).toEqual([200, "application/json", ANDROID_TEXT]);
    const { headers } = await visit(`http://${domain}${ANDROID_PATH}`);
    expect([headers.get("Cache-Control"), headers.get("Location")]).toEqual(["public, max-age=300", null]);
    expect((await visit(`http://${domain}${ANDROID_PATH}`, { method: "POST" })).status).toBe(405);
    const elsewhere = [
      "/.well-known/ASSETLINKS.json",
      `${ANDROID_PATH}/`,
      `${ANDROID_PATH}+`,
      "/t/assetlinks.json",
      "/assetlinks.json",
    ];
    for (const path of elsewhere) expect([path, (await visit(`http://${domain}${path}`)).status]).toEqual([path, 404]);
    for (const host of [other.domain, "localhost:8787", "test.localhost:8787", `go.${crypto.randomUUID()}.example`]) {
      for (const path of [...APPLE_PATHS, ANDROID_PATH]) {
        expect([host, path, (await visit(`http://${host}${path}`)).status]).toEqual([host, path, 404]);
      }
    }
  });

  test("10 keep the spelling of texts and numbers, and the order of members", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const text = String.raw`{"z":1,"a":"/\u0000\ud800<ü\"😀\n","b":{"y":[1.5e+300,-0.1,true,null,{}],"x":""},"toString":[]}`;
    const reply = await ann.call(
      "PATCH",
      `/v1/domains/${id}`,
      `{"well_known":{"apple-app-site-association":{"in":${text}}}}`,
      {
        "Content-Type": "application/json",
      },
    );
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([200, expect.any(String)]);
    expect(await read(`http://${domain}${APPLE_PATHS[0]}`)).toEqual([200, "application/json", `{"in":${text}}`]);
  });

  test("10 are replaced together, and removed by null; a change is served within ten seconds", async () => {
    freezeClockAt("2030-05-01T00:00:00Z");
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const change = async (body: unknown) => (await ann.call("PATCH", `/v1/domains/${id}`, body)).body;
    const statuses = async () => [
      (await visit(`http://${domain}${APPLE_PATHS[0]}`)).status,
      (await visit(`http://${domain}${ANDROID_PATH}`)).status,
    ];
    await change(files(APPLE_FILE, ANDROID_FILE));
    expect(await statuses()).toEqual([200, 200]);
    expect(await change({ well_known: { "assetlinks.json": [] }, peek: false })).toMatchObject({
      well_known: { "assetlinks.json": [] },
      peek: false,
    });
    freezeClockAt("2030-05-01T00:00:10Z");
    expect(await statuses()).toEqual([404, 200]);
    expect(await change({ root_url: null })).toMatchObject({ well_known: { "assetlinks.json": [] } });
    expect(await change({ well_known: {} })).not.toHaveProperty("well_known");
    await change(files(APPLE_FILE, ANDROID_FILE));
    expect(await change({ well_known: null })).not.toHaveProperty("well_known");
    freezeClockAt("2030-05-01T00:00:20Z");
    expect(await statuses()).toEqual([404, 404]);
  });

  test("10 give way to a link, and to the domain's page for unknown slugs if there is no file", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    await ann.call("PATCH", `/v1/domains/${id}`, {
      not_found_url: "https://example.com/lost",
      ...files(APPLE_FILE, []),
    });
    await ann.createLink({ domain, slug: "apple-app-site-association", url: "https://example.com/link" });
    const { headers } = await visit(`http://${domain}/apple-app-site-association`);
    expect(headers.get("Location")).toBe("https://example.com/link");
    expect(await read(`http://${domain}${APPLE_PATHS[0]}`)).toEqual([200, "application/json", APPLE_TEXT]);
    const bare = await ann.activeDomain();
    await ann.call("PATCH", `/v1/domains/${bare.id}`, { not_found_url: "https://example.com/lost" });
    const lost = await visit(`http://${bare.domain}/apple-app-site-association`);
    expect([lost.status, lost.headers.get("Location")]).toEqual([302, "https://example.com/lost"]);
    expect((await visit(`http://${bare.domain}${APPLE_PATHS[0]}`)).status).toBe(404);
  });

  test("10 have at most 128 KiB each, and 1 MiB together for an account, whatever else the request changes", async () => {
    const ann = await premiumAccount();
    const domains = await Promise.all(Array.from({ length: 5 }, () => ann.createDomain()));
    const ofBytes = (bytes: number) => [`${"ü".repeat((bytes - 4) / 2)}`];
    const objectOf = (bytes: number) => ({ a: "x".repeat(bytes - 8) });
    const max = 128 * 1024;
    const change = (i: number, body: unknown) => ann.call("PATCH", `/v1/domains/${domains[i]?.id}`, body);
    const tooLarge = "must have at most 131072 bytes as JSON without white space";
    expect(errorOf(await change(0, files(objectOf(max + 1), ofBytes(max + 2))))).toEqual(
      validationFailed(
        ["well_known.apple-app-site-association", "invalid_value", tooLarge],
        ["well_known.assetlinks.json", "invalid_value", tooLarge],
      ),
    );
    for (let i = 0; i < 4; i++) expect((await change(i, files(objectOf(max), ofBytes(max)))).status).toBe(200);
    const refusal = "The well_known files of this account's domains would have more than 1048576 bytes.";
    for (const more of [{}, { case_sensitive: true }]) {
      const refused = await change(4, {
        well_known: { "assetlinks.json": [] },
        root_url: "https://example.com/",
        ...more,
      });
      expect(errorOf(refused)).toEqual({ ...quotaExceeded(refusal), param: "well_known" });
    }
    expect((await ann.call("GET", "/v1/domains?limit=1")).body).toMatchObject({ data: [{ root_url: null }] });
    const ben = await ann.withKey("test");
    const inTest = await ben.createDomain();
    const again = await ben.call("PATCH", `/v1/domains/${inTest.id}`, { well_known: { "assetlinks.json": [] } });
    expect(errorOf(again)).toMatchObject({ code: "quota_exceeded" });
    expect((await change(3, { well_known: { "assetlinks.json": ofBytes(max) } })).status).toBe(200);
    expect((await change(4, { well_known: { "assetlinks.json": ofBytes(max) } })).status).toBe(200);
    const tooLong = await change(4, { well_known: { "assetlinks.json": ["x".repeat(512 * 1024)] } });
    expect(errorOf(tooLong)).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  test.each([
    [{ well_known: [] }, "well_known"],
    [{ well_known: { "assetlinks.json": {} } }, "well_known.assetlinks.json"],
    [{ well_known: { "assetlinks.json": null } }, "well_known.assetlinks.json"],
    [{ well_known: { "apple-app-site-association": [] } }, "well_known.apple-app-site-association"],
    [{ well_known: { "apple-app-site-association": "{}" } }, "well_known.apple-app-site-association"],
    [{ well_known: { "security.txt": {} } }, "well_known.security.txt"],
  ])("10 %j is refused", async (body, param) => {
    const ann = await premiumAccount();
    const { id } = await ann.createDomain();
    const reply = await ann.call("PATCH", `/v1/domains/${id}`, body);
    expect(errorOf(reply)).toMatchObject({ status: 422, param });
  });

  test("10 are those of the holder of the name, and are deleted with the domain", async () => {
    freezeClockAt("2030-06-01T00:00:00Z");
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const pending = await ben.createDomain();
    await ben.call("PATCH", `/v1/domains/${pending.id}`, files(APPLE_FILE, ANDROID_FILE));
    const url = `http://${pending.domain}${ANDROID_PATH}`;
    expect((await visit(url)).status).toBe(404);
    const anns = await ann.activeDomain(pending.domain);
    await ann.call("PATCH", `/v1/domains/${anns.id}`, files({}, [1]));
    freezeClockAt("2030-06-01T00:00:10Z");
    expect(await read(url)).toEqual([200, "application/json", "[1]"]);
    expect((await ann.call("DELETE", `/v1/domains/${anns.id}`)).status).toBe(204);
    freezeClockAt("2030-06-01T00:00:20Z");
    expect((await visit(url)).status).toBe(404);
    expect(await ann.createDomain(pending.domain)).not.toHaveProperty("well_known");
  });

  test("10 requests for many files that do not exist are limited like those for unknown slugs", async () => {
    const headers = { "CF-Connecting-IP": "203.0.113.17" };
    const request = () => visit(`http://go.${crypto.randomUUID()}.example${ANDROID_PATH}`, { headers });
    for (let i = 0; i < 100; i++) expect((await request()).status).toBe(404);
    expect((await request()).status).toBe(429);
  });
});

describe("10 a domain that ceases to be active while a link is created", () => {
  test("gets no link, stores no response, and refuses the whole of a bulk request", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const statusSql = "UPDATE domains SET status = ?2 WHERE id = ?1";
    const path = { "/v1/links": { url: "https://example.com/", domain }, "/v1/links/bulk": {} };
    // Over several databases, the part with another domain's link may be done before.
    const other = linkDatabases(env).length === 1 ? {} : { domain };
    const links = [
      { url: "https://example.com/", ...other },
      { url: "https://example.com/", domain },
    ];
    path["/v1/links/bulk"] = { links };
    for (const [route, body] of Object.entries(path)) {
      // The check has passed at this point, so the write itself must refuse.
      let [isWriting, isClosed] = [false, false];
      const closing = (database: D1Database) =>
        ({
          prepare: (sql: string) => {
            isWriting ||= sql.includes("INSERT INTO links ");
            return database.prepare(sql);
          },
          batch: async (statements: D1PreparedStatement[]) => {
            if (isWriting && !isClosed) await changeHomeRows(env, [ann.accountId], statusSql, id, "misconfigured");
            isClosed ||= isWriting;
            return database.batch(statements);
          },
        }) as unknown as D1Database;
      const ctx = createExecutionContext();
      const request = new Request(`http://localhost:8787${route}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${ann.key}`,
          "Content-Type": "application/json",
          "Idempotency-Key": route,
        },
        body: JSON.stringify(body),
      }) as Request<unknown, IncomingRequestCfProperties>;
      const response = await worker.fetch(request, withDatabases(env, closing), ctx);
      await waitOnExecutionContext(ctx);
      const reply = { status: response.status, headers: response.headers, body: await response.json() };
      expect(errorOf(reply)).toEqual(
        validationFailed(["domain", "not_active", "is no longer active, so it accepts no new links"]),
      );
      await changeHomeRows(env, [ann.accountId], statusSql, id, "active");
    }
    expect((await ann.call("GET", "/v1/links")).body).toMatchObject({ data: [] });
    const again = await ann.call("POST", "/v1/links", path["/v1/links"], { "Idempotency-Key": "/v1/links" });
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
  });
});
