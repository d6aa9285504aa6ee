/** The copies of account data in the link databases, with four databases. */
import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { resumeAccount, suspendAccount } from "../../../src/store/accounts/accounts.ts";
import { closeAccount } from "../../../src/store/accounts/closed-accounts.ts";
import { checkDueCopies, reportCopies, nextCopyCheckAt } from "../../../src/store/directory/database-checks.ts";
import { copyDueAccounts, ensureCopied, nextCopyAt } from "../../../src/store/directory/home-copies.ts";
import { claimDomain } from "../../../src/store/domains/domain-claims.ts";
import { saveParticipation } from "../../../src/store/links/account-statistics.ts";
import { linkDatabases } from "../../../src/store/directory/databases.ts";
import { openStream } from "../../../src/store/streams.ts";
import { UnavailableError } from "../../../src/store/timeout.ts";
import { fetchAt } from "../../support/changed-env.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { changeHomeRows, fourDatabases } from "../../support/link-databases.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { callerOf, insertLink, linkIn, linksInEach } from "../../support/spread-links.ts";
import { freeAccount, premiumAccount } from "../../support/test-accounts.ts";

let four: typeof env;

beforeAll(async () => {
  four = await fourDatabases();
});

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await runInDurableObject(env.MAINTENANCE.getByName("maintenance"), (_, { storage }) => storage.deleteAlarm());
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What each database returns, the home database first. */
async function inEach(sql: string, ...values: (string | number)[]): Promise<unknown[]> {
  const found = linkDatabases(four).map((database) =>
    database
      .prepare(sql)
      .bind(...values)
      .raw(),
  );
  return Promise.all(found);
}

const statesOf = async (id: string) =>
  (await inEach("SELECT state FROM account_states WHERE account_id = ?1", id)).map((rows) => String(rows) || "open");

const isDown = (down: string) =>
  withInterruptions(four, async (name) => {
    if (name === down) throw new Error("D1_ERROR: down");
  });

/** Copies everything that is due, for all accounts. */
async function copyAll(at: number): Promise<void> {
  freezeClockAt(at);
  while ((await copyDueAccounts(four, 100)) > 0);
}

/** Compares all copies once. */
async function checkAll(): Promise<void> {
  await env.DB.prepare("UPDATE copy_checks SET due_at = 0").run();
  do await checkDueCopies(four);
  while (((await nextCopyCheckAt(four)) ?? 0) <= Date.now());
}

describe("the state of an account", () => {
  test("is in every database before the command returns: links in each answer 410, and redirect once it is resumed", async () => {
    const ann = await freeAccount();
    const links = await linksInEach(four, callerOf(ann));
    const visits = async () =>
      Promise.all(links.map(async ({ domain, slug }) => (await fetchAt(`http://${domain}/${slug}`, four)).status));
    await suspendAccount(four, ann.accountId);
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("suspended"));
    const start = Date.now();
    freezeClockAt(start);
    expect(await visits()).toEqual([410, 410, 410, 410]);
    await resumeAccount(four, ann.accountId);
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("open"));
    freezeClockAt(start + 10_000);
    expect(await visits()).toEqual([302, 302, 302, 302]);
    await closeAccount(four, ann.accountId);
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("closed"));
  });

  test.each(["LINKS_1", "LINKS_2", "LINKS_3"])("while %s is down reaches it within a minute", async (down) => {
    const ann = await freeAccount();
    const start = Date.now();
    expect(await suspendAccount(isDown(down), ann.accountId)).toBe(true);
    const states = await statesOf(ann.accountId);
    expect(states.filter((state) => state === "open")).toHaveLength(1);
    expect(await nextCopyAt(four)).toBeLessThanOrEqual(start + MINUTE_MS / 2);
    const alarm = await runInDurableObject(env.MAINTENANCE.getByName("maintenance"), (_, { storage }) =>
      storage.getAlarm(),
    );
    expect(alarm).toBeLessThanOrEqual(start + MINUTE_MS / 2);
    freezeClockAt(start + MINUTE_MS / 2);
    await maintainUntilIdle(four);
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("suspended"));
    expect(await nextCopyAt(four)).toBeNull();
  });

  test("is copied by maintenance if the request was cut off after any of its calls", async () => {
    for (let cutAt = 0; ; cutAt++) {
      const ann = await freeAccount();
      let calls = 0;
      const cut = withInterruptions(four, async () => {
        if (calls++ >= cutAt) throw new Error("cut off");
      });
      const outcome = await suspendAccount(cut, ann.accountId).catch((error: unknown) => error);
      await copyAll(Date.now() + MINUTE_MS);
      vi.useRealTimers();
      const [atHome, ...copies] = await statesOf(ann.accountId);
      expect(copies, `cut at ${cutAt}`).toEqual(Array(3).fill(atHome));
      if (outcome === true && calls <= cutAt) break;
      expect(cutAt).toBeLessThan(20);
    }
  });

  test("stays the newest when an older copy arrives after a newer one", async () => {
    const ann = await freeAccount();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let arrived = () => {};
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const slow = withInterruptions(four, async (name) => {
      if (name !== "LINKS_1") return;
      arrived();
      await released;
    });
    const suspended = suspendAccount(slow, ann.accountId);
    await hasArrived;
    await resumeAccount(four, ann.accountId);
    release();
    await suspended;
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("open"));
    expect(await nextCopyAt(four)).toBeNull();
  });

  test("is not written again if nothing has changed", async () => {
    const ann = await freeAccount();
    const versions = () => inEach("SELECT version FROM account_copies WHERE account_id = ?1", ann.accountId);
    await suspendAccount(four, ann.accountId);
    const before = await versions();
    await suspendAccount(four, ann.accountId);
    expect(await versions()).toEqual(before);
  });

  test("with one database has no copies, and nothing is written for them", async () => {
    const ann = await freeAccount();
    const one = { ...four };
    delete one.LINK_DATABASES;
    await suspendAccount(one, ann.accountId);
    expect(await env.DB.prepare("SELECT 1 FROM account_copies WHERE account_id = ?1").bind(ann.accountId).first()).toBe(
      null,
    );
    expect([await nextCopyAt(one), await nextCopyCheckAt(one)]).toEqual([null, null]);
  });
});

describe("a stream's first subscriber", () => {
  test("is known in every database before the stream is open; each database keeps its own period of requested statistics", async () => {
    const ann = await premiumAccount();
    const caller = callerOf(ann);
    await saveParticipation(four, caller, { since: 5, until: 6 });
    const ctx = createExecutionContext();
    const opened = await openStream(four, ctx, caller, { link: null, after: null, includeBots: false });
    if (opened.kind !== "open") throw new Error(opened.kind);
    opened.events.accept();
    opened.events.close();
    const rows = await inEach(
      "SELECT since, until, stats_since, stats_until FROM feeds WHERE account_id = ?1 AND mode = 'live'",
      ann.accountId,
    );
    expect(rows[0]).toEqual([[expect.any(Number), expect.any(Number), 5, 6]]);
    expect(rows.slice(1)).toEqual(Array(3).fill(rows[0]));
  });
});

describe("the holder of a domain", () => {
  const holdersOf = async (domain: string) =>
    (await inEach("SELECT account_id FROM domain_holders WHERE domain = ?1", domain)).map(String);

  test("is known in every database before a claim returns; while one is down the claim fails and can be retried", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.createDomain();
    const claim = claimDomain(isDown("LINKS_2"), callerOf(ann), id, null);
    await expect(claim).rejects.toBeInstanceOf(UnavailableError);
    expect((await holdersOf(domain)).filter((holder) => holder === ann.accountId)).toHaveLength(3);
    // A check of the domain calls this before it activates the domain.
    expect(await ensureCopied(isDown("LINKS_2"), ann.accountId)).toBe(false);
    expect(await ensureCopied(four, ann.accountId)).toBe(true);
    expect(await holdersOf(domain)).toEqual(Array(4).fill(ann.accountId));
  });

  test("that claims it after the home database was set back is later than any that the other databases know", async () => {
    const [ann, ben, cid] = [await premiumAccount(), await premiumAccount(), await premiumAccount()];
    const { id, domain } = await ann.createDomain();
    const start = Date.now();
    freezeClockAt(start);
    await claimDomain(four, callerOf(ann), id, null);
    const former = linkIn(four, four.LINKS_3, callerOf(ann), domain);
    await changeHomeRows(four, [ann.accountId], "UPDATE domains SET status = 'active' WHERE id = ?1", id);
    await insertLink(four, former);
    // Time Travel to before the claim, then to before that of the next account.
    for (const [seconds, next] of [ben, cid].entries()) {
      await env.DB.batch(
        ["domain_holders", "domains"].map((table) =>
          env.DB.prepare(`DELETE FROM ${table} WHERE domain = ?1`).bind(domain),
        ),
      );
      freezeClockAt(start + 1_000 * (seconds + 1));
      const added = await next.createDomain(domain);
      await claimDomain(four, callerOf(next), added.id, null);
      expect(await holdersOf(domain)).toEqual(Array(4).fill(next.accountId));
      expect((await fetchAt(`http://${domain}/${former.slug}`, four)).status).toBe(410);
    }
  });
});

describe("the comparison of all copies", () => {
  test("finds missing, different and surplus rows in each table", async () => {
    const [ann, ben, cid] = [await premiumAccount(), await premiumAccount(), await premiumAccount()];
    const { domain } = await ann.activeDomain();
    const now = Date.now();
    await env.DB.batch([
      env.DB.prepare("INSERT INTO account_states VALUES (?1, 'suspended', 1)").bind(ann.accountId),
      env.DB.prepare("INSERT INTO feeds (account_id, mode, since, until) VALUES (?1, 'live', 7, ?2)").bind(
        ann.accountId,
        now + HOUR_MS,
      ),
    ]);
    await four.LINKS_2.batch([
      four.LINKS_2.prepare("INSERT INTO account_states VALUES (?1, 'suspended', 1)").bind(ben.accountId),
      four.LINKS_2.prepare("INSERT INTO feeds (account_id, mode, since, until) VALUES (?1, 'live', 7, ?2)").bind(
        ben.accountId,
        now + HOUR_MS,
      ),
      four.LINKS_2.prepare(
        `INSERT INTO domains (account_id, mode, id, domain, token, status, findings, created_at)
         VALUES (?1, 'live', 'dom_surplus', 'surplus.example', '', 'active', '{}', 1)`,
      ).bind(cid.accountId),
    ]);
    await checkAll();
    await copyAll(Date.now());
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("suspended"));
    expect(await statesOf(ben.accountId)).toEqual(Array(4).fill("open"));
    expect(await inEach("SELECT since FROM feeds WHERE account_id = ?1 AND until > ?2", ann.accountId, now)).toEqual(
      Array(4).fill([[7]]),
    );
    expect(await inEach("SELECT since FROM feeds WHERE account_id = ?1 AND until > ?2", ben.accountId, now)).toEqual(
      Array(4).fill([]),
    );
    expect(await inEach("SELECT domain FROM domains WHERE account_id = ?1", ann.accountId)).toEqual(
      Array(4).fill([[domain]]),
    );
    expect(await inEach("SELECT domain FROM domains WHERE account_id = ?1", cid.accountId)).toEqual(Array(4).fill([]));
  });

  test("reads page by page, and marks only accounts that differ as due", async () => {
    const insertSql = `INSERT INTO account_states (account_id, state, since)
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)
      SELECT printf('acc_page%04d', i), 'suspended', 1 FROM n`;
    await inEach(insertSql);
    await checkAll();
    await copyAll(Date.now());
    const differing = ["acc_page0000", "acc_page0500", "acc_page1199"];
    await four.LINKS_3.prepare("DELETE FROM account_states WHERE account_id IN (?1, ?2)")
      .bind(differing[0], differing[1])
      .run();
    await four.LINKS_1.prepare("UPDATE account_states SET state = 'closed' WHERE account_id = ?1")
      .bind(differing[2])
      .run();
    await checkAll();
    const due = await env.DB.prepare(
      "SELECT account_id FROM account_copies WHERE due_at IS NOT NULL ORDER BY account_id",
    ).raw();
    expect(due.flat()).toEqual(differing);
    await copyAll(Date.now());
    for (const id of differing) expect(await statesOf(id)).toEqual(Array(4).fill("suspended"));
  });

  test("repairs databases that were set back, the home database included: its present rows are the truth", async () => {
    const ann = await freeAccount();
    await suspendAccount(four, ann.accountId);
    // First one of the databases, then the home database, as before the account was suspended.
    await four.LINKS_1.batch([
      four.LINKS_1.prepare("DELETE FROM account_states WHERE account_id = ?1").bind(ann.accountId),
      four.LINKS_1.prepare("DELETE FROM account_copies WHERE account_id = ?1").bind(ann.accountId),
    ]);
    await checkAll();
    await copyAll(Date.now());
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("suspended"));
    await env.DB.batch([
      env.DB.prepare("DELETE FROM account_states WHERE account_id = ?1").bind(ann.accountId),
      env.DB.prepare("DELETE FROM account_copies WHERE account_id = ?1").bind(ann.accountId),
    ]);
    await checkAll();
    await copyAll(Date.now());
    expect(await statesOf(ann.accountId)).toEqual(Array(4).fill("open"));
  });

  test("is due immediately under a new setting, soon after again, and then once a day", async () => {
    const start = Date.now();
    freezeClockAt(start);
    const fresh = { ...four, LINK_DATABASES: JSON.stringify({ DB: "0-1", LINKS_1: "2-1023" }) };
    expect(await nextCopyCheckAt(fresh)).toBe(0);
    const waits: number[] = [];
    for (let at = start; at < start + 10 * 24 * HOUR_MS;) {
      freezeClockAt(at);
      while (await checkDueCopies(fresh));
      const next = (await nextCopyCheckAt(fresh)) ?? 0;
      waits.push((next - at) / MINUTE_MS);
      at = next;
    }
    expect(waits.slice(0, 5)).toEqual([1, 1, 2, 4, 8]);
    expect(waits.at(-1)).toBe(24 * 60);
  });
});

describe("the operator's report on the copies", () => {
  const MINUTES_OF_FIRST = 10;
  const FIRST = { ok: true, message: "The other databases of links are being compared with the home database" };
  const RIGHT = { ok: true, message: "1 other database of links knows what the home database does" };
  const behind = (ok: boolean) => ({
    ok,
    message: "The other databases of links are behind the home database for 1 account",
  });

  /** Two databases of a different setting each time, which were never compared. */
  let settings = 0;
  const twoDatabases = () => {
    const first = 100 + settings++;
    return { ...four, LINK_DATABASES: JSON.stringify({ DB: `0-${first}`, LINKS_1: `${first + 1}-1023` }) };
  };

  /** Nothing from earlier tests is due. */
  const beginAt = async (now: number) => {
    await copyAll(now);
    freezeClockAt(now);
    return now;
  };

  test("new databases are compared first; without a comparison after ten minutes, an error is reported", async () => {
    const start = await beginAt(Date.now() + HOUR_MS);
    const two = twoDatabases();
    expect(await reportCopies(two)).toEqual(FIRST);
    freezeClockAt(start + MINUTES_OF_FIRST * MINUTE_MS - 1);
    expect(await reportCopies(two)).toEqual(FIRST);
    freezeClockAt(start + MINUTES_OF_FIRST * MINUTE_MS);
    const message = "The other databases of links have not been compared with the home database";
    expect(await reportCopies(two)).toEqual({ ok: false, message });
    while (await checkDueCopies(two));
    await copyAll(Date.now());
    expect(await reportCopies(two)).toEqual(RIGHT);
  });

  test("a report does not set back a comparison", async () => {
    await beginAt(Date.now() + HOUR_MS);
    const two = twoDatabases();
    while (await checkDueCopies(two));
    await reportCopies(two);
    expect(await checkDueCopies(two)).toBe(false);
  });

  test("an account that has been due for a minute is reported as an error, once the databases are not new", async () => {
    const start = await beginAt(Date.now() + HOUR_MS);
    const two = twoDatabases();
    const ann = await freeAccount();
    while (await checkDueCopies(two));
    await suspendAccount(isDown("LINKS_1"), ann.accountId);
    const reportAt = async (minutes: number) => {
      freezeClockAt(start + minutes * MINUTE_MS);
      return reportCopies(two);
    };
    expect(await reportAt(1)).toEqual(RIGHT);
    expect(await reportAt(2)).toEqual(behind(true));
    expect(await reportAt(MINUTES_OF_FIRST)).toEqual(behind(false));
    await copyAll(Date.now());
    expect(await reportAt(MINUTES_OF_FIRST)).toEqual(RIGHT);
  });
});
