/** `npm run first-day`: measures on Cloudflare what the documentation only claims, in a temporary installation. */
import { deploymentMain, runUntilInterrupted } from "./deployment/command.ts";
import { firstDayCommand } from "./deployment/options.ts";

export const main = deploymentMain(
  firstDayCommand,
  async () => (await import("./first-day/first-day.ts")).firstDay,
  ({ report, measured, differing, unmeasured }) =>
    report === null
      ? "Everything was removed."
      : `${report} contains ${measured} measurements, of which ${differing} differ from the documentation; ${unmeasured} sections could not be measured. The installation was removed.`,
);

if (import.meta.main) {
  // A closed terminal does not prevent the removal of the rest.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  await runUntilInterrupted(main);
}
