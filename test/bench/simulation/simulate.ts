/** `npm run simulate`: the load of a deployment of a given size on Cloudflare. `-- --help` lists its options. */
import { writeFileSync } from "node:fs";

import { parseOptions, type SimulateOptions } from "./options.ts";
import { type Report, reportOn } from "./report.ts";
import { tablesOf } from "./tables.ts";

try {
  const options = parseOptions(process.argv.slice(2));
  if ("usage" in options) console.log(options.usage);
  else print(options, simulate(options));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function simulate({ traffics, databases, seconds, seed }: SimulateOptions): Report[] {
  const reports = traffics.map((traffic, i) =>
    reportOn(traffic, databases, {
      seconds,
      seed,
      onProgress: (done) => sayProgress(`Simulating ${i + 1} of ${traffics.length}: ${Math.floor(done * 100)} %`),
    }),
  );
  sayProgress("");
  return reports;
}

function print({ isJson, out, seconds, seed }: SimulateOptions, reports: readonly Report[]): void {
  const json = JSON.stringify({ seconds, seed, reports }, null, 2);
  console.log(isJson ? json : tablesOf(reports).join("\n\n"));
  if (out !== null) writeFileSync(out, `${json}\n`);
}

/** Overwrites one line on a terminal; elsewhere prints nothing, since every step would be a line. */
function sayProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
