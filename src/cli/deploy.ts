/**
 * `npm run deploy`, after the build: keeps the dashboard's earlier files, migrates the databases and deploys the Worker,
 * with the configuration that `npm run setup` has written, or with `wrangler.toml` where it never ran.
 */
import { resolve } from "node:path";

import { runCommand } from "./command.ts";
import { endWhenInterrupted } from "./deployment/interruption.ts";
import { SetupError } from "./deployment/setup-error.ts";
import { keepAssets } from "./keep-assets.ts";
import { endOfWrangler, startWrangler } from "./wrangler.ts";

const ASSETS = resolve(import.meta.dirname, "../../dist/dashboard/assets");

await runCommand("Usage: npm run deploy", {}, async () => {
  endWhenInterrupted();
  // wrangler takes a second to load: wrong arguments are refused before.
  const [{ unstable_readConfig: readConfig }, { deploymentConfigPath, deploymentUrl }] = await Promise.all([
    import("wrangler"),
    import("./deployment/config-file.ts"),
  ]);
  const config = deploymentConfigPath();
  const { vars, d1_databases } = readConfig({ config });
  const configuredUrl = typeof vars.BASE_URL === "string" && vars.BASE_URL !== "" ? vars.BASE_URL : null;
  await keepEarlierAssets(process.env.BASE_URL || deploymentUrl(config) || configuredUrl);
  for (const { binding } of d1_databases) {
    await run(["d1", "migrations", "apply", binding, "--remote", "--config", config]);
  }
  await run(["deploy", "--config", config]);
});

async function keepEarlierAssets(baseUrl: string | null): Promise<void> {
  if (baseUrl === null) {
    console.log("BASE_URL does not say where the deployment is: files of earlier releases are not kept");
    return;
  }
  try {
    console.log(`kept ${await keepAssets(ASSETS, baseUrl, Date.now())} files of earlier releases`);
  } catch (error) {
    // A deployment must be possible while the service is down.
    console.warn("files of earlier releases are not kept: pages that are open must be reloaded.", error);
  }
}

async function run(args: string[]): Promise<void> {
  const code = await endOfWrangler(startWrangler(args, "inherit"));
  if (code !== 0) throw new SetupError(`wrangler ${args.slice(0, 3).join(" ")} failed.`);
}
