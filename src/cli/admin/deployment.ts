/** The operator's commands that call the running deployment: backups, exports and diagnostics. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";

import { raiseRevisions } from "../../store/links/restored-links.ts";
import { type BackupPlace, parsePlace } from "../backup/places.ts";
import { formatChecks, worstLevel } from "../deployment/checks.ts";
import { type Target, URL_OPTION } from "./target.ts";

export function addDeploymentCommands(program: Command, target: Target): void {
  program
    .command("backup")
    .description("a copy of everything, in a folder or in R2; run again, it goes on where it was cut")
    .requiredOption("--to <PLACE>", "the folder, or r2:BUCKET/PREFIX", placeOption)
    .option(...URL_OPTION)
    .action(async ({ to, url }) => target.print(await (await commands()).backUp(target.deployment(url), to)));
  program
    .command("restore")
    .description("puts a backup into an empty installation; goes on as well")
    .requiredOption("--from <PLACE>", "the folder, or r2:BUCKET/PREFIX", placeOption)
    .option(...URL_OPTION)
    .action(async ({ from, url }) => target.print(await (await commands()).restore(target.deployment(url), from)));
  program
    .command("export")
    .description("an account's links and clicks as NDJSON and CSV, for a customer who leaves")
    .requiredOption("--account <E|ID>", "whose, by e-mail address or id")
    .requiredOption("--to <DIR>", "the folder")
    .option(...URL_OPTION)
    .action(async ({ account, to, url }) =>
      target.print(await (await commands()).exportTo(target.deployment(url), account, to)),
    );
  program
    .command("doctor")
    .description("a line for each part of the deployment, and what to run where one is wrong; exit code 1 then")
    .option("--url <URL>", "where the development server is")
    .action(({ url }) => examine(target, url));
  program
    .command("restored")
    .description("after the database was set back (Time Travel): its links are believed again")
    .action(() => target.report(async (database) => ({ links: String(await raiseRevisions(database)) })));
}

/** They import wrangler, which takes seconds to load: invalid options are reported before that. */
function commands() {
  return import("../backup/commands.ts");
}

function placeOption(text: string): BackupPlace {
  const place = parsePlace(text);
  if (place) return place;
  throw new InvalidArgumentError("Write a folder, or r2:BUCKET/PREFIX, such as r2:backups/2026-11-22.");
}

async function examine(target: Target, url: string | undefined): Promise<void> {
  const { remote, persistTo, json } = target.options;
  const { examineLocal, examineRemote } = await import("../deployment/doctor.ts");
  const checks = await (remote ? examineRemote(target.io.stderr) : examineLocal(persistTo, target.baseUrl(url)));
  const status = worstLevel(checks);
  if (status === "failure") target.exitCode = 1;
  if (json) target.print({ status, checks: checks.map((check) => ({ ...check })) });
  else target.console.log(formatChecks(checks));
}
