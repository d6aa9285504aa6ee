/** No statement of a request on links scans a whole table, according to SQLite's query plans. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { fetchAt } from "../../support/changed-env.ts";
import { withDatabases } from "../../support/link-databases.ts";
import { BASE_URL, premiumAccount, type TestAccount } from "../../support/test-accounts.ts";
import { watchDatabase } from "../../support/watched-database.ts";

/** Statements that requests have run, with the database and the values of the first run. */
const statements = new Map<string, { database: D1Database; values: readonly unknown[] }>();

const watched = withDatabases(env, (database) =>
  watchDatabase(database, (batch, execute) => {
    for (const { sql, values } of batch) if (!statements.has(sql)) statements.set(sql, { database, values });
    return execute();
  }),
);

/** A statement's values, the result of a subquery that used an index (`scan`, `at`), or rows created by the statement. */
const NO_TABLE = /VIRTUAL TABLE|CONSTANT ROW|^SCAN (scan|at|\(subquery-\d+\))$/;

async function scans(sql: string): Promise<string[]> {
  const { database = env.DB, values = [] } = statements.get(sql) ?? {};
  const plan = await database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  expect(plan.results.length + Number(!sql.startsWith("SELECT")), sql).toBeGreaterThan(0);
  return plan.results
    .map(({ detail }) => detail)
    .filter((detail) => detail.startsWith("SCAN") && !NO_TABLE.test(detail));
}

let ann: TestAccount;
let link: Link;

async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetchAt(BASE_URL + path, watched, {
    method,
    headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return text === "" ? null : (JSON.parse(text) as Record<string, unknown>);
}

const visit = async (url: string) => (await fetchAt(url, watched)).status;

beforeAll(async () => {
  ann = await premiumAccount();
  const { domain } = await ann.activeDomain();
  const url = "https://example.com/";
  link = Link.parse(await request("POST", "/v1/links", { url, domain, slug: "planned", tags: ["a", "b"] }));
  const random = Link.parse(await request("POST", "/v1/links", { url, tags: ["a"] }, { "Idempotency-Key": "one" }));
  await request("POST", "/v1/links/bulk", { links: [{ url }, { url, domain }] }, { "Idempotency-Key": "two" });
  expect([await visit(link.short_url), await visit(random.short_url)]).toEqual([302, 302]);
  expect(await visit(`${link.short_url}-none`)).toBe(404);
  const aliases = [{ slug: "planned-alias" }, { slug: "other-alias", domain }];
  await request("PATCH", `/v1/links/${random.id}`, { aliases });
  await request("PATCH", `/v1/links/${random.id}`, { aliases: aliases.slice(0, 1) });
  await request("POST", "/v1/links", { url, domain, aliases: [{ slug: "third-alias" }] });
  expect(await visit("http://localhost:8787/planned-alias")).toBe(302);
  await request("GET", `/v1/links/${link.id}`);
  await request("PATCH", `/v1/links/${link.id}`, { url: `${url}new`, tags: ["b"] });
  await request("GET", `/v1/links/${link.id}/revisions`);
  const queries = [
    "",
    "limit=1",
    `limit=1&cursor=${link.id}`,
    "sort=created_at",
    "search=exam",
    "search=gr%C3%B6%C3%9Fe",
    "tag=a",
    "tag=a&tag=b&sort=created_at",
    "status=active",
    `domain=${domain}`,
    "slug=planned",
    "slug=planned-alias",
    `short_url=${encodeURIComponent(link.short_url)}`,
    "created_after=2020-01-01T00:00:00Z",
  ];
  for (const query of queries) await request("GET", `/v1/links?${query}`);
  await request("GET", "/v1/tags");
  await request("DELETE", `/v1/links/${random.id}`);
}, 120_000);

test("redirects, lists, and requests that read, create, change or delete a link find every row by an index", async () => {
  const found = [...statements.keys()];
  for (const part of [
    "INSERT INTO links",
    "UPDATE links SET",
    "FROM links l",
    "link_tags",
    "link_aliases",
    "link_revisions",
  ]) {
    expect(found.filter((sql) => sql.includes(part)).length, part).toBeGreaterThan(0);
  }
  const wrong = await Promise.all(found.map(async (sql) => ({ sql, scans: await scans(sql) })));
  expect(wrong.filter(({ scans }) => scans.length > 0)).toEqual([]);
});

test("a statement that scans a table would be detected", async () => {
  const sql = "SELECT id FROM links WHERE title = ?1";
  statements.set(sql, { database: env.DB, values: ["x"] });
  expect(await scans(sql)).toEqual(["SCAN links"]);
});
