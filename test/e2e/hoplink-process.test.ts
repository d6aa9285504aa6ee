/**
 * The command `hoplink` as a process: at a terminal, in real shells, with pipes and disks that accept no more data, and
 * killed.
 * Other files call it in the test's process.
 */
import { randomBytes } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { Hoplink } from "../../src/client/index.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { clickEventId } from "../../src/core/identifiers.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_FULL_DISK, HoplinkCommand, type RunningProcess } from "../support/hoplink-command.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { program } from "../support/programs.ts";
import { Terminal } from "../support/terminal.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const TEST_TIMEOUT_MS = 400_000;
/** Up to a minute between two attempts, and half a minute between two connections. */
const TAKEN_TIMEOUT_MS = 180_000;
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const LINKS = 1_000;
const CUTS = 6;
/** Signed in by a profile alone. */
const WITHOUT_KEY = { HOPLINK_URL: undefined, HOPLINK_API_KEY: undefined };
/** At a terminal: inserts the next key literally. */
const CTRL_V = "\u0016";
/** Clears the line. */
const CTRL_U = "\u0015";

let server: DevServer;
let hoplink: HoplinkCommand;
let key: string;
let client: Hoplink;

beforeAll(async () => {
  [server, hoplink] = await Promise.all([startDevServer(), HoplinkCommand.build()]);
  key = server.accounts.Premium.live;
  hoplink.environment = { HOPLINK_URL: server.base, HOPLINK_API_KEY: key, HOPLINK_WEBHOOK_SECRET: SECRET };
  client = new Hoplink({ baseUrl: server.base, apiKey: key });
});

afterAll(async () => {
  hoplink.remove();
  await server.remove();
});

const newLink = (): Promise<Link> => client.links.create({ url: "https://example.com/" });

async function visit(link: Link, country: string): Promise<void> {
  const { status } = await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
  expect(status).toBe(302);
}

/** Follows clicks; returns once the stream is open. */
async function tail(args: readonly string[], cursor: string): Promise<RunningProcess> {
  const running = hoplink.asProcess(["tail", ...args, "--cursor", cursor]);
  await eventually(() => existsSync(cursor), "the first cursor");
  return running;
}

test("login prompts for a key without showing it, and keeps it in a file that no other user can read", async () => {
  const terminal = hoplink.inTerminal(["login"], WITHOUT_KEY);
  await terminal.shows("Address of the service: ");
  terminal.answer(server.base);
  await terminal.shows("API key (input is hidden): ");
  terminal.answer(key);
  await terminal.shows(`Signed in to ${server.base}`);
  expect(await terminal.end()).toBe(0);
  expect(terminal.output).not.toContain(key);
  expect(statSync(hoplink.configFile).mode & 0o777).toBe(0o600);
  expect(statSync(join(hoplink.configFile, "..")).mode & 0o777).toBe(0o700);
  const { code, stdout } = await hoplink.run(["whoami", "--json"], { env: WITHOUT_KEY });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ plan: "premium", mode: "live" })]);
});

test("Ctrl-C at the prompt for the key ends with 130 and keeps nothing", async () => {
  const terminal = hoplink.inTerminal(["login", "--url", server.base, "--profile", "never"], WITHOUT_KEY);
  await terminal.shows("API key");
  terminal.pressCtrlC();
  expect(await terminal.end()).toBe(130);
  expect(readFileSync(hoplink.configFile, "utf8")).not.toContain("never");
});

test("delete prompts at a terminal, and needs --yes without one", async () => {
  const { short_url } = await hoplink.json("links", "create", "https://example.com/", "--slug", "cli-asked");
  expect((await hoplink.run(["links", "delete", "cli-asked"])).code).toBe(2);
  const terminal = hoplink.inTerminal(["links", "delete", "cli-asked"]);
  await terminal.shows(`Delete ${short_url}? The short URL stops working permanently. (y/N) `);
  terminal.answer("");
  await terminal.shows("Not deleted.");
  expect(await terminal.end()).toBe(0);
  expect((await hoplink.run(["links", "get", "cli-asked"])).code).toBe(0);
});

test("progress is shown only at a terminal", async () => {
  writeFileSync(join(hoplink.folder, "progress.csv"), "url\nhttps://example.com/progress\n");
  const terminal = hoplink.inTerminal(["import", "progress.csv"], { TERM: "xterm" });
  await terminal.shows("1 of 1 links");
  await terminal.shows("1 created, 0 refused.");
  expect(await terminal.end()).toBe(0);
});

test("a broken pipe ends the command quietly", async () => {
  const child = hoplink.start(["links", "list", "--all", "--json"]);
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  expect([await new Promise((done) => child.once("close", done)), stderr]).toEqual([0, ""]);
});

test.skipIf(!HAS_FULL_DISK)("output without space ends with 1 and a message, even where none can be shown", () => {
  const shell = (command: string) =>
    spawnSync("bash", ["-c", command], { env: hoplink.shellEnvironment(), encoding: "utf8" });
  const { status, stderr } = shell("hoplink links list --all --json > /dev/full");
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Cannot write the output: ENOSPC.*\n$/)]);
  expect(shell("hoplink whoami > /dev/full 2> /dev/full").status).toBe(1);
  expect(shell("hoplink links get nothing 2> /dev/full").status).toBe(4);
});

test("Ctrl-C ends it with 130, and a broken pipe quietly", { timeout: TEST_TIMEOUT_MS }, async () => {
  const link = await newLink();
  const stopped = await tail([link.id], join(hoplink.folder, "stopped.cursor"));
  expect([await stopped.kill("SIGINT"), stopped.printed]).toEqual([130, { stdout: "", stderr: "" }]);
  const cursor = join(hoplink.folder, "cut.cursor");
  const child = hoplink.start(["tail", link.id, "--cursor", cursor]);
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const end = new Promise((done) => child.once("close", done));
  await eventually(() => existsSync(cursor), "the first cursor");
  child.stdout.destroy();
  await visit(link, "DE");
  await visit(link, "DE");
  expect([await end, stderr]).toEqual([0, ""]);
});

test("at a terminal it shows that it waits", { timeout: TEST_TIMEOUT_MS }, async () => {
  const terminal = hoplink.inTerminal(["tail"]);
  await terminal.shows("Waiting for clicks. Press Ctrl-C to stop.");
  terminal.pressCtrlC();
  expect(await terminal.end()).toBe(130);
});

/** Removes all but the newest stored event of accounts' streams, as the passing of a day does. */
function forgetEvents(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file));
    const hasEvents = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get();
    if (hasEvents) database.exec("DELETE FROM events WHERE position < (SELECT max(position) FROM events)");
    database.close();
  }
}

test(
  "--post: no click is lost by a failing, slow or stopped receiver, a killed command or a restarted server; with a " +
    "cursor older than the stored events, the receiver gets the gap, then the stored events",
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const link = await newLink();
    const receiver = new WebhookReceiver(SECRET);
    await receiver.start();
    const cursor = join(hoplink.folder, "post.cursor");
    const args = [link.id, "--post", receiver.url];
    let visits = 0;
    const visitTimes = async (count: number) => {
      for (let i = 0; i < count; i++, visits++) await visit(link, "DE");
    };
    const isTaken = () =>
      eventually(() => new Set(receiver.taken.map(({ id }) => id)).size >= visits, "every click", TAKEN_TIMEOUT_MS);

    let running = await tail(args, cursor);
    receiver.replies.push(
      { status: 500 },
      { status: 429, headers: { "Retry-After": "1" } },
      { status: 302, headers: { Location: "/" } },
    );
    receiver.replies.push({ status: 200, afterMs: 1_000 });
    await visitTimes(3);
    await isTaken();
    expect(running.printed.stderr).toMatch(/with 500\. Retrying.*\n.*with 429\. Retrying.*\n.*with 302\. Retrying/);

    // Killed while the receiver has an event and has not answered: the receiver gets that event again.
    receiver.replies.push({ status: 200, afterMs: 3_000 });
    const seen = receiver.seen.length;
    await visitTimes(2);
    await eventually(() => receiver.seen.length > seen, "a request that waits");
    await running.kill("SIGKILL");
    await visitTimes(2);
    running = await tail(args, cursor);
    await isTaken();

    await receiver.stop();
    await visitTimes(2);
    await eventually(() => running.printed.stderr.includes("did not respond"), "a try in vain");
    await receiver.start();
    await isTaken();

    const oldCursor = join(hoplink.folder, "old.cursor");
    const following = await hoplink.tail(["--json", "--count", "3"], oldCursor);
    const lines = () => following.printed.stdout.split("\n").slice(0, -1);
    for (const [i, country] of ["DE", "FR", "IT"].entries()) {
      await visit(link, country);
      await eventually(() => lines().length > i, "the click");
    }
    visits += 3;
    await following.end;
    const [known, , kept] = lines().map((line) => JSON.parse(line));
    await isTaken();

    await server.stop();
    forgetEvents(server.folder);
    server = await startDevServer({ PORT: String(server.port) }, server.folder);
    await visitTimes(2);
    await isTaken();
    expect(running.printed.stderr).toMatch(/The stream was interrupted: .+\. Retrying in .*\nReconnected\.\n/);
    await running.kill("SIGKILL");
    await receiver.stop();

    const expected = Array.from({ length: visits }, (_, i) => clickEventId(link.id, i + 1));
    const ids = receiver.taken.map(({ id }) => id);
    // In order, and only the one that was cut is sent twice.
    expect([...new Set(ids)]).toEqual(expected);
    expect(ids.length - expected.length).toBeLessThanOrEqual(1);
    expect(receiver.forged).toEqual([]);
    expect(receiver.taken[0]?.event).toMatchObject({ id: expected[0], type: "click", link_id: link.id });

    const late = new WebhookReceiver(SECRET);
    await late.start();
    late.replies.push({ status: 503 });
    writeFileSync(oldCursor, known.cursor);
    const options = ["--post", late.url, "--cursor", oldCursor, "--count", "1"];
    const again = await hoplink.run(["tail", "--json", ...options]);
    const gap = { type: "gap", from: known.occurred_at, to: kept.occurred_at };
    const { cursor: keptAt, ...click } = kept;
    expect(late.taken.map(({ event }) => event)).toEqual([gap, click]);
    expect(late.seen).toEqual([late.seen[0], late.seen[0], kept.id]);
    expect(late.seen[0]).toMatch(/^gap_\w+$/);
    expect(
      again.stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([{ ...gap, cursor: expect.any(String) }, kept]);
    expect(readFileSync(oldCursor, "utf8").trim()).toBe(keptAt);
    const [, command = ""] = /: hoplink (export .*)\n/.exec(again.stderr) ?? [];
    const missing = await hoplink.print(...command.split(" "), "--json");
    expect(missing).toContain('"FR"');
    await late.stop();
  },
);

test(
  "a second one on the same cursor file is refused, and a killed one does not block the next",
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const link = await newLink();
    const receiver = new WebhookReceiver(SECRET);
    await receiver.start();
    const cursor = join(hoplink.folder, "shared.cursor");
    const args = [link.id, "--post", receiver.url];
    const first = await tail(args, cursor);
    const second = await hoplink.run(["tail", ...args, "--cursor", cursor]);
    expect(second).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("use another file") });
    const before = readFileSync(cursor, "utf8");
    await visit(link, "DE");
    await eventually(() => readFileSync(cursor, "utf8") !== before, "the first one goes on");
    await first.kill("SIGKILL");
    expect(existsSync(`${cursor}.lock`)).toBe(true);
    const third = await tail([...args, "--count", "1"], cursor);
    await visit(link, "FR");
    expect(await third.end).toBe(0);
    expect(receiver.taken.map(({ event }) => event.country)).toEqual(["DE", "FR"]);
    expect(existsSync(`${cursor}.lock`)).toBe(false);
    await receiver.stop();
  },
);

/** Writes a file of links that are managed by the name. @returns its name */
function writeLinks(own: string, count: number, more: (i: number) => string = () => ""): string {
  const links = Array.from(
    { length: count },
    (_, i) => `  - slug: ${own}-${i}\n    url: https://example.com/${i}\n${more(i)}`,
  );
  writeFileSync(join(hoplink.folder, `${own}.yaml`), `managed_by: ${own}\nlinks:\n${links.join("")}`);
  return `${own}.yaml`;
}

async function linkOf(slug: string): Promise<Link> {
  const [link] = await client.links.list({ slug }).all();
  if (!link) throw new Error(`no link ${slug}`);
  return link;
}

const apply = (file: string) => hoplink.json("apply", file, "--yes");

/**
 * Forwards the command's requests to the server, and kills the command at the second one that creates links: either
 * before the server receives it, or when it is answered.
 */
async function applyAndCut(file: string, at: "request" | "answer"): Promise<void> {
  let creations = 0;
  const proxy = createServer(async (incoming, outgoing) => {
    const isCut = incoming.method === "POST" && incoming.url === "/v1/links/bulk" && ++creations === 2;
    if (isCut && at === "request") return run.kill("SIGKILL");
    const { method = "GET", url = "/", headers } = incoming;
    const body = method === "GET" ? null : await buffer(incoming);
    const {
      authorization = "",
      "content-type": type = "",
      "idempotency-key": key = "",
    } = headers as Record<string, string>;
    const sent = { Authorization: authorization, "Content-Type": type, ...(key && { "Idempotency-Key": key }) };
    const answer = await fetch(server.base + url, { method, body, headers: sent });
    const content = await answer.text();
    if (isCut) return run.kill("SIGKILL");
    return outgoing.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" }).end(content);
  });
  const port = await listenOnFreePort(proxy);
  const run = hoplink.asProcess(["apply", file, "--yes", "--json"], { HOPLINK_URL: `http://127.0.0.1:${port}` });
  expect(await run.end, run.printed.stderr).toBe(null);
  proxy.closeAllConnections();
  proxy.close();
}

test(
  "a thousand links are created despite six cuts; another run changes nothing",
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const file = writeLinks("cut", LINKS);
    const before = await linksUsed();
    for (let cut = 0; cut < CUTS; cut++) {
      await applyAndCut(file, cut % 2 === 0 ? "request" : "answer");
      expect(await linksUsed()).toBe(before + 100 * Math.floor(1.5 * (cut + 1)));
    }
    const rest = await hoplink.run(["apply", file, "--yes", "--json"]);
    expect(rest.code, rest.stderr).toBe(0);
    expect(JSON.parse(rest.stdout)).toMatchObject({ changed: 0, deleted: 0, refused: [], left: 0 });
    expect((await client.links.list({ tag: ["cut"], limit: 100 }).all()).length).toBe(LINKS);
    const last = await client.links.list({ include: "revision", limit: 100, tag: ["cut"] }).all();
    const nothing = { create: [], change: [], delete: [], not_in_file: [], problems: [] };
    expect(await hoplink.json("plan", file)).toEqual({ ...nothing, unchanged: LINKS });
    expect(await apply(file)).toEqual({
      created: 0,
      changed: 0,
      deleted: 0,
      unchanged: LINKS,
      problems: [],
      refused: [],
      left: 0,
    });
    expect(await client.links.list({ include: "revision", limit: 100, tag: ["cut"] }).all()).toEqual(last);
  },
);

async function linksUsed(): Promise<number> {
  return (await client.me()).limits.links.used;
}

test("links changed by others after the plan are left alone, and the rest is applied", async () => {
  await apply(writeLinks("changed", 3));
  const file = writeLinks("changed", 3, (i) => `    title: Mine ${i}\n`);
  const terminal = hoplink.inTerminal(["apply", file]);
  await terminal.shows("Apply these changes?");
  await client.links.update((await linkOf("changed-1")).id, { title: "Theirs" });
  terminal.answer("y");
  await terminal.shows("plan again");
  expect(await terminal.end()).toBe(5);
  expect(terminal.output).toContain(`changed-1: the link was changed after this plan: plan again`);
  const titles = await Promise.all([0, 1, 2].map(async (i) => (await linkOf(`changed-${i}`)).title));
  expect(titles).toEqual(["Mine 0", "Theirs", "Mine 2"]);
});

/** Environment for the scripts of `hoplink completion`: what Tab offers, and that it runs nothing of the line. */
function shellEnvironment(): Record<string, string> {
  return { ...hoplink.shellEnvironment(), HOME: hoplink.folder, PS1: "> " };
}

beforeAll(() => {
  for (const name of ["links.csv", "my links.csv"]) writeFileSync(join(hoplink.folder, name), "mine\n");
});

afterEach(() => rmSync(join(hoplink.folder, "made"), { force: true }));

const isMade = () => existsSync(join(hoplink.folder, "made"));

/** Input that may have been pasted, with completion requested after, within or for it. */
const HOSTILE_LINES = [
  "hoplink links list --tag $(touch made) --sta",
  "hoplink links list --tag `touch made` --sta",
  'hoplink links list --tag "$(touch made)" --sta',
  "hoplink links list --tag '$(touch made)' --sta",
  `hoplink links list --tag 'it'"'"'s $(touch made)' --sta`,
  "hoplink links list --tag=$(touch made)",
  "hoplink links list --x$(touch made)=",
  "hoplink links list --x`touch made`=",
  'hoplink links list "--x=$(touch made)',
  "hoplink links list $(touch made",
  "hoplink $(touch made)",
  "hoplink import $(touch made)",
  "hoplink import `touch made`",
  'hoplink import "$(touch made)',
  "hoplink import --cursor=$(touch made)",
  "hoplink links list > links.csv --sta",
];

const AT_TERMINAL = [
  { shell: "bash", args: ["--norc", "--noprofile", "-i"], settings: ":" },
  // In zsh, Tab itself runs a `$(…)` before the cursor, for any command. Ctrl-U keeps the text before a line end.
  { shell: "zsh", args: ["-f", "-i"], settings: "bindkey '^I' complete-word '^U' kill-buffer" },
].map((one) => ({ ...one, ...program(one.shell) }));

describe.each(AT_TERMINAL)("$shell", ({ shell, args, settings, isThere, missing }) => {
  let terminal: Terminal | null = null;

  afterEach(() => terminal?.kill());

  async function startShell(): Promise<Terminal> {
    terminal = new Terminal(shell, args, hoplink.folder, shellEnvironment());
    terminal.answer(`source <(hoplink completion ${shell})`);
    await hasDone(terminal);
    return terminal;
  }

  /** Leaves the line, once the shell has read all that was typed. The screen differs from the input. */
  async function hasDone(at: Terminal): Promise<void> {
    at.answer(`${CTRL_U}echo do''ne`);
    await at.shows("done");
  }

  /** Types a line and Tab, and checks the resulting line. */
  async function completes(at: Terminal, line: string, becomes: string): Promise<void> {
    at.type(`${line}\t`);
    await at.shows(becomes);
    await hasDone(at);
  }

  test.skipIf(!isThere)(`Tab completes${missing}`, { timeout: TEST_TIMEOUT_MS }, async () => {
    const at = await startShell();
    await completes(at, "hoplink who", "hoplink whoami ");
    await completes(at, "hoplink links cr", "hoplink links create ");
    await completes(at, "hoplink links list --sta", "hoplink links list --status ");
    await completes(at, "hoplink links list --status ex", "hoplink links list --status expired ");
    await completes(at, "hoplink links list --status=ex", "hoplink links list --status=expired ");
    await completes(at, "hoplink links list --tag 'a b' --sta", "--status ");
    await completes(at, "hoplink import lin", "hoplink import links.csv ");
    await completes(at, "hoplink tail --cursor=my", "hoplink tail --cursor=my\\ links.csv ");
    at.type("hoplink links \t\t");
    for (const name of ["create", "delete", "list"]) await at.shows(name);
  });

  test.skipIf(!isThere)(`Tab runs nothing of the line${missing}`, { timeout: TEST_TIMEOUT_MS }, async () => {
    const at = await startShell();
    at.answer(settings);
    const withNewline = `hoplink links list --tag 'a${CTRL_V}\n$(touch made)' --sta`;
    for (const line of [...HOSTILE_LINES, withNewline]) {
      at.type(`${line}\t`);
      await hasDone(at);
      expect([isMade(), readFileSync(join(hoplink.folder, "links.csv"), "utf8")], line).toEqual([false, "mine\n"]);
    }
    await completes(at, "hoplink links list --tag '$(touch made)' --sta", "--status ");
  });
});

const fish = program("fish");

describe("fish", () => {
  /** @returns the completions of the last word of each line, and whether a file was made by then */
  function offeredFor(lines: readonly string[]): { offered: string[]; isMade: boolean }[] {
    const script = `hoplink completion fish | source
      for line in $argv
        complete -C $line
        test -e made; printf '\\0%s\\0' $status
      end`;
    const options = { cwd: hoplink.folder, env: shellEnvironment(), encoding: "utf8" } as const;
    const printed = execFileSync("fish", ["--no-config", "-c", script, "--", ...lines], options).split("\0");
    return lines.map((_, i) => ({
      offered: (printed[2 * i] ?? "").split("\n").slice(0, -1),
      isMade: printed[2 * i + 1] !== "1",
    }));
  }

  test.skipIf(!fish.isThere)(`Tab completes${fish.missing}`, { timeout: TEST_TIMEOUT_MS }, () => {
    const lines = [
      "hoplink links ",
      "hoplink links cr",
      "hoplink links list --tag 'a b' --sta",
      "hoplink links list --status ex",
      "hoplink links list --status=ex",
      "hoplink import lin",
      "hoplink tail --cursor=my",
    ];
    const [commands, ...rest] = offeredFor(lines).map(({ offered }) => offered);
    expect(commands?.map((line) => line.split("\t")[0])).toEqual([
      "create",
      "delete",
      "get",
      "list",
      "update",
      "upload-image",
    ]);
    expect(rest).toEqual([
      ["create\tCreate a link"],
      ["--status\tOnly links with this status"],
      ["expired"],
      ["--status=expired"],
      ["links.csv"],
      ["--cursor=my links.csv"],
    ]);
  });

  test.skipIf(!fish.isThere)(`Tab runs nothing of the line${fish.missing}`, { timeout: TEST_TIMEOUT_MS }, () => {
    const ownForm = HOSTILE_LINES.map((line) => line.replace("$(", "("));
    const hostile = [...HOSTILE_LINES, ...ownForm, "hoplink links list --tag 'a\n(touch made)' --sta"];
    const lines = [...hostile, "hoplink links list --tag '(touch made)' --sta"];
    const all = offeredFor(lines);
    expect(lines.filter((_, i) => all[i]?.isMade)).toEqual([]);
    expect(readFileSync(join(hoplink.folder, "links.csv"), "utf8")).toBe("mine\n");
    expect(all.at(-1)?.offered).toEqual(["--status\tOnly links with this status"]);
  });
});
