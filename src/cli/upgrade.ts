/** `npm run upgrade`: replaces the running release with this one, first for a small share of the visitors. */
import { deploymentMain, runUntilInterrupted } from "./deployment/command.ts";
import { upgradeCommand } from "./deployment/options.ts";

export const main = deploymentMain(
  upgradeCommand,
  async () => (await import("./deployment/upgrade.ts")).upgrade,
  ({ url, version, before, percentage, bookmark }) => {
    const lines = [
      `Version ${version} serves ${percentage} % of the visitors at ${url}`,
      percentage < 100
        ? "Continue: npm run upgrade -- --continue   Roll back: npm run rollback"
        : `Previous version: ${before}   Roll back: npm run rollback`,
      ...(bookmark === null ? [] : [`Database bookmark before the upgrade: ${bookmark}`]),
    ];
    return lines.join("\n");
  },
);

if (import.meta.main) await runUntilInterrupted(main);
