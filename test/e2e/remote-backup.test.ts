/**
 * `admin backup --remote` and `admin restore --remote` against a stand-in for Cloudflare: from a deployment that setup
 * created into another one, through a folder and through an R2 bucket.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";

import { GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import type { Bucket } from "../support/cloudflare/account.ts";
import { CloudflareError } from "../support/cloudflare/api-request.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { eventually } from "../support/eventually.ts";
import { ExamplesToTake } from "../support/examples.ts";
import { copyBuiltProject, type ProjectCopy } from "../support/project-copy.ts";
import { type CommandResult, outcomeOf, runScript, runSetup, runTyped } from "../support/setup-runs.ts";

const URL = "https://hoplink.example.workers.dev";
const SECOND = { name: "hoplink-2", url: "https://hoplink-2.example.workers.dev" };
const TIMEOUT_MS = 300_000;
const SLUGS = ["few", "many", "none"];
const VISITS = { few: 2, many: 30, none: 0 };
/** Includes one visit by setup, which has followed its own link. */
const CLICKS = String(VISITS.few + VISITS.many + 1);
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1";
/** Enough to exceed the first part of a backup. */
const LONG_LINKS = 14;
const COUNTRIES = "DE FR IT ES PT NL BE AT CH PL CZ DK SE NO FI IE GB US CA MX BR AR JP CN".split(" ");
const LONG = COUNTRIES.map((country) => ({ if: { country }, to: `https://example.com/${"x".repeat(1_900)}` }));
const BUCKET = "backups";
/** The folder of the guide's commands. */
const FOLDER = "/backups/2026-11-22";
const examples = new ExamplesToTake(import.meta.filename);

let project: ProjectCopy;
let cloudflare: Cloudflare;
let key: string;
let links: string[];
let code: string;
let range: string;

beforeAll(async () => {
  project = await copyBuiltProject();
  cloudflare = await Cloudflare.start({ plan: "paid" });
  outcomeOf(await runSetup(cloudflare, project.folder));
  outcomeOf(await runSetup(cloudflare, project.folder, "--name", SECOND.name));
  await fill();
}, TIMEOUT_MS);

afterAll(async () => {
  await cloudflare.stop();
  project.remove();
});

async function fill(): Promise<void> {
  const began = Date.now();
  key = await database(cloudflare, async (DB) => {
    const account = await createAccount({ DB }, "holder@example.com", "premium");
    return issueKeyText({ DB }, account?.id ?? "", "live", "test");
  });
  links = [];
  for (const slug of SLUGS) links.push((await call("POST", "/v1/links", { url: "https://example.com/", slug })).id);
  for (let i = 0; i < LONG_LINKS; i++) await call("POST", "/v1/links", { url: "https://example.com/", routing: LONG });
  ({ id: code } = await call("POST", "/v1/qr", { link_id: links[0], format: "svg" }));
  for (const [slug, visits] of Object.entries(VISITS)) {
    for (let i = 0; i < visits; i++) {
      const headers = { "User-Agent": IPHONE, Referer: `https://site-${i % 3}.example/` };
      expect((await cloudflare.visit(`${URL}/${slug}?utm_source=s${i % 2}`, { headers })).status).toBe(302);
    }
  }
  const totalOf = async (link: string | undefined) => (await call("GET", `/v1/links/${link}/stats`)).total;
  const isCounted = async () => (await totalOf(links[0])) === VISITS.few && (await totalOf(links[1])) === VISITS.many;
  await eventually(isCounted, "all visits count");
  range = `from=${new Date(began).toISOString()}&to=${new Date().toISOString()}`;
}

async function call(method: string, path: string, body?: object, at = cloudflare, url = URL) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const reply = await at.visit(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
  return JSON.parse(reply.body) as { id: string; total: number };
}

/** The API's answers about clicks, from either deployment. */
async function statistics(at: Cloudflare, url: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const link of links) {
    answers.push(await call("GET", `/v1/links/${link}/clicks`, undefined, at, url));
    for (const grouping of GROUPINGS)
      answers.push(await call("GET", `/v1/links/${link}/stats?${range}&group_by=${grouping}`, undefined, at, url));
  }
  return answers;
}

function database<T>(at: Cloudflare, work: (DB: D1Database) => Promise<T>): Promise<T> {
  return at.runtime.database(at.account.databases[0]?.uuid ?? "", work);
}

/** Number of tokens that a command has issued and not revoked. */
async function issuedTokens(): Promise<number | null> {
  const sql = "SELECT count(*) AS tokens FROM operator_tokens WHERE purpose = 'backup'";
  return database(cloudflare, (DB) => DB.prepare(sql).first<number>("tokens"));
}

function admin(at: Cloudflare, args: readonly string[], environment: Record<string, string> = {}) {
  return runScript(at, project.folder, "admin", [...args, "--remote"], { DEPLOYMENT: "hoplink", ...environment });
}

async function succeed(at: Cloudflare, args: readonly string[], environment: Record<string, string> = {}) {
  return reportOf(await admin(at, [...args, "--json"], environment));
}

/** Runs a command of the guide. @param folder  replaces the folder that the command names */
async function type(at: Cloudflare, command: string, folder = "", installation = "hoplink") {
  const typed = examples.take(command).replace(FOLDER, folder);
  return reportOf(await runTyped(at, project.folder, typed, ["--json"], { DEPLOYMENT: installation }));
}

function reportOf({ code: exit, stdout, stderr }: CommandResult) {
  if (exit !== 0) throw new Error(`ended with ${exit}:\n${stderr}`);
  return { report: JSON.parse(stdout) as Record<string, string>, stderr };
}

/** @returns the command's message about its failure */
async function fail(at: Cloudflare, args: readonly string[], environment: Record<string, string> = {}) {
  const { code: exit, stderr } = await admin(at, args, environment);
  expect(exit, stderr).toBe(1);
  return stderr.trim().split("\n").at(-1);
}

function createBucket(): Promise<CommandResult> {
  return runTyped(cloudflare, project.folder, examples.take(`npx wrangler r2 bucket create ${BUCKET}`));
}

/** A bucket for backups, which may exist already. */
async function backupBucket(): Promise<Bucket> {
  await createBucket();
  const bucket = cloudflare.account.buckets.find(({ name }) => name === BUCKET);
  if (!bucket) throw new Error("the bucket was not made");
  return bucket;
}

describe("admin backup --remote", { timeout: TIMEOUT_MS }, () => {
  it("finds the deployment, copies it into a folder, and restores it in another account", async () => {
    const folder = join(project.folder, "backup");
    const { report } = await type(cloudflare, `npm run admin -- backup --to ${FOLDER} --remote`, folder);
    expect(report).toMatchObject({ to: folder, accounts: "1", clicks: CLICKS });
    expect(await issuedTokens()).toBe(0);

    const other = await Cloudflare.start({ plan: "paid" });
    try {
      outcomeOf(await runSetup(other, project.folder));
      const restored = await type(other, `npm run admin -- restore --from ${FOLDER} --remote`, folder);
      expect(restored).toMatchObject({ report: { url: URL } });
      expect(await statistics(other, URL)).toEqual(await statistics(cloudflare, URL));
      for (const path of ["/v1/links", `/v1/qr/${code}`])
        expect(await call("GET", path, undefined, other)).toEqual(await call("GET", path));
      expect(await other.visit(`${URL}/few`)).toMatchObject({ status: 302, location: "https://example.com/" });
      expect(await fail(other, ["restore", "--from", folder])).toContain("Restore the backup to an empty installation");
    } finally {
      await other.stop();
    }
  });

  it("copies it into a bucket, resumes after an interruption, and restores it in another deployment", async () => {
    const to = `r2:${BUCKET}/2026-11-22`;
    const hint = `The bucket ${BUCKET} does not exist. Create it with \`npx wrangler r2 bucket create ${BUCKET}\`.`;
    expect(await fail(cloudflare, ["backup", "--to", to])).toBe(hint);
    expect((await createBucket()).code).toBe(0);

    const failure = new CloudflareError(500, 10_001, "We encountered an internal error. Please try again.");
    cloudflare.api.fail(/^PUT \S+\/objects\/2026-11-22\/000002-/, failure, 3);
    expect(await fail(cloudflare, ["backup", "--to", to])).toContain("Run the command again in a few minutes");
    expect(await issuedTokens()).toBe(0);
    expect(await fail(cloudflare, ["restore", "--from", to])).toContain(`${to} has no complete backup`);
    const { report, stderr } = await type(cloudflare, `npm run admin -- backup --to ${to} --remote`);
    expect(stderr).toContain("Resuming the backup that began at");
    expect(report).toMatchObject({ to, accounts: "1", clicks: CLICKS });
    expect(await fail(cloudflare, ["backup", "--to", `${to}/`])).toContain("already has a complete backup");

    const restored = await type(cloudflare, `npm run admin -- restore --from ${to} --remote`, "", SECOND.name);
    expect(restored.report).toMatchObject({ url: SECOND.url, backup_id: report.backup_id });
    expect(await statistics(cloudflare, SECOND.url)).toEqual(await statistics(cloudflare, URL));
  });

  it("refuses buckets that are public, or that the token may not write", async () => {
    const refused = (bucket: string) => fail(cloudflare, ["backup", "--to", `r2:${bucket}/nightly`]);
    expect(await refused("hoplink-qr")).toBe(
      "The bucket hoplink-qr contains the images of QR codes, which are public. Choose another bucket.",
    );
    // Also when the deployment's address and a token are given.
    const OPERATOR_TOKEN = await database(cloudflare, (DB) => issueOperatorToken({ DB }, "backup", 60_000, Date.now()));
    const given = ["backup", "--to", "r2:hoplink-qr/nightly", "--url", URL];
    expect(await fail(cloudflare, given, { OPERATOR_TOKEN })).toContain("contains the images");

    const bucket = await backupBucket();
    bucket.domains.push({ domain: "files.example.com", enabled: true });
    expect(await refused(BUCKET)).toContain(`${BUCKET} is public at files.example.com`);
    bucket.domains.pop();
    bucket.isOnR2Dev = true;
    expect(await refused(BUCKET)).toContain(`${BUCKET} is public at pub-${BUCKET}.r2.dev`);
    bucket.isOnR2Dev = false;

    cloudflare.api.denied = [/^PUT \S+\/objects\//];
    expect(await refused(BUCKET)).toMatch(/answered PUT .* with 403: .*give the token in CLOUDFLARE_API_TOKEN this/);
    cloudflare.api.denied = [];
    cloudflare.account.hasR2 = false;
    expect(await refused(BUCKET)).toContain("has not enabled R2");
    cloudflare.account.hasR2 = true;
  });

  it("makes no requests to Cloudflare if the deployment's address and a token are given", async () => {
    const OPERATOR_TOKEN = await database(cloudflare, (DB) => issueOperatorToken({ DB }, "backup", 60_000, Date.now()));
    const calls = cloudflare.api.calls.length;
    const folder = join(project.folder, "backup-by-token");
    const { report } = await succeed(cloudflare, ["backup", "--to", folder, "--url", URL], { OPERATOR_TOKEN });
    expect(report.clicks).toBe(CLICKS);
    expect(cloudflare.api.calls.slice(calls)).toEqual([]);
  });
});

test("every command of the guide was run", () => {
  expect(examples.left).toEqual([]);
});
