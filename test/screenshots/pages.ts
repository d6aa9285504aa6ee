/**
 * `npm run screenshots:pages`: takes pictures of all pages for people to review: the first account, sign-in, links,
 * statistics, rules, import, keys and domains, the operator's page, the calculator. Reports texts that do not fit.
 * Starts the development server with separate data. Needs Chromium.
 */
import { Command } from "@commander-js/extra-typings";

import { runCommand } from "../../src/cli/command.ts";

const command = () =>
  new Command("npm run screenshots:pages --")
    .usage("[SCENE...]")
    .description("SCENE is the beginning of the name of a scene; all when there are none.")
    .allowExcessArguments();

await runCommand(command, async () => {
  await import("./scenes.ts");
});
