/** `admin doctor` against a stand-in for Cloudflare: a sound deployment, then one that is broken part by part. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Check } from "../../src/cli/deployment/checks.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { newZone } from "../support/cloudflare/zones.ts";
import { copyProject, type ProjectCopy } from "../support/project-copy.ts";
import { outcomeOf, runCommand, runSetup, visitNewLink } from "../support/setup-runs.ts";

const HOST = "go.example.com";
const URL = `https://${HOST}`;
const TIMEOUT_MS = 300_000;
const LAST_MIGRATION = "SELECT max(name) FROM d1_migrations";
/** Nothing listens there. */
const NO_SERVER = "http://127.0.0.1:9";

interface Report {
  status: string;
  checks: Check[];
}

let project: ProjectCopy;
let cloudflare: Cloudflare;

beforeAll(async () => {
  project = copyProject();
  cloudflare = await Cloudflare.start({ plan: "paid", zones: [newZone("example.com")] });
  outcomeOf(await runSetup(cloudflare, project.folder, "--yes", "--domain", HOST));
  await visitNewLink(cloudflare, URL);
}, TIMEOUT_MS);

afterAll(async () => {
  await cloudflare.stop();
  project.remove();
});

function admin(...options: string[]) {
  return runCommand(cloudflare, project.folder, process.execPath, ["src/cli/admin.ts", ...options]);
}

/** @returns what is not ok */
async function doctor(...options: string[]): Promise<{ code: number | null; status: string; wrong: Check[] }> {
  const { code, stdout, stderr } = await admin("doctor", "--json", ...options);
  if (stdout === "") throw new Error(`ended with ${code}: ${stderr}`);
  const { status, checks } = JSON.parse(stdout) as Report;
  return { code, status, wrong: checks.filter(({ level }) => level !== "ok") };
}

function database<T>(work: (DB: D1Database) => Promise<T>): Promise<T> {
  return cloudflare.runtime.database(cloudflare.account.databases[0]?.uuid ?? "", work);
}

describe("admin doctor --remote", { timeout: TIMEOUT_MS }, () => {
  it("finds nothing wrong with a sound deployment, in lines for people", async () => {
    const { code, stdout } = await admin("doctor", "--remote");
    expect(stdout.split("\n").filter((line) => line !== "" && !line.startsWith("✓ "))).toEqual([]);
    expect(stdout).toContain(`✓ host ${HOST}: Leads to the Worker, with a certificate`);
    expect(stdout).toContain("✓ health: All 6 parts work");
    expect(code).toBe(0);
  });

  it("names what to run for each part that is broken", async () => {
    const script = cloudflare.script("hoplink");
    const [version, [stored], [domain]] = [
      script.versions.at(-1),
      cloudflare.account.databases,
      cloudflare.account.domains,
    ];
    if (!version || !stored || !domain) throw new Error("nothing is deployed");
    const { bindings } = version;
    const certificate = domain.cert_id;
    const last = await database((DB) => DB.prepare(LAST_MIGRATION).first<string>("max(name)"));

    version.bindings = bindings.filter(({ name }) => name !== "BETTER_AUTH_SECRET");
    script.crons = ["17 3 * * *"];
    stored.readReplication = "disabled";
    domain.cert_id = "";
    cloudflare.runtime.outdated();
    await database((DB) => DB.prepare(`DELETE FROM d1_migrations WHERE name = ?1`).bind(last).run());

    expect(await doctor("--remote")).toEqual({
      code: 1,
      status: "failure",
      wrong: [
        {
          name: "settings",
          level: "failure",
          message: expect.stringContaining("BETTER_AUTH_SECRET is not set"),
          command: "openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET --name hoplink",
        },
        { name: "migrations", level: "failure", message: `The database lacks ${last}`, command: "npm run upgrade" },
        { name: "replication", level: "warning", message: expect.stringContaining("is off"), command: "npm run setup" },
        {
          name: "cron jobs",
          level: "failure",
          message: expect.stringContaining("* * * * *"),
          command: "npm run setup",
        },
        {
          name: `host ${HOST}`,
          level: "failure",
          message: "Has no certificate",
          command: `npm run setup -- --domain ${HOST}`,
        },
      ],
    });

    version.bindings = bindings;
    domain.cert_id = certificate;
    await database((DB) => DB.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(last).run());
    cloudflare.runtime.outdated();
    // The commands that were named.
    outcomeOf(await runSetup(cloudflare, project.folder, "--yes"));
    expect(await doctor("--remote")).toEqual({ code: 0, status: "ok", wrong: [] });
    expect(await visitNewLink(cloudflare, URL)).toMatchObject({ status: 302 });
  });

  it("goes on where the token may not read, with a warning", async () => {
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

describe("admin doctor --local", { timeout: TIMEOUT_MS }, () => {
  it("looks at the development database, and neither makes nor migrates it", async () => {
    const folder = join(project.folder, "state");
    const local = ["--local", "--persist-to", folder, "--url", NO_SERVER];
    expect(await doctor(...local)).toMatchObject({ code: 1, wrong: [{ name: "database", command: "npm run dev" }] });
    expect(existsSync(folder)).toBe(false);

    await admin("account", "create", "--email", "you@example.com", "--persist-to", folder);
    const report = await doctor(...local);
    expect(report).toMatchObject({ code: 0, status: "warning", wrong: [{ name: "server", command: "npm run dev" }] });
    expect(report.wrong).toHaveLength(1);
  });
});
