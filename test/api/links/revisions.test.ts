/** The history of a link: every change is listed with its time, fields and author, and can be reverted. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { service } from "../../../src/api/service.ts";
import { LinkRevisionPage } from "../../../src/core/contract/link-revisions.ts";
import { Link } from "../../../src/core/contract/links.ts";
import {
  ACCOUNT_REVISIONS_BYTES_PER_LINK,
  ACCOUNT_REVISIONS_MAX_BYTES,
  LINK_REVISIONS_MAX,
  LINK_REVISIONS_MAX_BYTES,
} from "../../../src/core/limits.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import { countLinksAnew, raiseRevisions } from "../../../src/store/links/restored-links.ts";
import { setLinkDisabled } from "../../../src/store/links/operator-links.ts";
import { jsonRequest } from "../../support/api-client.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { changeLinks, databaseOfLink, queryLinks, sumOfLinks } from "../../support/link-databases.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
import { BrowserSession, PASSWORD, preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS } from "../../support/browser-session.ts";
import {
  domainTransferred,
  LINK_NOT_FOUND,
  PLAN_UPGRADE_REQUIRED,
  preconditionFailed,
  validationFailed,
} from "../../support/expected-errors.ts";
import { freeAccount, premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];

const NO_REVISION = {
  status: 404,
  code: "not_found",
  message: "This revision does not exist, or is no longer stored.",
};

async function history(actor: TestAccount, { id }: Pick<Link, "id">, query = ""): Promise<LinkRevisionPage> {
  const reply = await actor.call("GET", `/v1/links/${id}/revisions${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkRevisionPage.parse(reply.body);
}

async function numbersOf(actor: TestAccount, link: Link): Promise<number[]> {
  return (await history(actor, link, "?limit=100")).data.map(({ revision }) => revision);
}

function restore(actor: TestAccount, { id }: Link, revision: number | string, headers = {}): Promise<ApiResponse> {
  return actor.call("POST", `/v1/links/${id}/revisions/${revision}/restore`, {}, headers);
}

async function restored(actor: TestAccount, link: Link, revision: number): Promise<Link> {
  const reply = await restore(actor, link, revision);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return Link.parse(reply.body);
}

const keyIdOf = ({ key }: TestAccount) => key.slice("svc_live_".length, "svc_live_".length + 8);

async function rowsOf({ accountId }: TestAccount): Promise<{ rows: number; bytes: number; counted: number }> {
  const sum = (what: string, table: string) =>
    sumOfLinks(env, `SELECT ${what} AS n FROM ${table} WHERE account_id = ?1`, accountId);
  return {
    rows: await sum("count(*)", "link_revisions"),
    bytes: await sum("sum(bytes)", "link_revisions"),
    counted: await sum("revision_bytes", "link_counts"),
  };
}

/** Many changes in a row, made in the database alone. */
async function changeOften({ id }: Link, changes: number, url: (i: number) => string): Promise<void> {
  const database = databaseOfLink(env, { id });
  const statements = Array.from({ length: changes }, (_, i) =>
    database
      .prepare(
        `UPDATE links SET url = ?2, revision = revision + 1, updated_at = updated_at + 1, changed_at = updated_at + 1
       WHERE id = ?1`,
      )
      .bind(id, url(i)),
  );
  for (let i = 0; i < statements.length; i += 250) await database.batch(statements.slice(i, i + 250));
}

describe("entries", () => {
  test("a link that never changed has its initial revision, which takes no row", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: "https://example.com/ü", title: "Spring", tags: ["A"] });
    expect(await history(ann, link)).toEqual({
      data: [
        {
          revision: 1,
          changed_at: link.created_at,
          changed_by: { type: "key", key_id: keyIdOf(ann) },
          changed: [],
          url: "https://example.com/ü",
          routing: [],
          expires_at: null,
          title: "Spring",
          tags: ["A"],
        },
      ],
      has_more: false,
      next_cursor: null,
      complete: true,
    });
    expect(await rowsOf(ann)).toEqual({ rows: 0, bytes: 0, counted: 0 });
  });

  test("each change has its time, fields and key; cleared members count as changed", async () => {
    const ann = await premiumAccount();
    const other = await ann.withKey("live");
    const link = await ann.createLink({ title: "Spring", forward_query: true });
    const second = await other.updateLink(link, { routing: RULES, tags: ["a", "B"] });
    const third = await ann.updateLink(link, {
      title: null,
      starts_at: "2030-01-01T00:00:00Z",
      expires_at: "2031-01-01T00:00:00Z",
      fallback_url: "https://example.com/soon",
      forward_query: false,
    });
    const { data, complete } = await history(ann, link);
    expect(complete).toBe(true);
    expect(data.map(({ changed_at, changed_by, changed }) => [changed_at, changed_by, changed])).toEqual([
      [
        third.updated_at,
        { type: "key", key_id: keyIdOf(ann) },
        ["expires_at", "title", "starts_at", "fallback_url", "forward_query"],
      ],
      [second.updated_at, { type: "key", key_id: keyIdOf(other) }, ["routing", "tags"]],
      [link.created_at, { type: "key", key_id: keyIdOf(ann) }, []],
    ]);
    const shown = ({ url, routing, expires_at, title, tags, starts_at, fallback_url, forward_query }: Partial<Link>) =>
      JSON.stringify({ url, routing, expires_at, title, tags, starts_at, fallback_url, forward_query });
    expect(data.map(shown)).toEqual([third, second, link].map(shown));
  });

  test("bulk changes are entries as well; a change without effect has no entry and no author", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ tags: ["A"] });
    const other = await ann.withKey("live");
    await other.updateLink(link, { url: link.url, tags: ["A"] });
    expect(await history(ann, link)).toMatchObject({
      data: [{ revision: 2, changed_at: link.created_at, changed_by: { key_id: keyIdOf(ann) }, changed: [] }],
    });
    await other.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id, title: "T" }, { id: link.id }] });
    expect(await history(ann, link)).toMatchObject({
      data: [
        { revision: 3, changed_by: { key_id: keyIdOf(other) }, changed: ["title"] },
        { revision: 2, changed_by: { key_id: keyIdOf(ann) }, changed: [] },
      ],
      complete: true,
    });
  });

  test("a change in the dashboard has the dashboard as its author", async () => {
    const browser = new BrowserSession();
    const email = `${crypto.randomUUID()}@example.com`;
    await browser.call("POST", "/dashboard/api/auth/sign-up/email", { email, password: PASSWORD, name: "" });
    const link = await browser.createLink();
    await browser.api("PATCH", `/links/${link.id}`, { title: "T" });
    const reply = await browser.api("GET", `/links/${link.id}/revisions`);
    expect(LinkRevisionPage.parse(reply.body).data.map(({ changed_by }) => changed_by)).toEqual([
      { type: "dashboard" },
      { type: "dashboard" },
    ]);
  });

  test.each([
    ["a link", false],
    ["a paused link", true],
  ])("the operator's disabling and enabling of %s are recorded; repeating either has no effect", async (_, paused) => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ paused });
    for (const disabled of [true, true, false, false]) await setLinkDisabled(env, link.domain, link.slug, disabled);
    const { data } = await history(ann, link);
    expect(data.map(({ changed_by, changed, disabled }) => [changed_by?.type, changed, disabled])).toEqual([
      ["operator", ["disabled"], undefined],
      ["operator", ["disabled"], true],
      ["key", [], undefined],
    ]);
  });

  test("the account to which the domain has passed is not named", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const link = await former.createLink({ domain, slug: "spring" });
    await former.updateLink(link, { title: "T" });
    await holder.inheritDomain(domain);
    await maintainUntilIdle(env);
    const { data } = await history(former, link);
    expect(data[0]).toMatchObject({ changed_by: { type: "domain_holder" }, changed: ["disabled"], disabled: true });
    expect(errorOf(await holder.call("GET", `/v1/links/${link.id}/revisions`))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await restore(former, link, 1))).toEqual(domainTransferred(domain));
  });

  test("clicks are counted under the revision in force at the time", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.updateLink(link, { url: "https://example.com/2" });
    await visit(link.short_url);
    await ann.waitForClicks(2, link);
    expect((await ann.stats(link, { group_by: "revision" })).buckets).toEqual([
      { key: "1", clicks: 1 },
      { key: "2", clicks: 1 },
    ]);
  });
});

describe("pages", () => {
  test("are newest first, contain each revision once, and have the changed fields across page boundaries", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    for (let i = 2; i <= 5; i++) await ann.updateLink(link, i % 2 ? { title: `T${i}` } : { url: `https://e.org/${i}` });
    const seen: [number, unknown][] = [];
    for (let query: string | null = "?limit=2"; query !== null;) {
      const reply = await ann.call("GET", `/v1/links/${link.id}/revisions${query}`);
      const page = LinkRevisionPage.parse(reply.body);
      expect(page.complete).toBe(true);
      seen.push(...page.data.map(({ revision, changed }): [number, unknown] => [revision, changed]));
      query = page.has_more ? `?limit=2&cursor=${page.next_cursor}` : null;
      const next = query && `</v1/links/${link.id}/revisions${query}>; rel="next"`;
      expect(reply.headers.get("Link")).toBe(next);
    }
    expect(seen).toEqual([
      [5, ["title"]],
      [4, ["url"]],
      [3, ["title"]],
      [2, ["url"]],
      [1, []],
    ]);
  });

  test.for(["cursor=0", "cursor=x", "cursor=9999999999999999", "limit=101", "page=2"])(
    "%s is refused",
    async (query) => {
      const ann = await premiumAccount();
      const link = await ann.createLink();
      const reply = await ann.call("GET", `/v1/links/${link.id}/revisions?${query}`);
      expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed" });
    },
  );
});

describe("restoring", () => {
  test("on the Free plan never brings back rules that another request removes in the meantime", async () => {
    for (let at = 0, calls = Infinity; at < calls; at++) {
      const ann = await premiumAccount();
      const link = await ann.createLink({ routing: RULES, title: "A" });
      await ann.call("PATCH", `/v1/links/${link.id}`, { title: "B" });
      await changePlan(env, ann.email, "free");
      calls = 0;
      const interrupted = withInterruptions(env, async () => {
        if (calls++ === at) await ann.call("PATCH", `/v1/links/${link.id}`, { routing: [] });
      });
      const url = `http://localhost:8787/v1/links/${link.id}/revisions/1/restore`;
      const ctx = createExecutionContext();
      const reply = await service.fetch(new Request(url, jsonRequest(ann.key, "POST", {})), interrupted, ctx);
      await waitOnExecutionContext(ctx);
      expect([200, 403], `call ${at}`).toContain(reply.status);
      const now = Link.parse((await ann.call("GET", `/v1/links/${link.id}`)).body);
      expect(now.routing, `call ${at}`).toEqual([]);
    }
  });

  test("returns the link to its former state, as a new revision, and visitors follow it", async () => {
    const ann = await premiumAccount();
    const first = { url: "https://example.com/1", title: "One", tags: ["A"], routing: RULES, forward_query: true };
    const link = await ann.createLink(first);
    await ann.updateLink(link, { url: "https://example.com/2", title: null, tags: ["b"], routing: [] });
    const back = await restored(ann, link, 1);
    expect(back).toEqual({ ...link, updated_at: back.updated_at });
    const { data } = await history(ann, link);
    expect(data[0]).toMatchObject({ revision: 3, changed: ["url", "routing", "title", "tags"] });
    expect((await visit(link.short_url, { country: "DE" })).headers.get("Location")).toBe("https://example.com/de");
    expect((await restored(ann, link, 2)).url).toBe("https://example.com/2");
    expect(await numbersOf(ann, link)).toEqual([4, 3, 2, 1]);
  });

  test("the current state changes nothing", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await ann.updateLink(link, { title: "T" });
    const now = await ann.updateLink(link, { title: null });
    for (const revision of [1, 3]) expect(await restored(ann, link, revision)).toEqual(now);
    expect(await numbersOf(ann, link)).toEqual([3, 2, 1]);
  });

  test("a number without an entry restores the entry after it", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: "https://example.com/1" });
    await ann.updateLink(link, { url: "https://example.com/1" });
    await ann.updateLink(link, { url: "https://example.com/3" });
    await ann.updateLink(link, { url: "https://example.com/3" });
    expect(await numbersOf(ann, link)).toEqual([4, 2]);
    expect((await restored(ann, link, 1)).url).toBe("https://example.com/1");
    expect((await restored(ann, link, 3)).url).toBe("https://example.com/3");
  });

  test.for(["0", "2", "-1", "1.0", "x", "9".repeat(16)])(
    "revision %s, which does not exist, is refused",
    async (revision) => {
      const ann = await premiumAccount();
      expect(errorOf(await restore(ann, await ann.createLink(), revision))).toEqual(NO_REVISION);
    },
  );

  test("If-Match is honored", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await ann.updateLink(link, { title: "T" });
    for (const tag of ['"1"', 'W/"2"', '"x"']) {
      expect(errorOf(await restore(ann, link, 1, { "If-Match": tag }))).toEqual(preconditionFailed('"2"'));
    }
    const reply = await restore(ann, link, 1, { "If-Match": '"1", "2"' });
    expect([reply.status, reply.headers.get("ETag")]).toEqual([200, '"3"']);
  });

  test("with an Idempotency-Key a repeated request gets the first response, whatever has changed since", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await ann.updateLink(link, { title: "T" });
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await restore(ann, link, 1, headers);
    await ann.updateLink(link, { title: "U" });
    const again = await restore(ann, link, 1, headers);
    expect([again.status, again.body, again.headers.get("Idempotent-Replayed")]).toEqual([200, first.body, "true"]);
    expect(again.headers.get("ETag")).toBe('"3"');
    expect(await numbersOf(ann, link)).toEqual([4, 3, 2, 1]);
    expect(errorOf(await restore(ann, link, 2, headers))).toMatchObject({ status: 409, code: "idempotency_conflict" });
  });

  test("rules require the Premium plan, other members do not", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES, title: "T" });
    await ann.updateLink(link, { title: "U" });
    await ann.updateLink(link, { routing: [] });
    await changePlan(env, ann.email, "free");
    expect(errorOf(await restore(ann, link, 1))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(await numbersOf(ann, link)).toEqual([3, 2, 1]);
    const kept = await freeAccount();
    const plain = await kept.createLink({ title: "T" });
    await kept.updateLink(plain, { title: "U" });
    expect((await restored(kept, plain, 1)).title).toBe("T");
  });

  test("rules that the link still has do not prevent a restore after a downgrade", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES, title: "T" });
    await ann.updateLink(link, { title: "U" });
    await changePlan(env, ann.email, "free");
    expect(await restored(ann, link, 1)).toMatchObject({ title: "T", routing: RULES });
  });

  test("a destination that has become a short domain of this service is refused as by a PATCH", async () => {
    const ann = await premiumAccount();
    const domain = `go.${crypto.randomUUID()}.example`;
    const link = await ann.createLink({ url: `https://${domain}/page` });
    await ann.updateLink(link, { url: "https://example.com/2", title: "T" });
    await ann.activeDomain(domain);
    expect(errorOf(await restore(ann, link, 1))).toEqual(
      validationFailed(["url", "loop", "must not lead to one of this service's own short domains"]),
    );
    expect(await numbersOf(ann, link)).toEqual([2, 1]);
  });

  test("brings removed aliases back, which no other link can have", async () => {
    const ann = await premiumAccount();
    const [one, two] = [`r-${crypto.randomUUID()}`, `r-${crypto.randomUUID()}`];
    const link = await ann.createLink({ title: "first", aliases: [{ slug: one }, { slug: two }] });
    const shown = link.aliases;
    await ann.updateLink(link, { title: "second", aliases: [{ slug: two }] });
    const { data } = await history(ann, link);
    expect(data.map(({ changed, aliases, title }) => [changed, aliases, title])).toEqual([
      [["title", "aliases"], shown?.slice(1), "second"],
      [[], shown, "first"],
    ]);
    expect((await visit(shown?.[0]?.short_url ?? "")).status).toBe(410);
    expect(await restored(ann, link, 1)).toMatchObject({ title: "first", aliases: shown });
    expect((await visit(shown?.[0]?.short_url ?? "")).status).toBe(302);
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const again = await restore(ann, link, 2, key);
    expect(again.body).toMatchObject({ title: "second", aliases: shown?.slice(1) });
    await ann.updateLink(link, { aliases: null });
    expect((await restore(ann, link, 2, key)).body).toEqual(again.body);
    expect((await visit(shown?.[1]?.short_url ?? "")).status).toBe(410);
  });

  test("a disabled link stays disabled", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ title: "T" });
    await ann.updateLink(link, { title: "U" });
    await setLinkDisabled(env, link.domain, link.slug, true);
    await restored(ann, link, 1);
    expect((await history(ann, link)).data[0]).toMatchObject({ title: "T", disabled: true, changed: ["title"] });
    expect((await visit(link.short_url)).status).toBe(410);
  });

  test("a non-empty body is refused", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call("POST", `/v1/links/${link.id}/revisions/1/restore`, { url: "https://e.org/" });
    expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param: "url" });
  });
});

describe("bounds", () => {
  test("the latest changes of a link are kept; the response reports that earlier ones are missing", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await changeOften(link, LINK_REVISIONS_MAX + 5, (i) => `https://example.com/${i}`);
    const last = LINK_REVISIONS_MAX + 6;
    const { rows, bytes, counted } = await rowsOf(ann);
    expect([rows, counted]).toEqual([LINK_REVISIONS_MAX, bytes]);
    const end = await history(ann, link, `?cursor=8`);
    expect(end).toMatchObject({ complete: false, has_more: false });
    expect(end.data.map(({ revision, changed }) => [revision, changed])).toEqual([
      [7, ["url"]],
      [6, null],
    ]);
    expect(errorOf(await restore(ann, link, 5))).toEqual(NO_REVISION);
    expect((await restored(ann, link, 6)).url).toBe("https://example.com/4");
    expect((await history(ann, link, "?limit=1")).data[0]?.revision).toBe(last + 1);
  });

  test("the size of a link's history is bounded in bytes, for long revisions", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await changeOften(link, 60, (i) => `https://example.com/${"ü".repeat(50_000)}/${i}`);
    const { rows, bytes, counted } = await rowsOf(ann);
    expect(counted).toBe(bytes);
    expect(bytes).toBeLessThanOrEqual(LINK_REVISIONS_MAX_BYTES);
    expect(bytes).toBeGreaterThan(LINK_REVISIONS_MAX_BYTES - 101_000);
    expect(rows).toBe((await numbersOf(ann, link)).length - 1);
  });

  test("an account over its limit keeps the last change of each link", async () => {
    const ann = await premiumAccount();
    const [one, two] = [await ann.createLink(), await ann.createLink()];
    for (const link of [one, two]) await changeOften(link, 3, (i) => `https://example.com/${i}`);
    const limit = ACCOUNT_REVISIONS_MAX_BYTES + 2 * ACCOUNT_REVISIONS_BYTES_PER_LINK;
    const { bytes } = await rowsOf(ann);
    await changeLinks(
      env,
      "UPDATE link_counts SET revision_bytes = ?2 WHERE account_id = ?1",
      ann.accountId,
      limit + bytes,
    );
    await ann.updateLink(one, { title: "T" });
    expect(await numbersOf(ann, one)).toEqual([5, 4]);
    expect(await numbersOf(ann, two)).toEqual([4, 3, 2, 1]);
    expect((await history(ann, one)).complete).toBe(false);
  });

  test("the recount at the end of a restore drops no history of an account with a long history", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await changeOften(link, 3, (i) => `https://example.com/${i}`);
    const { bytes } = await rowsOf(ann);
    const sql = "UPDATE link_counts SET links = 0, revision_bytes = ?2 WHERE account_id = ?1";
    await changeLinks(env, sql, ann.accountId, ACCOUNT_REVISIONS_MAX_BYTES + bytes);
    await ann.updateLink(link, { title: "T" });
    expect(await numbersOf(ann, link)).toEqual([5, 4, 3, 2, 1]);
  });
});

describe("end of the history", () => {
  test.each(["", "?erase=true"])("DELETE%s erases it with the link", async (query) => {
    const ann = await premiumAccount();
    const [link, other] = [await ann.createLink(), await ann.createLink()];
    for (const each of [link, other]) await ann.updateLink(each, { title: "T" });
    await ann.call("DELETE", `/v1/links/${link.id}${query}`);
    const left = await queryLinks(env, "SELECT link_id FROM link_revisions WHERE account_id = ?1", ann.accountId);
    expect(left).toEqual([{ link_id: other.id }]);
    const { bytes, counted } = await rowsOf(ann);
    expect(counted).toBe(bytes);
    expect(errorOf(await ann.call("GET", `/v1/links/${link.id}/revisions`))).toEqual(LINK_NOT_FOUND);
    const [tombstone] = await queryLinks(env, "SELECT changed_at, changed_by FROM links WHERE id = ?1", link.id);
    expect(tombstone).toEqual({ changed_at: null, changed_by: null });
  });

  test("a link at the address of a former holder's starts its own history", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const old = await former.createLink({ domain, slug: "spring", url: "https://former.example/1" });
    await former.updateLink(old, { url: "https://former.example/2" });
    await holder.inheritDomain(domain);
    const link = await holder.createLink({ domain, slug: "spring", url: "https://holder.example/" });
    const page = await history(holder, link);
    expect(page).toMatchObject({ complete: true, data: [{ changed: [], url: "https://holder.example/" }] });
    expect(page.data).toHaveLength(1);
    expect((await history(former, old)).data).toHaveLength(2);
  });

  test("a link of another mode is not found", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const trial = await ann.withKey("test");
    expect(errorOf(await trial.call("GET", `/v1/links/${link.id}/revisions`))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await restore(trial, link, 1))).toEqual(LINK_NOT_FOUND);
  });
});

describe("changes outside the API", () => {
  test("after a restored backup, history later than its link is dropped, and the rest is counted", async () => {
    const ann = await premiumAccount();
    const [link, deleted] = [await ann.createLink(), await ann.createLink()];
    for (const title of ["T", "U"]) await ann.updateLink(link, { title });
    // The backup read the row of a link before its second change or its deletion, and its history afterwards.
    await changeLinks(env, "UPDATE links SET revision = 2, title = 'T' WHERE id = ?1", link.id);
    await ann.updateLink(deleted, { title: "T" });
    const [row = {}] = await queryLinks(env, "SELECT * FROM link_revisions WHERE link_id = ?1", deleted.id);
    await ann.call("DELETE", `/v1/links/${deleted.id}`);
    const names = Object.keys(row);
    await databaseOfLink(env, deleted)
      .prepare(`INSERT INTO link_revisions (${names.join()}) VALUES (${names.map(() => "?").join()})`)
      .bind(...Object.values(row))
      .run();
    await changeLinks(env, "DELETE FROM link_counts WHERE account_id = ?1", ann.accountId);
    for (let i = 0; i < 2; i++) {
      await countLinksAnew(env, [ann.accountId]);
      const { rows, bytes, counted } = await rowsOf(ann);
      expect([rows, counted]).toEqual([1, bytes]);
    }
    expect(await numbersOf(ann, link)).toEqual([2, 1]);
    expect((await ann.updateLink(link, { title: "V" })).title).toBe("V");
    expect(await numbersOf(ann, link)).toEqual([3, 2, 1]);
  });

  test("revisions raised after a restore of the database write no history", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await ann.updateLink(link, { title: "T" });
    await raiseRevisions(env);
    const { data } = await history(ann, link);
    expect(data.map(({ changed, title }) => [changed, title])).toEqual([
      [["title"], "T"],
      [[], undefined],
    ]);
    expect((await restored(ann, link, 1)).title).toBeUndefined();
  });
});
