/** `npm run upgrade`: deploys this release in the place of the one that runs, with a small share of the visitors first. */
import { parseArgs } from "node:util";

import { runDeploymentCommand } from "./deployment/command.ts";
import { NEW_SHARE_PERCENT, upgrade } from "./deployment/upgrade.ts";

const USAGE = `Usage: npm run upgrade -- [options]

Migrates the database, uploads this release as a version, gives it ${NEW_SHARE_PERCENT} % of the visitors, checks it and gives it all.
When the check fails, all visitors get the version before again.

  --hold         stays at ${NEW_SHARE_PERCENT} %
  --continue     goes on from there: checks again, then 100 %
  --name NAME    name of the Worker
  --skip-build   deploys what \`npm run build\` has made already
  --json         progress goes to standard error; the last line of standard output is
                 {"url","version","before","percentage","bookmark","link"}

Back: npm run rollback`;

const OPTIONS = {
  name: { type: "string" },
  hold: { type: "boolean", default: false },
  continue: { type: "boolean", default: false },
  "skip-build": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

await runDeploymentCommand(
  USAGE,
  () => parseArgs({ options: OPTIONS }).values,
  upgrade,
  (outcome) => {
    const { url, version, before, percentage, bookmark } = outcome;
    const lines = [
      `Version ${version} serves ${percentage} % at ${url}`,
      percentage < 100
        ? "To go on: npm run upgrade -- --continue   Back: npm run rollback"
        : `Before: ${before}   Back: npm run rollback`,
      ...(bookmark === null ? [] : [`Database before: ${bookmark}`]),
    ];
    return lines.join("\n");
  },
);
