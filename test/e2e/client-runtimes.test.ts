/** The npm package in the runtimes that the project installs; `test/compat` covers its own runtimes. */
import { createServer } from "node:http";
import { resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";

import { ClientFlow, FLOW_RESULT, FLOW_TIMEOUT_MS } from "../support/client-flow.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { sharedBrowser, sharedServer } from "../support/shared-server.ts";

const NODE_24 = resolve(import.meta.dirname, "../../node_modules/node/bin/node");
/** Headless browsers count as bots, whose clicks are not streamed. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";

let flow: ClientFlow;

beforeAll(async () => {
  flow = await ClientFlow.start(sharedServer());
});

afterAll(() => flow?.remove());

test("Node 24", { timeout: FLOW_TIMEOUT_MS }, async () => {
  expect(await flow.runBy(NODE_24)).toEqual(FLOW_RESULT);
});

test("Chromium, from a page of another origin", { timeout: FLOW_TIMEOUT_MS }, async () => {
  const files: Record<string, string> = { "/hoplink.js": flow.packageCode, "/flow.js": flow.code };
  const site = createServer(({ url = "" }, response) => {
    response.setHeader("Content-Type", files[url] ? "text/javascript" : "text/html").end(files[url] ?? "");
  });
  const origin = `http://127.0.0.1:${await listenOnFreePort(site)}`;
  const browser = await sharedBrowser();
  const page = await browser.newPage({ userAgent: USER_AGENT });
  try {
    await page.goto(origin);
    const settings = JSON.stringify(flow.settings);
    const script = `Promise.all([import("/hoplink.js"), import("/flow.js")]).then(([hoplink, { flow }]) => flow(hoplink, ${settings}))`;
    expect(await page.evaluate(script)).toEqual(FLOW_RESULT);
  } finally {
    await page.close();
    site.closeAllConnections();
    site.close();
  }
});

test("a Worker, in workerd", { timeout: FLOW_TIMEOUT_MS }, async () => {
  const main = `import * as hoplink from "./hoplink.js"; import { flow } from "./flow.js";
export default { fetch: async () => Response.json(await flow(hoplink, ${JSON.stringify(flow.settings)})) };`;
  const modules = Object.entries({ "main.js": main, "hoplink.js": flow.packageCode, "flow.js": flow.code });
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: modules.map(([path, contents]) => ({ type: "ESModule" as const, path, contents })),
      compatibilityDate: "2026-01-01",
    }),
  );
  try {
    const response = await worker.dispatchFetch("http://worker.test/");
    expect(await response.json()).toEqual(FLOW_RESULT);
  } finally {
    await worker.dispose();
  }
});
