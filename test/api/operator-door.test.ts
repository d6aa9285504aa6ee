/** 16 The operator's door: only tokens for backups open it, and nothing is restored over what there is. */
import { exports, env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import type { OperatorTokenPurpose } from "../../src/core/credentials.ts";
import { readResponse } from "../support/api-response.ts";
import { BASE_URL, premiumAccount } from "../support/test-accounts.ts";

const HOUR_MS = 3_600_000;
const DOOR = `${BASE_URL}/dashboard/api/operator`;

const ROUTES: readonly [method: string, path: string][] = [
  ["GET", "/backup"],
  ["GET", "/backup/tables/accounts?created_until=1&limit=1"],
  ["GET", "/backup/links?created_until=1&limit=1"],
  ["GET", "/backup/log?link=a&link=live&link=b&position=0&revision=0&end=0"],
  ["GET", "/backup/images/qr_1.png"],
  ["GET", "/accounts/acc_none"],
  ["GET", "/accounts/acc_none/live/links"],
  ["GET", "/accounts/acc_none/live/links/lnk_none/clicks"],
  ["POST", "/restore"],
  ["POST", "/restore/backup/tables/accounts"],
  ["POST", "/restore/backup/logs"],
  ["PUT", "/restore/backup/images/qr_1.png"],
  ["POST", "/restore/backup/steps"],
  ["POST", "/restore/backup/counts"],
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

test.each(ROUTES)("%s %s is for tokens of backups alone", async (method, path) => {
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

test("pages of rows continue, without what was created after the backup began, and blobs are hexadecimal", async () => {
  const ann = await premiumAccount();
  const token = await tokenFor("backup");
  const until = Date.now();
  const read = async (query: string) => {
    const { status, body } = await call(token, "GET", `/backup/tables/api_keys?${query}`);
    expect(status).toBe(200);
    return (body as { rows: Record<string, unknown>[] }).rows;
  };
  const ids: unknown[] = [];
  for (let after: unknown; ;) {
    const rows = await read(`created_until=${until}&limit=2${after === undefined ? "" : `&after=${String(after)}`}`);
    for (const row of rows) expect(row.secret_hash).toMatch(/^[0-9A-F]{64}$/);
    ids.push(...rows.map(({ id }) => id));
    after = rows.at(-1)?.id;
    if (after === undefined) break;
  }
  expect(ids).toEqual([...ids].sort());
  expect(ids).toContain(ann.key.slice("svc_live_".length, "svc_live_".length + 8));
  expect(await read("created_until=0&limit=2")).toEqual([]);
});

test("an installation with accounts takes no backup, and no part of one", async () => {
  await premiumAccount();
  const token = await tokenFor("backup");
  const begun = await call(token, "POST", "/restore", JSON.stringify({ format: 1, backup_id: "some" }));
  expect(begun.body).toEqual({
    outcome: "refused",
    message: expect.stringContaining("a backup goes into an empty one"),
  });
  for (const [method, path] of ROUTES.filter(([, each]) => each.startsWith("/restore/"))) {
    expect((await call(token, method, path)).status, path).toBe(404);
  }
});

test("a backup of a later release is refused", async () => {
  const begun = await call(
    await tokenFor("backup"),
    "POST",
    "/restore",
    JSON.stringify({ format: 99, backup_id: "b" }),
  );
  expect(begun.body).toEqual({ outcome: "refused", message: expect.stringContaining("later release") });
});

test.each([
  ["GET", "/backup/tables/sessions?created_until=1&limit=1", 404],
  ["GET", "/backup/tables/links?created_until=1&limit=1&after=one", 404],
  ["GET", "/backup/tables/links?limit=1", 422],
  ["GET", "/backup/tables/links?created_until=1&limit=100000", 422],
  ["GET", "/backup/images/..%2Fsecret", 404],
  ["GET", "/accounts/acc_none/both/links", 404],
  ["GET", "/accounts/acc_none/live/links/lnk_none/clicks", 404],
  ["POST", "/restore", 422],
])("%s %s answers %s", async (method, path, status) => {
  expect((await call(await tokenFor("backup"), method, path)).status).toBe(status);
});
