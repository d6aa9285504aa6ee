/** `npm run rollback`: gives all visitors an earlier version of the Worker. */
import { type Output, runAsProcess } from "./command.ts";
import { runDeploymentCommand } from "./deployment/command.ts";
import { endWhenInterrupted } from "./deployment/interruption.ts";
import { rollbackCommand } from "./deployment/options.ts";

export function main(argv: readonly string[], output: Output): Promise<number> {
  return runDeploymentCommand(
    rollbackCommand(),
    argv,
    output,
    async (options, dialog) => {
      const { rollBack } = await import("./deployment/roll-back.ts");
      return rollBack(options, dialog);
    },
    (outcome) => {
      if (outcome === null) return "";
      const { url, version, before, restore } = outcome;
      const lines = [`Version ${version} serves at ${url}; before it was ${before}`];
      if (restore !== null) lines.push(`Only if its data must go back too, which loses all changes since: ${restore}`);
      return lines.join("\n");
    },
  );
}

if (import.meta.main) {
  endWhenInterrupted();
  await runAsProcess(main);
}
