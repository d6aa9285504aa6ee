/**
 * `npm run deploy`, after the build: keeps the dashboard's earlier files, migrates the databases and deploys the Worker,
 * with the configuration that `npm run setup` has written, or with `wrangler.toml` where it never ran.
 */
import { resolve } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";

import { deploymentConfigPath, deploymentUrl } from "./deployment/config-file.ts";
import { keepAssets } from "./keep-assets.ts";
import { endOfWrangler, startWrangler } from "./wrangler.ts";

const ASSETS = resolve(import.meta.dirname, "../../dist/dashboard/assets");

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  const config = deploymentConfigPath();
  await keepEarlierAssets(process.env.BASE_URL || deploymentUrl(config) || configuredUrl(config));
  for (const { binding } of readConfig({ config }).d1_databases) {
    await run(["d1", "migrations", "apply", binding, "--remote", "--config", config]);
  }
  await run(["deploy", "--config", config]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function configuredUrl(config: string): string | null {
  const { BASE_URL } = readConfig({ config }).vars;
  return typeof BASE_URL === "string" && BASE_URL !== "" ? BASE_URL : null;
}

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
  if (code !== 0) throw new Error(`wrangler ${args.slice(0, 3).join(" ")} failed.`);
}
