/** A backup is the same from one database and from four, and can be restored into either. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import type { BackupCursor, BackupReply, JsonRow, RowKey } from "../../../src/core/contract/backup.ts";
import { firstCursor, readBackupPage } from "../../../src/store/backup/backup-pages.ts";
import { insertTableRows, readTableRows } from "../../../src/store/backup/table-rows.ts";
import { findLinksByAddress } from "../../../src/store/links/link-rows.ts";
import { linkDatabases, linksDatabase } from "../../../src/store/directory/databases.ts";
import { changeLinks, fourDatabases } from "../../support/link-databases.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

type Table = "links" | "link_revisions";

const LINKS = 24;
const one = { ...env, LINK_DATABASES: "" };
let four: typeof env;
let rows: Record<Table, JsonRow[]>;

beforeAll(async () => {
  four = await fourDatabases();
  const accounts = [await premiumAccount(), await premiumAccount()];
  for (const account of accounts) await makeLinks(account);
  rows = { links: await readAll(env, "links", 500), link_revisions: await readAll(env, "link_revisions", 500) };
});

/** Creates links, half of them changed once, a quarter twice. */
async function makeLinks(account: TestAccount): Promise<void> {
  const links = Array.from({ length: LINKS }, (_, i) => ({
    url: "https://example.com/",
    title: `Link ${i}`,
    ...(i % 3 === 0 ? { aliases: [{ slug: `backup-${i}-${account.accountId}` }] } : {}),
  }));
  await account.call("POST", "/v1/links/bulk", { links });
  const sql = `UPDATE links SET title = title || '+', revision = revision + 1, changed_at = updated_at + 1
    WHERE account_id = ?1 AND substr(title, 6) % ?2 = 0`;
  for (const every of [2, 4]) await changeLinks(env, sql, account.accountId, every);
}

/** Reads a table page by page. */
async function readAll(on: Env, table: Table, limit: number): Promise<JsonRow[]> {
  const all: JsonRow[] = [];
  for (let after: RowKey | null = null; ;) {
    const page: JsonRow[] = await readTableRows(on, table, { after, createdUntil: Date.now(), limit });
    const last = page.at(-1);
    if (!last) return all;
    expect(page.length).toBeLessThanOrEqual(limit + 4);
    all.push(...page);
    after = keyOf(table, last);
  }
}

function keyOf(table: Table, { account_id, mode, id, link_id, revision }: JsonRow): RowKey {
  return (table === "links" ? [account_id, mode, id] : [account_id, mode, link_id, revision]).map(String);
}

/** Restores the rows into empty databases, in the order of a backup's parts. */
async function restoreInto(on: Env): Promise<void> {
  const tables = [
    "links",
    "link_aliases",
    "alias_domains",
    "link_revisions",
    "link_tags",
    "slug_cases",
    "link_counts",
    "link_outbox",
  ];
  for (const database of linkDatabases(four)) {
    await database.batch(tables.map((table) => database.prepare(`DELETE FROM ${table}`)));
  }
  for (const table of ["links", "link_revisions"] as const) {
    for (let from = 0; from < rows[table].length; from += 15) {
      const part = rows[table].slice(from, from + 15);
      await insertTableRows(on, table, part);
      // A step of a restore may be repeated.
      await insertTableRows(on, table, part);
    }
  }
}

function failed(): never {
  throw new Error("the cursor is not known");
}

describe.each([
  ["one database", () => one, 1],
  ["four databases", () => four, 4],
])("restored into %s", (_, target, count) => {
  test("a backup has the same rows in the same order, whatever the page size", async () => {
    await restoreInto(target());
    expect(rows.links).toHaveLength(2 * LINKS);
    for (const limit of [500, 7]) {
      expect(await readAll(target(), "links", limit)).toEqual(rows.links);
      expect(await readAll(target(), "link_revisions", limit)).toEqual(rows.link_revisions);
    }
  });

  test("each link is in the database of its bucket, with its history", async () => {
    await restoreInto(target());
    const used = new Set<D1Database>();
    for (const { id } of rows.links) {
      const database = linksDatabase(target(), { id: String(id) });
      used.add(database);
      expect(await database.prepare("SELECT 1 FROM links WHERE id = ?1").bind(id).first()).not.toBeNull();
    }
    expect(used.size).toBe(count);
    for (const { link_id, revision } of rows.link_revisions) {
      const sql = "SELECT 1 FROM link_revisions WHERE link_id = ?1 AND revision = ?2";
      const database = linksDatabase(target(), { id: String(link_id) });
      expect(await database.prepare(sql).bind(link_id, revision).first()).not.toBeNull();
    }
  });

  test("each alias is in the database of its address, and leads to its link", async () => {
    await restoreInto(target());
    const aliases = rows.links.flatMap(({ id, aliases: stored }) =>
      (JSON.parse(String(stored ?? "[]")) as [string, string][]).map(([domain, slug]) => ({ id, domain, slug })),
    );
    expect(aliases).toHaveLength((2 * LINKS) / 3);
    for (const { id, domain, slug } of aliases) {
      const { results } = await linksDatabase(target(), { domain, slug })
        .prepare("SELECT link_id FROM link_aliases WHERE domain = ?1 AND slug = ?2")
        .bind(domain, slug)
        .all();
      expect(results).toEqual([{ link_id: id }]);
    }
    const [first] = aliases;
    const name = `${first?.domain}/${first?.slug}`;
    const key = { name, domain: first?.domain ?? "", slug: first?.slug ?? "" };
    const found = (await findLinksByAddress(target(), [key], "first-primary")).get(name);
    expect([found?.link.id, found?.alias]).toEqual([first?.id, name]);
  });

  test("links are copied with their logs, each once", async () => {
    await restoreInto(target());
    const ids: string[] = [];
    for (let cursor: BackupCursor | null = firstCursor(); cursor;) {
      const { page, next }: BackupReply = (await readBackupPage(target(), cursor)) ?? failed();
      if (page?.table === "links") ids.push(...page.rows.map(({ id }) => String(id)));
      cursor = next;
    }
    expect(ids.toSorted()).toEqual(rows.links.map(({ id }) => String(id)).toSorted());
  });
});
