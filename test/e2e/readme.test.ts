/** What a newcomer does first: `npm run dev`, then the tour of the README, line by line. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type DevServer, keysOf, startDevServer } from "../support/dev-server.ts";

const README = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");

let folder: string;
let server: DevServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-e2e-"));
  server = await startDevServer(folder);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Step {
  command: string;
  answer: string | undefined;
}

/** The code blocks of the tour: each command with the answer printed below it, if there is one. */
function tour(): Step[] {
  const section = README.slice(README.indexOf("## A tour"), README.indexOf("## How it works"));
  const blocks = [...section.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, i) => {
    const next = blocks[i + 1];
    return kind === "sh" ? [{ command: text, answer: next?.kind === "sh" ? undefined : next?.text }] : [];
  });
}

function run(command: string, variables: Record<string, string>): string {
  const here = command.replaceAll("localhost:8787", `localhost:${server.port}`);
  return execFileSync("bash", ["-c", here], { encoding: "utf8", env: { ...process.env, ...variables } });
}

/** `…` in the README stands for what differs each time. */
function expectAnswer(printed: string, answer: string): void {
  const pattern = answer
    .trim()
    .replaceAll("localhost:8787", `localhost:${server.port}`)
    .split("…")
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join('[^"]+');
  expect(printed.trim()).toMatch(new RegExp(`^${pattern}$`));
}

test("the tour's curl lines give what the README says", async () => {
  const variables: Record<string, string> = { KEY: keysOf(server, "Premium").live };
  const steps = tour();
  expect(steps.length).toBeGreaterThan(8);
  for (const { command, answer } of steps) {
    if (command.startsWith("export")) continue;
    // Clicks are stored a moment after their reply; a reader types slower than this test.
    const printed = await eventually(
      () => run(command, variables),
      (text) => !text.includes('"total":0') && !text.includes('"total":1'),
    );
    variables.LINK ??= /lnk_\w+/.exec(printed)?.[0] ?? "";
    expectAnswer(printed, answer ?? "");
  }
});

test("the curl line that the server prints makes a link", () => {
  const line = server.printed.split("\n").find((text) => text.trim().startsWith("curl"));
  expect(JSON.parse(run(line ?? "", {}))).toMatchObject({ url: "https://example.com/", routing: [] });
});

test("a test key makes links on the test domain, which redirect by that host alone", () => {
  const { test: key } = keysOf(server, "Premium");
  const make = `curl -s ${server.base}/v1/links -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"url":"https://example.com/t","slug":"t"}'`;
  expect(JSON.parse(run(make, {}))).toMatchObject({ short_url: `http://test.localhost:${server.port}/t` });
  const visit = (host: string) =>
    run(
      `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${server.port}/t -H 'Host: ${host}:${server.port}'`,
      {},
    );
  expect([visit("test.localhost"), visit("localhost")]).toEqual(["302", "404"]);
});

test("of what is visited the clicks alone are kept: no trace of each request", () => {
  expect(readdirSync(join(folder, "v3"))).toContain("d1");
  expect(readdirSync(join(folder, "v3"))).not.toContain("observability");
});

test("Ctrl-C leaves nothing running, and the next start offers the same keys", async () => {
  const keys = [keysOf(server, "Premium"), keysOf(server, "Free")];
  const children = execFileSync("ps", ["-eo", "pid,pgid,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(folder));
  expect(children.length).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
  await expect(fetch(`${server.base}/health`)).rejects.toThrow();
  expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(folder);
  server = await startDevServer(folder);
  expect([keysOf(server, "Premium"), keysOf(server, "Free")]).toEqual(keys);
});

async function eventually(attempt: () => string, isDone: (text: string) => boolean): Promise<string> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const text = attempt();
    if (isDone(text) || Date.now() > deadline) return text;
    await new Promise((done) => setTimeout(done, 50));
  }
}
