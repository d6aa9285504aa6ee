/**
 * `npm run screenshots:pages`: takes pictures of pages that are seen rarely, to be looked at by people: the first account,
 * sign-in, import, keys and domains, the operator's page, the calculator. Starts the development server with data of its
 * own. Needs Chromium.
 */
import { runCommand } from "../../src/cli/command.ts";

const USAGE = `Usage: npm run screenshots:pages [-- SCENE...]

SCENE is the beginning of the name of a scene; all when there are none.`;

await runCommand(USAGE, { allowPositionals: true }, async () => {
  await import("./scenes.ts");
});
