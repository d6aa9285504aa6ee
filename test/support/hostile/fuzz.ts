/**
 * `npm run fuzz`: runs test/api/hostile-requests.test.ts with a number of requests, and with a seed if one is given.
 */
import { runCommand } from "../../../src/cli/command.ts";

const USAGE = `Usage: npm run fuzz [-- options]

  --requests N  how many hostile requests are sent (100000)
  --seed N      repeats the run that printed it`;

const options = { requests: { type: "string", default: "100000" }, seed: { type: "string" } } as const;

await runCommand(USAGE, { options }, async ({ values: { requests, seed } }) => {
  process.env.HOSTILE_REQUESTS = requests;
  if (seed !== undefined) process.env.PROPERTY_SEED = seed;
  // Imported here: `--help` needs none of it.
  const { startVitest } = await import("vitest/node");
  const vitest = await startVitest("test", [], { watch: false, project: ["properties-worker"] });
  await vitest.close();
  return process.exitCode ? 1 : 0;
});
