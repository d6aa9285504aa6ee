/**
 * Lists of links over four databases equal those over one, page by page, for every query. While links are created,
 * changed, deleted and moved, every link that exists all the time is listed once.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";

import { SCOPES } from "../../../src/core/account.ts";
import { ListLinksQuery } from "../../../src/core/contract/links.ts";
import { hostsOf } from "../../../src/core/deployment/settings.ts";
import type { Caller } from "../../../src/store/accounts/api-keys.ts";
import { listLinksToDraw, readLinkTags } from "../../../src/store/links/account-statistics.ts";
import { closeBuckets, moveNextLinks } from "../../../src/store/directory/bucket-moves.ts";
import { listExportedLinks, listAccountLinks } from "../../../src/store/links/operator-links.ts";
import { findDomainsWithLinks } from "../../../src/store/links/domain-joins.ts";
import { listLinkIds, listLinks } from "../../../src/store/links/link-search.ts";
import { linksDatabase } from "../../../src/store/directory/databases.ts";
import { listTags } from "../../../src/store/links/tags.ts";
import { fourDatabases } from "../../support/link-databases.ts";
import { type PlacedLink, placedId, placeLinks } from "../../support/placed-links.ts";
import { randomElement, randomInteger, seededRandom } from "../../support/seeded-random.ts";

const LINKS = 400;
const QUERIES = 25;
/** Buckets that move, and how many per step. */
const UPPER = Array.from({ length: 512 }, (_, i) => 512 + i);
const STEP_BUCKETS = 16;
const START = Date.UTC(2026, 0, 1);
const [HOST, CUSTOM] = ["localhost:8787", "go.many.example"];
/** Two scripts, and one tag whose letters sort after those that JavaScript compares by UTF-16 code units. */
const TAGS = ["Spring", "Sale", "Été", "ﬂyer", "🎈", "rare"];

let one: typeof env;
let four: typeof env;
/** All links in `DB`, and half of them moving away from it. */
let inDB: typeof env;
let moving: typeof env;
let accounts = 0;

beforeAll(async () => {
  await applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS);
  one = { ...env, LINKS_1: env.NEW_DB, LINK_DATABASES: '{"LINKS_1":"0-1023"}' };
  four = await fourDatabases();
  inDB = { ...four, LINK_DATABASES: "" };
  moving = { ...four, LINK_DATABASES: '{"DB":"0-511","LINKS_1":"512-1023 from DB"}' };
});

/** A caller whose links are inserted by SQL: the account needs no row. */
function newCaller(): Caller {
  const accountId = `acc_lists${++accounts}`;
  return { accountId, mode: "live", plan: "premium", scopes: SCOPES, origin: "api", rateKey: "" };
}

/** Several links per millisecond, some expired, some deleted. */
function randomLinks(chance: () => number, { accountId }: Caller, count: number, from = START): PlacedLink[] {
  return Array.from({ length: count }, (_, n) => {
    const createdAt = from + randomInteger(chance, count / 2);
    const domain = chance() < 0.3 ? CUSTOM : HOST;
    const slug = `${accountId}-${from.toString(36)}-${n}`;
    const tags = TAGS.filter((tag) => chance() < (tag === "rare" ? 0.02 : 0.3));
    return {
      account_id: accountId,
      id: placedId(domain, slug, createdAt, n),
      domain,
      slug,
      url: `https://example.com/${randomElement(chance, ["spring", "autumn", "Größe"])}/${n}`,
      created_at: createdAt,
      ...(chance() < 0.1 ? { expires_at: createdAt + 1 } : {}),
      ...(chance() < 0.1 ? { deleted_at: createdAt + 1 } : { tags }),
    };
  });
}

type Query = Record<string, string | string[]>;

function randomQuery(chance: () => number): Query {
  const some = (share: number, query: () => Query): Query => (chance() < share ? query() : {});
  const time = () => new Date(START + randomInteger(chance, LINKS / 2)).toISOString();
  return {
    sort: randomElement(chance, ["created_at", "-created_at"]),
    limit: String(1 + randomInteger(chance, 40)),
    ...some(0.3, () => ({ domain: randomElement(chance, [HOST, CUSTOM, "go.none.example"]) })),
    ...some(0.4, () => ({ tag: TAGS.filter(() => chance() < 0.25).map((tag) => tag.toUpperCase()) })),
    ...some(0.3, () => ({ search: randomElement(chance, ["spring", "AUTUMN", "größe", "-7", "nowhere"]) })),
    ...some(0.2, () => ({ status: randomElement(chance, ["active", "expired"]) })),
    ...some(0.2, () => ({ created_after: time() })),
    ...some(0.2, () => ({ created_before: time() })),
  };
}

/** The expected list, computed from the links themselves. */
function expectedIds(links: readonly PlacedLink[], query: Query): string[] {
  const { domain, search = "", tag = [], status, created_after, created_before, sort } = query;
  const wanted = [tag].flat().map((each) => each.toLowerCase());
  const text = String(search).toLowerCase();
  const found = links.filter(
    (link) =>
      link.deleted_at === undefined &&
      (domain === undefined || link.domain === domain) &&
      [link.url, link.slug, ...(link.tags ?? [])].some((each) => each.toLowerCase().includes(text)) &&
      wanted.every((each) => link.tags?.some((own) => own.toLowerCase() === each)) &&
      (status === undefined || (status === "expired") === (link.expires_at !== undefined)) &&
      (created_after === undefined || link.created_at >= Date.parse(String(created_after))) &&
      (created_before === undefined || link.created_at < Date.parse(String(created_before))),
  );
  const ids = found.map(({ id }) => id).toSorted();
  return sort === "created_at" ? ids : ids.toReversed();
}

/** All pages of a list with a text cursor. */
async function pagesOf<Item>(
  read: (cursor: string | undefined) => Promise<{ items: readonly Item[]; next: string | null }>,
  between: () => Promise<unknown> = async () => {},
): Promise<(readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  for (let cursor: string | undefined; ;) {
    const { items, next } = await read(cursor);
    pages.push(items);
    if (next === null) return pages;
    expect(next).not.toBe(cursor);
    cursor = next;
    await between();
  }
}

function pagesOfIds(on: typeof env, caller: Caller, query: Query, between?: () => Promise<unknown>) {
  return pagesOf(async (cursor) => {
    const parsed = ListLinksQuery.parse(cursor === undefined ? query : { ...query, cursor });
    const asked = { ...parsed, sort: parsed.sort === "created_at" ? parsed.sort : ("-created_at" as const) };
    const { items, nextCursor } = await listLinkIds({ env: on, caller, hosts: hostsOf(on, "") }, asked);
    return { items, next: nextCursor };
  }, between);
}

test("4.7 property: filters, sorts and pages over four databases are those over one", async () => {
  const chance = seededRandom(1);
  const caller = newCaller();
  const links = randomLinks(chance, caller, LINKS);
  // Links of another account, between those of the first.
  const others = randomLinks(chance, newCaller(), LINKS);
  for (const on of [one, four]) await placeLinks(on, [...links, ...others]);
  expect(new Set(links.map((link) => linksDatabase(four, link))).size).toBe(4);
  for (let i = 0; i < QUERIES; i++) {
    const query = randomQuery(chance);
    const pages = await pagesOfIds(four, caller, query);
    expect(pages, JSON.stringify(query)).toEqual(await pagesOfIds(one, caller, query));
    expect(pages.flat(), JSON.stringify(query)).toEqual(expectedIds(links, query));
  }
  const whole = ListLinksQuery.parse({ limit: "100", search: "spring" });
  const listed = (on: typeof env) =>
    listLinks({ env: on, caller, hosts: hostsOf(on, "") }, { ...whole, sort: "-created_at" });
  expect(await listed(four)).toEqual(await listed(one));
});

test("property: tags, exports, the operator's list and what statistics read equal those over one", async () => {
  const chance = seededRandom(2);
  const caller = newCaller();
  const links = randomLinks(chance, caller, LINKS, START + LINKS);
  for (const on of [one, four]) await placeLinks(on, links);
  const { accountId: id, mode } = caller;
  const allOf = async (on: typeof env) => ({
    tags: await pagesOf(async (cursor) => {
      const { items, nextCursor } = await listTags(on, caller, {
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { items, next: nextCursor };
    }),
    exported: await pagesOf(async (after = "") => {
      const items = await listExportedLinks(on, { id, mode }, { after, limit: 17 });
      return { items, next: items.at(-1)?.id ?? null };
    }),
    listed: await pagesOf(async (cursor = undefined) => {
      const page = await listAccountLinks(on, { id, mode }, { cursor: cursor ?? null, limit: 23 });
      return { items: page.links, next: page.hasMore ? (page.links.at(-1)?.id ?? null) : null };
    }),
    drawn: await pagesOf(async (after = "") => {
      const items = await listLinksToDraw(on, { accountId: id, mode }, after, 31);
      return { items, next: items.at(-1)?.id ?? null };
    }),
    linkTags: (await readLinkTags(on, { accountId: id, mode })).map(({ linkId, tag }) => linkId + tag).toSorted(),
    domains: (await findDomainsWithLinks(on, [HOST, CUSTOM, "go.none.example"])).toSorted(),
  });
  const found = await allOf(four);
  expect(found).toEqual(await allOf(one));
  expect(found.exported.flat().map((link) => link.id)).toEqual(links.map((link) => link.id).toSorted());
  expect(found.domains).toEqual([CUSTOM, HOST]);
});

/** Creates, changes and deletes links between two pages, and while they are read. */
class Changes {
  readonly touched = new Set<string>();
  readonly #chance: () => number;
  readonly #on: typeof env;
  readonly #caller: Caller;
  #rounds = 0;

  constructor(chance: () => number, on: typeof env, caller: Caller) {
    this.#chance = chance;
    this.#on = on;
    this.#caller = caller;
  }

  async change(links: readonly PlacedLink[]): Promise<void> {
    const made = randomLinks(this.#chance, this.#caller, 6, START + LINKS + 1_000 * ++this.#rounds);
    for (const { id } of made) this.touched.add(id);
    const changed = Array.from({ length: 5 }, () => randomElement(this.#chance, links));
    for (const { id } of changed) this.touched.add(id);
    await Promise.all([placeLinks(this.#on, made), ...changed.map((link) => this.#changeOne(link))]);
  }

  async #changeOne({ account_id, id }: PlacedLink): Promise<void> {
    const values = this.#chance() < 0.5 ? "deleted_at = 1, tags = NULL" : `tags = '[["sale","Sale"]]'`;
    await linksDatabase(this.#on, { id })
      .prepare(
        `UPDATE links SET ${values}, revision = revision + 1 WHERE account_id = ?1 AND mode = 'live' AND id = ?2`,
      )
      .bind(account_id, id)
      .run();
  }
}

test.for(["created_at", "-created_at"])(
  "4.7 property: sorted by %s, every link that exists all the time is listed once, whatever changes in the meantime",
  async (sort) => {
    const chance = seededRandom(3);
    for (const filter of [{}, { tag: ["sale"] }, { search: "spring" }] as Query[]) {
      const caller = newCaller();
      const links = randomLinks(chance, caller, 150);
      await placeLinks(four, links);
      const query = { sort, limit: "12", ...filter };
      const changes = new Changes(chance, four, caller);
      let running: Promise<unknown> = Promise.resolve();
      const pages = await pagesOfIds(four, caller, query, async () => {
        await running;
        // Not awaited before the next page is read.
        running = changes.change(links);
      });
      await running;
      const ids = pages.flat();
      expect(ids).toEqual(sort === "created_at" ? ids.toSorted() : ids.toSorted().toReversed());
      expect(new Set(ids).size).toBe(ids.length);
      const untouched = expectedIds(links, query).filter((id) => !changes.touched.has(id));
      expect(untouched.length).toBeGreaterThan(10);
      expect(ids.filter((id) => !changes.touched.has(id))).toEqual(untouched);
    }
  },
);

test.for(["created_at", "-created_at"])(
  "4.7 property: sorted by %s, links that move to another database in the meantime are listed once",
  async (sort) => {
    const caller = newCaller();
    const links = randomLinks(seededRandom(4), caller, 300);
    await placeLinks(inDB, links);
    await closeBuckets(four.DB, four.LINKS_1, UPPER);
    const before = { account_id: caller.accountId, mode: caller.mode, id: "" };
    const steps = [...Array(UPPER.length / STEP_BUCKETS).keys()];
    let moved = 0;
    const moveSome = async () => {
      const first = (steps.shift() ?? 0) * STEP_BUCKETS;
      const buckets = UPPER.slice(first, first + STEP_BUCKETS);
      const step = await moveNextLinks(four.DB, four.LINKS_1, buckets, before);
      moved += step.moved;
    };
    let running = moveSome();
    for (const query of [
      { sort, limit: "12", tag: ["sale", "spring"] },
      { sort, limit: "12" },
    ] as Query[]) {
      const pages = await pagesOfIds(moving, caller, query, async () => {
        await running;
        // Not awaited before the next page is read.
        running = moveSome();
      });
      expect(pages.flat()).toEqual(expectedIds(links, query));
    }
    await running;
    expect(moved).toBeGreaterThan(50);
    await four.DB.prepare("DELETE FROM moved_buckets").run();
  },
);
