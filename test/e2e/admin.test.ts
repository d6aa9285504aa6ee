/** The operator's command, run against the data of a running development server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Database } from "../../src/cli/admin/target.ts";
import { readLastPart } from "../../src/cli/backup/parts.ts";
import { folderStore } from "../../src/cli/backup/places.ts";
import { inlineParameters } from "../../src/cli/cloudflare/api.ts";
import { withLocalDatabase } from "../../src/cli/database.ts";
import { runAdmin, runAdminOn } from "../support/admin-command.ts";
import { ApiClient } from "../support/api-client.ts";
import { TESTED_DATABASES } from "../support/database-count.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";

let server: DevServer;
let databases: Database;
let close = () => Promise.resolve();

beforeAll(async () => {
  server = await startDevServer();
  await openDatabases();
});

afterAll(async () => {
  await close().finally(() => server.remove());
});

function openDatabases(): Promise<void> {
  const end = Promise.withResolvers<void>();
  return new Promise((opened, fail) => {
    const closed = withLocalDatabase(server.folder, (open) => {
      databases = open;
      opened();
      return end.promise;
    });
    closed.catch(fail);
    close = () => (end.resolve(), closed);
  });
}

/** On open databases: opening them takes longer than any of these commands. */
const admin = (...args: string[]) => runAdminOn(databases, args);

async function json(...args: string[]) {
  return JSON.parse(await admin(...args, "--json"));
}

/** Opens and closes the databases itself. */
const wholeAdmin = (...args: string[]) => runAdmin(server.folder, ...args);

async function wholeJson(...args: string[]) {
  return JSON.parse(await wholeAdmin(...args, "--json"));
}

const apiWith = (key: string) => new ApiClient(server.base, key);

async function becomes(status: number, url: string): Promise<void> {
  const visit = () => fetch(url, { redirect: "manual", method: "HEAD" });
  await eventually(async () => (await visit()).status === status, `${url} answers ${status}`);
}

test("accounts, plans, keys and links", { timeout: 300_000 }, async () => {
  const account = JSON.parse(
    await wholeAdmin("account", "create", "--email", "op@example.com", "--plan", "free", "--json"),
  );
  expect(account).toEqual({
    account_id: expect.stringMatching(/^acc_/),
    email: "op@example.com",
    plan: "free",
    live_key: expect.stringMatching(/^svc_live_\w{46}$/),
    test_key: expect.stringMatching(/^svc_test_\w{46}$/),
  });
  const rules = { url: "https://example.com/", routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] };
  expect((await apiWith(account.live_key).send("POST", "/v1/links", rules)).status).toBe(403);

  await admin("account", "plan", "--email", "op@example.com", "premium");
  const { id, short_url } = await apiWith(account.live_key).createLink(rules);

  await becomes(302, short_url);
  await wholeAdmin("link", "disable", short_url);
  await becomes(410, short_url);
  await admin("link", "enable", short_url);
  await becomes(302, short_url);

  expect(Number((await wholeJson("restored")).links)).toBeGreaterThan(0);
  await becomes(302, short_url);
  const raised = (await apiWith(account.live_key).send("GET", `/v1/links/${id}`)).headers.get("ETag");
  expect(Number(JSON.parse(raised ?? "0"))).toBeGreaterThan(1_700_000_000_000);

  await wholeAdmin("key", "revoke", account.live_key.slice("svc_live_".length, "svc_live_".length + 8));
  expect((await apiWith(account.live_key).send("GET", "/v1/links")).status).toBe(401);
  expect((await apiWith(account.test_key).send("GET", "/v1/links")).status).toBe(200);
});

test(
  "an account is suspended, resumed and closed; its links and keys are listed, and its keys are revoked",
  { timeout: 300_000 },
  async () => {
    const email = "suspended@example.com";
    const { account_id, live_key } = await json("account", "create", "--email", email);
    const addresses: string[] = [];
    for (const slug of ["sus-1", "sus-2", "sus-3"]) {
      addresses.unshift((await apiWith(live_key).createLink({ slug })).short_url);
    }
    const [newest = ""] = addresses;

    await becomes(302, newest);
    expect(await json("account", "suspend", "--email", email)).toEqual({ account_id, email, state: "suspended" });
    expect((await apiWith(live_key).send("GET", "/v1/links")).status).toBe(403);
    await becomes(410, newest);
    expect(await json("account", "resume", "--id", account_id)).toEqual({ account_id, email, state: "open" });
    expect((await apiWith(live_key).send("GET", "/v1/links")).status).toBe(200);
    await becomes(302, newest);

    await admin("link", "disable", newest.replace("http://", ""));
    const first = await json("link", "list", "--account", email, "--limit", "2");
    const second = await json("link", "list", "--account", account_id, "--limit", "2", "--cursor", first.next_cursor);
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null]);
    const listed = [...first.data, ...second.data] as { address: string; state: string }[];
    expect(listed.map(({ address }) => `http://${address}`)).toEqual(addresses);
    expect(listed.map(({ state }) => state)).toEqual(["disabled", "active", "active"]);

    const keys = await json("account", "keys", "--email", email);
    expect(keys.data.map(({ mode }: { mode: string }) => mode).sort()).toEqual(["live", "test"]);
    const live = live_key.slice("svc_live_".length, "svc_live_".length + 8);
    expect(await json("account", "keys", "--email", email, "--revoke", live)).toMatchObject({ data: [{ id: live }] });
    expect((await apiWith(live_key).send("GET", "/v1/links")).status).toBe(401);
    expect((await json("account", "keys", "--id", account_id, "--revoke", "all")).data).toHaveLength(1);

    const [, open = ""] = addresses;
    await becomes(302, open);
    await expect(admin("account", "close", "--email", email)).rejects.toThrow("pass --yes");
    expect(await json("account", "close", "--email", email, "--yes")).toEqual({ account_id, email, state: "closed" });
    await becomes(410, open);
  },
);

test("the operator gives an account a password for the dashboard, or a link that sets one", async () => {
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

  const { url, expires_at } = await json("account", "reset", "password", "--email", email);
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
  const [page, token] = url.split("#token=");
  expect(page).toBe("http://localhost:8787/dashboard/reset");
  const reset = await fetch(`${server.base}/dashboard/api/reset`, {
    method: "POST",
    headers: { Origin: server.base, "Content-Type": "application/json" },
    body: JSON.stringify({ token, password: "chosen by the holder" }),
  });
  expect(reset.status).toBe(204);
  const after = await fetch(`${server.base}/dashboard/api/account`, { headers: { Cookie: cookie } });
  expect(after.status).toBe(401);
});

test("an account becomes an operator and an ordinary account again; tokens are shown once and expire", async () => {
  const email = "operator@example.com";
  const { account_id } = await json("account", "create", "--email", email);
  expect(await json("operator", "add", "--email", email)).toEqual({ account_id, email, operator: true });
  expect(await json("operator", "remove", "--id", account_id)).toEqual({
    account_id,
    email,
    operator: false,
  });
  const { token, expires_at } = await json("operator", "token", "--hours", "2");
  expect(token).toMatch(/^opr_[\w-]{43}$/);
  const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(1.9);
  expect(hours).toBeLessThanOrEqual(2);
});

test.each([
  [["operator", "add", "--email", "unknown@example.com"], "No account has this email address"],
  [["operator", "setup"], "An account already exists"],
  [["account", "password", "--email", "unknown@example.com"], "No account has this email address"],
  [["account", "create", "--email", "premium@demo.localhost"], "with this email address already exists"],
  [["account", "plan", "--email", "unknown@example.com", "free"], "No account has this email address"],
  [["link", "disable", "http://localhost:1/none"], "No link has this short URL"],
  [["account", "suspend"], "Specify the account with --email or --id"],
  [["account", "suspend", "--id", "acc_none"], "No account has this ID"],
  [["account", "keys", "--email", "premium@demo.localhost", "--revoke", "12345678"], "no such active key"],
])("%j is refused with a clear message", async (args, words) => {
  await expect(admin(...args)).rejects.toThrow(words);
});

test.each([
  [["operator", "token", "--hours", "721"], "'721' is invalid. It must be 1 to 720"],
  [["account", "create", "--email", "not-an-address"], "It must be an email address"],
  [["account", "create", "--email", "a@b", "--plan", "gold"], "Allowed choices are free, premium"],
  [["link", "disable"], "missing required argument 'SHORT_URL'"],
  [["link", "list", "--account", "acc_none", "--limit", "0"], "It must be 1 to 1000"],
  [["account", "suspend", "--email", "a@b", "--id", "acc_none"], "cannot be used with"],
  [["key", "revoke", "12345678", "--remote", "--local"], "cannot be used with"],
  [["accounts"], "Did you mean account?"],
  [["backup"], "'--to <PLACE>' not specified"],
  [["restore", "--from", "/", "--url", "http://127.0.0.1:9"], "no complete backup"],
  [["key", "revoke", "12345678"], "No active key has this ID"],
])("the whole command %j is refused with a clear message", async (args, words) => {
  await expect(wholeAdmin(...args)).rejects.toThrow(words);
});

/** Number of tokens that a command has issued for itself and not revoked. */
async function issuedTokens(): Promise<number | null> {
  const sql = "SELECT count(*) AS tokens FROM operator_tokens WHERE purpose = 'backup'";
  return databases.DB.prepare(sql).first<number>("tokens");
}

test("a backup of the running service, whose token is revoked at the end", { timeout: 300_000 }, async () => {
  const to = join(server.folder, "backup");
  const taken = await wholeJson("backup", "--to", to, "--url", server.base);
  expect(taken).toMatchObject({ to, accounts: expect.stringMatching(/^[1-9]/) });
  expect(await readLastPart(folderStore(to))).toMatchObject({ backup_id: taken.backup_id, next: null });
  await expect(wholeAdmin("backup", "--to", to, "--url", server.base)).rejects.toThrow("has a complete backup");
  await expect(wholeAdmin("restore", "--from", to, "--url", server.base)).rejects.toThrow("to an empty installation");
  expect(await issuedTokens()).toBe(0);
});

test("an interrupted backup revokes its token", { timeout: 300_000 }, async () => {
  const asked = Promise.withResolvers<string | undefined>();
  const silent = createServer((request) => asked.resolve(request.headers.authorization));
  const url = `http://127.0.0.1:${await listenOnFreePort(silent)}`;
  const args = ["backup", "--to", join(server.folder, "interrupted"), "--url", url, "--persist-to", server.folder];
  const command = spawn(process.execPath, ["src/cli/admin.ts", ...args], { stdio: "ignore" });
  const ended = once(command, "exit");
  expect(await asked.promise).toMatch(/^Bearer opr_/);
  expect(await issuedTokens()).toBe(1);
  command.kill("SIGINT");
  expect(await ended).toEqual([null, "SIGINT"]);
  expect(await issuedTokens()).toBe(0);
  silent.closeAllConnections();
  silent.close();
});

test("the doctor finds nothing wrong with the development database and its server", async () => {
  expect((await wholeAdmin("doctor", "--local", "--url", server.base)).trim().split("\n")).toEqual([
    "✓ migrations: All are applied",
    "✓ accounts: At least one exists",
    // A separate part checks what the other databases know of the first.
    `✓ health: All ${TESTED_DATABASES.length > 1 ? 7 : 6} parts work`,
  ]);
});

test("values sent to the deployed database are quoted", () => {
  const values = ["it's; DROP TABLE links", 3, null, new Uint8Array([0, 255])];
  expect(inlineParameters("SELECT ?1, ?2, ?3, ?4, ?1", values)).toBe(
    "SELECT 'it''s; DROP TABLE links', 3, NULL, X'00ff', 'it''s; DROP TABLE links'",
  );
});

test(
  "a backup goes into a bucket of the development server, but not into the bucket of its images",
  { timeout: 300_000 },
  async () => {
    const to = (bucket: string) => ["backup", "--to", `r2:${bucket}/nightly/1`, "--url", server.base];
    await admin("account", "create", "--email", "backed-up@example.com");
    expect(await wholeJson(...to("backups"))).toMatchObject({
      to: "r2:backups/nightly/1",
      accounts: expect.stringMatching(/^[1-9]/),
    });
    await expect(wholeAdmin(...to("backups"))).rejects.toThrow("r2:backups/nightly/1 already has a complete backup");
    await expect(wholeAdmin(...to("hoplink-qr"))).rejects.toThrow("contains the images of QR codes");
    await expect(wholeAdmin("restore", "--from", "r2:backups/nightly/1", "--url", server.base)).rejects.toThrow(
      "Restore the backup to an empty installation",
    );
  },
);
