/** The command `hoplink tail`: clicks for people, for pipes, and posted as webhooks. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { clickEventId } from "../../src/core/identifiers.ts";
import { ApiClient } from "../support/api-client.ts";
import type { DevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { HoplinkCommand } from "../support/hoplink-command.ts";
import { apiError, ScriptedServer } from "../support/scripted-server.ts";
import { sharedServer } from "../support/shared-server.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const TEST_TIMEOUT_MS = 400_000;
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;

let server: DevServer;
let hoplink: HoplinkCommand;

beforeAll(async () => {
  [server, hoplink] = await Promise.all([sharedServer(), HoplinkCommand.build()]);
  const HOPLINK_API_KEY = server.accounts.Premium.live;
  hoplink.environment = { HOPLINK_URL: server.base, HOPLINK_API_KEY, HOPLINK_WEBHOOK_SECRET: SECRET };
});

afterAll(() => hoplink.remove());

const newLink = (): Promise<Link> => new ApiClient(server.base, server.accounts.Premium.live).createLink();

async function visit(link: Link, country: string): Promise<void> {
  const { status } = await fetch(link.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
  expect(status).toBe(302);
}

test("a click is a line, as JSON or for people; a cursor resumes after it", { timeout: TEST_TIMEOUT_MS }, async () => {
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

test("17 clicks on links of the dashboard are requested with --origin all", async () => {
  const scripted = await ScriptedServer.start();
  scripted.willReply(apiError(403, "insufficient_scope"));
  for (const options of [[], ["--origin", "all"]])
    await hoplink.run(["tail", ...options], { env: { HOPLINK_URL: scripted.base } });
  scripted.stop();
  const requested = ["/v1/events/stream?origin=api", "/v1/events/stream?origin=all"];
  expect(scripted.requests.map(({ path }) => path)).toEqual(requested);
});

test("a cursor of another stream is refused, and its file named", { timeout: TEST_TIMEOUT_MS }, async () => {
  const [link, other] = [await newLink(), await newLink()];
  const cursor = join(hoplink.folder, "other.cursor");
  await (await hoplink.tail([link.id], cursor)).interrupt();
  const { code, stderr } = await hoplink.run(["tail", other.id, "--cursor", cursor]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`The cursor in ${cursor} is not valid for this stream`)]);
});

test("a receiver that is permanently gone ends it", { timeout: TEST_TIMEOUT_MS }, async () => {
  const link = await newLink();
  const receiver = new WebhookReceiver(SECRET);
  await receiver.start();
  receiver.replies.push({ status: 410 });
  const running = await hoplink.tail([link.id, "--post", receiver.url], join(hoplink.folder, "gone.cursor"));
  await visit(link, "DE");
  expect([await running.end, running.printed.stderr]).toEqual([
    1,
    expect.stringContaining("it accepts no further events"),
  ]);
  await receiver.stop();
});

test("--post keeps its cursor in the state folder, and requires a valid secret", async () => {
  const secretFile = join(hoplink.folder, "secret");
  writeFileSync(secretFile, "whsec_short\n");
  const post = ["tail", "--post", "http://127.0.0.1:9/"];
  const short = await hoplink.run([...post, "--secret-file", secretFile]);
  expect(short).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Invalid secret: .*\n.*openssl rand/) });
  expect(short.stderr).not.toContain("short");
  const none = await hoplink.run(post, { env: { HOPLINK_WEBHOOK_SECRET: undefined } });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/^The secret .* is missing\n.*openssl rand/) });
  expect((await hoplink.run(["tail", "--post", "ftp://example.com/"])).code).toBe(2);
  const running = hoplink.inBackground(post);
  await eventually(() => /saved in (\S+\.cursor)\./.test(running.printed.stderr), "where the cursor is");
  expect(running.printed.stderr).toContain(join(hoplink.folder, "state/hoplink/tail"));
  expect(await running.interrupt()).toBe(130);
});
