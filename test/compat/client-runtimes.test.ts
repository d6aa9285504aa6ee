/** The npm package in other runtimes: the result is that of `test/e2e/client-runtimes.test.ts`. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { ClientFlow, FLOW_RESULT, FLOW_TIMEOUT_MS } from "../support/client-flow.ts";

const MODULES = join(import.meta.dirname, "node_modules");
const DENO = join(MODULES, "deno/bin.cjs");

let flow: ClientFlow;

beforeAll(async () => {
  flow = await ClientFlow.start();
});

afterAll(() => flow?.remove());

test.each([
  ["Node 20", join(MODULES, "node-20/bin/node"), []],
  ["Node 22", join(MODULES, "node-22/bin/node"), []],
  ["Deno", process.execPath, [DENO, "run", "--allow-net", "--allow-env", "--no-remote"]],
  ["Bun", join(MODULES, "bun/bin/bun.exe"), []],
])("%s", { timeout: FLOW_TIMEOUT_MS }, async (_, program, args) => {
  expect(await flow.runBy(program, args)).toEqual(FLOW_RESULT);
});
