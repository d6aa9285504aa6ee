/**
 * `npm run deploy`, after the build: keeps the dashboard's earlier files, migrates the databases and deploys the
 * Worker. Uses the configuration written by `npm run setup`, or `wrangler.toml` if it never ran.
 */
import { Command } from "@commander-js/extra-typings";

import { commandMain, endWhenInterrupted, runAsProcess } from "./command.ts";
import { Dialog } from "./deployment/dialog.ts";
import { runWrangler } from "./wrangler.ts";

const DESCRIPTION = "Migrate the databases and deploy the Worker. To create a deployment, use npm run setup.";
const command = () => new Command("npm run deploy").description(DESCRIPTION);

export const main = commandMain(command, async (_, { stdout }) => {
  // wrangler takes a second to load: invalid arguments are refused before that.
  const [{ unstable_readConfig: readConfig }, { deploymentConfigPath, deploymentUrl }, { migrate, prepareFiles }] =
    await Promise.all([import("wrangler"), import("./deployment/config-file.ts"), import("./deployment/deploy.ts")]);
  const dialog = new Dialog(stdout, false);
  const config = deploymentConfigPath();
  const { vars, d1_databases } = readConfig({ config });
  const configuredUrl = typeof vars.BASE_URL === "string" ? vars.BASE_URL : "";
  const baseUrl = process.env.BASE_URL || deploymentUrl(config) || configuredUrl || null;
  if (baseUrl === null) dialog.warn("BASE_URL is not set, so files of earlier releases are not kept");
  await prepareFiles(baseUrl, true, dialog);
  await migrate(config, d1_databases, dialog);
  dialog.note(await dialog.step("Deployment", () => runWrangler(["deploy", "--config", config])));
});

if (import.meta.main) {
  endWhenInterrupted();
  await runAsProcess(main);
}
