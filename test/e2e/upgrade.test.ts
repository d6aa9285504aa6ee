/**
 * `npm run upgrade` and `npm run rollback` against a stand-in for Cloudflare: `/health` distinguishes the releases, and
 * each direction ends with following a link through the uploaded bundle.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { RollbackOutcome } from "../../src/cli/deployment/roll-back.ts";
import type { UpgradeOutcome } from "../../src/cli/deployment/upgrade.ts";
import { mainVersion } from "../../src/cli/deployment/versions.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { LINK_PASSWORD } from "../support/controlled-links.ts";
import { examplesRunBy } from "../support/examples.ts";
import { BUNDLE, copyBuiltProject, ENTRY, type ProjectCopy } from "../support/project-copy.ts";
import {
  BUILT_JSON,
  type CommandResult,
  outcomeOf,
  runScript,
  runSetup,
  runTyped,
  visitNewLink,
} from "../support/setup-runs.ts";

const URL = "https://hoplink.example.workers.dev";
/** Each step of a deployment runs wrangler and starts workerd again. */
const TIMEOUT_MS = 300_000;
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const FOLLOWED = { status: 302, location: "https://example.com/landing" };
const VISITS = 20;
const [{ code: UPGRADE } = { code: "" }] = examplesRunBy(import.meta.filename);
const MIGRATIONS = "src/store/operators/migrations.ts";
const INITIAL = '"0001_initial.sql"';
const [LATER, GONE] = ["0002_later.sql", "0002_gone.sql"];
const HEALTH = 'body:{status:"ok"';
const OBJECT_ANSWERED = '"An object answered"';
const BROKEN = '(()=>{throw new Error("broken")})()';

/** The checkout of the release that is deployed next. */
let project: ProjectCopy;
let cloudflare: Cloudflare;
/** The checkout at the start of each test. */
let release: ProjectCopy;
let installed: Cloudflare;

beforeAll(async () => {
  release = await copyBuiltProject();
  release.replace(BUNDLE, HEALTH, `${HEALTH},release:"old"`);
  installed = await Cloudflare.start({ plan: "paid" });
  outcomeOf(await runSetup(installed, release.folder, "--yes", "--var", "ABUSE_CONTACT:abuse@example.com"));
}, TIMEOUT_MS);

beforeEach(async () => {
  project = release.checkOut();
  cloudflare = await installed.copy();
});

afterEach(async () => {
  await cloudflare.stop();
  project.remove();
});

afterAll(async () => {
  await installed.stop();
  release.remove();
});

function run(command: "upgrade" | "rollback", ...options: string[]): Promise<CommandResult> {
  return runScript(cloudflare, project.folder, command, [
    ...(command === "upgrade" ? BUILT_JSON : ["--json"]),
    ...options,
  ]);
}

function done<T>({ code, stdout, stderr }: CommandResult): T {
  if (code !== 0) throw new Error(`ended with ${code}:\n${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T;
}

/** How many of a number of visits each release has served. */
async function releasesServing(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let i = 0; i < VISITS; i++) {
    const { release } = JSON.parse((await cloudflare.visit(`${URL}/health`)).body) as { release: string };
    counts[release] = (counts[release] ?? 0) + 1;
  }
  return counts;
}

function makeRelease(name: string): void {
  project.replace(BUNDLE, /release:"\w+"/, `release:"${name}"`);
}

/** Checks out a release with one more migration. */
function addMigration(name: string, sql: string): void {
  const before = project;
  project = before.checkOut();
  before.remove();
  for (const file of [BUNDLE, MIGRATIONS]) project.replace(file, INITIAL, `${INITIAL},"${name}"`);
  writeFileSync(join(project.folder, "migrations", name), sql);
}

async function appliedMigrations(): Promise<unknown[]> {
  const { results } = await cloudflare.runtime.database(cloudflare.account.databases[0]?.uuid ?? "", (DB) =>
    DB.prepare("SELECT name FROM d1_migrations ORDER BY id").all(),
  );
  return results.map(({ name }) => name);
}

/** From then on the release's objects answer its health check with an error. */
function breakObjects(): void {
  project.replace(BUNDLE, OBJECT_ANSWERED, BROKEN);
}

function repairObjects(): void {
  project.replace(BUNDLE, BROKEN, OBJECT_ANSWERED);
}

function deployments() {
  return cloudflare.script("hoplink").deployments.map(({ versions }) => versions);
}

function textOf(binding: string): unknown {
  const { versions, deployments: all } = cloudflare.script("hoplink");
  const id = mainVersion(all.at(-1) ?? { versions: [] });
  return versions.find((version) => version.id === id)?.bindings.find(({ name }) => name === binding)?.text;
}

describe("npm run upgrade", { timeout: TIMEOUT_MS }, () => {
  it("gives a tenth of the visitors the new version, then all, and npm run rollback the previous version; rolls back automatically when the new version fails its check", async () => {
    const secret = textOf("BETTER_AUTH_SECRET");
    const { short_url } = await visitNewLink(cloudflare, URL);
    const paused = await visitNewLink(cloudflare, URL, "live", undefined, { paused: true });
    const guarded = await visitNewLink(cloudflare, URL, "live", undefined, { password: LINK_PASSWORD });
    expect([paused.status, guarded.status]).toEqual([404, 401]);
    const [old] = cloudflare.script("hoplink").versions;
    cloudflare.script("hoplink").crons = ["17 3 * * *"];
    const { settings } = cloudflare.script("hoplink");
    const withAddresses = { enabled: true, logs: { enabled: true, invocation_logs: true } };
    settings.observability = withAddresses;
    makeRelease("new");
    // The API ends the second statement in its comment and rejects the rest, so that the file is imported.
    addMigration(
      LATER,
      "ALTER TABLE links ADD COLUMN later TEXT;\nCREATE INDEX later_links ON links (later) -- or; SELECT later FROM no_table\n;\n",
    );

    const held = done<UpgradeOutcome>(await runTyped(cloudflare, project.folder, UPGRADE, [...BUILT_JSON, "--hold"]));
    expect(held).toEqual({
      url: URL,
      version: cloudflare.script("hoplink").versions.at(-1)?.id,
      before: old?.id,
      percentage: 10,
      bookmark: expect.stringMatching(/^[\w-]{50,}$/),
      link: expect.stringMatching(/^https:\/\/hoplink\.example\.workers\.dev\/\w+$/),
    });
    expect(await releasesServing()).toEqual({ old: VISITS * 0.9, new: VISITS * 0.1 });
    expect(settings.observability).toEqual(withAddresses);
    expect(await appliedMigrations()).toEqual(["0001_initial.sql", LATER]);
    expect(cloudflare.api.calls).toContainEqual(expect.stringMatching(/^POST .*\/import$/));
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);

    expect(done<UpgradeOutcome>(await run("upgrade", "--continue"))).toMatchObject({
      version: held.version,
      before: old?.id,
      percentage: 100,
    });
    expect(await releasesServing()).toEqual({ new: VISITS });
    expect([textOf("BETTER_AUTH_SECRET"), textOf("ABUSE_CONTACT")]).toEqual([secret, "abuse@example.com"]);
    expect(cloudflare.script("hoplink").crons).toEqual(["* * * * *", "17 3 * * *"]);
    expect(settings.observability).toMatchObject({ redact_query_string: true, logs: { invocation_logs: false } });
    expect(await cloudflare.visit(short_url)).toMatchObject(FOLLOWED);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
    expect((await run("upgrade", "--continue")).stderr).toContain("No upgrade is in progress");

    const back = done<RollbackOutcome>(await run("rollback"));
    expect(back).toMatchObject({ url: URL, version: old?.id, before: held.version });
    expect(back.restore).toContain(`d1 time-travel restore hoplink --bookmark=${held.bookmark}`);
    expect(await releasesServing()).toEqual({ old: VISITS });
    expect(await cloudflare.visit(short_url)).toMatchObject(FOLLOWED);
    expect(await cloudflare.visit(paused.short_url)).toMatchObject({ status: 404, location: null });
    expect(await cloudflare.visit(guarded.short_url)).toMatchObject({ status: 401, location: null });
    const form = { method: "POST", headers: FORM, body: new URLSearchParams({ password: LINK_PASSWORD }).toString() };
    expect(await cloudflare.visit(guarded.short_url, form)).toMatchObject({ ...FOLLOWED, status: 303 });
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);

    const further = await run("rollback");
    expect(further).toMatchObject({ code: 1, stdout: "" });
    expect(further.stderr).toContain("No earlier version");
    done(await run("rollback", "--to", held.version.slice(0, 8)));
    expect(await releasesServing()).toEqual({ new: VISITS });

    makeRelease("broken");
    breakObjects();
    const failed = await run("upgrade");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("objects: broken");
    expect(failed.stderr).toContain("All visitors get the previous version again");
    expect(
      deployments()
        .map((shares) => shares.map(({ percentage }) => percentage))
        .slice(-3),
    ).toEqual([[100], [90, 10], [100]]);
    expect(await releasesServing()).toEqual({ new: VISITS });
    expect(await cloudflare.visit(short_url)).toMatchObject(FOLLOWED);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
  });

  it("gives all visitors the new version immediately on Workers' Free plan, and rolls back when its check fails; deploys new classes of objects to all visitors, does not roll back across them, and refuses destructive migrations", async () => {
    cloudflare.account.plan = "free";
    makeRelease("new");
    const held = await run("upgrade", "--hold");
    expect(done<UpgradeOutcome>(held)).toMatchObject({ url: URL, percentage: 100 });
    expect(held.stderr).toContain("--hold requires the Workers Paid plan");
    expect(await releasesServing()).toEqual({ new: VISITS });
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);

    makeRelease("broken");
    breakObjects();
    const failed = await run("upgrade");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("objects: broken");
    expect(deployments().map((shares) => shares.map(({ percentage }) => percentage))).toEqual(
      [100, 100, 100, 100, 100].map((share) => [share]),
    );
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);

    cloudflare.account.plan = "paid";
    makeRelease("later");
    repairObjects();
    project.replace(ENTRY, "AccountFeed", "AccountFeed, AccountFeed as Later");
    project.replace(
      "wrangler.toml",
      "# Rate limit namespaces",
      '[[migrations]]\ntag = "v9"\nnew_sqlite_classes = ["Later"]\n\n#',
    );
    const whole = await run("upgrade");
    expect(done<UpgradeOutcome>(whole)).toMatchObject({ url: URL, percentage: 100 });
    expect(whole.stderr).toContain("adds Durable Object classes");
    expect(await releasesServing()).toEqual({ later: VISITS });

    const back = await run("rollback");
    expect(back).toMatchObject({ code: 1, stdout: "" });
    expect(back.stderr).toContain("Durable Object migration v9");
    expect(await releasesServing()).toEqual({ later: VISITS });

    addMigration(GONE, "ALTER TABLE links DROP COLUMN title;");
    const count = deployments().length;
    const refused = await run("upgrade");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("ALTER TABLE links DROP COLUMN title");
    expect(deployments()).toHaveLength(count);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
  });
});
