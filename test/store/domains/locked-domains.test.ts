/** Domains that are deleted, or change their case setting, while links are created on them in four databases. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { UNSET_CONTENT } from "../../../src/core/links/link-members.ts";
import { soleOutcome } from "../../../src/store/directory/links-request.ts";
import { createLinks } from "../../../src/store/links/link-creation.ts";
import { copyDueAccounts, nextCopyAt } from "../../../src/store/directory/home-copies.ts";
import { caseOfNewDomain, deleteDomain, updateDomain } from "../../../src/store/domains/domains.ts";
import type { LinkRecord } from "../../../src/store/links/link-rows.ts";
import { linkDatabases } from "../../../src/store/directory/databases.ts";
import { UnavailableError } from "../../../src/store/timeout.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { fourDatabases } from "../../support/link-databases.ts";
import { callerOf, insertLink, linkIn, linksInEach } from "../../support/spread-links.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

let four: typeof env;
let ann: TestAccount;

beforeAll(async () => {
  four = await fourDatabases();
});

beforeEach(async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  ann = await premiumAccount();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const DATABASES = ["DB", "LINKS_1", "LINKS_2", "LINKS_3"] as const;
/** The home database if other tests have links in one, and one of the others, which are alike, if they have four. */
const HOME_OR_OTHER = env.LINK_DATABASES === undefined ? (["DB"] as const) : (["LINKS_2"] as const);
/** More calls than a deletion or a change makes to databases. */
const CALLS_MAX = 40;

/** An active domain of Ann's that every database knows. */
async function newDomain(): Promise<{ id: string; domain: string }> {
  const { id, domain } = await ann.createDomain();
  await env.DB.prepare("UPDATE domains SET status = 'active', verified_at = 1 WHERE id = ?1").bind(id).run();
  await makeDue();
  await copyDueAccounts(four, 100);
  return { id, domain };
}

async function makeDue(): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO account_copies VALUES (?1, 1, 0) ON CONFLICT DO UPDATE SET version = version + 1, due_at = 0",
  )
    .bind(ann.accountId)
    .run();
}

const liveLinks = async (domain: string) => {
  const found = linkDatabases(four).map((database) =>
    database
      .prepare("SELECT count(*) AS n FROM links WHERE domain = ?1 AND deleted_at IS NULL")
      .bind(domain)
      .first<number>("n"),
  );
  return (await Promise.all(found)).map(Number);
};

const isAtHome = async (id: string) =>
  (await env.DB.prepare("SELECT 1 FROM domains WHERE id = ?1").bind(id).first()) !== null;

/** @returns whether the database accepts the link */
async function isTaken(link: LinkRecord): Promise<boolean> {
  try {
    await insertLink(four, link);
    return true;
  } catch (error) {
    if (String(error).includes("NOT NULL constraint failed: links.")) return false;
    throw error;
  }
}

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code?: string }) => error.code ?? (error instanceof UnavailableError ? "unavailable" : String(error)),
  );

/** Databases, one of which gets a link on the domain right before the call of that number. */
function withLinkBefore(call: number, link: LinkRecord) {
  const made: { isTaken: boolean | null } = { isTaken: null };
  const on = withInterruptions(four, async (_, calls) => {
    if (calls === call) made.isTaken = await isTaken(link);
  });
  return { on, made };
}

describe("deleting a domain", () => {
  test.each(HOME_OR_OTHER)(
    "while a link is created on it in %s: one of the two is refused, whichever call comes in between",
    async (name) => {
      const outcomes = new Set<string>();
      for (let call = 0; call < CALLS_MAX; call++) {
        const { id, domain } = await newDomain();
        const link = linkIn(four, four[name], callerOf(ann), domain);
        const { on, made } = withLinkBefore(call, link);
        const outcome = await outcomeOf(deleteDomain(on, callerOf(ann), id));
        outcomes.add(`${outcome}, link ${made.isTaken === null ? "later" : made.isTaken ? "made" : "refused"}`);
        const links = (await liveLinks(domain)).reduce((sum, n) => sum + n, 0);
        expect([await isAtHome(id), links], `before call ${call}`).toEqual(outcome === "done" ? [false, 0] : [true, 1]);
        // If refused, the domain accepts links as before.
        if (outcome !== "done")
          for (const other of DATABASES)
            expect(await isTaken(linkIn(four, four[other], callerOf(ann), domain))).toBe(true);
        if (made.isTaken === null) break;
      }
      expect([...outcomes].sort()).toEqual(["domain_in_use, link made", "done, link later", "done, link refused"]);
    },
  );

  test("while a link of another domain gets an alias on it: one of the two is refused, whichever call comes in between", async () => {
    const outcomes = new Set<string>();
    for (let call = 0; call < CALLS_MAX; call++) {
      const { id, domain } = await newDomain();
      const caller = callerOf(ann);
      const { slug } = linkIn(four, four.LINKS_1, caller, "localhost:8787");
      const alias = linkIn(four, four.LINKS_3, caller, domain);
      const aliases = [{ domain, slug: alias.slug, tenure: 0 }];
      const wanted = { ...UNSET_CONTENT, url: "https://example.com/", slug, domain: "localhost:8787", aliases };
      let deletion: string | null = null;
      const on = withInterruptions(four, async (_, calls) => {
        if (calls === call) deletion = await outcomeOf(deleteDomain(four, caller, id));
      });
      const creation = createLinks(on, caller, { items: [wanted] }).then(([done]) => {
        const outcome = soleOutcome(done);
        if ("refusal" in outcome) throw outcome.refusal;
      });
      const created = await outcomeOf(creation);
      outcomes.add(`${deletion ?? "later"}, ${created}`);
      const listing = await four.LINKS_1.prepare("SELECT aliases FROM links WHERE slug = ?1")
        .bind(slug)
        .first("aliases");
      expect([await isAtHome(id), listing !== null], `before call ${call}`).toEqual(
        deletion === "done" ? [false, false] : [true, true],
      );
      if (deletion === null) break;
    }
    expect([...outcomes].sort()).toEqual(["done, validation_failed", "later, done"]);
  });

  test.each(DATABASES)("with a live link only in %s is refused, before any database is locked", async (name) => {
    const { id, domain } = await newDomain();
    const link = linkIn(four, four[name], callerOf(ann), domain);
    await insertLink(four, link);
    const [before] = await versions();
    expect(await outcomeOf(deleteDomain(four, callerOf(ann), id))).toBe("domain_in_use");
    expect(await versions()).toEqual(Array(4).fill(before));
    await four[name].prepare("UPDATE links SET deleted_at = 1 WHERE id = ?1").bind(link.id).run();
    expect(await outcomeOf(deleteDomain(four, callerOf(ann), id))).toBe("done");
    for (const other of DATABASES) expect(await isTaken(linkIn(four, four[other], callerOf(ann), domain))).toBe(false);
  });

  test.each(["LINKS_1", "LINKS_2", "LINKS_3"])(
    "while %s is down is refused: the other databases accept links again",
    async (down) => {
      const { id, domain } = await newDomain();
      const broken = withInterruptions(four, async (name) => {
        if (name === down) throw new UnavailableError("down");
      });
      expect(await outcomeOf(deleteDomain(broken, callerOf(ann), id))).toBe("unavailable");
      for (const name of DATABASES) expect(await isTaken(linkIn(four, four[name], callerOf(ann), domain))).toBe(true);
    },
  );

  test("that fails to reach a database only when it is locked is refused, and all that answer accept links again", async () => {
    const { id, domain } = await newDomain();
    let isLooking = true;
    const broken = withInterruptions(four, async (name) => {
      if (name !== "LINKS_2") return;
      if (!isLooking) throw new UnavailableError("down");
      isLooking = false;
    });
    expect(await outcomeOf(deleteDomain(broken, callerOf(ann), id))).toBe("unavailable");
    for (const name of DATABASES) expect(await isTaken(linkIn(four, four[name], callerOf(ann), domain))).toBe(true);
  });

  test("that is cut off after any of its calls is over within a minute: deleted, or links are accepted in every database", async () => {
    const ends = new Set<string>();
    for (let cutAt = 0; cutAt < CALLS_MAX; cutAt++) {
      const { id, domain } = await newDomain();
      let isCut = false;
      const cut = withInterruptions(four, async (_, calls) => {
        isCut ||= calls >= cutAt;
        if (isCut) throw new Error("cut off");
      });
      await deleteDomain(cut, callerOf(ann), id).catch(() => {});
      const start = Date.now();
      for (const at of [start + 31_000, start + 62_000]) {
        freezeClockAt(at);
        await copyDueAccounts(four, 100);
      }
      const isKept = await isAtHome(id);
      ends.add(isKept ? "kept" : "deleted");
      for (const name of DATABASES)
        expect(await isTaken(linkIn(four, four[name], callerOf(ann), domain)), `cut at ${cutAt}`).toBe(isKept);
      expect(await nextCopyAt(four)).toBeNull();
      vi.useRealTimers();
      if (!isCut) break;
    }
    expect([...ends]).toEqual(["kept", "deleted"]);
  });

  test("whose lock has expired in the meantime deletes nothing", async () => {
    const { id, domain } = await newDomain();
    const start = Date.now();
    let isLocked = false;
    const slow = withInterruptions(four, async (name) => {
      const { locked_until } = (await env.DB.prepare("SELECT locked_until FROM domains WHERE id = ?1")
        .bind(id)
        .first<{ locked_until: number | null }>()) ?? { locked_until: null };
      if (isLocked || name !== "DB" || locked_until === null) return;
      // The domain is locked in all databases: the request looks for links next, but its isolate stalls.
      const copied = await four.LINKS_3.prepare("SELECT locked_until FROM domains WHERE id = ?1")
        .bind(id)
        .first("locked_until");
      if (copied === null) return;
      isLocked = true;
      freezeClockAt(start + 62_000);
      await copyDueAccounts(four, 100);
      expect(await isTaken(linkIn(four, four.LINKS_1, callerOf(ann), domain))).toBe(true);
    });
    expect(await outcomeOf(deleteDomain(slow, callerOf(ann), id))).toMatch(/domain_in_use|unavailable/);
    expect(isLocked).toBe(true);
    expect(await isAtHome(id)).toBe(true);
  });

  test("by two concurrent requests: one deletes it", async () => {
    const { id } = await newDomain();
    const outcomes = await Promise.all([1, 2, 3].map(() => outcomeOf(deleteDomain(four, callerOf(ann), id))));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => !["done", "unavailable", "domain_not_found"].includes(outcome))).toEqual([]);
  });

  test("of another account answers as if it did not exist", async () => {
    const { id } = await newDomain();
    expect(await outcomeOf(deleteDomain(four, callerOf(await premiumAccount()), id))).toBe("domain_not_found");
  });
});

describe("the case setting of a domain", () => {
  test.each(HOME_OR_OTHER)(
    "while its first link is created in %s: one of the two is refused, whichever call comes in between",
    async (name) => {
      const outcomes = new Set<string>();
      for (let call = 0; call < CALLS_MAX; call++) {
        const { id, domain } = await newDomain();
        const { on, made } = withLinkBefore(call, linkIn(four, four[name], callerOf(ann), domain));
        const changed = await outcomeOf(updateDomain(on, callerOf(ann), id, { caseSensitive: true }));
        outcomes.add(`${changed}, link ${made.isTaken === null ? "later" : made.isTaken ? "made" : "refused"}`);
        const stored = await env.DB.prepare("SELECT case_sensitive, locked_until FROM domains WHERE id = ?1")
          .bind(id)
          .raw();
        expect(stored, `before call ${call}`).toEqual([[changed === "done" ? 1 : 0, null]]);
        if (made.isTaken === null) break;
      }
      expect([...outcomes].sort()).toEqual(["domain_has_links, link made", "done, link later", "done, link refused"]);
    },
  );

  test("is known in every database afterwards, and other members change with it", async () => {
    const { id } = await newDomain();
    const changed = await updateDomain(four, callerOf(ann), id, {
      caseSensitive: true,
      rootUrl: "https://example.com/",
    });
    expect(changed).toMatchObject({ caseSensitive: true, rootUrl: "https://example.com/" });
    const copies = linkDatabases(four).map((database) =>
      database.prepare("SELECT case_sensitive FROM domains WHERE id = ?1").bind(id).raw(),
    );
    expect(await Promise.all(copies)).toEqual(Array(4).fill([[1]]));
    expect(await updateDomain(four, callerOf(ann), id, { caseSensitive: true, rootUrl: null })).toMatchObject({
      caseSensitive: true,
      rootUrl: null,
    });
  });

  test.each(DATABASES)("stays as it was for a link in %s, also for a domain that is added again", async (name) => {
    const { id, domain } = await newDomain();
    const link = linkIn(four, four[name], callerOf(ann), domain);
    await insertLink(four, link);
    await four[name].prepare("UPDATE links SET deleted_at = 1 WHERE id = ?1").bind(link.id).run();
    expect(await outcomeOf(updateDomain(four, callerOf(ann), id, { caseSensitive: true }))).toBe("domain_has_links");
    await deleteDomain(four, callerOf(ann), id);
    expect(await outcomeOf(caseOfNewDomain(four, callerOf(ann), domain, true))).toBe("domain_has_links");
    expect(await caseOfNewDomain(four, callerOf(ann), domain, undefined)).toBe(false);
  });
});

async function versions(): Promise<unknown[]> {
  const found = linkDatabases(four).map((database) =>
    database.prepare("SELECT version FROM account_copies WHERE account_id = ?1").bind(ann.accountId).first("version"),
  );
  return Promise.all(found);
}

test("links can be created on a domain in every database once it is active, and in none once it is not", async () => {
  const { domain } = await newDomain();
  await linksInEach(four, callerOf(ann), domain);
  expect(await liveLinks(domain)).toEqual([1, 1, 1, 1]);
  await env.DB.prepare("UPDATE domains SET status = 'misconfigured' WHERE domain = ?1").bind(domain).run();
  await makeDue();
  await copyDueAccounts(four, 100);
  for (const name of DATABASES) expect(await isTaken(linkIn(four, four[name], callerOf(ann), domain))).toBe(false);
});
