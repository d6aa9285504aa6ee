/**
 * No row of any table is larger than 1 MB, whatever the API and the edge let through. Cloudflare accepts 2 MB and the
 * runtime of these tests more, so a row that grows too large would fail in production alone.
 */
import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { ClickLog } from "../../src/clicks/click-log.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { clickOf, isCodeField, mapFacts, type NewClick } from "../../src/core/clicks/facts.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import { addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { STORED_FIELDS } from "../../src/core/clicks/counting/stats.ts";
import { recorder } from "../../src/edge/recorder.ts";
import { findLinksByAddress } from "../../src/store/links/link-rows.ts";
import { queryLinks } from "../support/link-databases.ts";
import { type TestAccount, premiumAccount, visit } from "../support/test-accounts.ts";
import { type Click, packClicks } from "../support/pack-clicks.ts";
import { openListener } from "../support/stream-listener.ts";
import { requestVisitor } from "../support/request-visitor.ts";

vi.setConfig({ testTimeout: 120_000 });

const ROW_MAX_BYTES = 1_000_000;

const objectOf = (link: Link) => env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));
const feedOf = ({ accountId }: TestAccount) => env.ACCOUNT_FEED.getByName(feedName(accountId, "live"));

type Row = Record<string, unknown>;

function bytesOf(value: unknown): number {
  if (typeof value === "string") return new TextEncoder().encode(value).length;
  if (value instanceof ArrayBuffer) return value.byteLength;
  return Array.isArray(value) ? value.length : 8;
}

const rowBytes = (row: Row) => Object.values(row).reduce((sum: number, value) => sum + bytesOf(value), 0);

/** The largest row of each table. */
async function largestRows(rowsOf: (sql: string) => Promise<Row[]>): Promise<Record<string, number>> {
  const tables = await rowsOf(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  );
  const sizes: Record<string, number> = {};
  for (const { name } of tables) {
    for (const row of await rowsOf(`SELECT * FROM "${String(name)}"`)) {
      sizes[String(name)] = Math.max(sizes[String(name)] ?? 0, rowBytes(row));
    }
  }
  return sizes;
}

const largestRowsIn = (object: DurableObjectStub) =>
  runInDurableObject(object, (_, { storage: { sql } }) =>
    largestRows(async (query) => sql.exec<Record<string, SqlStorageValue>>(query).toArray()),
  );

const largestRowsOfDatabase = () => largestRows((query) => queryLinks<Row>(env, query));

function expectSmall(sizes: Record<string, number>): void {
  expect(Object.entries(sizes).filter(([, bytes]) => bytes > ROW_MAX_BYTES)).toEqual([]);
}

/** As long as allowed. */
const DESTINATION = `https://example.com/${"x".repeat(8_100)}`;
const LONGEST_ROUTING = [
  { if: { city: Array.from({ length: 250 }, (_, i) => `${i}`.padEnd(60, "東")) }, to: "https://example.com/1" },
  { if: { country: "DE" }, to: `https://example.com/${"d".repeat(8_100)}` },
];

const ENCODED = encodeURIComponent("東".repeat(100));

/** A visitor who differs from all others in everything that a stranger can choose, at the longest allowed length. */
function longestVisit(linkId: string, i: number): NewClick {
  const text = i.toString(36).padStart(8, "0");
  const host = `${text}.`.padEnd(253, `${"h".repeat(60)}.`).replace(/\.$/, "h");
  const headers = {
    Referer: `https://${host}/`,
    "Accept-Language": `zzz-${text}-${text}-${text}-${text}`,
    "User-Agent": "curl/8.5.0",
  };
  const geography = { country: "DE", regionCode: text, city: `${text}${"東".repeat(92)}`, continent: "EU" };
  const names = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];
  const search = names.map((name) => `${name}=${text}${ENCODED}`).join("&");
  return clickOf(requestVisitor({ headers, geography, search, now: Date.now(), linkId }), -1, null);
}

describe("the object of a link", () => {
  test("a flood of visitors, each with different texts, on a link with the longest rules", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: DESTINATION, routing: LONGEST_ROUTING });
    const name = addressObjectName(link.domain, link.slug);
    const found = (await findLinksByAddress(env, [{ ...link, name }], "first-primary")).get(name);
    if (!found) throw new Error("no link");
    const visits = 10_000;
    // In portions that fit the recorder's memory: it drops clicks beyond that.
    const portion = 2_500;
    for (let from = 0; from < visits; from += portion) {
      const ctx = createExecutionContext();
      for (let i = from; i < from + portion; i++) {
        recorder.record(env, ctx, name, found, longestVisit(link.id, i), {});
      }
      await waitOnExecutionContext(ctx);
    }
    await ann.waitForClicks(visits, link);
    await ann.updateLink(link, { url: `${DESTINATION}2` });
    for (const group_by of [
      "referrer",
      "language",
      "city",
      "region",
      "country",
      "source",
      "rule",
      "utm_source",
      "utm_content",
    ]) {
      const { total, buckets } = await ann.stats(link, { group_by });
      expect([total, buckets.reduce((sum, { clicks }) => sum + clicks, 0)]).toEqual([visits, visits]);
    }
    const { total, buckets } = await ann.stats(link, { group_by: "city", country: "DE", source: "link" });
    expect([total, buckets.length, buckets.at(-1)?.key]).toEqual([visits, 1_001, "other"]);
    // Their blocks are too long for a row, and are packed in several.
    const packed = await runInDurableObject(objectOf(link), (_, { storage: { sql } }) =>
      sql
        .exec<{ blocks: number; parts: number }>(
          "SELECT count(DISTINCT id / 64) AS blocks, count(*) AS parts FROM blocks",
        )
        .one(),
    );
    expect(packed.blocks).toBe(9);
    expect(packed.parts).toBeGreaterThan(9);
    const sizes = await largestRowsIn(objectOf(link));
    // Batches, the first with the snapshot; summaries of two levels; rows of the change and of the statistics.
    expect(Object.keys(sizes).sort()).toEqual(["batches", "blocks", "revisions", "summaries", "times"]);
    expectSmall(sizes);
    expect(sizes.summaries).toBeGreaterThan(150_000);
  });

  test("every field of a summary full, and clicks in more quarters of an hour than one histogram holds", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await runInDurableObject(objectOf(link), async (_, { storage: { sql } }) => {
      const log = new ClickLog(sql);
      const quarters = 8 ** 2 * 1_024;
      for (let from = 0; from < quarters; from += 1_024) {
        const clicks = Array.from({ length: 1_024 }, (_unused, i) => unlikeAnyOther(from + i));
        log.append({ id: from, revision: 1, clicks: packClicks(clicks) }, 0);
      }
      const sizes = await largestRows(async (query) => sql.exec<Record<string, SqlStorageValue>>(query).toArray());
      expect(sizes.summaries).toBeGreaterThan(STORED_FIELDS.filter((field) => !isCodeField(field)).length * 60_000);
      expectSmall({ summaries: sizes.summaries ?? Infinity });
      const [{ histogram } = { histogram: 0 }] = sql.exec("SELECT histogram FROM summaries WHERE id = 2");
      expect(histogram).toBeNull();
      for (const field of STORED_FIELDS) {
        const counts = [...log.tally(field, 0, quarters).values()];
        expect(counts.reduce((sum, { human, nonHuman }) => sum + human + nonHuman, 0)).toBe(quarters);
      }
      const slots = [...log.histograms(0, quarters, false)].flatMap((part) => part.bins);
      expect(slots.map(({ start }) => start)).toEqual(Array.from({ length: quarters }, (_unused, i) => atQuarter(i)));
    });
  });
});

const atQuarter = (i: number) => Date.UTC(2030, 0, 1) + i * 15 * 60_000;

function unlikeAnyOther(i: number): Click {
  const text = `${i}`.padEnd(60, "x");
  return { at: atQuarter(i), class: "human", ...mapFacts(() => text), qr: text, rule: text, address: text };
}

describe("the feed of an account", () => {
  test("events of links with the longest rules and destinations", async () => {
    const ann = await premiumAccount();
    const stream = await openListener(ann);
    const link = await ann.createLink({ url: DESTINATION, routing: LONGEST_ROUTING });
    const city = LONGEST_ROUTING[0]?.if.city?.[0] ?? "";
    for (let i = 0; i < 40; i++) await visit(link.short_url, { headers: { "x-visitor-city": encodeURI(city) } });
    await ann.waitForClicks(40, link);
    await stream.waitForClicks(40);
    expectSmall(await largestRowsIn(feedOf(ann)));
    await stream.close();
  });
});

describe("the database", () => {
  test("the longest values that can be written, and stored responses", async () => {
    const ann = await premiumAccount();
    const once = () => ({ "Idempotency-Key": crypto.randomUUID() });
    const post = async (path: string, body: unknown) => (await ann.call("POST", path, body, once())).status;
    const tags = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(50, "ΐ"));
    const members = { title: "🌷".repeat(200), tags, fallback_url: DESTINATION };
    expect(await post("/v1/links", { url: DESTINATION, routing: LONGEST_ROUTING, ...members })).toBe(201);
    const routing = [{ if: { country: "DE" }, to: `https://example.com/${"d".repeat(2_200)}` }];
    const links = Array.from({ length: 100 }, () => ({ url: "https://example.com/", routing }));
    expect(await post("/v1/links/bulk", { links })).toBe(200);
    // One valid link, so that the response is stored, and as many problems as a body can have.
    const wrong = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [i.toString(36), 1]));
    expect(await post("/v1/links/bulk", { links: [{ url: "https://example.com/" }, wrong] })).toBe(200);
    const link = await ann.createLink({ routing: LONGEST_ROUTING });
    expect(await post(`/v1/links/${link.id}/resolve`, { city: LONGEST_ROUTING[0]?.if.city?.[0] })).toBe(200);
    await ann.call("POST", "/v1/domains", { domain: `${"d".repeat(60)}.example` }, once());
    await ann.call("POST", "/v1/qr", { link_id: link.id }, once());
    const sizes = await largestRowsOfDatabase();
    expect(sizes.links).toBeGreaterThan(70_000);
    expect(sizes.link_tags).toBeGreaterThan(150);
    expect(sizes.idempotency).toBeGreaterThan(1_000);
    expectSmall(sizes);
  });
});
