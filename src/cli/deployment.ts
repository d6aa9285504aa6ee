/**
 * The commands for a deployment on Cloudflare, each a script of package.json. The first argument is its name; options
 * are in `deployment/options.ts`.
 */
import type { Main } from "./command.ts";
import {
  deploymentMain,
  firstDayCommand,
  rollbackCommand,
  runUntilInterrupted,
  setupCommand,
  upgradeCommand,
} from "./deployment/options.ts";

/**
 * Creates a deployment, or repairs one. Resources are found by name or created, never replaced or removed, so it can be
 * run again at any time.
 */
const setup = deploymentMain(
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

/** Replaces the running release with this one, first for a small share of the visitors. */
const upgrade = deploymentMain(
  upgradeCommand,
  async () => (await import("./deployment/upgrade.ts")).upgrade,
  ({ url, version, before, percentage, bookmark }) => {
    const lines = [
      `Version ${version} serves ${percentage} % of the visitors at ${url}`,
      percentage < 100
        ? "Continue: npm run upgrade -- --continue   Roll back: npm run rollback"
        : `Previous version: ${before}   Roll back: npm run rollback`,
      ...(bookmark === null ? [] : [`Database bookmark before the upgrade: ${bookmark}`]),
    ];
    return lines.join("\n");
  },
);

/** Gives all visitors an earlier version of the Worker. */
const rollback = deploymentMain(
  rollbackCommand,
  async () => (await import("./deployment/roll-back.ts")).rollBack,
  (outcome) => {
    if (outcome === null) return "";
    const { url, version, before, restore } = outcome;
    const lines = [`Version ${version} serves all visitors at ${url}. Previous version: ${before}`];
    if (restore !== null)
      lines.push(`Only if the database must be restored too, which loses all later changes: ${restore}`);
    return lines.join("\n");
  },
);

/** Measures on Cloudflare what the documentation only claims, in a temporary installation. */
const firstDay = deploymentMain(
  firstDayCommand,
  async () => (await import("./first-day/first-day.ts")).firstDay,
  ({ report, measured, differing, unmeasured }) =>
    report === null
      ? "Everything was removed."
      : `${report} contains ${measured} measurements, of which ${differing} differ from the documentation; ${unmeasured} sections could not be measured. The installation was removed.`,
);

const COMMANDS: Readonly<Record<string, Main>> = { setup, upgrade, rollback, "first-day": firstDay };

export const main: Main = async ([name = "", ...argv], output) => {
  const command = COMMANDS[name];
  if (!command) throw new Error(`There is no command ${name}`);
  return command(argv, output);
};

if (import.meta.main) {
  // A closed terminal does not prevent the removal of the installation of `first-day`.
  if (process.argv[2] === "first-day")
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  await runUntilInterrupted(main);
}
