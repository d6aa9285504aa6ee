/** Requests on links in four databases, over which there is no transaction: copies in flight, cuts and repetitions. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { BulkDeleteResult, BulkResult } from "../../../src/core/contract/bulk-links.ts";
import { Link } from "../../../src/core/contract/links.ts";
import { linksDatabase } from "../../../src/store/links/links-database.ts";
import { type ApiResponse, readResponse } from "../../support/api-response.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { fourDatabases, queryLinks, sumOfLinks, withDatabases } from "../../support/link-databases.ts";
import { randomElement, randomInteger, seededRandom } from "../../support/seeded-random.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

const URL = "https://example.com/";

let four: typeof env;

beforeAll(async () => {
  four = await fourDatabases();
});

afterEach(() => {
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

/** Where the connection to a database is lost: before a transaction has begun, or after it has been committed. */
interface Cut {
  transaction: number;
  isAfter: boolean;
}

/** The same bindings, of which the n-th transaction is cut, counted over all databases. */
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

/** What the account's links are by the answers that it has got. */
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

describe("copies of requests, cut between databases and repeated", () => {
  const SEEDS = [1, 2, 3];

  test.each(SEEDS)("do everything once and answer the same: seed %i", async (seed) => {
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
        // A single creation whose slug ben was faster to take.
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

test("links lie in the databases of their addresses, which their ids name", async () => {
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
