/**
 * `npm run setup`: makes a deployment on Cloudflare, or repairs one. Everything is found by its name or made, nothing is
 * replaced or removed, so it can be run again at any time.
 */
import { parseSetupOptions, SETUP_USAGE } from "./deployment/options.ts";
import { Progress } from "./deployment/progress.ts";
import { isInteractive, NOBODY_TO_ASK, TERMINAL } from "./deployment/questions.ts";
import { EXIT, SetupError } from "./deployment/setup-error.ts";
import type { Outcome } from "./deployment/set-up.ts";

// Ends wrangler and removes the file of the secret, which are bound to the end of this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(EXIT.interrupted));
try {
  const options = parseSetupOptions(process.argv.slice(2));
  if (options === null) {
    console.log(SETUP_USAGE);
  } else {
    // With --json, standard output has nothing but the result.
    const progress = new Progress(options.json ? process.stderr : process.stdout);
    const questions = isInteractive() && !options.yes && !options.json ? TERMINAL : NOBODY_TO_ASK;
    // wrangler, which it imports, takes a second to load: wrong options are told at once.
    const { setUp } = await import("./deployment/set-up.ts");
    const outcome = await setUp(options, progress, questions);
    console.log(options.json ? JSON.stringify(outcome) : describe(outcome));
  }
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof SetupError ? error.exitCode : EXIT.failed;
}

function describe({ url, setup_url }: Outcome): string {
  const next =
    setup_url === null
      ? `Sign in at ${url}/dashboard`
      : `Make the first account within an hour, at this address, which works once:\n\n  ${setup_url}`;
  return `\nHoplink serves at ${url}\n\n${next}\n`;
}
