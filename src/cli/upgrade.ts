/** `npm run upgrade`: replaces the running release with this one, at first for a small share of the visitors. */
import { deploymentMain, runUntilInterrupted } from "./deployment/command.ts";
import { upgradeCommand } from "./deployment/options.ts";

export const main = deploymentMain(
  upgradeCommand,
  async () => (await import("./deployment/upgrade.ts")).upgrade,
  ({ url, version, before, percentage, bookmark }) => {
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

if (import.meta.main) await runUntilInterrupted(main);
