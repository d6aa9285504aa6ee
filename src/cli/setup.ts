/**
 * `npm run setup`: creates a deployment on Cloudflare, or repairs one. Resources are found by name or created, never
 * replaced or removed, so it can be run again at any time.
 */
import { deploymentMain, runUntilInterrupted } from "./deployment/command.ts";
import { setupCommand } from "./deployment/options.ts";

export const main = deploymentMain(
  setupCommand,
  async () => (await import("./deployment/set-up.ts")).setUp,
  ({ url, setup_url }) => {
    const next =
      setup_url === null
        ? `Sign in at ${url}/dashboard`
        : `Create the first account within an hour. This URL works once:\n\n  ${setup_url}`;
    return `Hoplink is running at ${url}\n\n${next}`;
  },
);

if (import.meta.main) await runUntilInterrupted(main);
