/** 10 A domain that passes to another account: where links lead, who sees which data, and who owns the clicks. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import type { Domain } from "../../../src/core/contract/domains.ts";
import { LinkRevisionPage } from "../../../src/core/contract/link-revisions.ts";
import { type Link, LinkPage } from "../../../src/core/contract/links.ts";
import { ImportApi } from "../../../src/core/imports/import-api.ts";
import { type ImportReport, runImport } from "../../../src/core/imports/run-import.ts";
import { addressObjectName, ownObjectName } from "../../../src/core/links/link-snapshot.ts";
import { disableEndedLinks } from "../../../src/store/links/ended-links.ts";
import { setLinkDisabled } from "../../../src/store/links/operator-links.ts";
import { errorOf } from "../../support/api-response.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { visitWithoutDatabase } from "../../support/database-down.ts";
import { domainTransferred, LINK_NOT_FOUND, slugTaken } from "../../support/expected-errors.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { changeHomeRows, queryLinks, sumOfLinks } from "../../support/link-databases.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { rowsOfObject } from "../../support/stored-rows.ts";
import { premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

const FORMER = "https://former.example/";
const HOLDER = "https://holder.example/";
/** The longest time for which an isolate uses what it has read of a link. */
const CACHED_MS = 10_000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Handover {
  /** The account that created the link. */
  former: TestAccount;
  /** The account that holds the domain now. */
  holder: TestAccount;
  domain: Domain;
  link: Link;
}

async function handover(fields: Record<string, unknown> = {}): Promise<Handover> {
  const [former, holder] = [await premiumAccount(), await premiumAccount()];
  const { domain } = await former.activeDomain();
  const link = await former.createLink({ domain, slug: "Spring", url: FORMER, ...fields });
  return { former, holder, link, domain: await holder.inheritDomain(domain) };
}

function createAt({ domain, slug }: Pick<Link, "domain" | "slug">, holder: TestAccount, url = HOLDER): Promise<Link> {
  return holder.createLink({ domain, slug, url });
}

/** The former holder proves the domain, which is still in its list, once more. */
async function regain({ former, holder, domain: { domain } }: Handover): Promise<void> {
  const lost = "UPDATE domains SET status = 'misconfigured', verified_at = NULL WHERE domain = ?1";
  await changeHomeRows(env, [holder.accountId], lost, domain);
  const proven = "UPDATE domains SET status = 'active', verified_at = 1 WHERE domain = ?1 AND account_id = ?2";
  await changeHomeRows(env, [former.accountId], proven, domain, former.accountId);
}

/** @param linksUsed  decides whether the import looks for the link alone, or reads all */
async function importLink(owner: TestAccount, link: Link, linksUsed: number): Promise<ImportReport> {
  const { domain, slug, url, title } = link;
  const content = { url, ...(title === undefined ? {} : { title }) };
  const api = new ImportApi({
    send: async ({ method, path, headers, body }) =>
      (await owner.call(method, `/v1${path}`, body && JSON.parse(body), headers)).body,
    wait: (_ms, failed) => Promise.reject(failed),
    newKey: () => crypto.randomUUID(),
    random: Math.random,
  });
  const me = await api.me();
  const links = { ...me.limits.links, used: linksUsed };
  vi.spyOn(api, "me").mockResolvedValue({ ...me, limits: { ...me.limits, links } });
  return runImport(
    { unit: "line", refused: [], links: [{ at: 1, domain, aliases: [], slug, hasPassword: false, content }] },
    {
      api,
      account: await api.account(),
      options: {
        domain: null,
        domains: new Map(),
        withoutRules: false,
        withoutPasswords: false,
        forwardQuery: false,
        update: false,
      },
      isDryRun: false,
      now: Date.now(),
      signal: new AbortController().signal,
      onProgress: () => {},
    },
  );
}

/** The destination of a visit, or its status. */
async function whereTo({ short_url }: Pick<Link, "short_url">): Promise<string | number> {
  const response = await visit(short_url);
  return response.headers.get("Location") ?? response.status;
}

async function whereToWithoutDatabase({ short_url }: Link): Promise<string | number> {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const response = await visitWithoutDatabase(short_url);
  return response.headers.get("Location") ?? response.status;
}

function objectNamed(name: string) {
  return env.LINK_CLICKS.getByName(name);
}

describe("its former holder", () => {
  test("can change no link on it and create no code for one, but can read them with statistics and history, and delete them", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const made = await former.createLink({ domain, slug: "Spring", url: "https://former.example/1" });
    const link = await former.updateLink(made, { url: FORMER });
    expect(await whereTo(link)).toBe(FORMER);
    await former.waitForClicks(1, link);
    await holder.inheritDomain(domain);
    await maintainUntilIdle(env);

    const path = `/v1/links/${link.id}`;
    for (const change of [{ url: "https://evil.example/" }, { expires_at: null }, { routing: [] }]) {
      expect(errorOf(await former.call("PATCH", path, change))).toEqual(domainTransferred(domain));
    }
    expect(errorOf(await former.call("POST", "/v1/qr", { link_id: link.id }))).toEqual(domainTransferred(domain));
    const ended = { ...link, domain_transferred: true };
    expect((await former.call("PATCH", path, {})).body).toEqual(ended);
    expect((await former.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id }] })).body).toEqual({
      results: [{ link: ended }],
    });
    expect((await former.call("GET", path)).body).toEqual(ended);
    expect(LinkPage.parse((await former.call("GET", `/v1/links?domain=${domain}`)).body).data).toEqual([ended]);
    expect((await former.stats(link)).total).toBe(1);
    const { data } = LinkRevisionPage.parse((await former.call("GET", `${path}/revisions`)).body);
    expect(data.map(({ changed_by, changed, disabled }) => [changed_by?.type, changed, disabled])).toEqual([
      ["domain_holder", ["disabled"], true],
      ["key", ["url"], undefined],
      ["key", [], undefined],
    ]);
    expect((await former.call("DELETE", path)).status).toBe(204);
  });

  test("loses aliases on it, but not their links; the holder can use their addresses", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const slug = `aliased-${crypto.randomUUID()}`;
    const aliases = [
      { slug: "Spring", domain },
      { slug: "autumn", domain },
    ];
    const link = await former.createLink({ slug, url: FORMER, aliases });
    const ended = await former.createLink({
      domain,
      slug: "own",
      url: FORMER,
      aliases: [{ slug: `${slug}2`, domain: link.domain }],
    });
    const at = (name: string) => ({ short_url: `http://${domain}/${name}` });
    expect(await Promise.all([at("spring"), link, ended].map(whereTo))).toEqual([FORMER, FORMER, FORMER]);
    await holder.inheritDomain(domain);
    await maintainUntilIdle(env);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11_000 });
    const endedAlias = { short_url: ended.aliases?.[0]?.short_url ?? "" };
    expect(await Promise.all([at("spring"), link, endedAlias].map(whereTo))).toEqual([410, FORMER, 410]);

    const own = await holder.createLink({ domain, slug: "spring", url: HOLDER, aliases: [{ slug: "Autumn" }] });
    expect(await Promise.all([own, at("autumn"), link].map(whereTo))).toEqual([HOLDER, HOLDER, FORMER]);
    // The former holder's link keeps them until they are removed, and gets no others.
    expect(await former.updateLink(link, { title: "x", aliases })).toMatchObject({ title: "x", aliases: link.aliases });
    const more = await former.call("PATCH", `/v1/links/${link.id}`, {
      aliases: [...aliases, { slug: "more", domain }],
    });
    expect(more.body).toMatchObject({ error: { code: "validation_failed", param: "aliases.2.domain" } });
    expect(await former.updateLink(link, { aliases: [aliases[1]] })).toMatchObject({ aliases: link.aliases?.slice(1) });
    expect((await former.call("PATCH", `/v1/links/${link.id}`, { aliases })).status).toBe(422);
    expect(await Promise.all([own, at("autumn")].map(whereTo))).toEqual([HOLDER, HOLDER]);
    expect((await former.call("GET", `/v1/links?short_url=${domain}/autumn`)).body).toMatchObject({
      data: [{ id: link.id }],
    });
    expect((await holder.call("GET", `/v1/links?short_url=${domain}/autumn`)).body).toMatchObject({
      data: [{ id: own.id }],
    });

    // Once more the holder, the account gets new aliases at the same addresses only where the other one has none.
    const both = [former.accountId, holder.accountId];
    await changeHomeRows(env, both, "UPDATE domains SET verified_at = NULL WHERE domain = ?1", domain);
    const claim = "UPDATE domains SET status = 'active', verified_at = 1 WHERE domain = ?1 AND account_id = ?2";
    await changeHomeRows(env, both, claim, domain, former.accountId);
    await maintainUntilIdle(env);
    vi.setSystemTime(Date.now() + 11_000);
    expect(await whereTo(at("autumn"))).toBe(410);
    expect(await former.updateLink(link, { aliases: [{ slug: "AUTUMN", domain }] })).toMatchObject({
      aliases: [{ slug: "AUTUMN", domain }],
    });
    expect(await Promise.all([at("autumn"), at("spring")].map(whereTo))).toEqual([FORMER, 410]);
  });

  test("is any caller but the holder, including the same account's other mode", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const link = await ann.createLink({ domain });
    await (await ann.withKey("test")).inheritDomain(domain);
    const change = await ann.call("PATCH", `/v1/links/${link.id}`, { url: "https://example.com/2" });
    expect(errorOf(change)).toEqual(domainTransferred(domain));
    expect(await whereTo(link)).toBe(410);
  });

  test("redirects no visitor after ten seconds at the latest; unknown links answer 404", async () => {
    const start = Date.now();
    freezeClockAt(start);
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const link = await former.createLink({ domain, slug: "Spring", url: FORMER });
    const expired = await former.createLink({ domain, slug: "old", url: FORMER, fallback_url: `${FORMER}late` });
    expect(await whereTo(link)).toBe(FORMER);
    await holder.inheritDomain(domain);
    freezeClockAt(start + CACHED_MS);
    expect([await whereTo(link), await whereTo(expired)]).toEqual([410, 410]);
    expect(await whereTo({ short_url: `http://${domain}/none` })).toBe(404);
  });

  test("gets nothing back when the holder deletes the domain: links stay ended", async () => {
    const { former, holder, domain, link } = await handover();
    expect((await holder.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    expect(await whereTo(link)).toBe(410);
    const change = await former.call("PATCH", `/v1/links/${link.id}`, { url: HOLDER });
    expect(errorOf(change)).toEqual(domainTransferred(domain.domain));
  });

  test("is not helped by an operator, who can enable only the current holder's links", async () => {
    const { holder, domain, link } = await handover();
    await maintainUntilIdle(env);
    expect(await setLinkDisabled(env, link.domain, link.slug, false)).toBeNull();
    const own = await createAt(link, holder);
    expect(await setLinkDisabled(env, domain.domain, "spring", true)).toBe(own.id);
    expect(await setLinkDisabled(env, domain.domain, "spring", false)).toBe(own.id);
  });

  test("has all its links disabled, page by page, and no others are", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    for (const slug of ["a", "b", "c", "d", "e"]) await former.createLink({ domain, slug, paused: slug === "c" });
    await holder.inheritDomain(domain);
    await holder.createLink({ domain, slug: "a" });
    while (await disableEndedLinks(env, 2));
    const sql =
      "SELECT tenure, coalesce(disabled_at, 0) > 0 AS off, count(*) AS n FROM links WHERE domain = ?1 GROUP BY 1, 2";
    const rows = await queryLinks<{ tenure: number; off: number; n: number }>(env, sql, domain);
    const count = (which: number) => rows.filter(({ tenure }) => tenure === which).reduce((sum, { n }) => sum + n, 0);
    expect([count(1), count(2)]).toEqual([5, 1]);
    expect(rows.every(({ tenure, off }) => off === (tenure === 1 ? 1 : 0))).toBe(true);
  });

  test("is also the second of three, when the domain passes on while the links of the first are disabled", async () => {
    const [first, second, third] = [await premiumAccount(), await premiumAccount(), await premiumAccount()];
    const { domain } = await first.activeDomain();
    await first.createLink({ domain, slug: "first" });
    await second.inheritDomain(domain);
    const passOn = async () => {
      await second.createLink({ domain, slug: "second" });
      await third.inheritDomain(domain);
    };
    const callsOf = new Map<string, number>();
    let passing: Promise<unknown> | undefined;
    const passedOn = withInterruptions(env, async (name) => {
      const calls = (callsOf.get(name) ?? 0) + 1;
      callsOf.set(name, calls);
      // The page has been read.
      if (calls === 3) await (passing ??= passOn());
    });
    await disableEndedLinks(passedOn);
    expect(passing).toBeDefined();
    while (await disableEndedLinks(env));
    const sql = "SELECT slug FROM links WHERE domain = ?1 AND disabled_at IS NULL";
    expect(await queryLinks(env, sql, domain)).toEqual([]);
  });
});

describe("its new holder", () => {
  test("can use every address: of live, deleted or expired links", async () => {
    const { former, holder, domain, link } = await handover();
    expect(await whereTo(link)).toBe(410);
    const own = await createAt(link, holder);
    expect(own).toMatchObject({ slug: "Spring", short_url: link.short_url, url: HOLDER });
    expect(await whereTo(link)).toBe(HOLDER);
    await former.call("DELETE", `/v1/links/${link.id}`);
    freezeClockAt(Date.now() + CACHED_MS);
    expect(await whereTo(link)).toBe(HOLDER);
    const again = { url: HOLDER, domain: domain.domain, slug: "spring" };
    expect(errorOf(await holder.call("POST", "/v1/links", again))).toEqual(slugTaken("spring", domain.domain));
  });

  test("can also use addresses of links that were deleted before the former holder gave the name up", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { id, domain } = await former.activeDomain();
    const link = await former.createLink({ domain, slug: "spring" });
    await former.call("DELETE", `/v1/links/${link.id}`);
    expect((await former.call("DELETE", `/v1/domains/${id}`)).status).toBe(204);
    await holder.activeDomain(domain);
    await createAt(link, holder);
    expect(await whereTo(link)).toBe(HOLDER);
  });

  test("sees nothing of the former holder's links, and its own changes are its own", async () => {
    const { former, holder, domain, link } = await handover();
    expect(LinkPage.parse((await holder.call("GET", `/v1/links?domain=${domain.domain}`)).body).data).toEqual([]);
    for (const path of ["", "/stats", "/clicks", "/revisions"]) {
      expect(errorOf(await holder.call("GET", `/v1/links/${link.id}${path}`))).toEqual(LINK_NOT_FOUND);
    }
    const own = await createAt(link, holder);
    const found = await holder.call("GET", `/v1/links?short_url=${encodeURIComponent(own.short_url)}`);
    expect(LinkPage.parse(found.body).data).toEqual([own]);
    const changed = await holder.updateLink(own, { url: `${HOLDER}2` });
    expect((await former.call("GET", `/v1/links/${link.id}`)).body).toEqual({ ...link, domain_transferred: true });
    expect((await holder.call("GET", `/v1/links/${own.id}`)).body).toEqual(changed);
    expect(await whereTo(own)).toBe(changed.url);
    await holder.call("DELETE", `/v1/links/${own.id}`);
    expect(await whereTo(own)).toBe(410);
  });

  test("counts own links in the quota, and none of the former holder's, who still has them", async () => {
    const { former, holder, link } = await handover();
    await createAt(link, holder);
    const count = ({ accountId }: TestAccount) =>
      sumOfLinks(env, "SELECT links AS n FROM link_counts WHERE account_id = ?1", accountId);
    expect([await count(holder), await count(former)]).toEqual([1, 1]);
  });

  test("creates one link at a former address, even with concurrent requests", async () => {
    const { holder, domain, link } = await handover();
    const body = { url: HOLDER, domain: domain.domain, slug: link.slug };
    const replies = await Promise.all([1, 2, 3].map(() => holder.call("POST", "/v1/links", body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("may be a previous holder: the links of that time stay ended, and their addresses are free", async () => {
    const { former, holder, domain, link } = await handover();
    const second = await createAt(link, holder);
    const { data } = (await former.call("GET", "/v1/domains")).body as { data: Domain[] };
    expect((await former.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    expect((await former.call("DELETE", `/v1/domains/${data[0]?.id}`)).status).toBe(204);
    await former.inheritDomain(domain.domain);
    expect(await whereTo(second)).toBe(410);
    const third = await createAt(link, former, `${FORMER}again`);
    freezeClockAt(Date.now() + CACHED_MS);
    expect(await whereTo(third)).toBe(`${FORMER}again`);
    await former.waitForClicks(1, third);
    expect((await former.stats(third)).total).toBe(1);
    expect((await holder.stats(second)).total).toBe(0);
  });

  test.each([0, 1_000])(
    "may be a previous holder: an import creates links where those of that time have ended, of %i links in use",
    async (linksUsed) => {
      const passed = await handover();
      const { former, domain, link } = passed;
      await regain(passed);
      const importAgain = (title: string) => importLink(former, { ...link, title }, linksUsed);
      const counts = { created: 0, updated: 0, unchanged: 0, notSent: 0 };
      const nothing = { ...counts, differs: [], refused: [], withoutPassword: [], history: null, stopped: null };
      expect(await importAgain("Current")).toEqual({ ...nothing, created: 1 });
      expect(await importAgain("Current")).toEqual({ ...nothing, unchanged: 1 });
      const { data } = LinkPage.parse((await former.call("GET", `/v1/links?domain=${domain.domain}`)).body);
      expect(data.map(({ title, domain_transferred }) => [title, domain_transferred])).toEqual([
        ["Current", undefined],
        [undefined, true],
      ]);
      const changed = await importAgain("Other");
      expect(changed).toMatchObject({ ...nothing, differs: [{ members: ["title"] }] });
    },
  );

  test("is not the same account that deletes the domain and adds it again: slugs stay used", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const link = await ann.createLink({ domain, slug: "spring" });
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect((await ann.call("DELETE", `/v1/domains/${id}`)).status).toBe(204);
    await ann.activeDomain(domain);
    const again = await ann.call("POST", "/v1/links", { url: HOLDER, domain, slug: "Spring" });
    expect(errorOf(again)).toEqual(slugTaken("Spring", domain));
    expect(await whereTo(link)).toBe(410);
  });
});

describe("clicks", () => {
  test("that arrive late count for the link that was clicked", async () => {
    const { link, former, holder, domain } = await (async () => {
      const [ann, ben] = [await premiumAccount(), await premiumAccount()];
      const own = await ann.activeDomain();
      return {
        former: ann,
        holder: ben,
        domain: own.domain,
        link: await ann.createLink({ domain: own.domain, slug: "Spring", url: FORMER }),
      };
    })();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const original = LinkClicks.prototype.record;
    const record = vi
      .spyOn(LinkClicks.prototype, "record")
      .mockImplementation(async function (this: LinkClicks, batch) {
        await released;
        return Reflect.apply(original, this, [batch]);
      });
    expect(await whereTo(link)).toBe(FORMER);
    await vi.waitUntil(() => record.mock.calls.length > 0, { timeout: 20_000 });
    await holder.inheritDomain(domain);
    const own = await createAt(link, holder);
    freezeClockAt(Date.now() + CACHED_MS);
    for (let i = 0; i < 2; i++) expect(await whereTo(own)).toBe(HOLDER);
    release();
    await holder.waitForClicks(2, own);
    await former.waitForClicks(1, link);
    expect([(await former.stats(link)).total, (await holder.stats(own)).total]).toEqual([1, 2]);
    const [of, other] = [await former.clicks(link), await holder.clicks(own)];
    expect(of.data.map(({ destination }) => destination)).toEqual([FORMER]);
    expect(other.data.map(({ destination }) => destination)).toEqual([HOLDER, HOLDER]);
  });

  test("of visitors who come while the domain passes on all count, each for the link that redirected them", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const link = await former.createLink({ domain, slug: "Spring", url: FORMER });
    const start = Date.now();
    const led: (string | number)[] = [];
    let own: Link | null = null;
    const handOver = async () => {
      await holder.inheritDomain(domain);
      own = await createAt(link, holder);
    };
    const passing = handOver();
    for (let i = 0; i < 40; i++) {
      led.push(await whereTo(link));
      // The isolate reads the link again and again in the meantime.
      freezeClockAt(start + i * 1_000);
    }
    await passing;
    freezeClockAt(start + 40_000 + CACHED_MS);
    led.push(await whereTo(link));
    const times = (destination: string) => led.filter((to) => to === destination).length;
    expect(led.filter((to) => to !== 410).length).toBe(times(FORMER) + times(HOLDER));
    expect(led.at(-1)).toBe(HOLDER);
    expect(led.lastIndexOf(FORMER)).toBeLessThan(led.indexOf(HOLDER));
    const made = own as unknown as Link;
    await holder.waitForClicks(times(HOLDER), made);
    if (times(FORMER) > 0) await former.waitForClicks(times(FORMER), link);
    expect((await former.stats(link)).total).toBe(times(FORMER));
    expect((await holder.stats(made)).total).toBe(times(HOLDER));
  });

  test("are erased with the account of the former holder, and the new holder's stay", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const link = await former.createLink({ domain, slug: "Spring", url: FORMER });
    await whereTo(link);
    await former.waitForClicks(1, link);
    await holder.inheritDomain(domain);
    const own = await createAt(link, holder);
    freezeClockAt(Date.now() + CACHED_MS);
    expect(await whereTo(own)).toBe(HOLDER);
    await holder.waitForClicks(1, own);
    const [first, second] = [addressObjectName(domain, link.slug), ownObjectName(own)].map(objectNamed);
    expect((await rowsOfObject(second as DurableObjectStub)).join()).not.toContain(link.id);
    expect((await former.call("DELETE", `/v1/links/${link.id}?erase=true`)).status).toBe(204);
    freezeClockAt(Date.now() + 2 * 60_000);
    await maintainUntilIdle(env);
    expect(await rowsOfObject(first as DurableObjectStub)).toEqual([]);
    expect((await holder.stats(own)).total).toBe(1);
  });

  test("are in the link's own object only where a former holder had a link", async () => {
    const { holder, domain, link } = await handover();
    const [own, fresh] = [
      await createAt(link, holder),
      await holder.createLink({ domain: domain.domain, slug: "new" }),
    ];
    const sql = "SELECT id, object_name FROM links WHERE domain = ?1 AND tenure = 2 ORDER BY id";
    expect(await queryLinks(env, sql, domain.domain)).toEqual(
      expect.arrayContaining([
        { id: own.id, object_name: ownObjectName(own) },
        { id: fresh.id, object_name: null },
      ]),
    );
  });
});

// Last, because the isolate queries the database less often after failures.
describe("while the database is down", () => {
  test("no visitor is sent to the former holder's destination; the new one is used where it was read", async () => {
    const [former, holder] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await former.activeDomain();
    const links = [];
    for (const slug of ["free", "used"]) {
      const link = await former.createLink({ domain, slug, url: FORMER });
      await whereTo(link);
      await former.waitForClicks(1, link);
      links.push(link);
    }
    const [free, used] = links as [Link, Link];
    await holder.inheritDomain(domain);
    const [own, fresh] = [await createAt(used, holder), await holder.createLink({ domain, slug: "new", url: HOLDER })];
    await maintainUntilIdle(env);
    const start = Date.now() + CACHED_MS;
    freezeClockAt(start);
    for (const link of [own, fresh]) {
      expect(await whereTo(link)).toBe(HOLDER);
      await holder.waitForClicks(1, link);
    }
    freezeClockAt(start + 60_000);
    expect(await whereToWithoutDatabase(free)).toBe(410);
    expect([await whereToWithoutDatabase(own), await whereToWithoutDatabase(fresh)]).toEqual([HOLDER, HOLDER]);
  });
});
