/** 17 No one gets a link's password or its stored record from the service, whatever is requested. Backups have the record. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import { issueOperatorToken } from "../../../src/store/operators/operator-tokens.ts";
import { fetchAt } from "../../support/changed-env.ts";
import { queryLinks } from "../../support/link-databases.ts";
import { type ApiRoute, createTarget, requestRoute, ROUTES } from "../../support/routes.ts";
import { openListener } from "../../support/stream-listener.ts";
import { connectAgent } from "../../support/test-agents.ts";
import { rowsOfDatabase } from "../../support/stored-rows.ts";
import { BASE_URL, premiumAccount, visit } from "../../support/test-accounts.ts";

const NEEDLE = "needle-correct-horse";
const URL = "https://example.com/";
const HOUR_MS = 3_600_000;

const ann = await premiumAccount();
/** Everything that the service has sent or logged. */
const heard: string[] = [];
/** Salts and hashes that were ever stored. */
const secrets = new Set<string>();

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const reply = await ann.call(method, path, body, headers);
  heard.push(`${method} ${path} ${JSON.stringify([reply.status, [...reply.headers], reply.body])}`);
  return reply;
}

async function hear(url: string, init: RequestInit): Promise<Response> {
  const response = await fetchAt(url, {}, init);
  heard.push(`${url} ${JSON.stringify([...response.headers])} ${await response.clone().text()}`);
  return response;
}

/** Notes the stored records, which later changes replace. */
async function noteRecords(): Promise<void> {
  const sql = "SELECT password FROM links WHERE account_id = ?1 AND password IS NOT NULL";
  for (const { password } of await queryLinks<{ password: string }>(env, sql, ann.accountId)) {
    for (const part of password.split(".").filter(({ length }) => length >= 32)) secrets.add(part);
  }
}

function sendForm({ short_url }: Link, password: string): Promise<Response> {
  return hear(short_url, { method: "POST", body: new URLSearchParams({ password }) });
}

async function useApi(link: Link): Promise<void> {
  const password = `${NEEDLE}-api`;
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const path = `/v1/links/${link.id}`;
  const links = [
    { url: URL, password },
    { url: "no URL", password },
    { url: URL, password: `${password}\t` },
  ];
  const requests: [string, string, unknown?, Record<string, string>?][] = [
    ["POST", "/v1/links", { url: URL, password }, key],
    ["POST", "/v1/links", { url: URL, password }, key],
    ["POST", "/v1/links", { url: URL, password: `${password}-other` }, key],
    ["POST", "/v1/links", { url: URL, password, slug: link.slug }],
    ["POST", "/v1/links", { url: URL, password: password.repeat(9) }],
    ["POST", "/v1/links", { url: URL, password, unknown: password }],
    ["POST", "/v1/links", `{"url": "${URL}", "password": "${password}"`],
    ["POST", "/v1/links/bulk", { links }, { "Idempotency-Key": crypto.randomUUID() }],
    ["PATCH", path, { password, title: "Changed" }],
    ["PATCH", path, { password, title: 5 }],
    ["PATCH", path, { password }, { "If-Match": '"0"' }],
    [
      "POST",
      "/v1/links/bulk-update",
      {
        links: [
          { id: link.id, password, title: "Bulk" },
          { id: "lnk_none", password },
        ],
      },
    ],
    ["GET", "/v1/links?include=clicks"],
    ["GET", "/v1/links?include=revision&archived=any"],
    ["GET", `${path}/revisions?limit=100`],
    ["POST", `${path}/backtest`, { routing: [], password }],
    ["POST", `${path}/resolve`, { password }],
  ];
  for (const request of requests) {
    await call(...request);
    await noteRecords();
  }
  const isOfLinks = ({ method, path }: ApiRoute) => method !== "DELETE" && !/^\/(?:domains|events|imports)/.test(path);
  for (const route of ROUTES.filter(isOfLinks)) {
    const id = await createTarget(ann, route, link);
    const reply = await requestRoute(call, route, id);
    expect(reply.status, `${route.method} ${route.path}`).toBeLessThan(300);
  }
  for (const format of ["text/csv", "application/x-ndjson"]) {
    const headers = { Authorization: `Bearer ${ann.key}`, Accept: format };
    for (const log of [`${path}/clicks`, "/v1/clicks"]) await hear(BASE_URL + log, { headers });
  }
}

async function useTools(link: Link): Promise<void> {
  const agent = await connectAgent(ann);
  const password = `${NEEDLE}-agent`;
  const { id } = link;
  const said = async (name: string, args: Record<string, unknown> = {}) => {
    const { said: answer } = await agent.call(name, args);
    heard.push(`${name} ${JSON.stringify(answer)}`);
    return answer;
  };
  const made = await said("create_link", { url: URL, password });
  await noteRecords();
  const used = ["create_link", "backtest_change", "update_link", "delete_link"];
  for (const name of await agent.toolNames())
    if (!used.includes(name)) await said(name, name.includes("link") ? { id } : {});
  await said("find_links", { slug: link.slug });
  await said("try_visitor", { id, country: "DE" });
  const { revision } = await said("get_link", { id });
  await said("update_link", { id, revision, password, title: "By an agent" });
  await said("update_link", { id, revision, password });
  await noteRecords();
  const tried = await said("backtest_change", { id, routing: [{ if: { country: "DE" }, to: URL }] });
  await said("update_link", { id, revision, password, ...tried });
  await said("delete_link", { id: made["id"], revision: made["revision"] });
}

/** What the operator's command `export` reads. */
async function readExport({ id }: Link): Promise<void> {
  const headers = { Authorization: `Bearer ${await issueOperatorToken(env, "backup", HOUR_MS, Date.now())}` };
  const account = `${BASE_URL}/dashboard/api/operator/accounts/${ann.accountId}`;
  for (const path of ["", "/live/links", `/live/links/${id}/revisions`, `/live/links/${id}/clicks`]) {
    expect((await hear(account + path, { headers })).status).toBe(200);
  }
}

test("17 no response, export, history, event or log line has a password or its hash; a restored revision keeps the password", async () => {
  const logs = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
  const listener = await openListener(ann);
  const link = await ann.createLink({ password: NEEDLE, title: "First" });
  await noteRecords();
  expect((await sendForm(link, `${NEEDLE}-wrong`)).status).toBe(401);
  expect((await sendForm(link, NEEDLE)).status).toBe(303);
  await hear(link.short_url, {});
  await hear(`${link.short_url}+`, {});
  await listener.waitForClicks(1);
  await ann.waitForClicks(1, link);

  await useApi(link);
  await useTools(link);
  await readExport(link);

  const current = `${NEEDLE}-current`;
  await call("PATCH", `/v1/links/${link.id}`, { password: current, title: "Last" });
  await noteRecords();
  const restored = await call("POST", `/v1/links/${link.id}/revisions/1/restore`, {});
  expect(restored.body).toMatchObject({ title: "First", password_protected: true });
  expect((await sendForm(link, NEEDLE)).status).toBe(401);
  expect((await sendForm(link, current)).status).toBe(303);
  await call("DELETE", `/v1/links/${link.id}`);
  await call("GET", `/v1/links/${link.id}`);
  expect((await visit(link.short_url)).status).toBe(410);

  await listener.close();
  heard.push(listener.text, ...logs.map((log) => JSON.stringify(log.mock.calls)));
  for (const log of logs) log.mockRestore();
  // At least one record for each password that was accepted, and none of them sent.
  expect(secrets.size).toBeGreaterThan(10);
  expect(heard.length).toBeGreaterThan(60);
  for (const secret of [NEEDLE, ...secrets])
    expect(
      heard.filter((text) => text.includes(secret)),
      secret,
    ).toEqual([]);
  // Stored are records, not passwords: not in the history, in responses for retries, or in digests.
  expect((await rowsOfDatabase()).filter((row) => row.includes(NEEDLE))).toEqual([]);
  const history = (await rowsOfDatabase()).filter((row) => !row.startsWith("links "));
  for (const secret of secrets) expect(history.filter((row) => row.includes(secret))).toEqual([]);
});
