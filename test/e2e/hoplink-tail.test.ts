/** The command `hoplink tail`: clicks for people, for pipes, and posted as webhooks. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { clickEventId } from "../../src/core/identifiers.ts";
import { ApiClient } from "../support/api-client.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { HoplinkCommand } from "../support/hoplink-command.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const TEST_TIMEOUT_MS = 400_000;
/** Between two attempts is up to a minute, and half of one between two connections. */
const TAKEN_TIMEOUT_MS = 180_000;
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;

let server: DevServer;
let hoplink: HoplinkCommand;

beforeAll(async () => {
  [server, hoplink] = await Promise.all([startDevServer(), HoplinkCommand.build()]);
  const HOPLINK_API_KEY = server.accounts.Premium.live;
  hoplink.environment = { HOPLINK_URL: server.base, HOPLINK_API_KEY, HOPLINK_WEBHOOK_SECRET: SECRET };
});

afterAll(async () => {
  hoplink.remove();
  await server.remove();
});

const newLink = (): Promise<Link> => new ApiClient(server.base, server.accounts.Premium.live).createLink();

async function visit(link: Link, country: string): Promise<void> {
  const { status } = await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
  expect(status).toBe(302);
}

test("a click is a line, as JSON or for people; a cursor goes on behind it", { timeout: TEST_TIMEOUT_MS }, async () => {
  const link = await newLink();
  const cursor = join(hoplink.folder, "lines.cursor");
  const first = await hoplink.tail([link.slug, "--json", "--count", "2"], cursor);
  for (const country of ["DE", "FR", "IT"]) await visit(link, country);
  expect(await first.end).toBe(0);
  const clicks = first.printed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(clicks).toMatchObject([
    { id: clickEventId(link.id, 1), country: "DE", slug: link.slug, cursor: expect.any(String) },
    { id: clickEventId(link.id, 2), country: "FR" },
  ]);
  expect(readFileSync(cursor, "utf8").trim()).toBe(clicks[1].cursor);
  const again = await hoplink.print("tail", link.slug, "--cursor", cursor, "--count", "1");
  expect(again).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  IT +\\w+ +${link.slug} +→ https://example.com/\n$`));
  const since = await hoplink.json("tail", link.slug, "--since", clicks[0].cursor, "--count", "1");
  expect(since).toEqual(clicks[1]);
});

test("a cursor of another stream is refused, with the file that has it", { timeout: TEST_TIMEOUT_MS }, async () => {
  const [link, other] = [await newLink(), await newLink()];
  const cursor = join(hoplink.folder, "other.cursor");
  await (await hoplink.tail([link.id], cursor)).kill("SIGINT");
  const { code, stderr } = await hoplink.run(["tail", other.id, "--cursor", cursor]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`The cursor in ${cursor} is not one of this stream`)]);
});

test("Ctrl-C ends it with 130, and a cut pipe quietly", { timeout: TEST_TIMEOUT_MS }, async () => {
  const link = await newLink();
  const stopped = await hoplink.tail([link.id], join(hoplink.folder, "stopped.cursor"));
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

test("at a terminal it says that it waits", { timeout: TEST_TIMEOUT_MS }, async () => {
  const terminal = hoplink.inTerminal(["tail"]);
  await terminal.shows("Waiting for clicks. Ctrl-C ends it.");
  terminal.pressCtrlC();
  expect(await terminal.end()).toBe(130);
});

test(
  "--post: a receiver that fails, is slow and is down, a killed command and a restarted server lose no click",
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

    let running = await hoplink.tail(args, cursor);
    receiver.replies.push(
      { status: 500 },
      { status: 429, headers: { "Retry-After": "1" } },
      { status: 302, headers: { Location: "/" } },
    );
    receiver.replies.push({ status: 200, afterMs: 1_000 });
    await visitTimes(3);
    await isTaken();
    expect(running.printed.stderr).toMatch(
      /answered 500\. Trying.*\n.*answered 429\. Trying.*\n.*answered 302\. Trying/,
    );

    // Killed while the receiver has an event and has not answered: it gets that one again.
    receiver.replies.push({ status: 200, afterMs: 3_000 });
    const seen = receiver.seen.length;
    await visitTimes(2);
    await eventually(() => receiver.seen.length > seen, "a request that waits");
    await running.kill("SIGKILL");
    await visitTimes(2);
    running = await hoplink.tail(args, cursor);
    await isTaken();

    await receiver.stop();
    await visitTimes(2);
    await eventually(() => running.printed.stderr.includes("does not answer"), "a try in vain");
    await receiver.start();
    await isTaken();

    await server.stop();
    server = await startDevServer({ PORT: String(server.port) }, server.folder);
    await visitTimes(2);
    await isTaken();
    expect(running.printed.stderr).toMatch(/The stream broke off: .+\. Trying again in .*\nThe stream goes on\.\n/);
    await running.kill("SIGKILL");
    await receiver.stop();

    const expected = Array.from({ length: visits }, (_, i) => clickEventId(link.id, i + 1));
    const ids = receiver.taken.map(({ id }) => id);
    // In order, and none but the one that was cut is sent twice.
    expect([...new Set(ids)]).toEqual(expected);
    expect(ids.length - expected.length).toBeLessThanOrEqual(1);
    expect(receiver.forged).toEqual([]);
    expect(receiver.taken[0]?.event).toMatchObject({ id: expected[0], type: "click", link_id: link.id });
  },
);

test(
  "a second one on the same cursor file is refused, and a killed one holds up nobody",
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const link = await newLink();
    const receiver = new WebhookReceiver(SECRET);
    await receiver.start();
    const cursor = join(hoplink.folder, "shared.cursor");
    const args = [link.id, "--post", receiver.url];
    const first = await hoplink.tail(args, cursor);
    const second = await hoplink.run(["tail", ...args, "--cursor", cursor]);
    expect(second).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("name another file") });
    const before = readFileSync(cursor, "utf8");
    await visit(link, "DE");
    await eventually(() => readFileSync(cursor, "utf8") !== before, "the first one goes on");
    await first.kill("SIGKILL");
    expect(existsSync(`${cursor}.lock`)).toBe(true);
    const third = await hoplink.tail([...args, "--count", "1"], cursor);
    await visit(link, "FR");
    expect(await third.end).toBe(0);
    expect(receiver.taken.map(({ event }) => event.country)).toEqual(["DE", "FR"]);
    expect(existsSync(`${cursor}.lock`)).toBe(false);
    await receiver.stop();
  },
);

/** Removes all events but the newest of what accounts' streams keep, as a day does. */
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
  "a cursor older than what is kept: the receiver gets the gap, then what is kept",
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const link = await newLink();
    const cursor = join(hoplink.folder, "old.cursor");
    const first = await hoplink.tail(["--json", "--count", "3"], cursor);
    const lines = () => first.printed.stdout.split("\n").slice(0, -1);
    for (const [i, country] of ["DE", "FR", "IT"].entries()) {
      await visit(link, country);
      await eventually(() => lines().length > i, "the click");
    }
    await first.end;
    const [known, , kept] = lines().map((line) => JSON.parse(line));
    await server.stop();
    forgetEvents(server.folder);
    server = await startDevServer({ PORT: String(server.port) }, server.folder);

    const receiver = new WebhookReceiver(SECRET);
    await receiver.start();
    receiver.replies.push({ status: 503 });
    writeFileSync(cursor, known.cursor);
    const options = ["--post", receiver.url, "--cursor", cursor, "--count", "1"];
    const again = await hoplink.run(["tail", "--json", ...options]);
    const gap = { type: "gap", from: known.occurred_at, to: kept.occurred_at };
    const { cursor: keptAt, ...click } = kept;
    expect(receiver.taken.map(({ event }) => event)).toEqual([gap, click]);
    expect(receiver.seen).toEqual([receiver.seen[0], receiver.seen[0], kept.id]);
    expect(receiver.seen[0]).toMatch(/^gap_\w+$/);
    expect(
      again.stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([{ ...gap, cursor: expect.any(String) }, kept]);
    expect(readFileSync(cursor, "utf8").trim()).toBe(keptAt);
    const [, command = ""] = /: hoplink (export .*)\n/.exec(again.stderr) ?? [];
    const missing = await hoplink.print(...command.split(" "), "--json");
    expect(missing).toContain('"FR"');
    await receiver.stop();
  },
);

test("a receiver that is gone for good ends it", { timeout: TEST_TIMEOUT_MS }, async () => {
  const link = await newLink();
  const receiver = new WebhookReceiver(SECRET);
  await receiver.start();
  receiver.replies.push({ status: 410 });
  const running = await hoplink.tail([link.id, "--post", receiver.url], join(hoplink.folder, "gone.cursor"));
  await visit(link, "DE");
  expect([await running.end, running.printed.stderr]).toEqual([1, expect.stringContaining("it wants no more events")]);
  await receiver.stop();
});

test("--post keeps its cursor in the state folder, and wants a secret that is one", async () => {
  const secretFile = join(hoplink.folder, "secret");
  writeFileSync(secretFile, "whsec_short\n");
  const post = ["tail", "--post", "http://127.0.0.1:9/"];
  const short = await hoplink.run([...post, "--secret-file", secretFile]);
  expect(short).toMatchObject({ code: 2, stderr: expect.stringMatching(/^The secret is not .*\n.*openssl rand/) });
  expect(short.stderr).not.toContain("short");
  const none = await hoplink.run(post, { env: { HOPLINK_WEBHOOK_SECRET: undefined } });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/^There is no secret .*\n.*openssl rand/) });
  expect((await hoplink.run(["tail", "--post", "ftp://example.com/"])).code).toBe(2);
  const running = hoplink.inBackground(post);
  await eventually(() => /kept in (\S+\.cursor)\./.test(running.printed.stderr), "where the cursor is");
  expect(running.printed.stderr).toContain(join(hoplink.folder, "state/hoplink/tail"));
  expect(await running.kill("SIGINT")).toBe(130);
});
