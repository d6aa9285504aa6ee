/**
 * `npm run fuzz`: runs test/api/hostile-requests.test.ts with a number of requests, and with a seed if one is given.
 */
import { Command } from "@commander-js/extra-typings";

import { runCommand } from "../../../src/cli/command.ts";

const command = () =>
  new Command("npm run fuzz --")
    .option("--requests <N>", "how many hostile requests are sent", "100000")
    .option("--seed <N>", "repeats the run that printed it");

await runCommand(command, async ({ requests, seed }) => {
  process.env.HOSTILE_REQUESTS = requests;
  if (seed !== undefined) process.env.PROPERTY_SEED = seed;
  // Imported here: `--help` needs none of it.
  const { startVitest } = await import("vitest/node");
  const vitest = await startVitest("test", [], { watch: false, project: ["properties-worker"] });
  await vitest.close();
  return process.exitCode ? 1 : 0;
});
