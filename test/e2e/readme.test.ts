/** What a newcomer does first: `npm run dev`, then the tour of the README and the examples of the guides, line by line. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type DevServer, keysOf, startDevServer } from "../support/dev-server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const GUIDES = ["routing"];

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
  /** What is printed below the command; undefined where the text shows no answer. */
  answer: string | undefined;
}

/** The `sh` blocks of a text, each with the block directly below it, if that is no command. */
function stepsOf(text: string): Step[] {
  const blocks = text.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```(?:json)?\n([\s\S]*?)```)?/g);
  return [...blocks].map(([, command = "", answer]) => ({ command, answer }));
}

/** Runs what a reader would type, in order. `export NAME=lnk_...` stands for the id that was printed last. */
async function follow(steps: readonly Step[]): Promise<void> {
  const variables: Record<string, string> = {};
  let printed = keysOf(server, "Premium").live;
  for (const { command, answer } of steps) {
    const [, name, prefix] = /^export (\w+)=([a-z_]+)\.\.\./.exec(command) ?? [];
    if (name) {
      variables[name] = new RegExp(`${prefix}\\w+`).exec(printed)?.[0] ?? "";
      continue;
    }
    const pattern = answer === undefined ? /^(?!.*"error")/s : patternOf(answer);
    const attempt = () => compact(run(command, variables));
    // Clicks are stored a moment after their reply; a reader types slower than this test.
    printed = isRead(command) ? await eventually(attempt, (text) => pattern.test(text)) : attempt();
    expect(printed, command).toMatch(pattern);
  }
}

/** Whether a command may be repeated: visits and requests with a body may not. */
function isRead(command: string): boolean {
  return command.includes("/v1/") && !/ -d | -X /.test(command);
}

function run(command: string, variables: Record<string, string>): string {
  return execFileSync("bash", ["-c", here(command)], { encoding: "utf8", env: { ...process.env, ...variables } });
}

function here(text: string): string {
  return text.replaceAll("localhost:8787", `localhost:${server.port}`);
}

/** JSON on one line: the guides print it on several. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
}

/** `…` stands for what differs each time. */
function patternOf(answer: string): RegExp {
  const pattern = compact(here(answer))
    .split("…")
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join('[^"]+');
  return new RegExp(`^${pattern}$`);
}

test("the tour's curl lines give what the README says", async () => {
  const steps = stepsOf(README.slice(README.indexOf("## A tour"), README.indexOf("## How it works")));
  expect(steps.length).toBeGreaterThan(8);
  await follow(steps);
});

test.each(GUIDES)("the commands of the guide %s give what it says", async (name) => {
  const steps = stepsOf(readFileSync(join(ROOT, "src/docs", `${name}.md`), "utf8"));
  expect(steps.length).toBeGreaterThan(0);
  await follow([{ command: "export KEY=svc_live_...", answer: undefined }, ...steps]);
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
