/** Buckets of links move from one database to another, while links are created, read, changed and deleted. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { BUCKETS, bucketOfAddress, bucketOfId } from "../../../src/core/links/buckets.ts";
import { fullSetting, settingAfterMove, settingDuringMove } from "../../../src/store/directory/database-map.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { findLinksByAddress } from "../../../src/store/links/link-rows.ts";
import { suspendAccount } from "../../../src/store/accounts/accounts.ts";
import { disableEndedLinks } from "../../../src/store/links/ended-links.ts";
import { closeBuckets, moveBuckets, moveNextLinks } from "../../../src/store/directory/bucket-moves.ts";
import { moveLinks } from "../../../src/store/directory/moved-links.ts";
import { releaseDueImages } from "../../../src/store/social-images.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { type Control, CONTROLS, DESTINATION, seenByVisitors } from "../../support/controlled-links.ts";
import { changeLinks, migrateOtherDatabases } from "../../support/link-databases.ts";
import { RED_PNG } from "../../support/sample-images.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";
import { watchDatabase } from "../../support/watched-database.ts";

const HALF = BUCKETS / 2;
const UPPER = Array.from({ length: HALF }, (_, i) => HALF + i);
const BEFORE = fullSetting(undefined);
const DURING = settingDuringMove(BEFORE, new Set(UPPER), "LINKS_1");
const AFTER = settingAfterMove(DURING, new Set(UPPER));

/** An account whose requests reach isolates with a given setting. */
class Caller {
  readonly #account: TestAccount;
  setting = BEFORE;

  constructor(account: TestAccount) {
    this.#account = account;
  }

  get accountId(): string {
    return this.#account.accountId;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetchWith({ LINK_DATABASES: this.setting }, path, {
      method,
      headers: { Authorization: `Bearer ${this.#account.key}`, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as Record<string, unknown> };
  }

  async create(fields: Record<string, unknown> = {}): Promise<Link> {
    const { status, body } = await this.call("POST", "/v1/links", { url: "https://example.com/", ...fields });
    expect(status, JSON.stringify(body)).toBe(201);
    return Link.parse(body);
  }

  /** A link in one of the buckets that move. @param fields  by the beginning of its slug */
  async createUpper(fields: (prefix: string) => Record<string, unknown> = () => ({})): Promise<Link> {
    for (;;) {
      const link = await this.create(fields(`m${crypto.randomUUID().slice(0, 8)}`));
      if (isUpper(link)) return link;
    }
  }

  /** @returns the address of the image */
  async uploadImage({ id }: Link): Promise<string> {
    const headers = { Authorization: `Bearer ${this.#account.key}` };
    const init = { method: "PUT", headers, body: RED_PNG };
    const response = await fetchWith({ LINK_DATABASES: this.setting }, `/v1/links/${id}/social/image`, init);
    return Link.parse(await response.json()).social?.image ?? "";
  }

  async visit({ short_url }: Link): Promise<string | null> {
    return (await this.fetch(short_url)).headers.get("Location");
  }

  fetch(url: string, init: RequestInit = {}): Promise<Response> {
    return fetchWith({ LINK_DATABASES: this.setting }, new URL(url).pathname, init);
  }

  async listIds(query = ""): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor = ""; ;) {
      const { body } = await this.call("GET", `/v1/links?limit=7${query}${cursor && `&cursor=${cursor}`}`);
      ids.push(...(body["data"] as Link[]).map(({ id }) => id));
      if (body["next_cursor"] === null) return ids;
      cursor = String(body["next_cursor"]);
    }
  }
}

async function moveAll(): Promise<number> {
  await closeBuckets(env.DB, env.LINKS_1, UPPER);
  let moved = 0;
  for (let after: Parameters<typeof moveNextLinks>[3] = null; ;) {
    const step = await moveNextLinks(env.DB, env.LINKS_1, UPPER, after);
    moved += step.moved;
    after = step.after;
    if (after === null) return moved;
  }
}

/** An account's link rows in a database, with the number of rows in each table. */
async function stored(database: D1Database, accountId: string) {
  const idsOf = async (sql: string) =>
    (await database.prepare(sql).bind(accountId).all<{ id: string }>()).results.map(({ id }) => id);
  return {
    links: await idsOf("SELECT id FROM links WHERE account_id = ?1 ORDER BY id"),
    history: await idsOf("SELECT link_id AS id FROM link_revisions WHERE account_id = ?1 ORDER BY link_id"),
    tagged: await idsOf("SELECT link_id AS id FROM link_tags WHERE account_id = ?1 ORDER BY link_id"),
    tags: await idsOf("SELECT tag || ' ' || links AS id FROM tags WHERE account_id = ?1 ORDER BY tag"),
    counts: await idsOf("SELECT links || ' ' || made AS id FROM link_counts WHERE account_id = ?1"),
    cases: await idsOf("SELECT domain AS id FROM slug_cases WHERE account_id = ?1"),
  };
}

beforeAll(migrateOtherDatabases);

async function newCaller(): Promise<Caller> {
  // Reopens buckets that an earlier test has closed.
  await closeBuckets(env.LINKS_1, env.DB, UPPER);
  await env.LINKS_1.prepare("DELETE FROM moved_buckets").run();
  return new Caller(await premiumAccount());
}

const isUpper = ({ id }: Pick<Link, "id">) => bucketOfId(id) >= HALF;

describe("a move of half the buckets", () => {
  test("moves history, tags and counts too; every request answers as before, at each step", async () => {
    const caller = await newCaller();
    const links: Link[] = [];
    for (let i = 0; i < 24; i++) links.push(await caller.create({ title: `${i}`, tags: ["all", `t${i % 3}`] }));
    const changed = links.filter((_, i) => i % 4 === 0);
    for (const link of changed) await caller.call("PATCH", `/v1/links/${link.id}`, { title: "changed" });
    const deleted = links[1];
    if (!deleted) throw new Error("no link");
    await caller.call("DELETE", `/v1/links/${deleted.id}`);
    const before = await answers(caller, links);
    expect(links.filter(isUpper).length).toBeGreaterThan(3);

    caller.setting = DURING;
    expect(await answers(caller, links)).toEqual(before);
    const upper = links.filter(isUpper);
    expect(await moveAll()).toBe(upper.length);
    expect(await answers(caller, links)).toEqual(before);
    caller.setting = AFTER;
    expect(await answers(caller, links)).toEqual(before);
    expect(await moveAll()).toBe(0);

    const [lower, moved] = [await stored(env.DB, caller.accountId), await stored(env.LINKS_1, caller.accountId)];
    expect(moved.links).toEqual(upper.map(({ id }) => id).sort());
    expect(lower.links).toEqual(
      links
        .filter((link) => !isUpper(link))
        .map(({ id }) => id)
        .sort(),
    );
    expect(new Set(moved.history)).toEqual(new Set(changed.filter(isUpper).map(({ id }) => id)));
    for (const { tagged, links: there } of [lower, moved]) expect(there).toEqual(expect.arrayContaining(tagged));
    const live = upper.filter(({ id }) => id !== deleted.id).length;
    expect(moved.counts).toEqual([`${live} ${upper.length}`]);
    expect(lower.counts).toEqual([`${23 - live} ${24 - upper.length}`]);
    expect(moved.tags).toContain(`all ${live}`);
    expect(lower.tags).toContain(`all ${23 - live}`);
  });

  test("17 moves every control of visits, passwords and restrictions included, with its history", async () => {
    const caller = await newCaller();
    const links: [Control, Link][] = [];
    for (const control of CONTROLS) {
      const link = await caller.createUpper((prefix) => ({ url: DESTINATION, ...control.fields(prefix) }));
      await caller.call("PATCH", `/v1/links/${link.id}`, { title: control.name });
      links.push([control, link]);
    }
    const settings = () =>
      Promise.all(
        links.flatMap(([, { id }]) => ["", "/revisions"].map((path) => caller.call("GET", `/v1/links/${id}${path}`))),
      );
    const rowsIn = async (database: D1Database) => {
      const rows = database.prepare("SELECT * FROM links WHERE account_id = ?1 ORDER BY id").bind(caller.accountId);
      return (await rows.all<{ id: string; password: string | null }>()).results.filter(isUpper);
    };
    const [before, rows] = [await settings(), await rowsIn(env.DB)];
    expect(rows.filter(({ password }) => password !== null)).not.toEqual([]);
    caller.setting = DURING;
    await moveAll();
    expect(await settings()).toEqual(before);
    caller.setting = AFTER;
    expect([await settings(), await rowsIn(env.LINKS_1), await rowsIn(env.DB)]).toEqual([before, rows, []]);
    // Visited for the first time, so that no cache has them.
    for (const [control, link] of links) {
      const seen = await seenByVisitors(link.short_url, control, (url, init) => caller.fetch(url, init));
      expect(seen, control.name).toEqual(control.gets);
    }
  });

  test("17 the uploaded image of a link that moves while unused images are deleted stays, until it is not used", async () => {
    const caller = await newCaller();
    const link = await caller.createUpper();
    const image = await caller.uploadImage(link);
    const statusOfImage = async () => (await caller.fetch(image)).status;
    const release = async (bindings: Partial<Env>) => {
      await changeLinks(
        { ...env, LINK_DATABASES: DURING },
        "UPDATE image_releases SET due_at = 0 WHERE account_id = ?1",
        caller.accountId,
      );
      await releaseDueImages({ ...env, LINK_DATABASES: caller.setting, ...bindings });
    };
    caller.setting = DURING;
    const DB = watchDatabase(env.DB, async (statements, execute) => {
      if (statements.some(({ sql }) => sql.includes("links_by_image"))) await moveAll();
      return execute();
    });
    await release({ DB });
    expect((await stored(env.LINKS_1, caller.accountId)).links).toContain(link.id);
    expect(await statusOfImage()).toBe(200);
    caller.setting = AFTER;
    await caller.call("PATCH", `/v1/links/${link.id}`, { social: null });
    await release({});
    expect(await statusOfImage()).toBe(404);
  });

  test("links are changed, deleted and created while their buckets are closed and not yet moved", async () => {
    const caller = await newCaller();
    const links: Link[] = [];
    while (links.filter(isUpper).length < 4) links.push(await caller.create());
    const [first, second, third, fourth] = links.filter(isUpper);
    if (!first || !second || !third || !fourth) throw new Error("too few links");
    caller.setting = DURING;
    await closeBuckets(env.DB, env.LINKS_1, UPPER);
    const { body: patched } = await caller.call("PATCH", `/v1/links/${first.id}`, { url: "https://example.com/new" });
    expect(patched["url"]).toBe("https://example.com/new");
    expect((await caller.call("DELETE", `/v1/links/${second.id}`)).status).toBe(204);
    const erased = await caller.call("DELETE", `/v1/links/${third.id}?erase=true`);
    expect(erased.status).toBe(204);
    expect(await caller.visit(fourth)).toBe("https://example.com/");
    expect((await caller.call("GET", `/v1/links/${first.id}/revisions`)).body["data"]).toHaveLength(2);
    expect((await caller.call("GET", `/v1/links/${second.id}`)).status).toBe(404);
    expect((await stored(env.LINKS_1, caller.accountId)).links).toEqual([first.id, second.id, third.id].sort());
    expect(await moveAll()).toBe(1);
    expect((await stored(env.LINKS_1, caller.accountId)).links).toHaveLength(4);
    expect(new Set(await caller.listIds())).toEqual(
      new Set(links.filter((link) => link !== second && link !== third).map(({ id }) => id)),
    );
  });

  test("a first segment stays its account's while its bucket is closed and not yet moved", async () => {
    const [caller, stranger] = [await newCaller(), new Caller(await premiumAccount())];
    const url = "https://example.com/";
    let link = await caller.create({ slug: crypto.randomUUID() });
    while (!isUpper(link)) link = await caller.create({ slug: crypto.randomUUID() });
    let deep = await caller.create({ slug: `${crypto.randomUUID()}/a` });
    while (!isUpper(deep)) deep = await caller.create({ slug: `${crypto.randomUUID()}/a` });
    const segment = deep.slug.slice(0, -2);
    await caller.create({ slug: `${segment}/b` });
    caller.setting = stranger.setting = DURING;
    await closeBuckets(env.DB, env.LINKS_1, UPPER);
    for (const slug of [`${link.slug}/login`, segment, `${segment}/c`]) {
      const { status } = await stranger.call("POST", "/v1/links", { url, slug });
      expect([slug, status]).toEqual([slug, 409]);
    }
    await caller.create({ slug: segment });
    expect((await stored(env.LINKS_1, caller.accountId)).links).toHaveLength(4);
    await moveAll();
  });

  test("moves aliases too, apart from their links; they lead to them and stay taken at each step", async () => {
    const caller = await newCaller();
    const slugs = Array.from({ length: 24 }, (_, i) => `move-${i}-${crypto.randomUUID()}`);
    const isUpperSlug = (slug: string) => bucketOfAddress("localhost:8787", slug) >= HALF;
    const links: Link[] = [];
    for (let i = 0; i < 12; i++) {
      const aliases = [{ slug: slugs[2 * i] }, { slug: slugs[2 * i + 1] }];
      links.push(await caller.create({ url: `https://example.com/${i}`, aliases }));
    }
    const removed = links[3] as Link;
    await caller.call("PATCH", `/v1/links/${removed.id}`, { aliases: [{ slug: slugs[7] }] });
    const status = async (slug: string) =>
      (await fetchWith({ LINK_DATABASES: caller.setting }, `/${slug}`)).headers.get("Location");
    const expected = slugs.map((_, i) => (i === 6 ? null : `https://example.com/${Math.floor(i / 2)}`));
    const check = async () => {
      expect(await Promise.all(slugs.map(status))).toEqual(expected);
      const { body } = await caller.call("POST", "/v1/links", { url: "https://example.com/", slug: slugs[6] });
      expect(body).toMatchObject({ error: { code: "slug_taken" } });
      const { body: page } = await caller.call("GET", `/v1/links?slug=${slugs[9]}`);
      expect((page["data"] as Link[]).map(({ id }) => id)).toEqual([links[4]?.id]);
    };
    await check();
    caller.setting = DURING;
    await check();
    await closeBuckets(env.DB, env.LINKS_1, UPPER);
    await check();
    // Written while the buckets are closed: the address that is taken, and a new alias of a link that has not moved.
    const added = Array.from({ length: 100 }, (_, i) => `late-${i}-${crypto.randomUUID()}`).find(isUpperSlug) ?? "";
    const lower = links.find((link) => link !== removed && !isUpper(link)) as Link;
    const { body } = await caller.call("PATCH", `/v1/links/${lower.id}`, {
      aliases: [...(lower.aliases ?? []).map(({ slug }) => ({ slug })), { slug: added }],
    });
    expect(body["aliases"]).toHaveLength(3);
    await moveAll();
    await check();
    caller.setting = AFTER;
    await check();
    expect(await status(added)).toBe(lower.url);
    const count = async (database: D1Database) =>
      database
        .prepare("SELECT count(*) AS n FROM link_aliases WHERE account_id = ?1")
        .bind(caller.accountId)
        .first<number>("n");
    const upper = [...slugs, added].filter(isUpperSlug).length;
    expect([await count(env.LINKS_1), await count(env.DB)]).toEqual([upper, 25 - upper]);
    const made = links.filter(isUpper).length;
    expect((await stored(env.LINKS_1, caller.accountId)).counts).toEqual([
      `${3 * made - (isUpper(removed) ? 1 : 0)} ${3 * made}`,
    ]);
  });

  test("an isolate with the old setting writes nothing to closed buckets: 503, with a retry time", async () => {
    const caller = await newCaller();
    let link = await caller.create();
    while (!isUpper(link)) link = await caller.create();
    await closeBuckets(env.DB, env.LINKS_1, UPPER);
    const { status, body } = await caller.call("PATCH", `/v1/links/${link.id}`, { title: "late" });
    expect(status).toBe(503);
    expect(body["error"]).toMatchObject({ code: "unavailable" });
    caller.setting = DURING;
    expect((await caller.call("PATCH", `/v1/links/${link.id}`, { title: "late" })).status).toBe(200);
  });

  test("a link moved by two movers concurrently, or interrupted after its copy, exists once", async () => {
    const caller = await newCaller();
    let link = await caller.create({ tags: ["a"], title: "kept" });
    while (!isUpper(link)) link = await caller.create({ tags: ["a"], title: "kept" });
    const key = { account_id: caller.accountId, mode: "live" as const, id: link.id };
    const counts = await sumOfCounts(caller.accountId);
    await closeBuckets(env.DB, env.LINKS_1, UPPER);
    const cut = { ...env.DB, batch: env.DB.batch.bind(env.DB), prepare: env.DB.prepare.bind(env.DB) } as D1Database;
    let batches = 0;
    cut.batch = (statements) =>
      (++batches === 2 ? Promise.reject(new Error("cut")) : env.DB.batch(statements)) as never;
    await expect(moveLinks(cut, env.LINKS_1, [key])).rejects.toThrow("cut");
    caller.setting = DURING;
    expect(await caller.listIds("&tag=a")).toEqual(expect.arrayContaining([link.id]));
    expect(new Set(await caller.listIds()).size).toBe((await caller.listIds()).length);
    await Promise.all([moveLinks(env.DB, env.LINKS_1, [key]), moveLinks(env.DB, env.LINKS_1, [key])]);
    expect((await stored(env.LINKS_1, caller.accountId)).links).toEqual([link.id]);
    expect((await stored(env.DB, caller.accountId)).links).not.toContain(link.id);
    expect(await sumOfCounts(caller.accountId)).toEqual(counts);
  });

  // Different seeds with other links in one database and in four.
  test.each(env.LINK_DATABASES === undefined ? [1] : [2, 3])(
    "under random changes, seed %i: no link is lost, none exists twice",
    async (seed) => {
      const chance = seededRandom(seed);
      const caller = await newCaller();
      const expected = new Map<string, string | null>();
      for (let i = 0; i < 20; i++) expected.set((await caller.create()).id, "https://example.com/");
      caller.setting = DURING;
      const change = async () => {
        const ids = [...expected.keys()];
        const id = ids[Math.floor(chance() * ids.length)] ?? "";
        const kind = chance();
        if (expected.get(id) === null) return;
        if (kind < 0.2) {
          expect((await caller.call("DELETE", `/v1/links/${id}`)).status).toBe(204);
          expected.set(id, null);
        } else if (kind < 0.7) {
          const url = `https://example.com/${Math.floor(chance() * 1e9)}`;
          expect((await caller.call("PATCH", `/v1/links/${id}`, { url })).status).toBe(200);
          expected.set(id, url);
        } else {
          const { body } = await caller.call("GET", `/v1/links/${id}`);
          expect(body["url"]).toBe(expected.get(id));
        }
      };
      const changing = (async () => {
        for (let i = 0; i < 60; i++) await change();
      })();
      await Promise.all([changing, moveAll(), moveAll()]);
      caller.setting = AFTER;
      for (const [id, url] of expected) {
        const { status, body } = await caller.call("GET", `/v1/links/${id}`);
        expect(status === 404 ? null : body["url"]).toBe(url);
      }
      const live = [...expected].filter(([, url]) => url !== null).map(([id]) => id);
      expect((await caller.listIds()).sort()).toEqual(live.sort());
      const all = [
        ...(await stored(env.DB, caller.accountId)).links,
        ...(await stored(env.LINKS_1, caller.accountId)).links,
      ];
      expect(all.sort()).toEqual([...expected.keys()].sort());
      expect(await sumOfCounts(caller.accountId)).toEqual({ links: live.length, made: expected.size });
    },
  );
});

async function sumOfCounts(accountId: string) {
  const sum = { links: 0, made: 0 };
  for (const database of [env.DB, env.LINKS_1]) {
    const row = await database
      .prepare("SELECT links, made FROM link_counts WHERE account_id = ?1")
      .bind(accountId)
      .first<typeof sum>();
    sum.links += row?.links ?? 0;
    sum.made += row?.made ?? 0;
  }
  return sum;
}

/** An account's links as the account and its visitors see them. */
async function answers(caller: Caller, links: readonly Link[]) {
  const seen = await Promise.all(
    links.map(async (link) => [
      await caller.call("GET", `/v1/links/${link.id}`),
      (await caller.call("GET", `/v1/links/${link.id}/revisions`)).body["data"],
      await caller.visit(link),
    ]),
  );
  for (const [reply] of seen) delete (reply as { body: { error?: { request_id?: string } } }).body.error?.request_id;
  return {
    seen,
    list: await caller.listIds(),
    tagged: await caller.listIds("&tag=all"),
    found: await caller.listIds("&search=example"),
    tags: (await caller.call("GET", "/v1/tags")).body["data"],
  };
}

describe("links of a domain that has passed to another account", () => {
  /** A link of each holder at an address that moves to a database that knows the new holder. */
  async function handover() {
    await newCaller();
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const slug =
      Array.from({ length: 100 }, (_, i) => `s${i}`).find((one) => bucketOfAddress(domain, one) >= HALF) ?? "";
    const old = await new Caller(former).create({ domain, slug });
    await holder.inheritDomain(domain);
    const link = await new Caller(holder).create({ domain, slug });
    const sql = "INSERT OR REPLACE INTO domain_holders (domain, account_id, mode, tenure) VALUES (?1, ?2, 'live', 2)";
    await env.LINKS_1.prepare(sql).bind(domain, holder.accountId).run();
    return { domain, slug, link, old, key: { account_id: former.accountId, mode: "live" as const, id: old.id } };
  }

  test("do not hide the new holder's links that have not moved yet", async () => {
    const { domain, slug, link, key } = await handover();
    await moveLinks(env.DB, env.LINKS_1, [key]);
    const address = { name: addressObjectName(domain, slug), domain, slug };
    const found = await findLinksByAddress({ ...env, LINK_DATABASES: DURING }, [address], "first-primary");
    expect(found.get(address.name)).toMatchObject({ link: { id: link.id }, account: "open" });
  });

  test("are disabled in the target database, even if no other link was to move there", async () => {
    const { old, key } = await handover();
    await closeBuckets(env.DB, env.LINKS_1, UPPER);
    await moveLinks(env.DB, env.LINKS_1, [key]);
    while (await disableEndedLinks({ ...env, LINK_DATABASES: AFTER }));
    const sql = "SELECT disabled_at FROM links WHERE id = ?1";
    expect(await env.LINKS_1.prepare(sql).bind(old.id).first()).toEqual({ disabled_at: expect.any(Number) });
  });
});

test("a move begins once every database knows of every account", async () => {
  await newCaller();
  const ann = await premiumAccount();
  await suspendAccount(env, ann.accountId);
  const moving = { ...env, LINK_DATABASES: DURING };
  const move = { first: HALF, last: BUCKETS - 1, to: "LINKS_1", after: null };
  const later = Date.now() + 60_000;
  await env.DB.prepare("INSERT INTO account_copies VALUES ('acc_late', 1, ?1)").bind(later).run();
  expect(await moveBuckets(moving, move)).toEqual({
    outcome: "refused",
    message: "Some accounts are not copied to all databases yet. Run the move again in a minute.",
  });
  expect(await env.DB.prepare("SELECT count(*) AS n FROM moved_buckets").first("n")).toBe(0);
  await env.DB.prepare("UPDATE account_copies SET due_at = NULL WHERE account_id = 'acc_late'").run();
  expect(await moveBuckets(moving, move)).toMatchObject({ outcome: "moved" });
  const sql = "SELECT state FROM account_states WHERE account_id = ?1";
  expect(await env.LINKS_1.prepare(sql).bind(ann.accountId).first("state")).toBe("suspended");
});
