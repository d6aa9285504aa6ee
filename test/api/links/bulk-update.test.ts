/** Decision 12, POST /v1/links/bulk-update: links are changed independently, each as by its own PATCH. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { BODY_MAX_BYTES } from "../../../src/core/limits.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { sumOfLinks } from "../../support/link-databases.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import {
  asBulkError,
  LINK_NOT_FOUND,
  PLAN_UPGRADE_REQUIRED,
  quotaExceeded,
  revisionChanged,
  validationFailed,
} from "../../support/expected-errors.ts";
import { QUOTED_CONTENT } from "../../support/quoted-content.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";

const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];
const NOT_FOUND = asBulkError(LINK_NOT_FOUND);

afterEach(() => {
  vi.restoreAllMocks();
});

function post(actor: TestAccount, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return actor.call("POST", "/v1/links/bulk-update", body, headers);
}

async function update(actor: TestAccount, links: unknown[]): Promise<BulkResult["results"]> {
  const reply = await post(actor, { links });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(reply.headers.get("ETag")).toBeNull();
  return BulkResult.parse(reply.body).results;
}

const read = (actor: TestAccount, { id }: Pick<Link, "id">) => actor.call("GET", `/v1/links/${id}`);

async function makeLinks(actor: TestAccount, count: number): Promise<Link[]> {
  return Promise.all(Array.from({ length: count }, () => actor.createLink()));
}

function outboxRows(actor: TestAccount): Promise<number> {
  return sumOfLinks(env, "SELECT count(*) AS n FROM link_outbox WHERE account_id = ?1", actor.accountId);
}

describe("12 POST /v1/links/bulk-update", () => {
  test("changes each link like its own PATCH, and returns its current state", async () => {
    const ann = await premiumAccount();
    const [one, two, three] = (await makeLinks(ann, 3)) as [Link, Link, Link];
    const results = await update(ann, [
      { id: two.id, url: "https://example.org/Ü", routing: RULES },
      { id: one.id, expires_at: "2099-01-01T01:00:00+01:00", revision: 1 },
      { id: three.id },
    ]);
    const now = await Promise.all([two, one, three].map((link) => read(ann, link)));
    expect(results).toEqual(now.map(({ body }) => ({ link: body })));
    expect(now.map(({ headers }) => headers.get("ETag"))).toEqual(['"2"', '"2"', '"1"']);
    expect(now.map(({ body }) => body)).toEqual([
      { ...two, url: "https://example.org/Ü", routing: RULES, updated_at: expect.any(String) },
      { ...one, expires_at: "2099-01-01T00:00:00.000Z", updated_at: expect.any(String) },
      three,
    ]);
    for (const { body } of now.slice(0, 2)) {
      const { created_at, updated_at } = body as Link;
      expect(updated_at > created_at).toBe(true);
    }
    expect((await visit(two.short_url, { country: "DE" })).headers.get("Location")).toBe("https://example.com/de");
  });

  test("returns changed, invalid, unknown and outdated links in order, with 200", async () => {
    const ann = await premiumAccount();
    const [one, two, gone] = (await makeLinks(ann, 3)) as [Link, Link, Link];
    await ann.call("DELETE", `/v1/links/${gone.id}`);
    const results = await update(ann, [
      { id: one.id, url: "nowhere", slug: "new", nope: 1 },
      { id: two.id, url: "https://example.org/", revision: 2 },
      { id: gone.id, url: "https://example.org/" },
      { id: "lnk_none", url: "https://example.org/" },
      { url: "https://example.org/" },
      null,
      { id: one.id, url: "https://example.org/", revision: 0 },
      { id: one.id, url: "https://example.org/", revision: 1 },
    ]);
    const changed = { ...one, url: "https://example.org/", updated_at: expect.any(String) };
    expect(results).toEqual([
      asBulkError(
        validationFailed(
          ["url", "invalid_value", "must be an absolute URL such as https://example.com/"],
          ["slug", "immutable_field", "is set by the service and cannot be changed"],
          ["nope", "unknown_field", "is unknown"],
        ),
      ),
      asBulkError(revisionChanged(1)),
      NOT_FOUND,
      NOT_FOUND,
      asBulkError(validationFailed(["id", "required", "is required"])),
      asBulkError(validationFailed(["", "invalid_type", "must be of type object, not null"])),
      asBulkError(validationFailed(["revision", "too_small", "must be at least 1"])),
      { link: changed },
    ]);
    expect((await read(ann, one)).body).toEqual(changed);
    expect((await read(ann, two)).body).toEqual(two);
  });

  test("a link that is listed twice is changed twice, in order", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const results = await update(ann, [
      { id: link.id, url: "https://example.org/1", revision: 1 },
      { id: link.id, url: "https://example.org/2", revision: 1 },
      { id: link.id, expires_at: "2099-01-01T00:00:00Z", revision: 2 },
    ]);
    const first = { ...link, url: "https://example.org/1", updated_at: expect.any(String) };
    const last = { ...first, expires_at: "2099-01-01T00:00:00.000Z" };
    expect(results).toEqual([{ link: first }, asBulkError(revisionChanged(2)), { link: last }]);
    const now = await read(ann, link);
    expect([now.body, now.headers.get("ETag")]).toEqual([last, '"3"']);
    expect(results[2]).toEqual({ link: now.body });
  });

  test("finds no link of another account or of the other mode, and leaves them unchanged", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const annTesting = await ann.withKey("test");
    const [link, trial] = [await ann.createLink(), await annTesting.createLink()];
    const url = "https://example.org/";
    expect(await update(ben, [{ id: link.id, url }])).toEqual([NOT_FOUND]);
    expect(await update(ann, [{ id: trial.id, url }])).toEqual([NOT_FOUND]);
    expect(await update(annTesting, [{ id: link.id, url }])).toEqual([NOT_FOUND]);
    expect((await read(ann, link)).body).toEqual(link);
    expect((await read(annTesting, trial)).body).toEqual(trial);
  });

  test("does not change links on a domain that has passed to another account", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await ann.activeDomain();
    const [link, other] = [await ann.createLink({ domain }), await ann.createLink()];
    await ben.inheritDomain(domain);
    const url = "https://example.org/";
    expect(
      await update(ann, [
        { id: link.id, url },
        { id: other.id, url },
      ]),
    ).toEqual([
      {
        error: {
          code: "domain_transferred",
          message: `${domain} now belongs to another account. Links on it can only be read and deleted.`,
        },
      },
      { link: { ...other, url, updated_at: expect.any(String) } },
    ]);
    expect(await update(ann, [{ id: link.id }])).toEqual([{ link: { ...link, domain_transferred: true } }]);
  });

  test("accepts 100 links, whose objects all have the change when it responds; refuses 101 links and an empty list", async () => {
    const ann = await premiumAccount();
    const made = await ann.call("POST", "/v1/links/bulk", {
      links: Array.from({ length: 100 }, () => ({ url: "https://example.com/" })),
    });
    const links = BulkResult.parse(made.body).results.flatMap((result) => ("link" in result ? [result.link] : []));
    const [first] = links;
    if (!first) throw new Error("no link");
    await visit(first.short_url);
    await ann.waitForClicks(1, first);
    const wanted = links.map(({ id }, i) => ({ id, url: `https://example.org/${i}` }));
    const results = await update(ann, wanted);
    expect(results.map((result) => "link" in result && result.link.url)).toEqual(wanted.map(({ url }) => url));
    const object = env.LINK_CLICKS.getByName(addressObjectName(first.domain, first.slug));
    expect(await object.snapshot()).toMatchObject({ revision: 2, url: "https://example.org/0" });
    await expect.poll(() => outboxRows(ann)).toBe(0);
    const words = "must have 1 to 100 links";
    expect(errorOf(await post(ann, { links: [...wanted, { id: first.id }] }))).toEqual(
      validationFailed(["links", "too_big", words]),
    );
    expect(errorOf(await post(ann, { links: [] }))).toEqual(validationFailed(["links", "too_small", words]));
    expect(errorOf(await post(ann, { links: [{ id: first.id }], atomic: true }))).toEqual(
      validationFailed(["atomic", "unknown_field", "is unknown"]),
    );
  });

  test("accepts a body of the maximum size, with text that is longer in the database", async () => {
    const ann = await premiumAccount();
    const made = await ann.call("POST", "/v1/links/bulk", {
      links: Array.from({ length: 98 }, () => ({ url: "https://example.com/" })),
    });
    const links = BulkResult.parse(made.body).results.flatMap((result) => ("link" in result ? [result.link] : []));
    const wanted = links.map(({ id }) => ({ id, ...QUOTED_CONTENT }));
    expect(JSON.stringify({ links: wanted }).length).toBeGreaterThan(0.9 * BODY_MAX_BYTES);
    const results = await update(ann, wanted);
    expect(results).toEqual(
      links.map((link) => ({ link: { ...link, ...QUOTED_CONTENT, updated_at: expect.any(String) } })),
    );
    const listed = (await ann.call("GET", "/v1/links?limit=100&sort=created_at")).body as { data: Link[] };
    expect(results).toEqual(listed.data.map((link) => ({ link })));
  });

  test("a change that its object has not received waits in the outbox", async () => {
    const ann = await freeAccount();
    const [one, two] = (await makeLinks(ann, 2)) as [Link, Link];
    vi.spyOn(LinkClicks.prototype, "learn").mockImplementation(() => {
      throw new Error("fault: not told");
    });
    const url = "https://example.org/";
    const results = await update(ann, [
      { id: one.id, url },
      { id: two.id, url },
    ]);
    expect(results).toMatchObject([{ link: { url } }, { link: { url } }]);
    expect(await outboxRows(ann)).toBe(2);
  });

  test("none of several parallel changes of the same links is lost", async () => {
    const ann = await premiumAccount();
    const links = await makeLinks(ann, 3);
    const round = Array.from({ length: 4 }, (_, i) =>
      update(
        ann,
        links.map(({ id }) => ({ id, url: `https://example.org/${i}` })),
      ),
    );
    const results = (await Promise.all(round)).flat();
    expect(results.filter((result) => "link" in result)).toHaveLength(12);
    for (const link of links) expect((await read(ann, link)).headers.get("ETag")).toBe('"5"');
  });

  test("one of several parallel changes with the same revision is applied", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const requests = Array.from({ length: 5 }, (_, i) =>
      update(ann, [{ id: link.id, url: `https://example.org/${i}`, revision: 1 }]),
    );
    const results = (await Promise.all(requests)).flat();
    expect(results.filter((result) => "link" in result)).toHaveLength(1);
    expect(results.filter((result) => "error" in result)).toEqual(Array(4).fill(asBulkError(revisionChanged(2))));
  });

  test("with an Idempotency-Key returns the first response to a repeated request, whatever has changed since", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const body = { links: [{ id: link.id, url: "https://example.org/1" }, { id: "lnk_none" }] };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await post(ann, body, headers);
    await ann.updateLink(link, { url: "https://example.org/2" });
    const again = await post(ann, body, headers);
    expect([again.status, again.body, again.headers.get("Idempotent-Replayed")]).toEqual([200, first.body, "true"]);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect((await post(ann, body, headers)).body).toEqual(first.body);
  });

  test("with an Idempotency-Key refuses a response too long to be stored, and changes nothing", async () => {
    const ann = await premiumAccount();
    const long = `https://example.com/${"x".repeat(8_000)}`;
    const links = await Promise.all(
      Array.from({ length: 65 }, () => ann.createLink({ url: long, fallback_url: long })),
    );
    const body = { links: links.map(({ id }) => ({ id, expires_at: "2099-01-01T00:00:00Z" })) };
    const refused = await post(ann, body, { "Idempotency-Key": crypto.randomUUID() });
    expect(errorOf(refused)).toEqual({
      ...quotaExceeded(
        "The response is larger than the 1000000 bytes that are stored for an Idempotency-Key. Send fewer links at a time, or omit the header.",
      ),
      param: "Idempotency-Key",
    });
    expect((await read(ann, links[0] as Link)).body).toEqual(links[0]);
    expect((await post(ann, body)).status).toBe(200);
  });
});

describe("1.6 bulk update on the Free plan", () => {
  test("with rules in any of its links answers 403 and changes none of them; empty rules are allowed", async () => {
    const ben = await freeAccount();
    const [one, two] = (await makeLinks(ben, 2)) as [Link, Link];
    const links = [
      { id: one.id, url: "https://example.org/" },
      { id: two.id, routing: RULES },
    ];
    expect(errorOf(await post(ben, { links }))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect((await read(ben, one)).body).toEqual(one);
    expect(await update(ben, [{ id: two.id, routing: [] }])).toMatchObject([{ link: { routing: [] } }]);
  });
});
