/** `npm run setup` against a stand-in for Cloudflare: each deployment ends with following a link through the upload. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from "vitest";

import { CloudflareApi } from "../../src/cli/cloudflare/api.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import type { Account, Binding } from "../support/cloudflare/account.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { newZone } from "../support/cloudflare/zones.ts";
import { ExamplesToTake } from "../support/examples.ts";
import { copyBuiltProject, copyProject, type ProjectCopy } from "../support/project-copy.ts";
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
/** Each setup starts wrangler twice, and workerd again. */
const TIMEOUT_MS = 600_000;
const ALWAYS_USE_HTTPS = "Always Use HTTPS in Cloudflare's dashboard (SSL/TLS, Edge Certificates)";
const FOLLOWED = { status: 302, location: "https://example.com/landing" };

/** An installation that can coexist with others in the project's folder. */
const FIRST = { DEPLOYMENT: "hoplink" };
const examples = new ExamplesToTake(import.meta.filename);

let project: ProjectCopy;
let cloudflare: Cloudflare;
/** An account with the first installation. */
let installed: Cloudflare;
let installation: CommandResult;

beforeAll(async () => {
  project = await copyBuiltProject();
  installed = await Cloudflare.start();
  installation = await runTyped(installed, project.folder, examples.take("npm run setup"), BUILT_JSON);
}, TIMEOUT_MS);

afterEach(() => cloudflare.stop());

afterAll(async () => {
  await installed.stop();
  project.remove();
});

async function start(state: Partial<Account> = {}): Promise<void> {
  cloudflare = await Cloudflare.start(state);
}

/** Starts from the first installation. */
async function startInstalled(state: Partial<Account> = {}): Promise<void> {
  outcomeOf(installation);
  cloudflare = await installed.copy(state);
}

function setup(...options: string[]) {
  return runSetup(cloudflare, project.folder, ...options);
}

/** Runs a setup command of a guide. */
function follow(command: string, ...more: string[]) {
  return type(command, [...BUILT_JSON, ...more]);
}

/** Runs a command of a guide. */
function type(command: string, options: readonly string[] = [], environment: Record<string, string> = {}) {
  return runTyped(cloudflare, project.folder, examples.take(command), options, environment);
}

function bindingsOf(name = "hoplink"): Binding[] {
  return cloudflare.script(name).versions.at(-1)?.bindings ?? [];
}

function textOf(binding: string): unknown {
  return bindingsOf().find(({ name }) => name === binding)?.text;
}

/** The Worker is bound to both databases. */
function expectBothBound(): void {
  const bound = bindingsOf().flatMap(({ type, name, id }) => (type === "d1" ? [[name, id]] : []));
  expect(bound).toEqual(cloudflare.account.databases.map(({ uuid }, i) => [i === 0 ? "DB" : "LINKS_1", uuid]));
}

/** Id of the KV namespace for the salts of visitors' hashes. */
function saltsOf(worker: string): unknown {
  return bindingsOf(worker).find(({ type }) => type === "kv_namespace")?.namespace_id;
}

describe("npm run setup", { timeout: TIMEOUT_MS }, () => {
  it("goes from an empty account to a followed link, and repairs existing resources without replacing any", async () => {
    await startInstalled();
    expect(installation.stderr).toContain("nearest to this machine: --region selects another");
    const first = outcomeOf(installation);
    expect(first).toEqual({
      url: URL,
      setup_url: expect.stringMatching(
        /^https:\/\/hoplink\.example\.workers\.dev\/dashboard\/setup#token=opr_[\w-]{43}$/,
      ),
      link: expect.stringMatching(/^https:\/\/hoplink\.example\.workers\.dev\/\w+$/),
    });
    const { short_url, ...visited } = await visitNewLink(cloudflare, URL);
    expect(visited).toEqual(FOLLOWED);
    expect(await cloudflare.visit(short_url.replace(URL, `${URL}/`)), "no zone normalizes it").toMatchObject({
      status: 404,
    });
    expect((await cloudflare.visit(first.link)).status).toBe(410);
    expect(cloudflare.account.databases).toMatchObject([{ name: "hoplink", readReplication: "auto" }]);
    expect(cloudflare.account.buckets).toMatchObject([{ name: "hoplink-qr", lifecycle: [{ id: "favicons" }] }]);
    expect(cloudflare.script("hoplink")).toMatchObject({ onWorkersDev: true, previews: false });
    const [namespace] = cloudflare.account.namespaces;
    expect(namespace?.title).toBe("hoplink-visitor-salts");
    expect(saltsOf("hoplink")).toBe(namespace?.id);

    const secret = textOf("BETTER_AUTH_SECRET");
    expect(String(secret).length).toBeGreaterThanOrEqual(32);
    await setVariable("SIGNUPS", "open");
    // Cloudflare lists them in pages, by title.
    const others = Array.from({ length: 100 }, (_, i) => ({ id: `${i}`, title: `another-${i}` }));
    cloudflare.account.namespaces.push(...others);
    const again = outcomeOf(await follow("npm run setup -- --var ABUSE_CONTACT:abuse@example.com"));
    expect(again).toMatchObject({ url: URL, setup_url: null });
    expect([textOf("BETTER_AUTH_SECRET"), textOf("SIGNUPS"), textOf("ABUSE_CONTACT")]).toEqual([
      secret,
      "open",
      "abuse@example.com",
    ]);
    expect(cloudflare.account.databases).toHaveLength(1);
    expect(cloudflare.account.namespaces).toEqual([namespace, ...others]);
    expect(saltsOf("hoplink")).toBe(namespace?.id);
    expect(cloudflare.account.buckets).toHaveLength(1);
    expect(cloudflare.account.buckets[0]?.lifecycle).toHaveLength(1);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
    expect(secretFiles()).toEqual([]);
  });

  it("prompts for a name under workers.dev, or chooses a free one; serves without R2, even if the account has it, until R2 is enabled; it then stays enabled", async () => {
    await start({ subdomain: null, hasR2: false });
    const refused = await setup();
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("--workers-dev NAME");
    expect(cloudflare.account).toMatchObject({ databases: [], buckets: [] });
    expect(await setup("--workers-dev", "taken")).toMatchObject({ code: 1 });

    const { url } = outcomeOf(await follow("npm run setup -- --yes --json"));
    expect(url).toBe(`https://hoplink.${cloudflare.account.subdomain}.workers.dev`);
    expect(cloudflare.account.subdomain).toMatch(/^hoplink-[a-z0-9]{6}$/);
    expect(bindingsOf().some(({ type }) => type === "r2_bucket")).toBe(false);
    expect(await visitNewLink(cloudflare, url)).toMatchObject(FOLLOWED);

    cloudflare.account.hasR2 = true;
    outcomeOf(await follow("npm run setup -- --no-r2", "--yes"));
    expect(cloudflare.account.buckets).toEqual([]);
    expect(bindingsOf().some(({ type }) => type === "r2_bucket")).toBe(false);
    expect(await visitNewLink(cloudflare, url)).toMatchObject(FOLLOWED);

    outcomeOf(await setup("--yes"));
    expect(bindingsOf().find(({ type }) => type === "r2_bucket")?.bucket_name).toBe("hoplink-qr");
    const withoutR2 = await setup("--yes", "--no-r2");
    expect(withoutR2).toMatchObject({ code: 1, stdout: "" });
    expect(withoutR2.stderr).toContain("stores images in the bucket hoplink-qr");
    expect(bindingsOf().find(({ type }) => type === "r2_bucket")?.bucket_name).toBe("hoplink-qr");
  });

  it("deploys a second installation next to the first, with its own database and rate limits", async () => {
    await startInstalled({ plan: "paid" });
    const { url } = outcomeOf(await follow("npm run setup -- --name staging"));
    expect(url).toBe("https://staging.example.workers.dev");
    expect(cloudflare.account.databases).toMatchObject([{ name: "hoplink" }, { name: "staging" }]);
    expect(cloudflare.account.buckets).toMatchObject([{ name: "hoplink-qr" }, { name: "staging-qr" }]);
    const titles = cloudflare.account.namespaces.map(({ title }) => title);
    expect(titles).toEqual(["hoplink-visitor-salts", "staging-visitor-salts"]);
    expect(cloudflare.script("staging").versions[0]?.limits).toEqual({ cpu_ms: 30_000 });
    const committed = readFileSync(join(project.folder, "wrangler.toml"), "utf8");
    const ids = bindingsOf("staging").flatMap(({ type, namespace_id }) =>
      type === "ratelimit" ? [String(namespace_id)] : [],
    );
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.filter((id) => committed.includes(`"${id}"`))).toEqual([]);
    expect(await visitNewLink(cloudflare, url, "live", "staging")).toMatchObject(FOLLOWED);
  });

  it("continues without permissions that are not essential; deploys staging, and lists its links, by its name", async () => {
    await start({ plan: "free" });
    cloudflare.api.denied = [
      /\/subscriptions/,
      /\/lifecycle/,
      /\/storage\/kv/,
      /^PATCH .*\/d1\//,
      /^GET \/accounts\/\w+$/,
    ];
    const result = await follow("npm run setup -- --name hoplink-staging", "--yes");
    const { url } = outcomeOf(result);
    expect(url).toBe("https://hoplink-staging.example.workers.dev");
    expect(result.stderr).toContain("reads are not served by replicas");
    expect(result.stderr).toContain("icons in the bucket do not expire");
    expect(result.stderr).toContain("unique visitors are not counted");
    expect(saltsOf("hoplink-staging")).toBeUndefined();
    expect(cloudflare.script("hoplink-staging").versions.at(-1)?.limits).toBeNull();
    expect(await visitNewLink(cloudflare, url)).toMatchObject({
      ...FOLLOWED,
      short_url: expect.stringMatching(/^https:/),
    });

    const versions = () => cloudflare.script("hoplink-staging").versions.length;
    const before = versions();
    const deployed = await type("DEPLOYMENT=hoplink-staging npm run deploy");
    expect(deployed, deployed.stdout + deployed.stderr).toMatchObject({ code: 0 });
    expect(versions()).toBeGreaterThan(before);
    await cloudflare.runtime.database(cloudflare.account.databases[0]?.uuid ?? "", (DB) =>
      createAccount({ DB }, "you@example.com", "free"),
    );
    const list = "DEPLOYMENT=hoplink-staging npm run admin -- link list --account you@example.com --remote";
    const { stdout, stderr } = await type(list, ["--json"]);
    expect(JSON.parse(stdout), stderr).toMatchObject({ data: [] });
  });

  it("creates, binds and migrates the databases that LINK_DATABASES names, and refuses a setting that loses links", async () => {
    await startInstalled();
    const jumped = await setup("--yes", "--var", 'LINK_DATABASES:{"DB":"0-511","LINKS_1":"512-1023"}');
    expect(jumped).toMatchObject({ code: 1, stdout: "" });
    expect(jumped.stderr).toContain('its links are in DB: move them, with "512 from DB". Nothing was changed.');
    expect(cloudflare.account.databases).toHaveLength(1);

    const moving = '{"DB":"0-511","LINKS_1":"512-1023 from DB"}';
    outcomeOf(await follow(`npm run setup -- --var 'LINK_DATABASES:${moving}'`, "--yes"));
    expect(cloudflare.account.databases).toMatchObject([
      { name: "hoplink", readReplication: "auto" },
      { name: "hoplink-links-1", readReplication: "auto" },
    ]);
    expectBothBound();
    expect(textOf("LINK_DATABASES")).toBe(moving);
    const made: string[] = [];
    for (let link = 0; link < 4; link++) {
      const { short_url, ...visit } = await visitNewLink(cloudflare, URL);
      expect(visit).toEqual(FOLLOWED);
      made.push(short_url);
    }

    const list = ["link", "list", "--account", "setup@hoplink.invalid", "--remote", "--json"];
    const listed = await runScript(cloudflare, project.folder, "admin", list, FIRST);
    expect(listed.stderr).toBe("");
    expect(JSON.parse(listed.stdout).data.length).toBeGreaterThanOrEqual(2);

    const move = "npm run admin -- link databases move --buckets 512-1023 --to LINKS_1 --remote";
    const { stdout, stderr } = await type(move, ["--json"], FIRST);
    const moved = '{"DB":"0-511","LINKS_1":"512-1023"}';
    expect(JSON.parse(stdout), stderr).toMatchObject({ next: `Deploy with LINK_DATABASES = ${moved}` });
    outcomeOf(await setup("--yes", "--var", `LINK_DATABASES:${moved}`));
    for (const shortUrl of made) expect(await cloudflare.visit(shortUrl)).toMatchObject(FOLLOWED);
  });

  it("restores a missing secret, and says so when the account has no cron triggers left", async () => {
    await startInstalled();
    const script = cloudflare.script("hoplink");
    for (const version of script.versions)
      version.bindings = version.bindings.filter(({ type }) => type !== "secret_text");
    cloudflare.runtime.outdated();
    expect(cloudflare.account.namespaces, "made by wrangler").toMatchObject([{ title: "hoplink-visitor-salts" }]);
    expect(saltsOf("hoplink")).toBe(cloudflare.account.namespaces[0]?.id);
    expect((await cloudflare.visit(`${URL}/dashboard`)).status).toBe(503);
    cloudflare.account.otherCrons = 4;
    const full = await setup("--yes");
    expect(full).toMatchObject({ code: 1, stdout: "" });
    expect(full.stderr).toContain("the Workers Free plan allows five per account");
    cloudflare.account.otherCrons = 3;
    outcomeOf(await setup("--yes"));
    expect(String(textOf("BETTER_AUTH_SECRET")).length).toBeGreaterThanOrEqual(32);
    expect((await cloudflare.visit(`${URL}/dashboard`)).status).toBe(200);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
  });

  it("creates data and objects where most users are; serves pages that the edge does not change; lists the records of a host and takes it over only on request; a later setup keeps the region, both databases and all domains", async () => {
    const zone = newZone("example.com");
    zone.records.push({
      id: "1",
      type: "CNAME",
      name: "go.example.com",
      content: "old.example.net",
      proxied: false,
      ttl: 1,
    });
    await start({ zones: [zone] });
    const refused = await follow("npm run setup -- --domain go.example.com");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("go.example.com has a DNS record: CNAME old.example.net");
    expect(refused.stderr).toContain("--override-dns");
    expect(cloudflare.account.scripts.size).toBe(0);
    expect(zone.records).toMatchObject([{ content: "old.example.net" }]);

    const setting = '{"DB":"0-511","LINKS_1":"512-1023"}';
    const domain = ["--domain", "go.example.com", "--override-dns"];
    const databases = ["--var", `LINK_DATABASES:${setting}`, "--var", "ABUSE_CONTACT:abuse@example.com"];
    const taking = await follow("npm run setup -- --region apac", "--yes", ...domain, ...databases);
    const { url } = outcomeOf(taking);
    const regions = () => [
      ...cloudflare.account.databases.map(({ region }) => region),
      ...cloudflare.account.buckets.map(({ location }) => location),
      textOf("REGION"),
    ];
    expect(regions()).toEqual(["APAC", "APAC", "APAC", "apac"]);
    expect(url).toBe("https://go.example.com");
    expect(taking.stderr).toContain(`! http://go.example.com is not redirected to https: turn on ${ALWAYS_USE_HTTPS}`);
    expect(zone.records).toMatchObject([{ name: "go.example.com", meta: { origin_worker_id: "hoplink" } }]);
    const live = await visitNewLink(cloudflare, url);
    expect(live).toMatchObject({ ...FOLLOWED, short_url: expect.stringMatching(/^https:\/\/go\.example\.com\/\w+$/) });
    const slug = live.short_url.slice(`${url}/`.length);
    for (const path of [`//${slug}`, `/a/../${slug}`, `/./a//%2e%2E//${slug}/`])
      expect(await cloudflare.visitPath("go.example.com", path), path).toEqual(FOLLOWED);
    for (const [path, text] of [
      ["/missing", "abuse@example.com"],
      ["/docs/deploy", "abuse@example.com"],
      ["/dashboard", "<title>"],
    ] as const) {
      const { headers, body } = await cloudflare.visit(url + path, { headers: { Accept: "text/html" } });
      expect([headers.get("Content-Type"), headers.get("Content-Encoding")]).toEqual([
        "text/html; charset=utf-8",
        null,
      ]);
      expect(body.includes(text) && !body.includes("/cdn-cgi/"), path).toBe(true);
    }
    const test = await visitNewLink(cloudflare, url, "test");
    expect(test).toMatchObject({
      ...FOLLOWED,
      short_url: expect.stringMatching(/^https:\/\/go\.example\.com\/t\/\w+$/),
    });

    const other = { zone_id: zone.id, zone_name: zone.name, environment: "production", cert_id: "1" };
    cloudflare.account.domains.push({ ...other, id: "2", hostname: "try.example.com", service: "other" });
    cloudflare.account.domains.push({ ...other, id: "3", hostname: "old.example.com", service: "hoplink" });
    const both = "npm run setup -- --domain go.example.com --test-domain try.example.com";
    const taken = await follow(both);
    expect(taken).toMatchObject({ code: 3, stdout: "" });
    expect(taken.stderr).toContain("try.example.com belongs to the Worker other");
    cloudflare.api.denied = [/\/settings\/always_use_https$/];
    const unread = await follow(both, "--override-dns");
    outcomeOf(unread);
    expect(unread.stderr).toContain("! Could not check whether http://go.example.com is redirected to https: ");
    const owners = () => cloudflare.account.domains.map(({ hostname, service }) => `${hostname} ${service}`).sort();
    const own = ["go.example.com hoplink", "old.example.com hoplink", "try.example.com hoplink"];
    expect(owners()).toEqual(own);
    expect((await visitNewLink(cloudflare, url, "test")).short_url).toMatch(/^https:\/\/try\.example\.com\/\w+$/);
    cloudflare.api.denied = [];
    zone.settings.always_use_https = "on";
    const again = await setup("--yes", "--region", "weur");
    expect(outcomeOf(again).url).toBe(url);
    expect(again.stderr).not.toContain("redirected to https");
    expect(again.stderr).toContain("hoplink is in apac, and databases cannot be moved: --region weur has no effect");
    expect(regions()).toEqual(["APAC", "APAC", "APAC", "apac"]);
    expectBothBound();
    expect([textOf("LINK_DATABASES"), owners()]).toEqual([setting, own]);
  });

  it.each([
    ["an unknown option", ["--domains", "go.example.com"], 2, "Usage: npm run setup"],
    ["a host that is an address", ["--domain", "https://go.example.com"], 2, "without https://"],
    ["a variable without a name", ["--var", "open"], 2, "It must have the form NAME:VALUE"],
    ["test links on a host without live links", ["--test-domain", "try.example.com"], 2, "--domain"],
    ["a region that databases do not have", ["--region", "sam"], 2, "choices are wnam, enam, weur, eeur, apac, oc"],
    ["a host in no zone of the account", ["--yes", "--domain", "go.example.com"], 1, "No zone of the account contains"],
  ])("refuses %s and says what to do", async (_, options, code, text) => {
    await start();
    const result = await setup(...options);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toContain(text);
    expect(cloudflare.account.databases).toEqual([]);
  });

  it("says what to do about a token that is wrong, and never prints it", async () => {
    await start();
    const token = "a-token-that-is-not-known-to-anybody-here";
    const environment = { CLOUDFLARE_API_TOKEN: token };
    const result = await runScript(cloudflare, project.folder, "setup", ["--yes"], environment);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("npx wrangler login");
    expect(result.stdout + result.stderr).not.toContain(token);
  });
});

describe("the deploy button", { timeout: TIMEOUT_MS }, () => {
  it("deploys from a copy of the repository with other names and ids, says that the secret is missing, and ends at the page that creates the first account", async () => {
    await start();
    const [database, bucket] = await makeResources("my-links", "my-codes");
    const repository = copyProject();
    try {
      repository.replace(
        "wrangler.toml",
        'database_name = "hoplink"',
        `database_name = "my-links"\ndatabase_id = "${database}"`,
      );
      repository.replace("wrangler.toml", 'bucket_name = "hoplink-qr"', `bucket_name = "${bucket}"`);
      const { scripts } = JSON.parse(readFileSync(join(repository.folder, "package.json"), "utf8"));
      expect([scripts.deploy, scripts.build]).toEqual([
        "npm run build && node src/cli/deploy.ts",
        "node src/cli/build.ts",
      ]);
      for (const script of ["build", "deploy"] as const) {
        const run = await runScript(cloudflare, repository.folder, script, []);
        expect(run, run.stdout + run.stderr).toMatchObject({ code: 0 });
      }
    } finally {
      repository.remove();
    }
    expect((await cloudflare.visit(`${URL}/dashboard`)).status).toBe(503);
    expect((await cloudflare.visit(`${URL}/ready`)).body).toContain("BETTER_AUTH_SECRET");

    const token = "chosen-by-the-deployer";
    for (const [name, text] of [
      ["BETTER_AUTH_SECRET", crypto.randomUUID()],
      ["FIRST_ACCOUNT_TOKEN", token],
    ] as const) {
      await callApi("PUT", "/workers/scripts/hoplink/secrets", { name, text, type: "secret_text" });
    }
    expect(await cloudflare.visit(URL)).toMatchObject({ status: 302, location: "/dashboard/setup" });
    expect((await cloudflare.visit(`${URL}/dashboard/setup`)).status).toBe(200);
    const create = async (sent: string) => {
      const account = { token: sent, email: "deployer@example.com", name: "", password: "a password of the deployer" };
      const headers = { Origin: URL, "Content-Type": "application/json" };
      const body = JSON.stringify(account);
      return (await cloudflare.visit(`${URL}/dashboard/api/setup`, { method: "POST", headers, body })).status;
    };
    expect([await create("chosen by someone else"), await create(token), await create(token)]).toEqual([403, 204, 409]);
    expect(await cloudflare.visit(URL)).toMatchObject({ status: 302, location: "/dashboard" });
    expect((await cloudflare.visit(`${URL}/dashboard`)).status).toBe(200);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
  });
});

describe("the deploy button without R2", { timeout: TIMEOUT_MS }, () => {
  it("deploys a copy without the lines that the guide names, and asks for no bucket", async () => {
    await start({ hasR2: false });
    const repository = await copyBuiltProject();
    try {
      const guide = readFileSync(join(repository.folder, "src/docs/deploy.md"), "utf8");
      const lines = ["[[r2_buckets]]", 'binding = "QR_IMAGES"', 'bucket_name = "hoplink-qr"'];
      for (const line of lines) expect(guide).toContain(`\`${line}\``);
      repository.replace("wrangler.toml", lines.join("\n"), "");
      const { uuid } = await callApi<{ uuid: string }>("POST", "/d1/database", { name: "hoplink" });
      const database = 'database_name = "hoplink"';
      repository.replace("wrangler.toml", database, `${database}\ndatabase_id = "${uuid}"`);
      const run = await runScript(cloudflare, repository.folder, "deploy", []);
      expect(run, run.stdout + run.stderr).toMatchObject({ code: 0 });
    } finally {
      repository.remove();
    }
    const secret = { name: "BETTER_AUTH_SECRET", text: crypto.randomUUID(), type: "secret_text" };
    await callApi("PUT", "/workers/scripts/hoplink/secrets", secret);
    expect(await visitNewLink(cloudflare, URL)).toMatchObject(FOLLOWED);
    const names = cloudflare
      .script("hoplink")
      .versions.at(-1)
      ?.bindings.map(({ name }) => name);
    expect(names).toContain("IMAGE_OBJECTS");
    expect(names).not.toContain("QR_IMAGES");
  });
});

test("every command of the guides was followed", () => {
  expect(examples.left).toEqual([]);
});

/** Creates what Cloudflare creates before it deploys a repository. @returns the database's id and the bucket's name */
async function makeResources(database: string, bucket: string): Promise<[string, string]> {
  const { uuid } = await callApi<{ uuid: string }>("POST", "/d1/database", { name: database });
  return [uuid, (await callApi<{ name: string }>("POST", "/r2/buckets", { name: bucket })).name];
}

function callApi<T>(method: "POST" | "PUT", path: string, body: object): Promise<T> {
  const { CLOUDFLARE_API_TOKEN = "", CLOUDFLARE_API_BASE_URL } = cloudflare.environment;
  const api = new CloudflareApi(CLOUDFLARE_API_TOKEN, CLOUDFLARE_API_BASE_URL);
  return api.send(method, `/accounts/${cloudflare.account.id}${path}`, body);
}

/** Deploys a version with another variable, as Cloudflare's dashboard does. */
async function setVariable(name: string, text: string): Promise<void> {
  const script = cloudflare.script("hoplink");
  const before = script.versions.at(-1);
  if (!before) throw new Error("no version");
  const bindings = [...before.bindings.filter((one) => one.name !== name), { name, type: "plain_text", text }];
  const version = { ...before, id: crypto.randomUUID(), number: before.number + 1, bindings };
  script.versions.push(version);
  script.deployments.push({
    id: crypto.randomUUID(),
    createdOn: new Date().toISOString(),
    versions: [{ version_id: version.id, percentage: 100 }],
    annotations: {},
  });
  cloudflare.runtime.outdated();
}

/** Folders for a secret, which are removed when the command ends. */
function secretFiles(): string[] {
  return readdirSync(cloudflare.temporaryFolder).filter((name) => name.startsWith("hoplink-deploy-"));
}
