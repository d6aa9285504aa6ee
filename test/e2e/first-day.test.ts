/** `npm run first-day` against a stand-in for Cloudflare: whole runs, Ctrl-C at random points, failing removals. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";

import type * as command from "../../src/cli/command.ts";
import type { Database } from "../support/cloudflare/account.ts";
import { CloudflareError } from "../support/cloudflare/api-request.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { newZone } from "../support/cloudflare/zones.ts";
import { copyBuiltProject } from "../support/project-copy.ts";
import { type CommandResult, importCopied, runScript } from "../support/setup-runs.ts";
import { randomInteger, seededRandom } from "../support/seeded-random.ts";
import { shortOrLong } from "../faults/suite-length.ts";

const TIMEOUT_MS = 600_000;
const QUICK = ["--skip-build", "--json", "--stream-minutes", "0.02", "--requests", "100"];
const BUCKET = "hoplink-first-day-qr";
const INTERRUPTIONS = shortOrLong(3, 10);
/** Approximate number of calls from a run's first change on, rounded up. */
const CALLS = 70;
const REFUSED = new CloudflareError(400, 10_001, "Not now");

const project = await copyBuiltProject();
let cloudflare: Cloudflare;

afterEach(() => cloudflare.stop());

afterAll(() => project.remove());

function run(...options: string[]): Promise<CommandResult> {
  return runScript(cloudflare, project.folder, "first-day", [...QUICK, ...options]);
}

/** Everything that an account has. */
function contents(): object {
  const { databases, buckets, namespaces, domains, scripts, zones } = cloudflare.account;
  const records = zones.flatMap((zone) => zone.records);
  return structuredClone({ databases, buckets, namespaces, domains, records, workers: [...scripts.keys()] });
}

/** The rows of each section of the report, or the reason why there are none. */
function readReport(): Record<string, string[][] | string> {
  const [, ...sections] = readFileSync(join(project.folder, "first-day.md"), "utf8").split("\n## ");
  const read = sections.map((section) => {
    const [title = "", , ...lines] = section.trim().split("\n");
    const rows = lines
      .slice(2)
      .map((line) => line.split(" | ").map((text) => text.replaceAll(/^\| | \|$/g, "").trim()));
    return [title, lines[0]?.startsWith("|") ? rows : lines.join("\n")] as const;
  });
  return Object.fromEntries(read);
}

async function makeDatabase(name: string, sql: string): Promise<Database> {
  const database = {
    uuid: crypto.randomUUID(),
    name,
    createdAt: "2026-11-01T09:00:00Z",
    region: "WEUR",
    readReplication: "auto",
  };
  cloudflare.account.databases.push(database);
  cloudflare.runtime.outdated();
  await cloudflare.runtime.database(database.uuid, (DB) => DB.exec(sql));
  return database;
}

describe("npm run first-day", { timeout: TIMEOUT_MS }, () => {
  it("measures every section, on its own host, and leaves only what existed before", async () => {
    cloudflare = await Cloudflare.start({ plan: "paid", zones: [newZone("example.com")] });
    await makeDatabase("hoplink", "CREATE TABLE accounts (id)");
    const before = contents();
    let stored: Promise<unknown> | undefined;
    cloudflare.api.onCall = (call) => {
      if (call === "POST /graphql")
        stored ??= cloudflare.runtime.bucket(BUCKET, (bucket) => bucket.put("a/b.png", "image"));
    };
    const { code, stdout, stderr } = await run("--domain", "go.example.com");
    await stored;
    expect(code, stderr).toBe(0);
    const report = readReport();
    const program = expect.stringMatching(/^(succeeded|not installed)$/);
    const result = expect.stringMatching(/^(agrees|)$/);
    const ms = expect.stringMatching(/^\d+\.\d ms$/);
    expect(report).toEqual({
      Deployment: [
        [expect.stringMatching(/^Migrations of \d{2,} statements$/), "applied by query", "applied by query", "agrees"],
        ["Workers plan", "Paid", "", ""],
        ["URL", "https://go.example.com", "", ""],
      ],
      Places: [
        ["Region of the database", "WEUR", "", ""],
        ["Region that served a query", "WEUR", "", ""],
        ["The primary serves queries without a session", "true", "true", "agrees"],
        ["Cloudflare location nearest to this machine", "AMS", "", ""],
      ],
      "Rows written": [
        ["Rows written to create a link", "3", "3", "agrees"],
        ["Rows written to change a link", "5", "5", "agrees"],
      ],
      Samples: ["curl", "Node", "Python"].map((name) => [name, program, expect.any(String), result]),
      Redirects: [
        ["Median time of 100 redirects, 20 at a time", ms, "", ""],
        ["99th percentile", ms, "", ""],
        ["Redirects per second", expect.stringMatching(/^\d+$/), "", ""],
        ["Failed redirects", "0", "0", "agrees"],
        ["Clicks counted", "100", "100", "agrees"],
      ],
      "Live stream": [
        ["Time until the stream of a revoked key ends", expect.stringMatching(/^\d\.\d s$/), "at most 10 s", "agrees"],
        ["Clicks received by the stream", "1", "1", "agrees"],
        ["Connections in 0.02 minutes", "1", "1", "agrees"],
      ],
      Usage: [
        ["Worker requests, including 102 redirects", expect.stringMatching(/^\d{3}$/), "", ""],
        ["Failed requests", "0", "0", "agrees"],
        ["CPU time per request, median", "0.8 ms", "at most 1.5 ms", "agrees"],
        ["CPU time per request, 99th percentile", "4.2 ms", "", ""],
        ["Rows written for clicks on 3 links", "8", expect.stringMatching(/^at most \d+$/), "agrees"],
        [
          expect.stringMatching(/^Requests to the objects of links, for 102 redirects and \d reads$/),
          "9",
          expect.stringMatching(/^at most 10\d$/),
          "agrees",
        ],
      ],
      Steps: expect.arrayContaining([["Redirects", expect.stringMatching(/^\d+\.\d s$/), "", ""]]),
    });
    const [guide = ""] = readFileSync("src/docs/platform.md", "utf8").split("cannot measure");
    const claimed = [...guide.matchAll(/^\|.*\]\([^)]+\) \| ([A-Z][a-z ]+) \|$/gm)].map(([, section]) => section);
    const compared = Object.entries(readReport()).filter(
      ([, rows]) => Array.isArray(rows) && rows.some((row) => row[2]),
    );
    expect(new Set(claimed)).toEqual(new Set(compared.map(([section]) => section)));
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toEqual({
      report: "first-day.md",
      measured: expect.any(Number),
      differing: 0,
      unmeasured: 0,
    });
    expect(contents()).toEqual(before);
    expect(cloudflare.api.calls).toContainEqual(expect.stringMatching(/^DELETE .*\/objects\/a\/b\.png$/));
  });

  it("reports what Workers' Free plan and the token do not let it measure, follows a broken stream, and continues", async () => {
    cloudflare = await Cloudflare.start();
    cloudflare.edge.streamsToBreak = 1;
    cloudflare.api.denied = [/^POST \/graphql/];
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    const report = readReport();
    expect(report["Deployment"]).toContainEqual(["Workers plan", expect.stringMatching(/^Free \(not /), "", ""]);
    expect(report["Usage"]).toMatch(/^Not measured: .*Authentication error/);
    expect(report["Live stream"]).toContainEqual(["Clicks received by the stream", "1", "1", "agrees"]);
    expect(report["Live stream"]).toContainEqual(["Connections in 0.02 minutes", "2", "1", "differs"]);
    expect(contents()).toMatchObject({ databases: [], buckets: [], namespaces: [], workers: [] });
  });

  it("removes everything it has created when Ctrl-C interrupts it, at any call", async () => {
    cloudflare = await Cloudflare.start({ plan: "paid", zones: [newZone("example.com")] });
    const before = contents();
    const seed = inject("propertySeed");
    const chance = seededRandom(seed);
    const path = "src/cli/command.ts";
    const module = await importCopied<typeof command>(project.folder, path);
    for (let i = 0; i < INTERRUPTIONS; i++) {
      const at = randomInteger(chance, CALLS);
      let count = -1;
      cloudflare.api.onCall = (call) => {
        // Before that call a signal ends the process, and nothing has been created.
        if (count >= 0 || /^POST \S+\/d1\/database$/.test(call)) count += 1;
        if (count === at) module.interrupt("SIGINT");
      };
      const { code, stderr } = await run("--domain", "go.example.com");
      expect(code, `call ${at}, PROPERTY_SEED=${seed}: ${stderr}`).toBe(count < at ? 0 : 130);
      expect(contents(), `call ${at}, PROPERTY_SEED=${seed}`).toEqual(before);
    }
  });

  it("lists the resources that it could not remove, and removes them with --remove, which can be repeated", async () => {
    cloudflare = await Cloudflare.start();
    const nothing = contents();
    const { api } = cloudflare;
    api.fail(/^PUT \S+\/scripts\/hoplink-first-day$/, REFUSED);
    api.fail(/^DELETE \S+\/kv\/namespaces\//, REFUSED);
    const failed = await run();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("KV namespace hoplink-first-day-visitor-salts: Cloudflare answered DELETE");
    expect(failed.stderr).toContain("database hoplink-first-day: marks the others");
    expect(failed.stderr).toContain("npm run first-day -- --remove --name first-day");
    expect(readReport()["Stopped early"]).toContain("Not now");
    expect(contents()).toMatchObject({ buckets: [], databases: [{}], namespaces: [{}] });

    expect((await run()).stderr).toContain("An earlier run left KV namespace hoplink-first-day-visitor-salts");
    api.fail(/^DELETE \S+\/d1\/database\//, REFUSED);
    const again = await run("--remove");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain("database hoplink-first-day: Cloudflare answered DELETE");
    for (let i = 0; i < 2; i++) expect((await run("--remove")).code).toBe(0);
    expect(contents()).toEqual(nothing);
  });

  it("refuses a name under which something exists that it did not create, and removes none of it", async () => {
    cloudflare = await Cloudflare.start();
    await makeDatabase("hoplink-first-day", "CREATE TABLE accounts (id)");
    cloudflare.account.namespaces.push({ id: "1", title: "hoplink-other-visitor-salts" });
    const before = contents();
    for (const name of ["first-day", "other"])
      for (const options of [[], ["--remove"]]) {
        const { code, stderr } = await run("--name", name, ...options);
        expect(code).toBe(1);
        expect(stderr).toContain("not marked as created by this command");
      }
    expect(contents()).toEqual(before);
  });
});
