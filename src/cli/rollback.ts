/** `npm run rollback`: gives all visitors an earlier version of the Worker. */
import { parseArgs } from "node:util";

import { runDeploymentCommand } from "./deployment/command.ts";
import { rollBack } from "./deployment/roll-back.ts";

const USAGE = `Usage: npm run rollback -- [options]

Gives all visitors the version before: while an upgrade is under way the one that it replaces, else the newest that has
served everybody. The database stays as it is, which the version before works with.

  --to ID        another version: its id, or how that begins
  --list         lists the versions only
  --name NAME    name of the Worker
  --json         progress goes to standard error; the last line of standard output is
                 {"url","version","before","restore","link"}

Forward again: npm run upgrade`;

const OPTIONS = {
  name: { type: "string" },
  to: { type: "string" },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

await runDeploymentCommand(
  USAGE,
  () => parseArgs({ options: OPTIONS }).values,
  rollBack,
  (outcome) => {
    if (outcome === null) return "";
    const { url, version, before, restore } = outcome;
    const lines = [`Version ${version} serves at ${url}; before it was ${before}`];
    if (restore !== null) lines.push(`Only if its data must go back too, which loses all changes since: ${restore}`);
    return lines.join("\n");
  },
);
