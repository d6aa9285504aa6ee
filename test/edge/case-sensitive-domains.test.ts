/** Case-sensitive domains: `Ab` and `aB` are two links there, wherever links are named, and permanently. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import jsQr from "jsqr";
import { afterEach, describe, expect, test, vi } from "vitest";

import type { JsonRow } from "../../src/core/contract/backup.ts";
import { Domain } from "../../src/core/contract/domains.ts";
import { type Link, LinkPage } from "../../src/core/contract/links.ts";
import type { QrCode } from "../../src/core/contract/qr-codes.ts";
import worker from "../../src/worker.ts";
import { insertTableRows } from "../../src/store/backup/table-rows.ts";
import { setLinkDisabled } from "../../src/store/links/operator-links.ts";
import { errorOf } from "../support/api-response.ts";
import { freezeClockAt } from "../support/clock.ts";
import { domainHasLinks, slugTaken } from "../support/expected-errors.ts";
import { readPng } from "../support/png.ts";
import { withDatabases } from "../support/link-databases.ts";
import { openListener } from "../support/stream-listener.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../support/test-accounts.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function url(path: string): string {
  return `https://example.com/${path}`;
}

/** An active domain with the option. */
async function exactDomain(ann: TestAccount): Promise<Domain> {
  const { id, domain } = await ann.activeDomain();
  const reply = await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: true });
  expect(reply.body).toMatchObject({ id, domain, case_sensitive: true });
  return Domain.parse(reply.body);
}

/** A domain that another account held before, with links of that account. */
async function inherited(isExact: boolean, slugs: readonly string[]): Promise<{ holder: TestAccount; domain: Domain }> {
  const [former, holder] = [await premiumAccount(), await premiumAccount()];
  const { domain } = await (isExact ? exactDomain(former) : former.activeDomain());
  for (const slug of slugs) await former.createLink({ domain, slug, url: url(`former/${slug}`) });
  return { holder, domain: await holder.inheritDomain(domain) };
}

/** The text in the image of a PNG code. */
async function textOf(code: QrCode): Promise<string | undefined> {
  const { rgba, width, height } = readPng(new Uint8Array(await (await visit(code.url)).arrayBuffer()));
  return jsQr(rgba, width, height)?.data;
}

async function whereTo(domain: string, slug: string): Promise<string | number> {
  const response = await visit(`http://${domain}/${slug}`);
  return response.headers.get("Location") ?? response.status;
}

function workerRequest(path: string, init: RequestInit): Request<unknown, IncomingRequestCfProperties> {
  return new Request(path, { redirect: "manual", ...init }) as Request<unknown, IncomingRequestCfProperties>;
}

/** @param changed  a database that replaces one with links */
async function fetchWith(
  changed: (database: D1Database) => unknown,
  request: Request<unknown, IncomingRequestCfProperties>,
): Promise<Response> {
  const ctx = createExecutionContext();
  const response = await worker.fetch(
    request,
    withDatabases(env, (database) => changed(database) as D1Database),
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}

describe("10 the case_sensitive option of a domain", () => {
  test("is set when the domain is added or later, and shown only if it is set", async () => {
    const ann = await freeAccount();
    const plain = await ann.createDomain();
    expect(plain).not.toHaveProperty("case_sensitive");
    const body = { domain: `go.${crypto.randomUUID()}.example`, case_sensitive: true };
    const added = await ann.call("POST", "/v1/domains", body, { "Idempotency-Key": "add" });
    expect([added.status, Domain.parse(added.body).case_sensitive]).toEqual([201, true]);
    const again = await ann.call("POST", "/v1/domains", body, { "Idempotency-Key": "add" });
    expect(again.body).toEqual(added.body);
    const { id } = Domain.parse(added.body);
    const path = `/v1/domains/${id}`;
    expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({ data: [added.body, plain] });
    expect((await ann.call("PATCH", path, { root_url: url("root") })).body).toMatchObject({ case_sensitive: true });
    expect((await ann.call("PATCH", path, { case_sensitive: false })).body).not.toHaveProperty("case_sensitive");
    for (const wrong of ["true", 1, null]) {
      expect(errorOf(await ann.call("PATCH", path, { case_sensitive: wrong }))).toMatchObject({ status: 422 });
      expect(errorOf(await ann.call("POST", "/v1/domains", { ...body, case_sensitive: wrong }))).toMatchObject({
        status: 422,
      });
    }
  });

  test("can change until the first link is created; a deleted one counts, even after the domain is added again", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await exactDomain(ann);
    const path = `/v1/domains/${id}`;
    const link = await ann.createLink({ domain, slug: "Ab" });
    const refused = domainHasLinks(domain);
    expect(errorOf(await ann.call("PATCH", path, { case_sensitive: false, root_url: url("new") }))).toEqual(refused);
    expect((await ann.call("PATCH", path, { case_sensitive: true })).body).toMatchObject({ root_url: null });
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    expect(errorOf(await ann.call("PATCH", path, { case_sensitive: false }))).toEqual(refused);
    expect((await ann.call("DELETE", path)).status).toBe(204);
    expect(errorOf(await ann.call("POST", "/v1/domains", { domain, case_sensitive: false }))).toEqual(refused);
    // Without the option in the request, it stays as it was.
    expect(await ann.createDomain(domain)).toMatchObject({ case_sensitive: true });
  });

  test("does not depend on links of another account or of the other mode", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await ann.activeDomain();
    await ann.createLink({ domain, slug: "Ab" });
    for (const other of [ben, await ann.withKey("test")]) {
      const theirs = await other.inheritDomain(domain);
      expect((await other.call("PATCH", `/v1/domains/${theirs.id}`, { case_sensitive: true })).status).toBe(200);
    }
  });

  test.each(["/v1/links", "/v1/links/bulk"])(
    "that is switched while %s creates the first link is decided by the database",
    async (route) => {
      const ann = await premiumAccount();
      const { id, domain } = await ann.activeDomain();
      let switches = 0;
      // The slug has been chosen by then, so the write itself must detect the switch.
      const switching = (database: D1Database) => ({
        prepare: (sql: string) => database.prepare(sql),
        batch: async (statements: D1PreparedStatement[]) => {
          if (switches++ === 0) await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: true });
          return database.batch(statements);
        },
      });
      const links = ["Ab", "aB"].map((slug) => ({ url: url(slug), domain, slug }));
      const reply = await fetchWith(
        switching,
        workerRequest(`http://localhost:8787${route}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json" },
          body: JSON.stringify(route.endsWith("bulk") ? { links } : links[0]),
        }),
      );
      // The first write is refused; the second one is planned anew.
      expect([reply.ok, switches]).toEqual([true, 2]);
      expect(await whereTo(domain, "Ab")).toBe(url("Ab"));
      expect(await whereTo(domain, "ab")).toBe(404);
      expect(await whereTo(domain, "aB")).toBe(route.endsWith("bulk") ? url("aB") : 404);
      // Too late: the link exists.
      const late = await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: false });
      expect(errorOf(late)).toEqual(domainHasLinks(domain));
    },
  );

  test("that is switched while a first link is created never contradicts that link", async () => {
    for (let round = 0; round < 8; round++) {
      const ann = await premiumAccount();
      const { id, domain } = await ann.activeDomain();
      const [made, switched] = await Promise.all([
        ann.call("POST", "/v1/links", { url: url("Ab"), domain, slug: "Ab" }),
        ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: true }),
      ]);
      const isExact = switched.status === 200;
      // If links are in several databases, the domain is locked while the first link is searched for.
      expect([201, ...(isExact && env.LINK_DATABASES !== undefined ? [503] : [])]).toContain(made.status);
      if (made.status === 503) continue;
      if (!isExact) expect(errorOf(switched)).toEqual(domainHasLinks(domain));
      expect(await whereTo(domain, "aB")).toBe(isExact ? 404 : url("Ab"));
    }
  });
});

describe("10 links on a case-sensitive domain", () => {
  test("that differ in case are created, visited, counted, changed and deleted separately", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    const made: Link[] = [];
    for (const slug of ["Ab", "aB", "ab", "AB"]) made.push(await ann.createLink({ domain, slug, url: url(slug) }));
    for (const { slug, short_url, url: destination } of made) {
      expect(short_url).toBe(`http://${domain}/${slug}`);
      expect(await whereTo(domain, slug)).toBe(destination);
      expect(await whereTo(domain, `${slug}/`)).toBe(destination);
      expect(await whereTo(domain, `%${slug.charCodeAt(0).toString(16)}${slug[1]}?utm_source=x`)).toBe(destination);
    }
    expect(errorOf(await ann.call("POST", "/v1/links", { url: url("x"), domain, slug: "aB" }))).toEqual(
      slugTaken("aB", domain),
    );
    const [first, second] = made;
    if (!first || !second) throw new Error("no links");
    await whereTo(domain, "Ab");
    expect((await ann.statsAfter(4, first)).total).toBe(4);
    expect((await ann.statsAfter(3, second)).total).toBe(3);
    await ann.updateLink(first, { url: url("changed") });
    expect(await whereTo(domain, "Ab")).toBe(url("changed"));
    expect(await whereTo(domain, "aB")).toBe(url("aB"));
    expect((await ann.call("DELETE", `/v1/links/${first.id}`)).status).toBe(204);
    expect(await whereTo(domain, "Ab")).toBe(410);
    expect(await whereTo(domain, "aB")).toBe(url("aB"));
    expect(errorOf(await ann.call("POST", "/v1/links", { url: url("x"), domain, slug: "Ab" }))).toEqual(
      slugTaken("Ab", domain),
    );
  });

  test("are created in bulk, with a retry, and with random slugs", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    const links = [
      { slug: "Ab", domain, url: url("1") },
      { slug: "aB", domain, url: url("2") },
      { slug: "Ab", domain, url: url("3") },
      { domain, url: url("4") },
    ];
    const send = () => ann.call("POST", "/v1/links/bulk", { links }, { "Idempotency-Key": "bulk" });
    const [reply, again] = [await send(), await send()];
    expect(again.body).toEqual(reply.body);
    const { results } = reply.body as { results: { link?: Link; error?: object }[] };
    expect(results[2]?.error).toMatchObject({ code: "slug_taken" });
    for (const result of results) {
      if (!result.link) continue;
      expect(result.link.slug).toMatch(/^[A-Za-z0-9]+$/);
      expect(result.link.short_url).toBe(`http://${domain}/${result.link.slug}`);
      expect(await whereTo(domain, result.link.slug)).toBe(result.link.url);
    }
    const made = results[3]?.link?.slug ?? "";
    expect(await whereTo(domain, made.toUpperCase())).toBe(404);
  });

  test("are found by slug and short URL as written, by a search in any case", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    const other = await ann.activeDomain();
    const [upper, lower] = [
      await ann.createLink({ domain, slug: "Spring-Sale" }),
      await ann.createLink({ domain, slug: "spring-sale" }),
    ];
    const anyCase = await ann.createLink({ domain: other.domain, slug: "sPRING-sALE" });
    const find = async (query: Record<string, string>) =>
      LinkPage.parse((await ann.call("GET", `/v1/links?${new URLSearchParams({ ...query, sort: "created_at" })}`)).body)
        .data;
    expect(await find({ slug: "Spring-Sale" })).toEqual([upper, anyCase]);
    expect(await find({ slug: "spring-sale", domain })).toEqual([lower]);
    expect(await find({ slug: "SPRING-SALE", domain })).toEqual([]);
    expect(await find({ short_url: `${domain}/Spring-Sale?a=b` })).toEqual([upper]);
    expect(await find({ short_url: `${domain}/SPRING-sale` })).toEqual([]);
    expect(await find({ short_url: `${domain}/~spring-sale!spring-sale` })).toEqual([]);
    expect(await find({ slug: "spring-sale", short_url: `${domain}/spring-sale` })).toEqual([lower]);
    expect(await find({ search: "NG-SA", domain })).toEqual([upper, lower]);
    for (const search of ["~", "e!", "^s", "e!s"]) expect(await find({ search })).toEqual([]);
  });

  test("are identified correctly in QR codes, their scans, clicks, the live stream and dry runs", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    const [link, other] = [
      await ann.createLink({ domain, slug: "Ab", url: url("Ab") }),
      await ann.createLink({ domain, slug: "aB", url: url("aB") }),
    ];
    const stream = await openListener(ann, { link_id: link.id });
    const [code, others] = [await ann.createQrCode(link), await ann.createQrCode(other)];
    const scan = ({ id }: QrCode) => `?qr=${id.slice("qr_".length)}`;
    expect(await textOf(code)).toBe(`http://${domain}/Ab${scan(code)}`);
    expect(await whereTo(domain, `Ab${scan(code)}`)).toBe(url("Ab"));
    // A code of another link does not count for this one.
    expect(await whereTo(domain, `Ab${scan(others)}`)).toBe(url("Ab"));
    await ann.waitForClicks(2, link);
    expect([(await ann.qrCode(code)).scans, (await ann.qrCode(others)).scans]).toEqual([1, 0]);
    const clicks = [
      { seq: 1, source: "qr" },
      { seq: 2, source: "link" },
    ];
    expect((await ann.clicks(link)).data).toMatchObject(clicks);
    const [event] = await stream.waitForClicks(2);
    expect(event).toMatchObject({ slug: "Ab", domain, short_url: `http://${domain}/Ab` });
    await stream.close();
    expect((await ann.call("POST", `/v1/links/${link.id}/resolve`, {})).body).toMatchObject({ url: url("Ab") });
  });

  test("4 may have letters of any script, whose case counts too; their forms in Unicode do not", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    const slugs = ["É/Straße", "é/straße", "É/STRASSE", "é/strasse"];
    for (const slug of slugs) {
      const link = await ann.createLink({ domain, slug, url: url(encodeURIComponent(slug)) });
      expect([link.slug, link.short_url]).toEqual([slug, `http://${domain}/${encodeURI(slug)}`]);
      const code = await ann.createQrCode(link);
      expect(await textOf(code)).toBe(`${link.short_url}?qr=${code.id.slice("qr_".length)}`);
    }
    for (const slug of slugs) {
      for (const form of [slug, slug.normalize("NFD"), `${slug}/`])
        expect(await whereTo(domain, form)).toBe(url(encodeURIComponent(slug)));
    }
    for (const other of ["É/straße", "É/Strasse", "É", "É%2FStraße"]) expect(await whereTo(domain, other)).toBe(404);
    const taken = await ann.call("POST", "/v1/links", { url: url("x"), domain, slug: "E\u0301/Straße" });
    expect(taken.status).toBe(409);
    const found = LinkPage.parse((await ann.call("GET", `/v1/links?slug=${encodeURIComponent("É/Straße")}`)).body);
    expect(found.data.map(({ slug }) => slug)).toEqual(["É/Straße"]);
    expect(await setLinkDisabled(env, domain, "é/Straße", true)).toBeNull();
    expect(await setLinkDisabled(env, domain, "É/Straße", true)).toBe(found.data[0]?.id);
  });

  test("that do not exist answer 404 or lead to the domain's page, and never affect those that do", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await exactDomain(ann);
    await ann.createLink({ domain, slug: "Ab", url: url("Ab") });
    expect(await whereTo(domain, "ab")).toBe(404);
    expect(await whereTo(domain, "Ab")).toBe(url("Ab"));
    expect(await whereTo(domain, "~ab!^ab")).toBe(404);
    expect(await whereTo(domain, "%7Eab!%5Eab")).toBe(404);
    freezeClockAt(Date.now() + 11_000);
    await ann.call("PATCH", `/v1/domains/${id}`, { not_found_url: url("lost") });
    expect(await whereTo(domain, "ab")).toBe(url("lost"));
    expect(await whereTo(domain, "Ab")).toBe(url("Ab"));
    // A name that was just missed is found once its link exists.
    await ann.createLink({ domain, slug: "ab", url: url("ab") });
    expect(await whereTo(domain, "ab")).toBe(url("ab"));
  });

  test("are disabled by the operator one by one", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    const link = await ann.createLink({ domain, slug: "Ab", url: url("Ab") });
    await ann.createLink({ domain, slug: "aB", url: url("aB") });
    expect(await setLinkDisabled(env, domain, "AB", true)).toBeNull();
    expect(await setLinkDisabled(env, domain, "~ab!^ab", true)).toBeNull();
    expect(await setLinkDisabled(env, domain, "Ab", true)).toBe(link.id);
    expect(await whereTo(domain, "Ab")).toBe(410);
    expect(await whereTo(domain, "aB")).toBe(url("aB"));
  });
});

describe("6 the reads of a visit", () => {
  /** The number of statements of some visits, and their destinations. */
  async function visits(urls: readonly string[]): Promise<{ statements: number; locations: (string | null)[] }> {
    let statements = 0;
    const counting = (database: D1Database) => ({
      prepare: (sql: string) => database.prepare(sql),
      batch: (all: D1PreparedStatement[]) => database.batch(all),
      withSession: (session: D1SessionConstraint) => ({
        prepare: (sql: string) => (statements++, database.withSession(session).prepare(sql)),
      }),
    });
    // GET would be answered the same, but its clicks take two seconds to be recorded.
    const responses = await Promise.all(
      urls.map((each) => fetchWith(counting, workerRequest(each, { method: "HEAD" }))),
    );
    return { statements, locations: responses.map(({ headers }) => headers.get("Location")) };
  }

  test("one query finds links of both kinds, and links with the same letters are kept apart", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    for (const slug of ["Ab", "aB"]) await ann.createLink({ domain, slug, url: url(slug) });
    const urls = ["Ab", "aB", "Ab"].map((slug) => `http://${domain}/${slug}`);
    freezeClockAt(Date.now() + 60_000);
    const locations = [url("Ab"), url("aB"), url("Ab")];
    const first = await visits(urls);
    expect(first.locations).toEqual(locations);
    expect(first.statements).toBeLessThanOrEqual(2);
    expect(await visits(urls)).toEqual({ statements: 0, locations });
  });

  test("a link that is matched case-insensitively is read once for all its spellings", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    await ann.createLink({ domain, slug: "Ab", url: url("Ab") });
    expect((await visits([`http://${domain}/Ab`])).statements).toBe(1);
    expect(await visits(["ab", "aB", "AB"].map((slug) => `http://${domain}/${slug}`))).toEqual({
      statements: 0,
      locations: Array(3).fill(url("Ab")),
    });
  });
});

describe("10 a domain that changes hands", () => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    "makes all slugs available, however they match: former holder's case_sensitive is %s, the new one's %s",
    async (isFormerExact, isExact) => {
      const { holder, domain } = await inherited(isFormerExact, ["Ab"]);
      expect([await whereTo(domain.domain, "Ab"), await whereTo(domain.domain, "ab")]).toEqual([
        410,
        isFormerExact ? 404 : 410,
      ]);
      if (isExact) await holder.call("PATCH", `/v1/domains/${domain.id}`, { case_sensitive: true });
      const slugs = isExact ? ["Ab", "aB"] : ["aB"];
      for (const slug of slugs) await holder.createLink({ domain: domain.domain, slug, url: url(slug) });
      const taken = await holder.call("POST", "/v1/links", { url: url("x"), domain: domain.domain, slug: "aB" });
      expect(errorOf(taken)).toEqual(slugTaken("aB", domain.domain));
      freezeClockAt(Date.now() + 10_000);
      // Twice: the former holder's link is not cached beside the new one.
      for (let i = 0; i < 2; i++) {
        if (isExact && !isFormerExact) expect(await whereTo(domain.domain, "AB")).toBe(410);
        expect(await whereTo(domain.domain, "Ab")).toBe(url(isExact ? "Ab" : "aB"));
        expect(await whereTo(domain.domain, "aB")).toBe(url("aB"));
      }
    },
  );

  test.each([
    ["the spellings", "192.0.2.77", (i: number) => i],
    ["one spelling", "198.51.100.77", () => 0],
  ])("limits look-ups of %s of a former holder's link by network", async (_, address, spellingAt) => {
    const { domain } = await inherited(false, ["formerlink"]);
    const statuses = new Set<number>();
    for (let i = 0; i <= 100; i++) {
      const isUpper = (at: number) => spellingAt(i) & (1 << at);
      const slug = [..."formerlink"].map((char, at) => (isUpper(at) ? char.toUpperCase() : char)).join("");
      const reply = await visit(`http://${domain.domain}/${slug}`, { headers: { "CF-Connecting-IP": address } });
      statuses.add(reply.status);
    }
    expect([...statuses]).toEqual([410, 429]);
  });
});

describe("10 a domain restored from a backup", () => {
  test("has its links as before, and its option stays fixed", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await exactDomain(ann);
    for (const slug of ["Ab", "aB"]) await ann.createLink({ domain, slug, url: url(slug) });
    const own = async (table: string) =>
      (await env.DB.prepare(`SELECT * FROM ${table} WHERE account_id = ?1`).bind(ann.accountId).all<JsonRow>()).results;
    const [links, domains] = [await own("links"), await own("domains")];
    for (const table of ["links", "domains", "slug_cases"])
      await env.DB.prepare(`DELETE FROM ${table} WHERE account_id = ?1`).bind(ann.accountId).run();
    await insertTableRows(env, "links", links);
    await insertTableRows(env, "domains", domains);
    expect([await own("links"), await own("domains")]).toEqual([links, domains]);
    for (const slug of ["Ab", "aB"]) expect(await whereTo(domain, slug)).toBe(url(slug));
    expect(await whereTo(domain, "ab")).toBe(404);
    const change = await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: false });
    expect(errorOf(change)).toEqual(domainHasLinks(domain));
  });
});

// Last, because the isolate queries the database less often after failures.
describe("10 without the database", () => {
  test("case-sensitive links redirect, each to its own destination", async () => {
    const ann = await premiumAccount();
    const { domain } = await exactDomain(ann);
    for (const slug of ["Ab", "aB"]) {
      const link = await ann.createLink({ domain, slug, url: url(slug) });
      await whereTo(domain, slug);
      await ann.waitForClicks(1, link);
    }
    vi.spyOn(console, "error").mockImplementation(() => {});
    const fail = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
    const statement: unknown = { bind: () => statement, first: fail, all: fail, run: fail };
    const database = { prepare: () => statement, batch: fail };
    const DB = { ...database, withSession: () => database };
    freezeClockAt(Date.now() + 60_000);
    for (const slug of ["Ab", "aB"]) {
      const response = await fetchWith(() => DB, workerRequest(`http://${domain}/${slug}`, {}));
      expect(response.headers.get("Location")).toBe(url(slug));
    }
    expect((await fetchWith(() => DB, workerRequest(`http://${domain}/AB`, {}))).status).toBe(503);
  });
});
