/** Links as code: `hoplink plan`, `apply` and `pull` against the whole server. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { Hoplink, type Link } from "../../src/client/index.ts";
import type { DevServer } from "../support/dev-server.ts";
import { HoplinkCommand } from "../support/hoplink-command.ts";
import { sharedServer } from "../support/shared-server.ts";

const LINKS = 1_000;

let server: DevServer;
let hoplink: HoplinkCommand;
let client: Hoplink;

beforeAll(async () => {
  server = await sharedServer();
  hoplink = await HoplinkCommand.build();
  const key = server.accounts.Premium.live;
  hoplink.environment = { HOPLINK_URL: server.base, HOPLINK_API_KEY: key };
  client = new Hoplink({ baseUrl: server.base, apiKey: key });
});

afterAll(() => hoplink.remove());

let file: string;
let tests = 0;
/** Prefix of the test's own slugs. */
let own: string;

beforeEach(() => {
  own = `t${tests++}`;
  file = `${own}.yaml`;
});

function write(yaml: string): void {
  writeFileSync(join(hoplink.folder, file), yaml);
}

function read(): string {
  return readFileSync(join(hoplink.folder, file), "utf8");
}

function linksText(count: number, more: (i: number) => string = () => ""): string {
  const links = Array.from(
    { length: count },
    (_, i) => `  - slug: ${own}-${i}\n    url: https://example.com/${i}\n${more(i)}`,
  );
  return `managed_by: ${own}\nlinks:\n${links.join("")}`;
}

const plan = () => hoplink.json("plan", file);
const apply = (...options: string[]) => hoplink.json("apply", file, "--yes", ...options);

async function linkOf(slug: string): Promise<Link> {
  const [link] = await client.links.list({ slug, archived: "any" }).all();
  if (!link) throw new Error(`no link ${slug}`);
  return link;
}

const NOTHING = { create: [], change: [], delete: [], not_in_file: [], problems: [] };

async function linksUsed(): Promise<number> {
  return (await client.me()).limits.links.used;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

test("after Ctrl-C, the request in flight is completed, and the command prints which changes are done and which remain", async () => {
  write(linksText(3 * LINKS));
  const before = await linksUsed();
  const run = hoplink.inBackground(["apply", file, "--yes", "--json"]);
  while ((await linksUsed()) === before) await pause(5);
  expect(await run.interrupt()).toBe(130);
  const { created, left } = JSON.parse(run.printed.stdout);
  expect([created + left, created % 100, left > 0]).toEqual([3 * LINKS, 0, true]);
  expect(await linksUsed()).toBe(before + created);
});

const EVERY_MEMBER = `    title: "Spring: 'sale' #1"
    tags: [Spring, "2026", "yes"]
    starts_at: 2026-03-01T00:00:00.000Z
    expires_at: 2099-12-31T23:59:59.000Z
    fallback_url: https://example.com/soon
    forward_query: true
    forward_path: true
    noindex: true
    redirect_status: 308
    paused: true
    archived: true
    social: { title: Card, image: https://example.com/card.png }
    aliases: [{ slug: every-member/größe }]
    routing:
      - if: { country: [DE, AT], not: { device: mobile } } # Germany, Austria
        to: https://example.com/de
      - if: { query: { a: true }, time: { tz: Europe/Berlin, days: [mon], from: "08:00" } }
        to: https://example.com/monday
`;

test("every member is set, and the file that pull writes changes nothing", async () => {
  write(`# Ours\n${linksText(2, (i) => (i === 0 ? EVERY_MEMBER : ""))}`);
  expect(await apply()).toMatchObject({ created: 2, refused: [] });
  expect(await linkOf(`${own}-0`)).toMatchObject({
    title: "Spring: 'sale' #1",
    tags: ["Spring", "2026", "yes", own],
    expires_at: "2099-12-31T23:59:59.000Z",
    forward_query: true,
    forward_path: true,
    noindex: true,
    redirect_status: 308,
    paused: true,
    archived: true,
    social: { title: "Card", image: "https://example.com/card.png" },
    aliases: [{ slug: "every-member/größe" }],
    routing: [{ to: "https://example.com/de" }, { to: "https://example.com/monday" }],
  });
  const before = read();
  expect(await hoplink.json("pull", file)).toEqual({ file, links: 2, changed: false });
  expect(read()).toBe(before);
  file = `${own}-new.yaml`;
  expect(await hoplink.json("pull", file, "--tag", own)).toEqual({ file, links: 2, changed: true });
  expect(read().split("\n")[0]).toBe(`# yaml-language-server: $schema=${server.base}/docs/links.schema.json`);
  expect(await plan()).toEqual({ ...NOTHING, unchanged: 2 });
});

test("pull keeps comments, updates entries changed elsewhere, removes deleted links and adds new ones", async () => {
  write(linksText(3, (i) => `    title: Title ${i} # number ${i}\n`).replace("links:", "# All of them\nlinks:"));
  await apply();
  await client.links.update((await linkOf(`${own}-1`)).id, { title: "Elsewhere", url: "https://example.com/else" });
  await client.links.delete((await linkOf(`${own}-2`)).id);
  await client.links.create({ slug: `${own}-new`, url: "https://example.com/new", tags: ["x", own] });
  expect(await hoplink.json("pull", file)).toEqual({ file, links: 3, changed: true });
  expect(read()).toBe(`managed_by: ${own}
# All of them
links:
  - slug: ${own}-0
    url: https://example.com/0
    title: Title 0 # number 0
  - slug: ${own}-1
    url: https://example.com/else
    title: Elsewhere # number 1
  - slug: ${own}-new
    url: https://example.com/new
    tags:
      - x
`);
  expect(await plan()).toEqual({ ...NOTHING, unchanged: 3 });
});

test("changed rules are tried on the clicks of the last thirty days", async () => {
  write(linksText(2));
  await apply();
  const { short_url, id } = await linkOf(`${own}-0`);
  for (const country of ["DE", "DE", "FR"]) {
    await fetch(short_url, { redirect: "manual", headers: { "X-Visitor-Country": country } });
  }
  await expect.poll(async () => (await client.links.stats(id)).total, { timeout: 30_000 }).toBe(3);
  const rules = "    routing: [{ if: { country: DE }, to: https://example.com/de }]\n";
  write(linksText(2, (i) => (i === 0 ? rules : "    title: Only a title\n")));
  const { change } = await plan();
  expect(change.map(({ backtest }: { backtest?: object }) => backtest)).toEqual([
    { clicks: 3, moved: 2, undecided: 0, from: expect.any(String), to: expect.any(String) },
    undefined,
  ]);
  const shown = await hoplink.print("plan", file);
  expect(shown).toContain("+     rule: country=DE → https://example.com/de\n");
  expect(shown).toContain("2 of 3 clicks of the last 30 days would have gone elsewhere");
  expect(await hoplink.print("plan", file, "--no-backtest")).not.toContain("clicks");
});

test("--prune deletes links that have the file's tag and are not in it; nothing else is ever deleted", async () => {
  write(linksText(3));
  await apply();
  await client.links.create({ slug: `${own}-hand`, url: "https://example.com/" });
  write(linksText(1));
  const kept = await plan();
  expect([kept.delete, kept.not_in_file.length, kept.unchanged]).toEqual([[], 2, 1]);
  expect(await hoplink.print("plan", file)).toContain("2 links are no longer in the file. Add --prune to delete them.");
  expect(await apply()).toMatchObject({ deleted: 0 });
  expect(await apply("--prune")).toMatchObject({ deleted: 2, refused: [] });
  expect((await client.links.list({ search: `${own}-` }).all()).map(({ slug }) => slug)).toEqual([
    `${own}-hand`,
    `${own}-0`,
  ]);
  write("links: []");
  const { code, stderr } = await hoplink.run(["apply", file, "--yes", "--prune"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("managed_by")]);
});

test("a slug of another account is reported, and the rest is applied", async () => {
  const other = new Hoplink({ baseUrl: server.base, apiKey: server.accounts.Free.live });
  await other.links.create({ slug: `${own}-1`, url: "https://example.com/theirs" });
  write(linksText(3));
  const { code, stdout } = await hoplink.run(["apply", file, "--yes", "--json"]);
  expect(code).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({
    created: 2,
    refused: [
      {
        address: expect.stringContaining(`/${own}-1`),
        code: "slug_taken",
        message: expect.stringContaining("another account"),
      },
    ],
  });
});

test("exit codes and errors", async () => {
  write(`links:\n  - slug: ${own}\n    urll: https://example.com/\n`);
  const wrong = await hoplink.run(["plan", file]);
  expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
  expect(wrong.stderr).toContain(`${file}:3:5 links.0.urll is not a member: did you mean url?`);
  const absent = await hoplink.run(["plan", "absent.yaml"]);
  expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining("run: hoplink pull absent.yaml")]);
  write(linksText(1, () => '    title: "\\u202ered ``` @everyone"\n'));
  const found = await hoplink.run(["plan", file, "--exit-code"]);
  expect([found.code, found.stdout.includes("\u202e"), found.stdout.includes("\\u{202e}red")]).toEqual([
    6,
    false,
    true,
  ]);
  const asked = await hoplink.run(["apply", file]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("Add --yes.")]);
  const comment = await hoplink.print("plan", file, "--markdown");
  expect(comment).toMatch(/^### Links: 1 to create, 0 unchanged\.\n\n```diff\n\+ [^]+\n```\n$/);
  await apply();
  expect((await hoplink.run(["plan", file, "--exit-code"])).code).toBe(0);
});
