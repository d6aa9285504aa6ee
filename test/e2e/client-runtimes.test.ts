/** The npm package in every runtime that it is for, against the development server: one flow, the same result. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startChromium } from "../support/chromium.ts";
import { type ClientProject, clientProject } from "../support/client-package.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { listenOnFreePort } from "../support/ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = join(ROOT, "test/client/runtimes");
const FLOW_TIMEOUT_MS = 120_000;
/** That of a browser without a head is a bot's, whose clicks are not streamed. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";

const run = promisify(execFile);

let server: DevServer;
let project: ClientProject;
let flow: string;

beforeAll(async () => {
  [server, project] = await Promise.all([startDevServer(), clientProject()]);
  flow = stripTypeScriptTypes(readFileSync(join(SOURCES, "flow.ts"), "utf8"));
  writeFileSync(join(project.folder, "flow.js"), flow);
  writeFileSync(join(project.folder, "main.js"), readFileSync(join(SOURCES, "main.js")));
});

afterAll(async () => {
  await Promise.all([project?.remove(), server?.remove()]);
});

const EXPECTED = {
  link: [true, "Spring"],
  errors: ["slug_taken", "precondition_failed", "link_not_found", "invalid_api_key"],
  many: [120, 121, 120, 120],
  rest: [true, "pending", 1, "live"],
  stream: [2, true, true],
  clicks: [3, 3, [1, 2, 3]],
  aborted: "AbortError",
};

/** Programs of the dev dependencies, with what stands before the file to run. */
const PROGRAMS: [runtime: string, program: string, args: string[]][] = [
  ["Node 20", "node-20/bin/node", []],
  ["Node 22", "node-22/bin/node", []],
  ["Node 24", "node/bin/node", []],
  ["Deno", ".bin/deno", ["run", "--allow-net", "--allow-env", "--no-remote"]],
  ["Bun", ".bin/bun", []],
];

test.each(PROGRAMS)("%s", { timeout: FLOW_TIMEOUT_MS }, async (_, program, args) => {
  const env = { ...process.env, BASE: server.base, KEY: server.accounts.Premium.live };
  const options = { cwd: project.folder, env, timeout: FLOW_TIMEOUT_MS };
  const { stdout } = await run(join(ROOT, "node_modules", program), [...args, "main.js"], options);
  expect(JSON.parse(stdout)).toEqual(EXPECTED);
});

/** The package and the flow, as one module that the browser and workerd load each from a place of its own. */
const packageCode = () => readFileSync(join(project.folder, "node_modules/hoplink/index.js"), "utf8");
const settings = () => JSON.stringify({ baseUrl: server.base, apiKey: server.accounts.Premium.live });

test("Chromium, from a page of another origin", { timeout: FLOW_TIMEOUT_MS }, async () => {
  const files: Record<string, string> = { "/hoplink.js": packageCode(), "/flow.js": flow };
  const site = createServer(({ url = "" }, response) => {
    response.setHeader("Content-Type", files[url] ? "text/javascript" : "text/html").end(files[url] ?? "");
  });
  const origin = `http://127.0.0.1:${await listenOnFreePort(site)}`;
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ userAgent: USER_AGENT });
    await page.goto(origin);
    const script = `Promise.all([import("/hoplink.js"), import("/flow.js")]).then(([hoplink, { flow }]) => flow(hoplink, ${settings()}))`;
    expect(await page.evaluate(script)).toEqual(EXPECTED);
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
  }
});

test("a Worker, in workerd", { timeout: FLOW_TIMEOUT_MS }, async () => {
  const main = `import * as hoplink from "./hoplink.js"; import { flow } from "./flow.js";
export default { fetch: async () => Response.json(await flow(hoplink, ${settings()})) };`;
  const modules = Object.entries({ "main.js": main, "hoplink.js": packageCode(), "flow.js": flow });
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: modules.map(([path, contents]) => ({ type: "ESModule" as const, path, contents })),
      compatibilityDate: "2026-01-01",
    }),
  );
  try {
    const response = await worker.dispatchFetch("http://worker.test/");
    expect(await response.json()).toEqual(EXPECTED);
  } finally {
    await worker.dispose();
  }
});
