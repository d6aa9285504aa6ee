/**
 * 6 Visits answered from a replica that lags behind the primary. The ten seconds after which a change takes effect
 * count from the replica's update. An isolate that has a newer state, from the link's object or a write, keeps it.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { notifyLinkObject } from "../../src/store/link-object-client.ts";
import { type LinkRow, snapshotOf } from "../../src/store/links/link-rows.ts";
import { fetchAt } from "../support/changed-env.ts";
import { freezeClockAt } from "../support/clock.ts";
import { LaggingReplica } from "../support/lagging-replica.ts";
import { queryLinks } from "../support/link-databases.ts";
import { BASE_URL, premiumAccount, type TestAccount } from "../support/test-accounts.ts";

const START = Date.parse("2031-05-01T00:00:00.000Z");
const [OLD, NEW] = ["https://example.com/old", "https://example.com/new"];
/** Longer than an isolate caches a link. */
const LATER_MS = 10_001;

let ann: TestAccount;
let replica: LaggingReplica;

beforeAll(async () => {
  ann = await premiumAccount();
  replica = await LaggingReplica.of(ann.accountId);
});

afterEach(() => {
  vi.useRealTimers();
});

/** A visit that is not counted, so the isolate learns nothing from it. */
async function peek({ short_url }: Link): Promise<string | number> {
  const response = await fetchAt(short_url, replica.env, { method: "HEAD" });
  return response.headers.get("Location") ?? response.status;
}

/** A counted visit: the object's response reports changes. Ends once the click is recorded. */
const visit = ({ short_url }: Link) => fetchAt(short_url, replica.env);

async function call(method: string, path: string, body: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json" };
  return fetchAt(BASE_URL + path, replica.env, { method, headers, body: JSON.stringify(body) });
}

/** A change by another isolate: in the primary. */
async function changeElsewhere({ id }: Link): Promise<LinkRow> {
  const sql = "UPDATE links SET url = ?2, revision = revision + 1 WHERE id = ?1 RETURNING *";
  const [row] = await queryLinks<LinkRow>(env, sql, id, NEW);
  if (!row) throw new Error("no link");
  return row;
}

describe("6 a lagging replica", () => {
  test("an isolate without newer data sees a change ten seconds after the replica does, at the latest", async () => {
    freezeClockAt(START);
    const link = await ann.createLink({ url: OLD });
    await replica.catchUp();
    await changeElsewhere(link);
    for (let seconds = 0; seconds <= 60; seconds += 5) {
      freezeClockAt(START + seconds * 1_000);
      expect(await peek(link)).toBe(OLD);
    }
    await replica.catchUp();
    freezeClockAt(START + 60_000 + LATER_MS);
    expect(await peek(link)).toBe(NEW);
  });

  test("a longer slug that the replica lacks is found, though a shorter one forwards paths", async () => {
    freezeClockAt(START);
    const shorter = await ann.createLink({ url: OLD, forward_path: true });
    await replica.catchUp();
    const longer = await ann.createLink({ slug: `${shorter.slug}/a`, url: NEW });
    expect(await peek(longer)).toBe(NEW);
  });

  test("an isolate learns of a change from the link's object with its first click, and keeps it", async () => {
    freezeClockAt(START);
    const link = await ann.createLink({ url: OLD });
    await replica.catchUp();
    await notifyLinkObject(env, snapshotOf(await changeElsewhere(link)));
    expect((await visit(link)).headers.get("Location")).toBe(OLD);
    for (let seconds = 0; seconds <= 60; seconds += 4) {
      freezeClockAt(START + seconds * 1_000);
      expect(await peek(link)).toBe(NEW);
    }
  });

  test("an isolate keeps a change that it has written, even a deletion", async () => {
    freezeClockAt(START);
    const link = await ann.createLink({ url: OLD });
    await replica.catchUp();
    expect(await peek(link)).toBe(OLD);
    expect((await call("PATCH", `/v1/links/${link.id}`, { url: NEW })).status).toBe(200);
    for (const ms of [0, LATER_MS, 2 * LATER_MS]) {
      freezeClockAt(START + ms);
      expect(await peek(link)).toBe(NEW);
    }
    expect((await call("POST", "/v1/links/bulk-delete", { links: [{ id: link.id }] })).status).toBe(200);
    for (const ms of [2 * LATER_MS, 3 * LATER_MS]) {
      freezeClockAt(START + ms);
      expect(await peek(link)).toBe(410);
    }
  });

  test("an alias that it does not have yet is never a 404, and a removed one that it still has is a 410", async () => {
    freezeClockAt(START);
    const [one, two] = [`replica-${crypto.randomUUID()}`, `replica-${crypto.randomUUID()}`];
    const link = await ann.createLink({ url: OLD, aliases: [{ slug: one }] });
    await replica.catchUp();
    const at = (slug: string): Link => ({ ...link, short_url: `${BASE_URL}/${slug}` });
    expect(await peek(at(one))).toBe(OLD);
    const change = { aliases: [{ slug: two }], url: NEW };
    expect((await call("PATCH", `/v1/links/${link.id}`, change)).status).toBe(200);
    for (const ms of [0, LATER_MS, 2 * LATER_MS]) {
      freezeClockAt(START + ms);
      expect([await peek(at(one)), await peek(at(two)), await peek(link)]).toEqual([410, NEW, NEW]);
    }
  });

  test("a link that it does not have yet is never a 404", async () => {
    const link = await ann.createLink({ url: OLD });
    expect(await peek(link)).toBe(OLD);
  });

  test("a link at the address of a former holder's link is never a 410", async () => {
    const holder = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const former = await ann.createLink({ domain, slug: "spring", url: OLD });
    await holder.inheritDomain(domain);
    await replica.catchUp();
    await (await LaggingReplica.of(holder.accountId)).catchUp();
    expect(await peek(former)).toBe(410);
    expect(await peek(await holder.createLink({ domain, slug: "spring", url: NEW }))).toBe(NEW);
  });
});
