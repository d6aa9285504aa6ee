/**
 * `npm run screenshots:pages`: takes pictures of all pages for people to review: the first account, sign-in, links,
 * statistics, rules, import, keys and domains, the operator's page, the calculator. Reports texts that do not fit.
 * Starts the development server with separate data. Needs Chromium.
 */
import { runCommand } from "../../src/cli/command.ts";

const USAGE = `Usage: npm run screenshots:pages [-- SCENE...]

SCENE is the beginning of the name of a scene; all when there are none.`;

await runCommand(USAGE, { allowPositionals: true }, async () => {
  await import("./scenes.ts");
});
