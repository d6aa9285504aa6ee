/** `admin doctor` against a stand-in for Cloudflare: a healthy deployment, then one that is broken part by part. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";

import type { Check } from "../../src/cli/deployment/checks.ts";
import type { Binding } from "../support/cloudflare/account.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { newZone } from "../support/cloudflare/zones.ts";
import { ExamplesToTake } from "../support/examples.ts";
import { freePort } from "../support/ports.ts";
import { copyBuiltProject, type ProjectCopy } from "../support/project-copy.ts";
import { outcomeOf, runScript, runSetup, runTyped, visitNewLink } from "../support/setup-runs.ts";

const HOST = "go.example.com";
const URL = `https://${HOST}`;
const TIMEOUT_MS = 300_000;
const SETTINGS = { always_use_https: "on", browser_check: "off" } as const;
const SECRET = "BETTER_AUTH_SECRET";
const FORGET_LAST_MIGRATION = "DELETE FROM d1_migrations WHERE name = (SELECT max(name) FROM d1_migrations)";
const APPLY_MIGRATION =
  "INSERT INTO d1_migrations (name) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM d1_migrations WHERE name = ?1)";

interface Report {
  status: string;
  checks: Check[];
}

const examples = new ExamplesToTake(import.meta.filename);

let project: ProjectCopy;
let cloudflare: Cloudflare;

beforeAll(async () => {
  project = await copyBuiltProject();
  cloudflare = await Cloudflare.start({ plan: "paid", zones: [newZone("example.com", SETTINGS)] });
  outcomeOf(await runSetup(cloudflare, project.folder, "--yes", "--domain", HOST));
  await visitNewLink(cloudflare, URL);
}, TIMEOUT_MS);

afterAll(async () => {
  await cloudflare.stop();
  project.remove();
});

/** Runs a command of a guide. @param zone  replaces the zone that the command names */
function type(command: string, zone = "ZONE_ID") {
  return runTyped(cloudflare, project.folder, examples.take(command).replace("ZONE_ID", zone));
}

function admin(...options: string[]) {
  return runScript(cloudflare, project.folder, "admin", options);
}

/** @returns the checks that are not ok, with the exit code and the status */
async function doctor(...options: string[]): Promise<{ code: number | null; status: string; wrong: Check[] }> {
  const { code, stdout, stderr } = await admin("doctor", "--json", ...options);
  if (stdout === "") throw new Error(`ended with ${code}: ${stderr}`);
  const { status, checks } = JSON.parse(stdout) as Report;
  return { code, status, wrong: checks.filter(({ level }) => level !== "ok") };
}

function database<T>(work: (DB: D1Database) => Promise<T>): Promise<T> {
  return cloudflare.runtime.database(cloudflare.account.databases[0]?.uuid ?? "", work);
}

function appliedMigrations(): Promise<string[]> {
  return database(async (DB) => {
    const { results } = await DB.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
    return results.map(({ name }) => name);
  });
}

async function changeBindings(change: (bindings: Binding[]) => Binding[]): Promise<void> {
  const version = cloudflare.script("hoplink").versions.at(-1);
  if (version) version.bindings = change(version.bindings);
  cloudflare.runtime.outdated();
}

describe("admin doctor --remote", { timeout: TIMEOUT_MS }, () => {
  it("finds nothing wrong with a healthy deployment, in lines for people", async () => {
    const { code, stdout } = await type("npm run admin -- doctor --remote");
    expect(stdout.split("\n").filter((line) => line !== "" && !line.startsWith("✓ "))).toEqual([]);
    expect(stdout).toContain(`✓ host ${HOST}: Points to the Worker, with a certificate`);
    expect(stdout).toContain("✓ health: All 6 parts work");
    expect(code).toBe(0);
  });

  it.each<[part: string, doBreak: () => Promise<void>, wrong: Partial<Check>]>([
    [
      "secret",
      () => changeBindings((bindings) => bindings.filter(({ name }) => name !== SECRET)),
      {
        name: "settings",
        level: "failure",
        message: `This deployment's ${SECRET} is not set`,
        command: `openssl rand -base64 32 | npx wrangler secret put ${SECRET} --name hoplink`,
      },
    ],
    [
      "namespace of a rate limit",
      () => changeBindings((all) => all.map((one) => (one.name === "SIGN_IN" ? { ...one, namespace_id: "7" } : one))),
      { name: "rate limits", level: "warning", command: "npm run upgrade" },
    ],
    [
      "fallback origin",
      () =>
        changeBindings((bindings) => [
          ...bindings,
          { name: "CF_ZONE_ID", type: "plain_text", text: cloudflare.account.zones[0]?.id },
          { name: "CNAME_TARGET", type: "plain_text", text: "customers.example.com" },
          { name: "CF_API_TOKEN", type: "secret_text", text: "token" },
        ]),
      {
        name: "customers' domains",
        level: "failure",
        message: expect.stringContaining("The zone has no fallback origin"),
        command: null,
      },
    ],
    [
      "replication",
      async () => void Object.assign(cloudflare.account.databases[0] ?? {}, { readReplication: "disabled" }),
      { name: "replication", level: "warning", command: "npm run setup" },
    ],
    [
      "migration",
      () => database(async (DB) => void (await DB.prepare(FORGET_LAST_MIGRATION).run())),
      { name: "migrations", level: "failure", command: "npm run upgrade" },
    ],
    [
      "cron job",
      async () => void cloudflare.script("hoplink").crons.shift(),
      { name: "cron jobs", level: "failure", command: "npm run setup" },
    ],
    [
      "redirect to https",
      async () => void Object.assign(cloudflare.account.zones[0]?.settings ?? {}, { always_use_https: "off" }),
      {
        name: "plain HTTP",
        level: "warning",
        message: expect.stringContaining(`http://${HOST}/health is not redirected to https: turn on Always Use HTTPS`),
        command: null,
      },
    ],
    [
      "Browser Integrity Check",
      async () => void Object.assign(cloudflare.account.zones[0]?.settings ?? {}, { browser_check: "on" }),
      {
        name: "programs",
        level: "warning",
        message: expect.stringContaining("Browser Integrity Check blocks Python's urllib with error code: 1010"),
        command: null,
      },
    ],
    [
      "certificate",
      async () => void Object.assign(cloudflare.account.domains[0] ?? {}, { cert_id: "" }),
      {
        name: `host ${HOST}`,
        level: "failure",
        message: "Has no certificate",
        command: `npm run setup -- --domain ${HOST}`,
      },
    ],
  ])("names the command to run when only the %s is wrong", async (part, doBreak, wrong) => {
    const { account } = cloudflare;
    const state = structuredClone({ databases: account.databases, domains: account.domains, zones: account.zones });
    const { crons, versions } = cloudflare.script("hoplink");
    const [cronsBefore, bindings] = [[...crons], versions.at(-1)?.bindings ?? []];
    const migrations = part === "migration" ? await appliedMigrations() : [];

    await doBreak();
    const isFailure = wrong.level === "failure";
    expect(await doctor("--remote")).toEqual({
      code: isFailure ? 1 : 0,
      status: wrong.level,
      wrong: [{ message: expect.stringMatching(/./), ...wrong }],
    });

    Object.assign(account, state);
    cloudflare.script("hoplink").crons = cronsBefore;
    // Restarts workerd.
    if (versions.at(-1)?.bindings !== bindings) await changeBindings(() => bindings);
    for (const name of migrations) await database((DB) => DB.prepare(APPLY_MIGRATION).bind(name).run());
    // The next test fails if any of it is still wrong.
  });

  it("finds nothing wrong once all of them are repaired", async () => {
    expect(await doctor("--remote")).toEqual({ code: 0, status: "ok", wrong: [] });
    expect(await visitNewLink(cloudflare, URL)).toMatchObject({ status: 302 });
  });

  it("continues with a warning where the token may not read", async () => {
    cloudflare.api.denied = [/^GET \S+\/(schedules|domains)$/];
    const { code, status, wrong } = await doctor("--remote");
    cloudflare.api.denied = [];
    expect({ code, status }).toEqual({ code: 0, status: "warning" });
    expect(wrong.map(({ name, level }) => [name, level])).toEqual([
      ["cron jobs", "warning"],
      ["hosts", "warning"],
    ]);
  });
});

it("the command of the guide gives the bucket of the images a domain", { timeout: TIMEOUT_MS }, async () => {
  const [zone] = cloudflare.account.zones;
  const command = "npx wrangler r2 bucket domain add hoplink-qr --domain cdn.example.com --zone-id ZONE_ID";
  const { code, stdout, stderr } = await type(command, zone?.id);
  expect(code, stdout + stderr).toBe(0);
  expect(cloudflare.account.buckets).toMatchObject([
    { name: "hoplink-qr", domains: [{ domain: "cdn.example.com", enabled: true }] },
  ]);
});

describe("admin doctor --local", { timeout: TIMEOUT_MS }, () => {
  it("checks the development database, and neither creates nor migrates it", async () => {
    const folder = join(project.folder, "state");
    const local = ["--local", "--persist-to", folder, "--url", `http://127.0.0.1:${await freePort()}`];
    expect(await doctor(...local)).toMatchObject({ code: 1, wrong: [{ name: "database", command: "npm run dev" }] });
    expect(existsSync(folder)).toBe(false);

    await admin("account", "create", "--email", "you@example.com", "--persist-to", folder);
    const report = await doctor(...local);
    expect(report).toMatchObject({ code: 0, status: "warning", wrong: [{ name: "server", command: "npm run dev" }] });
    expect(report.wrong).toHaveLength(1);
  });
});

test("every command of the guides was run", () => {
  expect(examples.left).toEqual([]);
});
