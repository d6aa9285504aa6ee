/** `npm run upgrade`: deploys this release in the place of the one that runs, with a small share of the visitors first. */
import { deploymentCommand, runDeploymentCommand } from "./deployment/command.ts";
import { NEW_SHARE_PERCENT } from "./deployment/shares.ts";

const ABOUT = `Migrates the database, uploads this release as a version, gives it ${NEW_SHARE_PERCENT} % of the visitors, checks it and gives it all.
When the check fails, all visitors get the version before again.`;

const command = deploymentCommand("upgrade", '{"url","version","before","percentage","bookmark","link"}')
  .description(ABOUT)
  .option("--hold", `stays at ${NEW_SHARE_PERCENT} %`)
  .option("--continue", "goes on from there: checks again, then 100 %")
  .option("--name <NAME>", "name of the Worker")
  .option("--skip-build", "deploys what `npm run build` has made already")
  .addHelpText("after", "\nBack: npm run rollback");

await runDeploymentCommand(
  command,
  async (options, progress, questions) => {
    const { upgrade } = await import("./deployment/upgrade.ts");
    return upgrade(options, progress, questions);
  },
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
