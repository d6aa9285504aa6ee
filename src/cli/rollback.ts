/** `npm run rollback`: gives all visitors an earlier version of the Worker. */
import { deploymentMain, runUntilInterrupted } from "./deployment/command.ts";
import { rollbackCommand } from "./deployment/options.ts";

export const main = deploymentMain(
  rollbackCommand,
  async () => (await import("./deployment/roll-back.ts")).rollBack,
  (outcome) => {
    if (outcome === null) return "";
    const { url, version, before, restore } = outcome;
    const lines = [`Version ${version} serves all visitors at ${url}. Previous version: ${before}`];
    if (restore !== null)
      lines.push(`Only if the database must be restored too, which loses all later changes: ${restore}`);
    return lines.join("\n");
  },
);

if (import.meta.main) await runUntilInterrupted(main);
