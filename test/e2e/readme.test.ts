/** What a newcomer does first: `npm run dev`, then the tour of the README and the examples of the guides, line by line. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type DevServer, keysOf, startDevServer } from "../support/dev-server.ts";
import { runSteps, stepsOf } from "../support/guide-steps.ts";
import { program } from "../support/programs.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const curl = program("curl");
const ps = program("ps", "procps");
const GUIDES = ["quickstart", "routing", "statistics", "qr-codes", "domains", "errors", "http"];

let server: DevServer;

beforeAll(async () => {
  server = await startDevServer();
});

afterAll(() => server.remove());

/** Runs what a text tells its reader to type, on this server. */
async function followText(text: string): Promise<void> {
  const steps = stepsOf(here(text));
  expect(steps.length).toBeGreaterThan(0);
  const key = { command: "export KEY=svc_live_...", answer: undefined };
  await runSteps([key, ...steps], keysOf(server, "Premium").live, run, (printed, pattern, command) =>
    expect(printed, command).toMatch(pattern),
  );
}

function here(text: string): string {
  return text.replaceAll("localhost:8787", `localhost:${server.port}`);
}

function run(command: string, variables: Record<string, string>): string {
  return execFileSync("bash", ["-c", command], { encoding: "utf8", env: { ...process.env, ...variables } });
}

test.skipIf(!curl.isThere)(`the tour's curl lines give what the README says${curl.missing}`, async () => {
  await followText(README.slice(README.indexOf("## A tour"), README.indexOf("## The code")));
});

test.skipIf(!curl.isThere).each(GUIDES)(
  `the commands of the guide %s give what it says${curl.missing}`,
  async (name) => {
    await followText(guide(name));
  },
);

function guide(name: string): string {
  return readFileSync(join(ROOT, "src/docs", `${name}.md`), "utf8");
}

test.skipIf(!curl.isThere)(`the curl line that the server prints makes a link${curl.missing}`, () => {
  const line = server.output.split("\n").find((text) => text.trim().startsWith("curl"));
  expect(JSON.parse(run(line ?? "", {}))).toMatchObject({ url: "https://example.com/", routing: [] });
});

test.skipIf(!curl.isThere)(
  `a test key makes links on the test domain, which redirect by that host alone${curl.missing}`,
  () => {
    const { test: key } = keysOf(server, "Premium");
    const make = `curl -s ${server.base}/v1/links -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"url":"https://example.com/t","slug":"t"}'`;
    expect(JSON.parse(run(make, {}))).toMatchObject({ short_url: `http://test.localhost:${server.port}/t` });
    const visit = (host: string) =>
      run(
        `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${server.port}/t -H 'Host: ${host}:${server.port}'`,
        {},
      );
    expect([visit("test.localhost"), visit("localhost")]).toEqual(["302", "404"]);
  },
);

test("of what is visited the clicks alone are kept: no trace of each request", () => {
  expect(readdirSync(join(server.folder, "v3"))).toContain("d1");
  expect(readdirSync(join(server.folder, "v3"))).not.toContain("observability");
});

test("a port that is taken is told at once, and the server that has it goes on", async () => {
  const env = { ...process.env, PORT: String(server.port) };
  const second = spawnSync(process.execPath, ["src/cli/dev.ts"], { cwd: ROOT, env, encoding: "utf8" });
  expect([second.status, second.stdout]).toEqual([1, ""]);
  expect(second.stderr).toContain(`Port ${server.port} is in use.`);
  expect((await fetch(`${server.base}/health`)).status).toBe(200);
});

test.skipIf(!ps.isThere)(
  `Ctrl-C leaves nothing running, and the next start offers the same keys${ps.missing}`,
  async () => {
    const keys = [keysOf(server, "Premium"), keysOf(server, "Free")];
    const children = execFileSync("ps", ["-eo", "pid,pgid,args"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(server.folder));
    expect(children.length).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
    await expect(fetch(`${server.base}/health`)).rejects.toThrow();
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(server.folder);
    server = await startDevServer({}, server.folder);
    expect([keysOf(server, "Premium"), keysOf(server, "Free")]).toEqual(keys);
  },
);
