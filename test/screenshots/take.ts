/**
 * `npm run screenshots`: takes the pictures of the README from the real dashboard, light and dark. Starts the
 * development server with separate data. Needs Chromium.
 */
import { runCommand } from "../../src/cli/command.ts";

await runCommand("Usage: npm run screenshots", {}, async () => {
  await import("./link-page.ts");
});
