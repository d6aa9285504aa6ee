/** `npm run fuzz`: runs test/api/hostile-requests.test.ts with a number of requests, and a seed where one is to be repeated. */
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values } = parseArgs({
  options: { requests: { type: "string", default: "100000" }, seed: { type: "string" } },
});
process.env.HOSTILE_REQUESTS = values.requests;
if (values.seed !== undefined) process.env.PROPERTY_SEED = values.seed;
const vitest = await startVitest("test", [], { watch: false, project: ["properties-worker"] });
await vitest.close();
