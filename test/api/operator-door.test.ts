/** 16 The operator's API: only backup tokens open it, and a restore never overwrites existing data. */
import { runInDurableObject } from "cloudflare:test";
import { exports, env } from "cloudflare:workers";
import { expect, test } from "vitest";

import {
  BACKUP_FORMAT,
  type BackupCursor,
  type BackupPage,
  BackupReply,
  RESTORE_BODY_MAX_BYTES,
} from "../../src/core/contract/backup.ts";
import { BACKED_UP_TABLE_NAMES } from "../../src/store/backup/table-rows.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import type { OperatorTokenPurpose } from "../../src/core/identifiers.ts";
import { readResponse } from "../support/api-response.ts";
import { BASE_URL, premiumAccount, visit } from "../support/test-accounts.ts";

const HOUR_MS = 3_600_000;
const DOOR = `${BASE_URL}/dashboard/api/operator`;

const ROUTES: readonly [method: string, path: string][] = [
  ["POST", "/backup"],
  ["GET", "/accounts/acc_none"],
  ["GET", "/accounts/acc_none/live/links"],
  ["GET", "/accounts/acc_none/live/links/lnk_none/clicks"],
  ["POST", "/restore"],
  ["POST", "/restore/backup/pages/1"],
  ["POST", "/restore/backup/finish"],
];

function tokenFor(purpose: OperatorTokenPurpose, ttlMs = HOUR_MS): Promise<string> {
  return issueOperatorToken(env, purpose, ttlMs, Date.now());
}

async function call(token: string | null, method: string, path: string, body: BodyInit = "{}") {
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const sent = method === "GET" ? {} : { body };
  return readResponse(await exports.default.fetch(DOOR + path, { method, headers, ...sent }));
}

test.each(ROUTES)("%s %s accepts backup tokens only", async (method, path) => {
  const ann = await premiumAccount();
  const tokens = [
    null,
    "opr_x",
    ann.key,
    await tokenFor("operator"),
    await tokenFor("setup"),
    await tokenFor("backup", -1),
  ];
  for (const token of tokens) expect((await call(token, method, path)).status, String(token)).toBe(401);
});

/** All pages of a backup. */
async function pagesOf(token: string): Promise<BackupPage[]> {
  const pages: BackupPage[] = [];
  for (let cursor: BackupCursor | null = null; ;) {
    const { status, body } = await call(token, "POST", "/backup", JSON.stringify({ format: BACKUP_FORMAT, cursor }));
    expect(status).toBe(200);
    const { page, next } = BackupReply.parse(body);
    if (page) pages.push(page);
    if (next === null) return pages;
    cursor = next;
  }
}

test("pages have all rows in their order, and blobs are hexadecimal", async () => {
  const ann = await premiumAccount();
  const pages = await pagesOf(await tokenFor("backup"));
  const rows = pages.filter(({ table }) => table === "api_keys").flatMap((page) => page.rows);
  for (const row of rows) expect(row["secret_hash"]).toMatch(/^[0-9A-F]{64}$/);
  const ids = rows.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort());
  expect(ids).toContain(ann.key.slice("svc_live_".length, "svc_live_".length + 8));
  const tables = [...new Set(pages.map(({ table }) => table))];
  expect(tables).toEqual(BACKED_UP_TABLE_NAMES.filter((name) => tables.includes(name)));
});

test("pages stay below the limit of a restore, even with large batches of many links, and contain each batch once", async () => {
  const ann = await premiumAccount();
  const links = await Promise.all(Array.from({ length: 24 }, () => ann.createLink()));
  for (const link of links) {
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const { host, pathname } = new URL(link.short_url);
    await runInDurableObject(env.LINK_CLICKS.getByName(`${host}${pathname}`), (_, { storage: { sql } }) => {
      expect(sql.exec("UPDATE batches SET visited = zeroblob(450000)").rowsWritten).toBeGreaterThan(0);
    });
  }
  const pages = await pagesOf(await tokenFor("backup"));
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(RESTORE_BODY_MAX_BYTES / 2);
  const copied = pages.flatMap(({ logs }) => logs).flatMap(({ id, batches }) => batches.map(() => id));
  const ids = links.map(({ id }) => id);
  expect(copied.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort());
});

test("data created after the backup began is not in it, whatever page is requested", async () => {
  const token = await tokenFor("backup");
  const cursor = { tables: BACKED_UP_TABLE_NAMES.join(), table: 0, after: null, open: [] };
  await premiumAccount();
  const request = { format: BACKUP_FORMAT, cursor: { ...cursor, created_until: 0 } };
  const { body } = await call(token, "POST", "/backup", JSON.stringify(request));
  expect(BackupReply.parse(body).page?.table ?? "none").not.toMatch(/^(links|accounts|api_keys)$/);
});

test("a backup does not continue with a release that has another format or other tables", async () => {
  const token = await tokenFor("backup");
  const cursor = { tables: "links,tables_of_later", table: 0, after: null, open: [], created_until: Date.now() };
  for (const request of [
    { format: BACKUP_FORMAT, cursor },
    { format: BACKUP_FORMAT + 1, cursor: null },
  ]) {
    const { status, body } = await call(token, "POST", "/backup", JSON.stringify(request));
    expect([status, body]).toMatchObject([
      404,
      { error: { message: expect.stringContaining("runs another release") } },
    ]);
  }
});

test("an installation with accounts accepts no backup, nor a part of one", async () => {
  await premiumAccount();
  const token = await tokenFor("backup");
  const begun = await call(token, "POST", "/restore", JSON.stringify({ format: 1, backup_id: "some" }));
  expect(begun.body).toEqual({
    outcome: "refused",
    message: expect.stringContaining("Restore the backup to an empty installation"),
  });
  for (const [method, path] of ROUTES.filter(([, each]) => each.startsWith("/restore/"))) {
    expect((await call(token, method, path)).status, path).toBe(404);
  }
});

test("a backup from a later release is refused", async () => {
  const begun = await call(
    await tokenFor("backup"),
    "POST",
    "/restore",
    JSON.stringify({ format: 99, backup_id: "b" }),
  );
  expect(begun.body).toEqual({ outcome: "refused", message: expect.stringContaining("later release") });
});

test.each([
  ["POST", "/backup", 422],
  ["GET", "/accounts/acc_none/both/links", 404],
  ["GET", "/accounts/acc_none/live/links/lnk_none/clicks", 404],
  ["POST", "/restore", 422],
])("%s %s answers %s", async (method, path, status) => {
  expect((await call(await tokenFor("backup"), method, path)).status).toBe(status);
});
