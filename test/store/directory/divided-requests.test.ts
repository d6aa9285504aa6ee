/** Requests on links in four databases, without a common transaction: concurrent copies, interruptions, retries. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { BulkDeleteResult, BulkResult } from "../../../src/core/contract/bulk-links.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { sweepResponses } from "../../../src/store/directory/idempotency.ts";
import { closeBuckets } from "../../../src/store/directory/bucket-moves.ts";
import { linkDatabases, linksDatabase } from "../../../src/store/directory/databases.ts";
import { type ApiResponse, errorOf, readResponse } from "../../support/api-response.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { changeLinks, fourDatabases, queryLinks, sumOfLinks, withDatabases } from "../../support/link-databases.ts";
import { randomElement, randomInteger, seededRandom } from "../../support/seeded-random.ts";
import { freeAccount, premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

const URL = "https://example.com/";
const DOMAIN = "localhost:8787";

let four: typeof env;

beforeAll(async () => {
  four = await fourDatabases();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const newKey = () => crypto.randomUUID();

async function post(on: Env, { key }: TestAccount, path: string, body: unknown, idempotencyKey?: string) {
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
  };
  return readResponse(await fetchWith(on, `/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** Where the connection to a database is lost: before a transaction begins, or after it has been committed. */
interface Cut {
  transaction: number;
  isAfter: boolean;
}

/** The same bindings, with the n-th transaction over all databases interrupted. */
function cutOff({ transaction, isAfter }: Cut): Env {
  let count = 0;
  return withDatabases(four, (database) =>
    watched(database, async (statements) => {
      const isCut = ++count === transaction;
      if (isCut && !isAfter) throw new Error("D1_ERROR: Network connection lost.");
      const results = await database.batch(statements);
      if (isCut) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    }),
  );
}

function watched(database: D1Database, batch: (statements: D1PreparedStatement[]) => Promise<unknown>): D1Database {
  return {
    prepare: (sql: string) => database.prepare(sql),
    withSession: (constraint?: string) => database.withSession(constraint),
    batch,
  } as unknown as D1Database;
}

interface StoredLink {
  id: string;
  domain: string;
  slug: string;
  title: string | null;
  revision: number;
}

const rowsOf = ({ accountId }: TestAccount) =>
  queryLinks<StoredLink>(
    four,
    "SELECT id, domain, slug, title, revision FROM links WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY id",
    accountId,
  );

const byId = (links: readonly { id: string }[]) => links.map(({ id }) => id).sort();

/** The account's links according to the responses that it has received. */
class Model {
  readonly links = new Map<string, { title: string | null; revision: number }>();

  created({ body, status }: ApiResponse): void {
    if (status === 201) return this.#add(Link.parse(body));
    for (const result of BulkResult.parse(body).results) if ("link" in result) this.#add(result.link);
  }

  updated({ body }: ApiResponse): void {
    for (const result of BulkResult.parse(body).results) {
      if (!("link" in result)) throw new Error(`not updated: ${JSON.stringify(result)}`);
      const revision = (this.links.get(result.link.id)?.revision ?? 0) + 1;
      this.links.set(result.link.id, { title: result.link.title ?? null, revision });
    }
  }

  deleted({ body }: ApiResponse): void {
    for (const result of BulkDeleteResult.parse(body).results) {
      if (!("id" in result)) throw new Error(`not deleted: ${JSON.stringify(result)}`);
      this.links.delete(result.id);
    }
  }

  #add({ id, title }: Link): void {
    this.links.set(id, { title: title ?? null, revision: 1 });
  }
}

type Request = [path: string, body: unknown, learn: (answer: ApiResponse) => void];

describe("copies of requests, interrupted between databases and repeated", () => {
  /** Different seeds for one database and for four. */
  const SEEDS = env.LINK_DATABASES === undefined ? [1] : [2, 3];

  test.each(SEEDS)("take effect once and return the same response: seed %i", async (seed) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const chance = seededRandom(seed);
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const model = new Model();
    for (let round = 0; round < 15; round++) {
      const slugs = Array.from({ length: 6 }, (_, i) => `d-${ann.accountId.slice(-6)}-${round}-${i}`);
      const [path, body, learn] = randomRequest(chance, model, slugs, `title ${round}`);
      const key = newKey();
      const cut = { transaction: 1 + randomInteger(chance, 14), isAfter: chance() < 0.5 };
      const on = cutOff(cut);
      const [first, second] = await Promise.all([
        post(on, ann, path, body, key),
        post(on, ann, path, body, key),
        chance() < 0.3 ? post(four, ben, "/links", { url: URL, slug: slugs[0] }) : null,
      ]);
      const answers = [first, second, await post(four, ann, path, body, key), await post(four, ann, path, body, key)];
      const shown = JSON.stringify({ round, path, cut, answers });
      const last = answers.at(-1);
      if (!last || last.status > 201) {
        // A single creation whose slug ben took first.
        expect([path, last?.status], shown).toEqual(["/links", 409]);
        continue;
      }
      for (const { status, body: answer } of answers) {
        if (status !== 503) expect(answer, shown).toEqual(last.body);
      }
      expect(answers.slice(1).some(({ headers }) => headers.get("Idempotent-Replayed") === "true")).toBe(true);
      learn(last);
      const rows = await rowsOf(ann);
      expect(byId(rows), shown).toEqual([...model.links.keys()].sort());
      expect(rows.map(({ id, title, revision }) => [id, title, revision]).sort(), shown).toEqual(
        [...model.links].map(([id, { title, revision }]) => [id, title, revision]).sort(),
      );
    }
    const made = await sumOfLinks(four, "SELECT count(*) AS n FROM links WHERE account_id = ?1", ann.accountId);
    const counted = (column: string) =>
      sumOfLinks(four, `SELECT ${column} AS n FROM link_counts WHERE account_id = ?1`, ann.accountId);
    expect([await counted("links"), await counted("made")]).toEqual([model.links.size, made]);
  });
});

function randomRequest(chance: () => number, model: Model, slugs: string[], title: string): Request {
  const ids = [...model.links.keys()];
  const some = ids.filter(() => chance() < 0.4).slice(0, 8);
  const kind = randomInteger(chance, some.length === 0 ? 2 : 4);
  if (kind === 0) {
    const slug = chance() < 0.5 ? { slug: slugs[0] } : {};
    return ["/links", { url: URL, title, ...slug }, (answer) => model.created(answer)];
  }
  if (kind === 1) {
    const links = Array.from({ length: 1 + randomInteger(chance, 8) }, () => randomLink(chance, slugs, title));
    return ["/links/bulk", { links }, (answer) => model.created(answer)];
  }
  if (kind === 2) {
    const links = some.map((id) => ({
      id,
      title,
      ...(chance() < 0.5 ? { revision: model.links.get(id)?.revision } : {}),
    }));
    return ["/links/bulk-update", { links }, (answer) => model.updated(answer)];
  }
  return ["/links/bulk-delete", { links: some.slice(0, 3).map((id) => ({ id })) }, (answer) => model.deleted(answer)];
}

function randomLink(chance: () => number, slugs: string[], title: string): unknown {
  if (chance() < 0.1) return { url: "nowhere" };
  return chance() < 0.4 ? { url: URL, title, slug: randomElement(chance, slugs) } : { url: URL, title };
}

test("links are stored in the databases of their addresses, which their ids name", async () => {
  const ann = await premiumAccount();
  const links = Array.from({ length: 40 }, (_, i) => ({ url: URL, ...(i % 2 ? { slug: `b-${newKey()}` } : {}) }));
  const { results } = BulkResult.parse((await post(four, ann, "/links/bulk", { links }, newKey())).body);
  const made = results.flatMap((result) => ("link" in result ? [result.link] : []));
  expect(made).toHaveLength(40);
  for (const { id, domain, slug } of made) {
    const database = linksDatabase(four, { domain, slug });
    expect(database).toBe(linksDatabase(four, { id }));
    expect(await database.prepare("SELECT slug FROM links WHERE id = ?1").bind(id).first("slug")).toBe(slug);
  }
  expect(new Set(made.map((link) => linksDatabase(four, link))).size).toBe(4);
});

/** Links with chosen slugs, the same number for each database of `on`. */
function linksInEach(on: Env, count: number): { url: string; slug: string }[] {
  const links = Array.from({ length: 400 }, () => ({ url: URL, slug: `e-${newKey()}` }));
  const byDatabase = Map.groupBy(links, ({ slug }) => linksDatabase(on, { domain: DOMAIN, slug }));
  return [...byDatabase.values()].flatMap((own) => own.slice(0, count));
}

/** Fails the first transaction in `database` with a link, before or after its commit. */
function cutIn(on: Env, database: D1Database, isAfter: boolean): Env {
  let isCut = false;
  return withDatabases(on as typeof env, (each) =>
    watched(each, async (statements) => {
      const cutsNow = each === database && !isCut && statements.length > 2;
      if (cutsNow) isCut = true;
      if (cutsNow && !isAfter) throw new Error("D1_ERROR: Network connection lost.");
      const results = await each.batch(statements);
      if (cutsNow) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    }),
  );
}

/** Executes nothing after the first transaction with links, as when the Worker ends. */
function stoppedAfterLinks(): Env {
  let isStopped = false;
  return withDatabases(four, (database) =>
    watched(database, async (statements) => {
      if (isStopped) throw new Error("D1_ERROR: Network connection lost.");
      isStopped = statements.length > 2;
      return database.batch(statements);
    }),
  );
}

const slugsOf = (rows: readonly StoredLink[]) => rows.map(({ slug }) => slug).sort();

describe("an interrupted request", () => {
  test("keeps its key from other requests; repeated, it is completed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const [key, links] = [newKey(), linksInEach(four, 1)];
    const cut = await post(cutIn(four, four.LINKS_2, false), ann, "/links/bulk", { links }, key);
    expect([cut.status, cut.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await rowsOf(ann)).toHaveLength(3);
    const other = await post(four, ann, "/links/bulk", { links: linksInEach(four, 1) }, key);
    expect(errorOf(other)).toMatchObject({ status: 409, code: "idempotency_conflict" });
    expect(errorOf(await post(four, ann, "/qr", { link_id: (await rowsOf(ann))[0]?.id }, key))).toMatchObject({
      code: "idempotency_conflict",
    });
    expect(await rowsOf(ann)).toHaveLength(3);
    const done = await post(four, ann, "/links/bulk", { links }, key);
    expect(BulkResult.parse(done.body).results.filter((result) => "link" in result)).toHaveLength(4);
    expect(slugsOf(await rowsOf(ann))).toEqual(links.map(({ slug }) => slug).sort());
    expect((await post(four, ann, "/links/bulk", { links }, key)).body).toEqual(done.body);
    const counted = four.DB.prepare("SELECT day_links FROM bulk_counts WHERE account_id = ?1").bind(ann.accountId);
    expect(await counted.first("day_links")).toBe(4);
  });

  test("returns the links that were created though they are no longer valid, and does not create the rest", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const links = linksInEach(four, 1).map((link) => ({ ...link, expires_at }));
    const [keyOfOne, keyOfMany] = [newKey(), newKey()];
    const single = { url: URL, expires_at };
    expect((await post(stoppedAfterLinks(), ann, "/links", single, keyOfOne)).status).toBe(503);
    const [alone] = await rowsOf(ann);
    await post(cutIn(four, four.LINKS_1, false), ann, "/links/bulk", { links }, keyOfMany);
    expect(await rowsOf(ann)).toHaveLength(4);
    vi.useFakeTimers({ now: Date.now() + 120_000, toFake: ["Date"] });
    const again = await post(four, ann, "/links", single, keyOfOne);
    expect([again.status, Link.parse(again.body).id]).toEqual([201, alone?.id]);
    const { results } = BulkResult.parse((await post(four, ann, "/links/bulk", { links }, keyOfMany)).body);
    const inFirst = links.map(({ slug }) => linksDatabase(four, { domain: DOMAIN, slug }) === four.LINKS_1);
    expect(results.map((result) => "error" in result)).toEqual(inFirst);
    expect(await rowsOf(ann)).toHaveLength(4);
  });

  test("is completed under another map of databases, even while its buckets move", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const before = { ...four, LINK_DATABASES: '{"DB":"0-767","LINKS_1":"768-1023"}' };
    const moving = { ...four, LINK_DATABASES: '{"DB":"0-255","LINKS_1":"256-767 from DB,768-1023"}' };
    const links = Array.from({ length: 40 }, (_, i) => ({ url: URL, ...(i % 2 ? { slug: `m-${newKey()}` } : {}) }));
    const [key, later] = [newKey(), newKey()];
    const cut = await post(cutIn(before, four.LINKS_1, false), ann, "/links/bulk", { links }, key);
    expect(cut.status).toBe(503);
    const made = await rowsOf(ann);
    expect(made.length).toBeGreaterThan(10);
    await closeBuckets(
      four.DB,
      four.LINKS_1,
      Array.from({ length: 256 }, (_, i) => 256 + i),
    );
    const done = await post(moving, ann, "/links/bulk", { links }, key);
    const ids = BulkResult.parse(done.body).results.flatMap((result) => ("link" in result ? [result.link.id] : []));
    expect([ids.length, byId(await rowsOf(ann))]).toEqual([40, ids.toSorted()]);
    const more = { links: Array.from({ length: 40 }, () => ({ url: URL })) };
    const copies = await Promise.all([1, 2, 3].map(() => post(moving, ann, "/links/bulk", more, later)));
    for (const { status, body } of copies) expect([status, body]).toEqual([200, copies[0]?.body]);
    expect(await rowsOf(ann)).toHaveLength(80);
    await four.DB.prepare("DELETE FROM moved_buckets").run();
  });
});

describe("aliases in other databases than their link", () => {
  const at = (database: D1Database) => {
    for (;;) {
      const slug = `f-${newKey()}`;
      if (linksDatabase(four, { domain: DOMAIN, slug }) === database) return slug;
    }
  };
  /** A slug in one database, and as many in another. */
  const apart = () => ({ slug: at(four.DB), alias: at(four.LINKS_1), other: at(four.LINKS_2) });
  const statusOf = async (slug: string, on: Env = four) => (await fetchWith(on, `/${slug}`)).status;
  const aliasRows = (slug: string) =>
    queryLinks<{ link_id: string; reserved_at: number }>(four, "SELECT * FROM link_aliases WHERE slug = ?1", slug);
  async function patch(on: Env, { key }: TestAccount, { id }: Link, body: unknown, headers = {}): Promise<ApiResponse> {
    const sent = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers };
    return readResponse(
      await fetchWith(on, `/v1/links/${id}`, { method: "PATCH", headers: sent, body: JSON.stringify(body) }),
    );
  }

  test("lead to the link, and are checked and counted like those in its own", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { slug, alias, other } = apart();
    const link = Link.parse((await post(four, ann, "/links", { url: URL, slug, aliases: [{ slug: alias }] })).body);
    expect([await statusOf(alias), await statusOf(slug)]).toEqual([302, 302]);
    const taken = (name: string) => ({
      code: "slug_taken",
      param: "aliases.0",
      status: 409,
      message: `The slug ${name} is already taken on ${DOMAIN}.`,
    });
    expect(errorOf(await post(four, ben, "/links", { url: URL, aliases: [{ slug: alias }] }))).toEqual(taken(alias));
    expect(errorOf(await post(four, ben, "/links", { url: URL, slug: alias }))).toMatchObject({ code: "slug_taken" });
    expect(errorOf(await post(four, ben, "/links", { url: URL, aliases: [{ slug }] }))).toEqual(taken(slug));
    expect((await patch(four, ann, link, { aliases: [{ slug: other }] })).status).toBe(200);
    expect([await statusOf(alias), await statusOf(other)]).toEqual([410, 302]);
    const counted = (column: string) =>
      sumOfLinks(four, `SELECT ${column} AS n FROM link_counts WHERE account_id = ?1`, ann.accountId);
    expect([await counted("links"), await counted("made")]).toEqual([2, 3]);
  });

  test("of an interrupted request are invisible; the next request for the address repairs it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { slug, alias } = apart();
    const stopped = cutIn(four, four.DB, false);
    expect((await post(stopped, ann, "/links", { url: URL, slug, aliases: [{ slug: alias }] })).status).toBe(503);
    expect([(await aliasRows(alias)).length, await statusOf(alias), await statusOf(slug)]).toEqual([1, 404, 404]);
    // While the first request may still write its link, and afterwards.
    expect(errorOf(await post(four, ben, "/links", { url: URL, slug: alias }))).toMatchObject({ code: "unavailable" });
    await changeLinks(four, "UPDATE link_aliases SET reserved_at = reserved_at - 20001 WHERE slug = ?1", alias);
    const link = Link.parse((await post(four, ben, "/links", { url: URL, slug: alias })).body);
    expect([link.slug, await statusOf(alias), (await aliasRows(alias)).length]).toEqual([alias, 302, 0]);
  });

  test("of an interrupted request do not keep their first segment from other accounts", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { slug, alias: segment } = apart();
    const aliases = Array.from({ length: 8 }, (_, i) => ({ slug: `${segment}/${i}` }));
    const stopped = cutIn(four, four.DB, false);
    expect((await post(stopped, ann, "/links", { url: URL, slug, aliases })).status).toBe(503);
    expect(await aliasRows(`${segment}/7`)).toHaveLength(1);
    const wanted = { url: URL, slug: `${segment}/mine`, aliases: [{ slug: segment }] };
    expect(errorOf(await post(four, ben, "/links", wanted))).toMatchObject({ code: "unavailable" });
    const age = "UPDATE link_aliases SET reserved_at = reserved_at - 20001 WHERE slug BETWEEN ?1 AND ?2";
    await changeLinks(four, age, `${segment}/`, `${segment}0`);
    expect((await post(four, ben, "/links", wanted)).status).toBe(201);
    expect([await statusOf(segment), await statusOf(`${segment}/mine`), await statusOf(`${segment}/1`)]).toEqual([
      302, 302, 404,
    ]);
    // Those that their link lists keep it.
    const listed = apart();
    const own = { url: URL, slug: listed.slug, aliases: [{ slug: `${listed.alias}/a` }] };
    expect((await post(four, ann, "/links", own)).status).toBe(201);
    await changeLinks(four, age, `${listed.alias}/`, `${listed.alias}0`);
    for (const each of [listed.alias, `${listed.alias}/b`]) {
      expect(errorOf(await post(four, ben, "/links", { url: URL, slug: each }))).toMatchObject({ code: "slug_taken" });
    }
  });

  test("of an interrupted PATCH are invisible; repeated, it is completed, and a late one is refused", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { slug, alias, other } = apart();
    const link = Link.parse((await post(four, ann, "/links", { url: URL, slug })).body);
    const body = { title: "new", aliases: [{ slug: alias }] };
    expect((await patch(cutIn(four, four.DB, false), ann, link, body)).status).toBe(503);
    expect([(await aliasRows(alias)).length, await statusOf(alias)]).toEqual([1, 404]);
    expect(Link.parse((await patch(four, ann, link, body)).body)).toMatchObject(body);
    expect(await statusOf(alias)).toBe(302);
    // Others may soon take the address, so the link is not written. A clock that is behind stands for a slow request.
    vi.setSystemTime(Date.now() - 11_000);
    expect((await patch(four, ann, link, { title: "late", aliases: [{ slug: other }] })).status).toBe(503);
    vi.useRealTimers();
    expect((await rowsOf(ann)).map(({ title }) => title)).toEqual(["new"]);
    expect(await statusOf(other)).toBe(404);
    await changeLinks(four, "UPDATE link_aliases SET reserved_at = reserved_at - 20001 WHERE slug = ?1", other);
    expect((await post(four, ben, "/links", { url: URL, aliases: [{ slug: other }] })).status).toBe(201);
    expect(errorOf(await patch(four, ann, link, { aliases: [{ slug: other }] }))).toMatchObject({ code: "slug_taken" });
  });

  test("are released if the request is refused, unless another request has reserved them for the link", async () => {
    const [ann, ben] = [await freeAccount(), await premiumAccount()];
    const { slug, alias } = apart();
    const link = Link.parse((await post(four, ann, "/links", { url: URL, slug })).body);
    let isChanged = false;
    const changing = withInterruptions(four, async () => {
      if (isChanged || (await aliasRows(alias)).length === 0) return;
      isChanged = true;
      expect((await patch(four, ann, link, { title: "other" })).status).toBe(200);
    });
    const refused = await patch(changing, ann, link, { aliases: [{ slug: alias }] }, { "If-Match": '"1"' });
    expect([isChanged, refused.status, await aliasRows(alias)]).toEqual([true, 412, []]);
    expect((await post(four, ben, "/links", { url: URL, slug: alias })).status).toBe(201);
  });

  test("have one holder among concurrent requests of several writers, as slug and as alias", async () => {
    const writers = await Promise.all([premiumAccount(), premiumAccount(), premiumAccount()]);
    for (let round = 0; round < 4; round++) {
      const { alias } = apart();
      const links = await Promise.all(
        writers.map(async (writer) =>
          Link.parse((await post(four, writer, "/links", { url: URL, slug: at(four.DB) })).body),
        ),
      );
      const requests = writers.flatMap((writer, i) => [
        post(four, writer, "/links", { url: `${URL}${i}`, slug: alias }),
        post(four, writer, "/links", { url: `${URL}${i}`, aliases: [{ slug: alias }] }, newKey()),
        patch(four, writer, links[i] as Link, { aliases: [{ slug: alias }] }),
        post(four, writer, "/links/bulk-update", { links: [{ id: links[i]?.id, aliases: [{ slug: alias }] }] }),
      ]);
      const replies = await Promise.all(requests);
      const holders = new Set(
        replies.flatMap(({ status, body }) => {
          if (status >= 400) return [];
          const { results } = body as { results?: { link?: Link }[] };
          return results ? results.flatMap(({ link }) => link?.id ?? []) : [Link.parse(body).id];
        }),
      );
      expect(holders.size, JSON.stringify(replies.map(({ status, body }) => [status, body]))).toBe(1);
      expect(await statusOf(alias)).toBe(302);
      const listing = await queryLinks<{ id: string }>(
        four,
        "SELECT id FROM links WHERE slug = ?1 OR aliases LIKE '%' || ?1 || '%'",
        alias,
      );
      expect(listing.map(({ id }) => id)).toEqual([...holders]);
    }
  });
});

describe("one of four databases that is down", () => {
  const isDown = (): never => {
    throw new Error("D1_ERROR: Network connection lost.");
  };
  const withoutOne = () =>
    withDatabases(four, (database, name) =>
      name === "LINKS_3"
        ? ({ prepare: isDown, withSession: isDown, batch: isDown } as unknown as D1Database)
        : database,
    );

  test("creation there answers 503 with Retry-After; elsewhere it still works, even with an Idempotency-Key", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ann = await premiumAccount();
    const down = withoutOne();
    for (const [i, link] of linksInEach(four, 2).entries()) {
      const isThere = linksDatabase(four, { domain: DOMAIN, slug: link.slug }) === four.LINKS_3;
      const reply = await post(down, ann, "/links", link, i % 2 === 0 ? newKey() : undefined);
      expect([reply.status, reply.headers.get("Retry-After")]).toEqual(isThere ? [503, "5"] : [201, null]);
    }
    expect(await rowsOf(ann)).toHaveLength(6);
    expect((await post(down, ann, "/links/bulk", { links: linksInEach(four, 1) })).status).toBe(503);
  });

  test("an account near its quota can create links in the others", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const ben = await freeAccount();
    await Promise.all(linkDatabases(four).map((database) => pretendLinks(database, ben, 2_400)));
    const [link] = linksInEach(four, 1).filter(
      ({ slug }) => linksDatabase(four, { domain: DOMAIN, slug }) === four.LINKS_1,
    );
    expect((await post(withoutOne(), ben, "/links", link)).status).toBe(201);
  });
});

function pretendLinks(database: D1Database, { accountId }: TestAccount, links: number) {
  return database
    .prepare("INSERT OR REPLACE INTO link_counts (account_id, links, made) VALUES (?1, ?2, ?2)")
    .bind(accountId, links)
    .run();
}

describe("the link quota over four databases", () => {
  test.each([
    ["evenly filled", [2_490, 2_495, 2_490, 2_495], 30],
    ["one far above its reserve, the others below", [6_240, 100, 100, 100], 10],
  ])("%s: never more than the plan allows", async (_, counts, room) => {
    const ben = await freeAccount();
    await Promise.all(linkDatabases(four).map((database, i) => pretendLinks(database, ben, counts[i] ?? 0)));
    const [first] = linkDatabases(four);
    const inFirst = linksInEach(four, 25).filter(({ slug }) => linksDatabase(four, { domain: DOMAIN, slug }) === first);
    let made = 0;
    for (const links of [inFirst, inFirst.map(() => ({ url: URL }))]) {
      if (links !== inFirst && counts[1] === 100) break;
      const { results } = BulkResult.parse((await post(four, ben, "/links/bulk", { links }, newKey())).body);
      made += results.filter((result) => "link" in result).length;
    }
    expect(made).toBe(room);
  });
});

test("the daily sweep removes shares and claims that have expired from every database", async () => {
  const ann = await premiumAccount();
  const links = linksInEach(four, 1);
  const keys = [newKey(), newKey()];
  await post(four, ann, "/links/bulk", { links }, keys[0]);
  await changeLinks(
    four,
    "UPDATE request_shares SET created_at = created_at - 86400000 WHERE account_id = ?1",
    ann.accountId,
  );
  await post(four, ann, "/links/bulk", { links: linksInEach(four, 1) }, keys[1]);
  const kept = () =>
    queryLinks<{ n: number }>(four, "SELECT count(*) AS n FROM request_shares WHERE account_id = ?1", ann.accountId);
  expect(await kept()).toEqual([2, 2, 2, 2].map((n) => ({ n })));
  await sweepResponses(four);
  expect(await kept()).toEqual([1, 1, 1, 1].map((n) => ({ n })));
});
