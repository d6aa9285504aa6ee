/** A link's clicks under filters, as pages and as files: every match in the whole log, however few there are. */
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";

import type { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import type { PackedClicks } from "../../../src/core/clicks/encoding/click-batch.ts";
import type { ClicksRequest, ClicksResult } from "../../../src/core/clicks/protocol/link-object-rpc.ts";
import { GROUPINGS } from "../../../src/core/clicks/counting/groupings.ts";
import { type Click, CLICK_COLUMNS, type ClickPage } from "../../../src/core/contract/clicks.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { snapshotAt } from "../../bench/bench-link.ts";
import { ClickMix } from "../../bench/click-mix.ts";
import { errorOf } from "../../support/api-response.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { packClicks } from "../../support/pack-clicks.ts";
import {
  clicksPath,
  NDJSON,
  objectOf,
  openExport,
  type Query,
  readUntilBroken,
  recordClicks,
  rowsIn,
  textOf,
} from "../../support/recorded-clicks.ts";
import { randomElement, randomInteger, seededRandom } from "../../support/seeded-random.ts";
import { premiumAccount } from "../../support/test-accounts.ts";

// Many thousands of clicks, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

afterEach(() => vi.restoreAllMocks());

const ann = await premiumAccount();
const START = Date.parse("2026-03-01T00:00:00Z");
const CSV = { Accept: "text/csv" };
/** More than a page scans. */
const MANY_CLICKS = 520_000;
/** More than are scanned, or sent, in one turn. */
const SOME_CLICKS = 130_000;

/** A link with clicks under two revisions, whose rules have commas. */
async function filledLink(count: number): Promise<Link> {
  const link = await ann.createLink();
  const mix = new ClickMix();
  for (let sent = 0; sent < count;) {
    const revision = sent < count / 2 ? 1 : 2;
    const { routing } = snapshotAt(revision);
    const clicks = mix.batch(START + sent * 1_000, Math.min(mix.size(400), count - sent));
    await recordClicks(link, clicks, { revision, routing });
    sent += clicks.length;
  }
  return link;
}

async function wholeLog(link: Link): Promise<Click[]> {
  return rowsIn(await textOf(await openExport(ann, clicksPath(link), NDJSON)));
}

async function rowsOf(link: Link, query: Query): Promise<Click[]> {
  return rowsIn(await textOf(await openExport(ann, clicksPath(link, query), NDJSON)));
}

/** All pages, by following each one. */
async function pagesOf(link: Link, query: Record<string, string>): Promise<ClickPage[]> {
  const pages: ClickPage[] = [];
  for (let after = query.after ?? "0"; ;) {
    const page = await ann.clicks(link, { ...query, after });
    pages.push(page);
    expect(page.next_after).toBeGreaterThanOrEqual(page.data.at(-1)?.seq ?? Number(after));
    if (!page.has_more) return pages;
    expect(page.next_after).toBeGreaterThan(Number(after));
    after = String(page.next_after);
  }
}

const keyOf = (click: Click, grouping: (typeof GROUPINGS)[number]) =>
  grouping === "qr" ? (click.qr_id ?? "none") : String(click[grouping]);

const escaped = (key: string) => key.replace(/[\\,]/g, "\\$&");

interface Question {
  query: Record<string, string>;
  /** The matching clicks of the whole log. */
  expected: Click[];
}

function anyQuestion(log: readonly Click[], chance: () => number): Question {
  const query: Record<string, string> = {};
  let expected = [...log];
  for (let n = 1 + randomInteger(chance, 3); n > 0; n--) {
    const grouping = randomElement(chance, GROUPINGS);
    const keys = Array.from({ length: 1 + randomInteger(chance, 3) }, () => {
      return chance() < 0.1 ? "of no click" : keyOf(randomElement(chance, log), grouping);
    });
    if (query[grouping] !== undefined) continue;
    query[grouping] = keys.map(escaped).join(",");
    expected = expected.filter((click) => keys.includes(keyOf(click, grouping)));
  }
  const times = [randomElement(chance, log), randomElement(chance, log)].map(({ occurred_at }) => occurred_at).sort();
  if (chance() < 0.5) {
    const [from = "", to = ""] = times;
    Object.assign(query, { from, to });
    expected = expected.filter(({ occurred_at }) => occurred_at >= from && occurred_at < to);
  }
  if (chance() < 0.5) {
    const after = randomInteger(chance, log.length);
    query.after = String(after);
    expected = expected.filter(({ seq }) => seq > after);
  }
  return { query, expected };
}

describe("14 a link's clicks under filters", () => {
  test.for([1, 2])("14 pages and files are the clicks of the log that match, chance %i", async (seed) => {
    const link = await filledLink(3_500);
    const log = await wholeLog(link);
    expect(log).toHaveLength(3_500);
    expect(new Set(log.map((click) => click.class)).size).toBe(3);
    const chance = seededRandom(seed);
    for (let i = 0; i < 14; i++) {
      // From here on with two blocks that the next scan must pack again.
      if (i === 7) await unpackBlocks(link);
      const { query, expected } = anyQuestion(log, chance);
      const limit = 100 + randomInteger(chance, 900);
      expect(await rowsOf(link, query), JSON.stringify(query)).toEqual(expected);
      expect(await rowsOf(link, { ...query, limit })).toEqual(expected.slice(0, limit));
      const pages = await pagesOf(link, { ...query, limit: String(limit) });
      expect(pages.flatMap(({ data }) => data)).toEqual(expected);
      const resumed = randomElement(chance, [{ seq: 0 }, ...expected]).seq;
      const rest = expected.filter(({ seq }) => seq > resumed);
      expect(await rowsOf(link, { ...query, after: Math.max(resumed, Number(query.after ?? 0)) })).toEqual(rest);
    }
  });

  test("14 a filter by each grouping returns its clicks, and files add up with the statistics", async () => {
    const link = await filledLink(2_500);
    for (const group_by of GROUPINGS) {
      const { buckets } = await ann.stats(link, { group_by, include_bots: "true", from: "2026-01-01T00:00:00Z" });
      for (const { key, clicks } of buckets.slice(0, 3)) {
        const rows = await rowsOf(link, { [group_by]: escaped(key) });
        expect(rows.length, `${group_by} ${key}`).toBe(clicks);
        expect(rows.every((row) => keyOf(row, group_by) === key)).toBe(true);
      }
    }
    const table = await textOf(await openExport(ann, clicksPath(link, { device: "tablet" }), CSV));
    const tablets = await rowsOf(link, { device: "tablet" });
    expect(table.split("\r\n")).toHaveLength(tablets.length + 2);
    expect(table.startsWith(CLICK_COLUMNS.join(","))).toBe(true);
  });

  test("14 clicks that arrive later are on the following page", async () => {
    const link = await filledLink(1_500);
    const [page] = await pagesOf(link, { country: "XK" });
    expect(page).toEqual({ data: [], has_more: false, next_after: 1_500 });
    const at = START + 10_000_000;
    await recordClicks(link, [{ at, class: "human", country: "XK", qr: "", rule: "" }]);
    const next = await ann.clicks(link, { country: "XK", after: "1500" });
    expect([next.data.map(({ seq }) => seq), next.next_after]).toEqual([[1_501], 1_501]);
    expect(await ann.clicks(link, { country: "XK", after: "1501" })).toEqual({
      data: [],
      has_more: false,
      next_after: 1_501,
    });
  });

  test.for<[what: string, query: Query, param: string]>([
    ["no key", { country: "" }, "country"],
    ["an empty key", { country: "DE,,AT" }, "country"],
    ["a lone backslash", { rule: String.raw`a\b` }, "rule"],
    ["101 keys", { city: Array(101).fill("x").join(",") }, "city"],
    ["a long key", { city: "x".repeat(16_385) }, "city"],
    ["two long keys", { city: "x".repeat(9_000), destination: "y".repeat(9_000) }, "destination"],
    ["a class", { class: "human" }, "class"],
    ["a link", { link_id: "lnk_x" }, "link_id"],
  ])("14 a filter by %s answers 422 and names the parameter", async ([, query, param]) => {
    const link = await ann.createLink();
    for (const accept of [CSV, NDJSON, {}]) {
      const reply = await ann.call("GET", clicksPath(link, query), undefined, accept);
      expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param });
    }
  });
});

async function unpackBlocks(link: Link): Promise<void> {
  await runInDurableObject(objectOf(link), (_, { storage: { sql } }) => {
    sql.exec("DELETE FROM blocks WHERE id IN (0, 128)");
  });
}

describe("14 filters that few clicks match", () => {
  const filters = { country: "XK" };
  const mix = new ClickMix();
  /** The same for every link: it takes longer to make them up than to record them. */
  const mixed: PackedClicks[] = [];

  /** Only the last click matches. */
  async function largeLink(count: number): Promise<Link> {
    const link = await ann.createLink();
    for (let i = 0; i * 4_096 < count; i++)
      await recordClicks(link, (mixed[i] ??= packClicks(mix.batch(START + i * 4_096 * 20, 4_096))));
    await recordClicks(link, [{ at: START + count * 40, class: "human", country: "XK", qr: "", rule: "" }]);
    return link;
  }

  test("14 a page scans a limited number of clicks, and a file has all matches", async () => {
    const link = await largeLink(MANY_CLICKS);
    const pages = await pagesOf(link, filters);
    expect(pages.length).toBe(2);
    expect(pages[0]).toMatchObject({ data: [], has_more: true });
    expect(pages[1]?.data).toHaveLength(1);
    expect(await rowsOf(link, filters)).toEqual(pages[1]?.data);
    expect(await rowsOf(link, { ...filters, limit: 1 })).toEqual(pages[1]?.data);
  });

  test("14 clicks are recorded during a scan, and an erased link is answered as one without clicks", async () => {
    const link = await largeLink(SOME_CLICKS);
    await runInDurableObject(objectOf(link), async (object: LinkClicks) => {
      const request: ClicksRequest = {
        linkId: link.id,
        after: 0,
        limit: 10,
        filters: [{ grouping: "country", values: ["XK"] }],
      };
      const asked = Array.from({ length: 6 }, () => Promise.resolve(object.clicks(request)));
      const exported = object.exportClicks({ ...request, format: "csv", from: null, to: null, end: null });
      let answered = 0;
      for (const page of asked) void page.then(() => answered++);
      await new Promise((done) => setTimeout(done, 0));
      expect(answered).toBe(0);
      const clicks = packClicks([{ at: Date.now(), class: "human", country: "XK", qr: "", rule: "" }]);
      expect(await object.record({ id: 1, linkId: link.id, revision: 1, clicks })).toMatchObject({ kind: "recorded" });
      expect(answered).toBe(0);
      await object.erase({ ...snapshotAt(2), id: link.id, domain: link.domain, slug: link.slug, state: "deleted" });
      const nothing: ClicksResult = { kind: "clicks", clicks: [], hasMore: false, next: 0 };
      expect(await Promise.all(asked)).toEqual(asked.map(() => nothing));
      expect(await exported).toEqual({ kind: "erased_meanwhile" });
    });
  });

  test("14 an erasure of the clicks breaks an export", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const link = await largeLink(SOME_CLICKS);
    const headers = { Authorization: `Bearer ${ann.key}`, ...NDJSON };
    const response = await fetchWith({}, clicksPath(link, { device: "mobile" }), { headers });
    await objectOf(link).erase({
      ...snapshotAt(2),
      id: link.id,
      domain: link.domain,
      slug: link.slug,
      state: "deleted",
    });
    expect((await readUntilBroken(response)).error).toMatch(/erased/);
  });
});
