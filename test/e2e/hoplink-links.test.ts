/** The command `hoplink`: signing in, links and domains. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { DevServer } from "../support/dev-server.ts";
import { HoplinkCommand } from "../support/hoplink-command.ts";
import { RED_PNG } from "../support/sample-images.ts";
import { json, ScriptedServer } from "../support/scripted-server.ts";
import { scopedKey } from "../support/scoped-key.ts";
import { sharedServer } from "../support/shared-server.ts";

let server: DevServer;
let hoplink: HoplinkCommand;
let key: string;

beforeAll(async () => {
  server = await sharedServer();
  hoplink = await HoplinkCommand.build();
  key = server.accounts.Premium.live;
  hoplink.environment = { HOPLINK_URL: server.base, HOPLINK_API_KEY: key };
});

afterAll(() => hoplink.remove());

/** Signed in by a profile alone. */
const WITHOUT_KEY = { HOPLINK_URL: undefined, HOPLINK_API_KEY: undefined };

async function logIn(profile: string, loginKey = key): Promise<void> {
  const args = ["login", "--url", server.base, "--key-stdin", "--profile", profile];
  const { code, stderr } = await hoplink.run(args, { input: `${loginKey}\n`, env: WITHOUT_KEY });
  expect(code, stderr).toBe(0);
}

function file(name: string, content: unknown): string {
  const path = join(hoplink.folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

test("17 an import of clicks is undone with as many requests as it takes", async () => {
  const scripted = await ScriptedServer.start();
  const undone = (remaining: number) => json(200, { object: "import", id: "imp_1", remaining });
  scripted.willReply(undone(7), undone(3), undone(0));
  const { code, stdout } = await hoplink.run(["imports", "delete", "imp_1"], { env: { HOPLINK_URL: scripted.base } });
  scripted.stop();
  expect([code, stdout]).toEqual([0, "The clicks of imp_1 are removed. Its links stay.\n"]);
  expect(scripted.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
    Array(3).fill("DELETE /v1/imports/imp_1"),
  );
});

test("several profiles coexist, and are deleted one by one", async () => {
  await logIn("default");
  await logIn("trial", server.accounts.Premium.test);
  const run = (...args: string[]) => hoplink.run(args, { env: WITHOUT_KEY });
  expect(JSON.parse((await run("whoami", "--json", "--profile", "trial")).stdout)).toMatchObject({ mode: "test" });
  const listed = await hoplink.run(["profiles"], { env: { ...WITHOUT_KEY, HOPLINK_PROFILE: "trial" } });
  expect(listed.stdout).toMatch(/^ +PROFILE +ADDRESS\n +default +http.*\n\* +trial +http/);
  expect(listed.stdout).not.toContain("svc_");
  expect((await run("logout", "--profile", "trial")).code).toBe(0);
  expect(await run("whoami", "--profile", "trial")).toEqual({
    code: 3,
    stdout: "",
    stderr: "You are not signed in (profile trial)\nTo sign in, run: hoplink login --profile trial\n",
  });
  expect((await run("logout", "--profile", "trial")).code).toBe(3);
});

test("a stored key is sent to its own service only", async () => {
  await logIn("default");
  const elsewhere = await hoplink.run(["whoami"], {
    env: { HOPLINK_URL: "https://evil.example", HOPLINK_API_KEY: undefined },
  });
  expect(elsewhere).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("HOPLINK_URL differs from the address"),
  });
});

test("an invalid key is not kept", async () => {
  const args = ["login", "--url", server.base, "--key-stdin", "--profile", "wrong"];
  const { code, stderr } = await hoplink.run(args, { input: "svc_live_wrong", env: WITHOUT_KEY });
  expect([code, stderr]).toEqual([3, expect.stringContaining("hoplink login")]);
  expect((await hoplink.run(["whoami", "--profile", "wrong"], { env: WITHOUT_KEY })).code).toBe(3);
});

test("a link is created, found by id, slug and short URL, changed, cleared and deleted", async () => {
  const rules = file("rules.json", [{ if: { country: "DE" }, to: "https://example.com/de" }]);
  const options = [
    "--slug",
    "cli-one",
    "--title",
    "One",
    "--tag",
    "a",
    "--tag",
    "b",
    "--routing",
    rules,
    "--expires-at",
    "7d",
    "--social-title",
    "Card",
    "--alias",
    "cli-alias",
    "--alias",
    `${new URL(server.base).host}/cli/alias`,
  ];
  const link = await hoplink.json(
    "links",
    "create",
    "https://example.com/",
    ...options,
    "--forward-query",
    "--forward-path",
    "--noindex",
    "--paused",
    "--archived",
    "--redirect-status",
    "301",
  );
  expect(link).toMatchObject({
    slug: "cli-one",
    title: "One",
    tags: ["a", "b"],
    routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
    forward_query: true,
    forward_path: true,
    noindex: true,
    paused: true,
    archived: true,
    redirect_status: 301,
    social: { title: "Card" },
    aliases: [{ slug: "cli-alias" }, { slug: "cli/alias" }],
    revision: expect.any(Number),
  });
  for (const name of [link.id, "cli-one", link.short_url, "cli-alias"]) {
    expect(await hoplink.json("links", "get", name)).toEqual(link);
  }
  expect(await hoplink.print("links", "list", "--search", "cli-one", "--json")).toBe("");
  expect(await hoplink.print("links", "list", "--archived", "--status", "paused")).toContain("/cli-one");
  const unicode = await hoplink.json("links", "create", "https://example.com/", "--slug", "cli.1/Größe");
  for (const name of ["cli.1/GRÖSSE", unicode.short_url, `${link.domain}/cli.1/größe`]) {
    expect(await hoplink.json("links", "get", name)).toEqual(unicode);
  }
  expect(await hoplink.print("links", "get", "cli-one")).toContain(`/cli-alias, ${link.aliases[1].short_url}`);
  const clear = ["--clear", "tags", "aliases", "expires_at", "routing"];
  const changed = await hoplink.json(
    "links",
    "update",
    "cli-one",
    "--title",
    "Two",
    "--no-forward-query",
    "--no-noindex",
    "--no-paused",
    "--no-archived",
    "--redirect-status",
    "302",
    ...clear,
    "--social-description",
    "Text",
  );
  const social = { title: "Card", description: "Text" };
  expect(changed).toMatchObject({ title: "Two", routing: [], expires_at: null, social });
  expect(changed).not.toHaveProperty("tags");
  expect(changed).not.toHaveProperty("aliases");
  expect(changed).not.toHaveProperty("forward_query");
  for (const member of ["noindex", "paused", "archived"]) expect(changed).not.toHaveProperty(member);
  expect(changed).not.toHaveProperty("redirect_status");
  const image = join(hoplink.folder, "card.png");
  writeFileSync(image, RED_PNG);
  const uploaded = await hoplink.json("links", "upload-image", "cli-one", image);
  expect(uploaded.social).toEqual({ ...social, image: expect.stringMatching(/\/cdn\/img_\w+\.png$/) });
  expect(await hoplink.print("links", "delete", "cli-one", "--yes")).toBe(`Deleted ${link.short_url}.\n`);
  expect(await hoplink.run(["links", "get", "cli-one"])).toMatchObject({ code: 4, stdout: "" });
  expect(await hoplink.run(["links", "get", link.id])).toMatchObject({ code: 4, stdout: "" });
});

test("a domain is found by its name or ID, changed and cleared", async () => {
  const domain = "cli.hoplink-domains.example";
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  await fetch(`${server.base}/v1/domains`, { method: "POST", headers, body: JSON.stringify({ domain }) });
  const well_known = { "assetlinks.json": [], "apple-app-site-association": { applinks: {} } };
  const urls = [
    "--root-url",
    "example.com/",
    "--not-found-url",
    "example.com/none",
    "--expired-url",
    "example.com/over",
  ];
  const options = [...urls, "--case-sensitive", "--no-peek", "--well-known", file("apps.json", well_known)];
  const set = await hoplink.json("domains", "update", domain.toUpperCase(), ...options);
  expect(set).toMatchObject({
    domain,
    root_url: "https://example.com/",
    not_found_url: "https://example.com/none",
    expired_url: "https://example.com/over",
    case_sensitive: true,
    peek: false,
    well_known,
  });
  expect(await hoplink.print("domains", "get", set.id)).toMatch(
    / expired +https:\/\/example.com\/over\n +slugs +case-sensitive\n +peek +off\n/,
  );
  expect(await hoplink.print("domains", "list")).toMatch(
    /^DOMAIN +STATUS +CREATED\ncli\.hoplink-domains\.example +pending /,
  );
  const clear = ["--clear", "root_url", "not_found_url", "expired_url", "well_known"];
  const cleared = await hoplink.json("domains", "update", set.id, "--peek", "--no-case-sensitive", ...clear);
  expect(cleared).toMatchObject({ root_url: null, not_found_url: null, expired_url: null });
  for (const member of ["case_sensitive", "peek", "well_known"]) expect(cleared).not.toHaveProperty(member);
  expect(await hoplink.run(["domains", "get", "none.example"])).toMatchObject({ code: 4, stdout: "" });
  expect(await hoplink.run(["domains", "update", set.id])).toMatchObject({ code: 2, stdout: "" });
});

test("a conflicting change by someone else ends with 5, as does a slug that is taken", async () => {
  const { id, revision } = await hoplink.json("links", "create", "https://example.com/", "--slug", "cli-conflict");
  const update = ["links", "update", id, "--title", "x", "--if-revision", String(revision)];
  expect((await hoplink.run(update)).code).toBe(0);
  expect(await hoplink.run(update)).toMatchObject({ code: 5, stderr: expect.stringContaining("hoplink links get") });
  const again = await hoplink.run(["links", "create", "https://example.com/", "--slug", "cli-conflict"]);
  expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining("Choose another slug.") });
});

test("list fetches all pages, and prints a table or a line of JSON for each link", async () => {
  const lines = Array.from({ length: 103 }, (_, i) => `{"url":"https://example.com/${i}","tags":["many"]}`);
  for (let i = 0; i < 2; i++) {
    const links = lines.slice(i * 100, i * 100 + 100).join(",");
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const made = await fetch(`${server.base}/v1/links/bulk`, { method: "POST", headers, body: `{"links":[${links}]}` });
    expect(made.status).toBe(200);
  }
  const all = (await hoplink.print("links", "list", "--tag", "many", "--limit", "101", "--json")).trim().split("\n");
  expect(all.map((line) => JSON.parse(line).url)).toEqual(
    Array.from({ length: 101 }, (_, i) => `https://example.com/${102 - i}`),
  );
  const some = await hoplink.run(["links", "list", "--tag", "many", "--limit", "2"]);
  expect(some.stdout.split("\n")).toEqual([
    expect.stringMatching(/^SHORT URL +DESTINATION +TITLE +TAGS +CREATED$/),
    expect.stringContaining("https://example.com/102"),
    expect.stringContaining("https://example.com/101"),
    "",
  ]);
  expect(some.stderr).toContain("There are more links.");
  expect((await hoplink.run(["links", "list", "--tag", "many", "--all"])).stdout.trim().split("\n")).toHaveLength(104);
  expect(await hoplink.run(["links", "list", "--tag", "none"])).toEqual({
    code: 0,
    stdout: "",
    stderr: "No links found. To create one, run: hoplink links create URL\n",
  });
});

test("control sequences that a terminal would obey are made visible", async () => {
  const { id } = await hoplink.json("links", "create", "https://example.com/?\u202eevil", "--title", "a\u2066b");
  const { stdout } = await hoplink.run(["links", "get", id]);
  expect(stdout).toContain("a\\u{2066}b");
  expect(stdout).not.toMatch(/[^\n\P{C}]/u);
  const json = (await hoplink.run(["links", "get", id, "--json"])).stdout;
  expect(json).not.toMatch(/[^\n\P{C}]/u);
  expect(JSON.parse(json).title).toBe("a\u2066b");
});

test("so are those in what a service says about itself", async () => {
  const other = await ScriptedServer.start();
  other.willReply(json(200, { mode: "live", plan: "\u001b]52;c;x\u0007", key: null }));
  const args = ["login", "--url", other.base, "--key-stdin", "--profile", "other"];
  const { stdout } = await hoplink.run(args, { input: "svc_live_x\n", env: WITHOUT_KEY });
  other.stop();
  expect(stdout).toContain("live links, \\u{1b}]52");
  expect(stdout).not.toMatch(/[^\n\P{C}]/u);
});

test("colors appear only at a terminal, unless they are requested", async () => {
  const { id } = await hoplink.json("links", "create", "https://example.com/");
  const isColored = async (env: Record<string, string>) =>
    (await hoplink.run(["links", "get", id], { env })).stdout.includes("\u001b[");
  expect([await isColored({}), await isColored({ FORCE_COLOR: "1" })]).toEqual([false, true]);
  expect(await isColored({ FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
});

test("with a read-only key the message names the missing scope", async () => {
  const env = { HOPLINK_API_KEY: await scopedKey(server, "Premium", ["links:read"]) };
  const { code, stderr } = await hoplink.run(["links", "create", "https://example.com/"], { env });
  expect([code, stderr]).toEqual([3, expect.stringContaining("lacks the scope links:write")]);
});

test("an unreachable service is not reported as a missing link", async () => {
  const dead = await hoplink.run(["whoami"], { env: { HOPLINK_URL: "http://127.0.0.1:9" } });
  expect(dead).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("Check the address") });
});

test("every problem of a request is printed on its own line", async () => {
  const { code, stderr } = await hoplink.run(["links", "create", "no URL", "--slug", "-"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^url must .*\nslug must .*\n$/)]);
});

test.each([
  [["links", "nothing"]],
  [["links", "create"]],
  [["links", "list", "--limit", "0"]],
  [["links", "update", "x"]],
  [["links", "create", "https://example.com/", "--expires-at", "soon"]],
  [["links", "create", "https://example.com/", "--routing", "missing.json"]],
])("hoplink %j is refused with 2 and nothing on stdout", async (args) => {
  expect(await hoplink.run(args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/./) });
});
