/** `npm run rollback`: gives all visitors an earlier version of the Worker. */
import { deploymentCommand, runDeploymentCommand } from "./deployment/command.ts";

const ABOUT = `Gives all visitors the version before: while an upgrade is under way the one that it replaces, else the newest that has
served everybody. The database stays as it is, which the version before works with.`;

const command = deploymentCommand("rollback", '{"url","version","before","restore","link"}')
  .description(ABOUT)
  .option("--to <ID>", "another version: its id, or how that begins")
  .option("--list", "lists the versions only")
  .option("--name <NAME>", "name of the Worker")
  .addHelpText("after", "\nForward again: npm run upgrade");

await runDeploymentCommand(
  command,
  async (options, progress, questions) => {
    const { rollBack } = await import("./deployment/roll-back.ts");
    return rollBack(options, progress, questions);
  },
  (outcome) => {
    if (outcome === null) return "";
    const { url, version, before, restore } = outcome;
    const lines = [`Version ${version} serves at ${url}; before it was ${before}`];
    if (restore !== null) lines.push(`Only if its data must go back too, which loses all changes since: ${restore}`);
    return lines.join("\n");
  },
);
