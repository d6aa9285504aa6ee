/** Decision 12, POST /v1/links/bulk-delete: links are deleted independently, each as by its own DELETE. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { BulkDeleteResult } from "../../../src/core/contract/bulk-links.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { queryLinks, sumOfLinks } from "../../support/link-databases.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import { asBulkError, LINK_NOT_FOUND, revisionChanged, validationFailed } from "../../support/expected-errors.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";

const NOT_FOUND = asBulkError(LINK_NOT_FOUND);

function post(actor: TestAccount, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return actor.call("POST", "/v1/links/bulk-delete", body, headers);
}

async function remove(actor: TestAccount, links: unknown[], erase?: boolean): Promise<BulkDeleteResult["results"]> {
  const reply = await post(actor, { links, ...(erase === undefined ? {} : { erase }) });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return BulkDeleteResult.parse(reply.body).results;
}

async function makeLinks(actor: TestAccount, count: number): Promise<Link[]> {
  return Promise.all(Array.from({ length: count }, () => actor.createLink()));
}

const deleted = ({ id }: Link) => ({ id, deleted: true });

async function storedRow({ id }: Link) {
  const [row] = await queryLinks(env, "SELECT url, deleted_at, erase_at, revision FROM links WHERE id = ?1", id);
  return row;
}

describe("12 POST /v1/links/bulk-delete", () => {
  test("deletes each link like its own DELETE: 410 for visitors, 404 in the API, room in the quota", async () => {
    const ann = await freeAccount();
    const [one, two, kept] = (await makeLinks(ann, 3)) as [Link, Link, Link];
    await visit(one.short_url);
    await ann.waitForClicks(1, one);
    expect(await remove(ann, [{ id: two.id }, { id: one.id, revision: 1 }])).toEqual([deleted(two), deleted(one)]);
    for (const link of [one, two]) {
      await expect.poll(async () => (await visit(link.short_url)).status, { timeout: 15_000 }).toBe(410);
      expect((await ann.call("GET", `/v1/links/${link.id}`)).status).toBe(404);
      expect(await storedRow(link)).toEqual({
        url: "",
        deleted_at: expect.any(Number),
        erase_at: null,
        revision: 2,
      });
    }
    const object = env.LINK_CLICKS.getByName(addressObjectName(one.domain, one.slug));
    expect(await object.snapshot()).toMatchObject({ revision: 2, state: "deleted", url: "" });
    expect((await ann.call("GET", "/v1/links")).body).toMatchObject({ data: [kept] });
    const count = "SELECT links AS n FROM link_counts WHERE account_id = ?1";
    expect(await sumOfLinks(env, count, ann.accountId)).toBe(1);
  });

  test("returns deleted, invalid, unknown, repeated and outdated links in order, with 200", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const [one, two] = (await makeLinks(ann, 2)) as [Link, Link];
    const annTesting = await ann.withKey("test");
    const [foreign, trial] = [await ben.createLink(), await annTesting.createLink()];
    const results = await remove(ann, [
      { id: one.id, revision: 2 },
      { id: two.id },
      { id: two.id },
      { id: foreign.id },
      { id: trial.id },
      { id: 5 },
      { id: one.id, nope: 1 },
      one.id,
    ]);
    expect(results).toEqual([
      asBulkError(revisionChanged(1)),
      deleted(two),
      NOT_FOUND,
      NOT_FOUND,
      NOT_FOUND,
      asBulkError(validationFailed(["id", "invalid_type", "must be of type string, not number"])),
      asBulkError(validationFailed(["nope", "unknown_field", "is unknown"])),
      asBulkError(validationFailed(["", "invalid_type", "must be of type object, not string"])),
    ]);
    expect((await ann.call("GET", `/v1/links/${one.id}`)).body).toEqual(one);
    expect((await ben.call("GET", `/v1/links/${foreign.id}`)).body).toEqual(foreign);
    expect((await annTesting.call("GET", `/v1/links/${trial.id}`)).body).toEqual(trial);
  });

  test("with erase queues the erasure of clicks, even of links deleted before; repeating it changes nothing", async () => {
    const ann = await freeAccount();
    const [one, before] = (await makeLinks(ann, 2)) as [Link, Link];
    await ann.call("DELETE", `/v1/links/${before.id}`);
    const links = [{ id: one.id }, { id: before.id }, { id: "lnk_none" }];
    expect(await remove(ann, links, false)).toEqual([deleted(one), NOT_FOUND, NOT_FOUND]);
    expect(await remove(ann, links, true)).toEqual([deleted(one), deleted(before), NOT_FOUND]);
    const rows = await Promise.all([one, before].map(storedRow));
    for (const row of rows) expect(row).toMatchObject({ erase_at: expect.any(Number), revision: 3 });
    const sql = "SELECT link_id, due_at FROM link_outbox WHERE account_id = ?1";
    const queued = new Map((await queryLinks(env, sql, ann.accountId)).map((row) => [row["link_id"], row]));
    expect([...queued.keys()].toSorted()).toEqual([one.id, before.id].toSorted());
    for (const row of queued.values()) expect(row["due_at"]).toBeGreaterThan(0);
    expect(await remove(ann, links, true)).toEqual([deleted(one), deleted(before), NOT_FOUND]);
    expect(await Promise.all([one, before].map(storedRow))).toEqual(rows);
  });

  test("refuses 101 links, an empty list, and a non-boolean erase", async () => {
    const ann = await freeAccount();
    const words = "must have 1 to 100 links";
    const many = Array.from({ length: 101 }, () => ({ id: "lnk_none" }));
    expect(errorOf(await post(ann, { links: many }))).toEqual(validationFailed(["links", "too_big", words]));
    expect(errorOf(await post(ann, { links: [] }))).toEqual(validationFailed(["links", "too_small", words]));
    expect(errorOf(await post(ann, { links: [{ id: "lnk_none" }], erase: "true" }))).toEqual(
      validationFailed(["erase", "invalid_type", "must be of type boolean, not string"]),
    );
  });

  test("with an Idempotency-Key returns the first response to a repeated request", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await post(ann, { links: [{ id: link.id }] }, headers);
    const again = await post(ann, { links: [{ id: link.id }] }, headers);
    expect(first.body).toEqual({ results: [deleted(link)] });
    expect([again.body, again.headers.get("Idempotent-Replayed")]).toEqual([first.body, "true"]);
    expect(await remove(ann, [{ id: link.id }])).toEqual([NOT_FOUND]);
  });
});
