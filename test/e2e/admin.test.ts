/** The operator's command, on the data of a development server that is running meanwhile. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

import { inlined } from "../../src/cli/database.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PATIENCE_MS = 15_000;

let folder: string;
let server: DevServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-admin-"));
  server = await startDevServer(folder);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function admin(...args: string[]): Promise<string> {
  const command = ["src/cli/admin.ts", ...args, "--persist-to", folder];
  return (await promisify(execFile)(process.execPath, command, { cwd: ROOT })).stdout;
}

async function call(key: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(server.base + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function becomes(status: number, url: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetch(url, { redirect: "manual", method: "HEAD" });
    if (answer.status === status) return;
    if (Date.now() > deadline) throw new Error(`${url} still answers ${answer.status}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

test("accounts, plans, keys and links", { timeout: 300_000 }, async () => {
  const account = JSON.parse(await admin("account", "create", "--email", "op@example.com", "--plan", "free", "--json"));
  expect(account).toEqual({
    account_id: expect.stringMatching(/^acc_/),
    email: "op@example.com",
    plan: "free",
    live_key: expect.stringMatching(/^svc_live_\w{46}$/),
    test_key: expect.stringMatching(/^svc_test_\w{46}$/),
  });
  const rules = { url: "https://example.com/", routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] };
  expect((await call(account.live_key, "POST", "/v1/links", rules)).status).toBe(403);

  await admin("account", "plan", "--email", "op@example.com", "premium");
  const made = await call(account.live_key, "POST", "/v1/links", rules);
  expect(made.status).toBe(201);
  const { short_url } = (await made.json()) as { short_url: string };

  await becomes(302, short_url);
  await admin("link", "disable", short_url);
  await becomes(410, short_url);
  await admin("link", "enable", short_url);
  await becomes(302, short_url);

  await admin("key", "revoke", account.live_key.slice("svc_live_".length, "svc_live_".length + 8));
  expect((await call(account.live_key, "GET", "/v1/links")).status).toBe(401);
  expect((await call(account.test_key, "GET", "/v1/links")).status).toBe(200);
});

test("a password for the dashboard, which the operator gives to an account", async () => {
  const email = "holder@example.com";
  await admin("account", "create", "--email", email, "--plan", "premium");
  const { password } = JSON.parse(await admin("account", "password", "--email", email, "--json"));
  expect(password).toMatch(/^\w{20}$/);
  const signedIn = await fetch(`${server.base}/dashboard/api/auth/sign-in/email`, {
    method: "POST",
    headers: { Origin: server.base, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status).toBe(200);
  const [cookie = ""] = signedIn.headers.getSetCookie()[0]?.split(";") ?? [];
  const account = await fetch(`${server.base}/dashboard/api/account`, { headers: { Cookie: cookie } });
  expect(await account.json()).toMatchObject({ email, plan: "premium" });
});

test.each([
  [["account", "password", "--email", "nobody@example.com"], "No account has this e-mail address"],
  [["account", "create", "--email", "premium@demo.localhost"], "has this e-mail address already"],
  [["account", "create", "--email", "nobody"], "must be an e-mail address"],
  [["account", "create", "--email", "a@b", "--plan", "gold"], "free or premium"],
  [["account", "plan", "--email", "nobody@example.com", "free"], "No account has this e-mail address"],
  [["link", "disable", "http://localhost:1/none"], "No link has this short URL"],
  [["link", "disable"], "Missing: the short URL"],
  [["key", "revoke", "12345678"], "No such key in use"],
])("%j is refused in plain words", async (args, words) => {
  await expect(admin(...args)).rejects.toThrow(words);
});

test("what goes to the deployed database is quoted", () => {
  const values = ["it's; DROP TABLE links", 3, null, new Uint8Array([0, 255])];
  expect(inlined("SELECT ?1, ?2, ?3, ?4, ?1", values)).toBe(
    "SELECT 'it''s; DROP TABLE links', 3, NULL, X'00ff', 'it''s; DROP TABLE links'",
  );
});
