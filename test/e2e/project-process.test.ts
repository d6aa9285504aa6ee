/**
 * Commands of the checkout as processes: the command lines of package.json, and those for a deployment in a terminal,
 * against a stand-in for Cloudflare: questions, Ctrl-C, and logging in. Other files call them in the test's process.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { Login } from "../support/cloudflare/login.ts";
import { newZone } from "../support/cloudflare/zones.ts";
import { eventually, pause } from "../support/eventually.ts";
import { examplesRunBy } from "../support/examples.ts";
import { BUNDLE, copyBuiltProject, type ProjectCopy } from "../support/project-copy.ts";
import { commandEnvironment, outcomeOf, runScript, runSetup, visitNewLink } from "../support/setup-runs.ts";
import { Terminal } from "../support/terminal.ts";

const TIMEOUT_MS = 600_000;
const SETUP = ["src/cli/deployment.ts", "setup", "--skip-build"];
const RECORD = { id: "1", type: "CNAME", name: "go.example.com", content: "old.example.net", proxied: false, ttl: 1 };

const ROOT = resolve(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** Scripts that end with a file of this project. */
const COMMANDS = Object.entries(scripts).flatMap(([name, script]): [string, string][] => {
  const [, file] = /(?:^|&& )node (\S+\.ts)$/.exec(script) ?? [];
  return file === undefined ? [] : [[name, file]];
});

let project: ProjectCopy;
let cloudflare: Cloudflare;
let terminal: Terminal | null = null;

beforeAll(async () => {
  project = await copyBuiltProject();
}, TIMEOUT_MS);

async function endTerminal(): Promise<void> {
  terminal?.kill();
  await cloudflare.stop();
  // The stored knowledge of installations.
  rmSync(join(project.folder, ".wrangler"), { recursive: true, force: true });
}

afterAll(() => project.remove());

/** @param without  variables that a person's environment does not have */
function setUpInTerminal(options: string[] = [], without: string[] = [], more: Record<string, string> = {}): Terminal {
  terminal = new Terminal(process.execPath, [...SETUP, ...options], project.folder, environmentOf(without, more));
  return terminal;
}

function environmentOf(without: string[], more: Record<string, string>): Record<string, string> {
  const all = Object.entries(commandEnvironment(cloudflare)).filter(([name]) => !["CI", ...without].includes(name));
  return { ...Object.fromEntries(all), ...more };
}

function secretFiles(): string[] {
  return readdirSync(cloudflare.temporaryFolder).filter((name) => name.startsWith("hoplink-deploy-"));
}

describe.each(COMMANDS)("npm run %s", (name, file) => {
  it("prints its usage with --help, and does nothing", async () => {
    const { code, stdout, stderr } = await run(file, "--help");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name}\\b`));
  });

  it("refuses an unknown option with 2", async () => {
    const { code, stdout, stderr } = await run(file, "--no-such-option");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/unknown option '--no-such-option'/i);
  });
});

async function run(file: string, option: string) {
  const child = spawn(process.execPath, [file, option], { cwd: ROOT });
  const code = new Promise<number | null>((done) => child.once("close", done));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

describe("npm run setup in a terminal", { timeout: TIMEOUT_MS }, () => {
  afterEach(endTerminal);

  it("prompts for the account, for a name and before it replaces records; a refusal or Ctrl-C changes nothing", async () => {
    const zone = { ...newZone("example.com"), records: [RECORD] };
    cloudflare = await Cloudflare.start({ subdomain: null, zones: [zone] });
    cloudflare.addAccount("Another");
    const start = () => setUpInTerminal(["--domain", "go.example.com"], ["CLOUDFLARE_ACCOUNT_ID"]);

    const first = start();
    await first.shows("1  Another");
    await first.shows("2  Example");
    await first.shows("Number: [1]");
    first.answer("3");
    await first.shows("Which account?");
    first.answer("2");
    await first.shows("A workers.dev subdomain for this account, for all its Workers: [hoplink-");
    first.answer("");
    await first.shows("go.example.com has a DNS record: CNAME old.example.net");
    await first.shows("(y/N)");
    first.answer("no");
    expect(await first.end()).toBe(3);
    await first.shows("Nothing was changed");
    expect(cloudflare.account.subdomain).toMatch(/^hoplink-\w{6}$/);

    for (const leave of [(left: Terminal) => left.pressCtrlC(), (left: Terminal) => left.pressCtrlD()]) {
      const left = start();
      await left.shows("Number: [1]");
      left.answer("2");
      await left.shows("(y/N)");
      leave(left);
      await left.shows("Interrupted: run the same command again.");
      expect(await left.end()).toBe(130);
    }
    expect(zone.records).toEqual([RECORD]);
    expect([cloudflare.account.databases, cloudflare.account.scripts.size]).toEqual([[], 0]);

    const last = start();
    await last.shows("Number: [1]");
    last.answer("2");
    await last.shows("(y/N)");
    last.answer("y");
    await last.shows("Where are most of your users?");
    last.answer("sam");
    await last.shows("Where are most of your users?");
    last.answer("oc");
    await last.shows("Hoplink is running at https://go.example.com");
    await last.shows("https://go.example.com/dashboard/setup#token=opr_");
    expect(await last.end()).toBe(0);
    expect(zone.records).toMatchObject([{ name: "go.example.com", meta: { origin_worker_id: "hoplink" } }]);
    expect(cloudflare.account.databases).toMatchObject([{ region: "OC" }]);
    expect(await visitNewLink(cloudflare, "https://go.example.com")).toMatchObject({ status: 302 });

    // From now on the account is known here and to wrangler, so setup does not prompt for it.
    const unnamed = { CLOUDFLARE_ACCOUNT_ID: "" };
    const created = ["account", "create", "--email", "you@example.com", "--remote"];
    for (const [script, args] of [
      ["rollback", ["--list"]],
      ["admin", created],
    ] as const) {
      const run = await runScript(cloudflare, project.folder, script, args, unnamed);
      expect(run, run.stdout + run.stderr).toMatchObject({ code: 0 });
    }
  });

  it("Ctrl-C while wrangler deploys ends setup and wrangler, removes the secret, and the next run repairs the deployment", async () => {
    cloudflare = await Cloudflare.start();
    cloudflare.api.fail(/^PUT \/accounts\/\w+\/workers\/scripts\/hoplink$/, "silent");
    const cut = setUpInTerminal();
    await cut.shows("Region: [nearest]");
    cut.answer("");
    await cut.shows("… Deployment");
    const uploads = () =>
      cloudflare.api.calls.filter((call) => /^PUT \S+\/workers\/scripts\/hoplink\b/.test(call)).length;
    await eventually(() => uploads() === 1, "wrangler uploads", TIMEOUT_MS);
    expect(secretFiles()).toHaveLength(1);
    cut.pressCtrlC();
    await cut.shows("Interrupted: run the same command again.");
    expect(await cut.end()).toBe(130);
    await eventually(() => cloudflare.api.abandoned === 1, "wrangler has ended");
    expect(secretFiles()).toEqual([]);

    const repaired = setUpInTerminal();
    await repaired.shows("Database hoplink: found");
    await repaired.shows("with a new session secret");
    expect(await repaired.end()).toBe(0);
    expect(cloudflare.account.databases).toHaveLength(1);
    expect(await visitNewLink(cloudflare, "https://hoplink.example.workers.dev")).toMatchObject({ status: 302 });
  });

  it("uses the login of the guides' command", async () => {
    cloudflare = await Cloudflare.start();
    const login = await Login.start(cloudflare.environment.CLOUDFLARE_API_TOKEN ?? "");
    try {
      const [{ code } = { code: "" }] = examplesRunBy(import.meta.filename);
      const environment = environmentOf(["CLOUDFLARE_API_TOKEN"], { ...login.environment, ...withoutBrowser() });
      terminal = new Terminal("bash", ["-c", code], project.folder, environment);
      await terminal.shows(login.pageUrl);
      await agree(terminal, login.pageUrl);
      await terminal.shows("Successfully logged in.");
      expect(await terminal.end()).toBe(0);
      terminal = new Terminal("bash", ["-c", "npx wrangler whoami"], project.folder, environment);
      await terminal.shows("Example");
      await terminal.end();
    } finally {
      login.stop();
    }
  });

  it("explains how to log in if it cannot prompt, and opens the browser if the user agrees", async () => {
    cloudflare = await Cloudflare.start();
    const guest = await runScript(cloudflare, project.folder, "setup", ["--skip-build"], { CLOUDFLARE_API_TOKEN: "" });
    expect(guest.code).toBe(3);
    expect(guest.stderr).toContain("run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN");

    const declined = setUpInTerminal([], ["CLOUDFLARE_API_TOKEN"]);
    await declined.shows("Open the browser now? (y/N)");
    declined.answer("");
    expect(await declined.end()).toBe(3);
    await declined.shows("run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN");

    const login = await Login.start(cloudflare.environment.CLOUDFLARE_API_TOKEN ?? "");
    try {
      const accepted = setUpInTerminal([], ["CLOUDFLARE_API_TOKEN"], { ...login.environment, ...withoutBrowser() });
      await accepted.shows("Open the browser now? (y/N)");
      accepted.answer("yes");
      await accepted.shows(login.pageUrl);
      await agree(accepted, login.pageUrl);
      await accepted.shows("Region: [nearest]");
      accepted.answer("");
      await accepted.shows("Hoplink is running at https://hoplink.example.workers.dev");
      expect(await accepted.end()).toBe(0);
    } finally {
      login.stop();
    }
    expect(await visitNewLink(cloudflare, "https://hoplink.example.workers.dev")).toMatchObject({ status: 302 });
  });
});

describe("npm run upgrade in a terminal", { timeout: TIMEOUT_MS }, () => {
  afterEach(endTerminal);

  it("returns all visitors to the previous version when Ctrl-C interrupts its check", async () => {
    cloudflare = await Cloudflare.start({ plan: "paid" });
    outcomeOf(await runSetup(cloudflare, project.folder, "--yes"));
    const { deployments, versions } = cloudflare.script("hoplink");
    const release = project.checkOut();
    try {
      // The version never appears in an answer, so that the command waits for it.
      release.replace(BUNDLE, /version:\w+\.env\.VERSION\.id/, 'version:"unknown"');
      terminal = new Terminal(
        process.execPath,
        ["src/cli/deployment.ts", "upgrade", "--skip-build"],
        release.folder,
        environmentOf([], {}),
      );
      await eventually(() => deployments.at(-1)?.versions.length === 2, "the new version has its share", TIMEOUT_MS);
      terminal.pressCtrlC();
      await terminal.shows(`All visitors get the previous version again (${versions[0]?.id})`);
      expect(await terminal.end()).toBe(1);
    } finally {
      release.remove();
    }
    expect(deployments.at(-1)?.versions).toMatchObject([{ version_id: versions[0]?.id, percentage: 100 }]);
    expect(await visitNewLink(cloudflare, "https://hoplink.example.workers.dev")).toMatchObject({ status: 302 });
  });
});

describe("npm run first-day in a terminal", { timeout: TIMEOUT_MS }, () => {
  afterEach(endTerminal);

  it("exits immediately when Ctrl-C is pressed again, and says what may be left", async () => {
    cloudflare = await Cloudflare.start();
    const upload = /^PUT \S+\/workers\/scripts\/hoplink-first-day(\?|$)/;
    cloudflare.api.fail(upload, "silent");
    const args = ["src/cli/deployment.ts", "first-day", "--skip-build"];
    terminal = new Terminal(process.execPath, args, project.folder, environmentOf([], {}));
    await terminal.shows("… Deployment");
    // Earlier, wrangler would not be started.
    await eventually(() => cloudflare.api.calls.some((call) => upload.test(call)), "wrangler uploads", TIMEOUT_MS);
    terminal.pressCtrlC();
    await terminal.shows("Interrupted: the current step ends");
    // Earlier, it would be the Ctrl-C that npm forwards.
    await pause(500);
    terminal.pressCtrlC();
    await terminal.shows("Exited immediately. These resources may exist: hoplink-first-day");
    expect(await terminal.end()).toBe(130);
    expect(cloudflare.account.databases).toHaveLength(1);

    expect(await runScript(cloudflare, project.folder, "first-day", ["--remove"])).toMatchObject({ code: 0 });
    const { databases, buckets, namespaces } = cloudflare.account;
    expect([databases, buckets, namespaces]).toEqual([[], [], []]);
  });
});

/** Environment in which programs that open a browser do nothing. */
function withoutBrowser(): Record<string, string> {
  const folder = join(project.folder, "programs");
  mkdirSync(folder, { recursive: true });
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}${delimiter}${process.env.PATH ?? ""}` };
}

/** Agrees as the person does in the browser, at the address that wrangler shows. */
async function agree({ output }: Terminal, pageUrl: string): Promise<void> {
  const address = output.slice(output.indexOf(pageUrl)).split(/\s/)[0] ?? "";
  const agreed = await fetch(address, { redirect: "manual" });
  const callback = agreed.headers.get("Location") ?? "";
  // wrangler may show the address before it listens.
  const isTold = () =>
    fetch(callback, { redirect: "manual" }).then(
      () => true,
      () => false,
    );
  await eventually(isTold, "wrangler takes the code");
}
