/**
 * `npm run screenshots`: takes the pictures of the README from the real dashboard, light and dark. Starts the
 * development server with separate data. Needs Chromium.
 */
import { Command } from "@commander-js/extra-typings";

import { runCommand } from "../../src/cli/command.ts";

const command = () => new Command("npm run screenshots");

await runCommand(command, async () => {
  await import("./link-page.ts");
});
