/**
 * The operator's command line. `--local` (the default) uses the development database, `--remote` the deployed one.
 * Commands on the database are in `admin/`.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { raiseRevisions } from "../store/links/restored-links.ts";
import { addAccountCommands, addAccountKeys, addKeyCommands, addOperatorCommands } from "./admin/accounts.ts";
import { addLinkCommands } from "./admin/links.ts";
import { type Io, Target, URL_OPTION } from "./admin/target.ts";
import { type BackupPlace, parsePlace } from "./backup/places.ts";
import { EXIT, harmlessLines, textOf } from "./command.ts";
import { formatChecks, worstLevel } from "./deployment/checks.ts";
import { runUntilInterrupted } from "./deployment/options.ts";

/** @param argv  without the paths of Node and the script @returns the exit code */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const target = new Target(io);
  try {
    await adminProgram(target).parseAsync(argv, { from: "user" });
    return target.exitCode;
  } catch (error) {
    // Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    target.console.error(harmlessLines(textOf(error)));
    return EXIT.failed;
  }
}

/** All commands, grouped by area, and their shared options. */
export function adminProgram(target: Target) {
  const program = new Command("npm run admin --")
    .description("Manage accounts, API keys, links and the deployment.")
    .addOption(new Option("--local", "use the development database (default)").conflicts("remote"))
    .option("--persist-to <DIR>", "data folder of the development database, as for npm run dev")
    .option("--remote", "use the deployed databases")
    .option("--json", "print JSON")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showHelpAfterError("(use --help to list the commands and options)")
    .configureOutput({
      writeOut: (text) => target.io.stdout.write(text),
      writeErr: (text) => target.io.stderr.write(text),
    })
    .exitOverride();
  program.hook("preAction", () => void (target.options = program.opts()));
  addAccountKeys(addAccountCommands(program, target), target);
  addKeyCommands(program, target);
  addLinkCommands(program, target);
  addOperatorCommands(program, target);
  addDeploymentCommands(program, target);
  return program;
}

/** The commands that call the running deployment: backups, exports and diagnostics. */
function addDeploymentCommands(program: Command, target: Target): void {
  program
    .command("backup")
    .description("Back up everything to a folder or R2; run again to resume an interrupted backup")
    .requiredOption("--to <PLACE>", "folder, or r2:BUCKET/PREFIX", placeOption)
    .option(...URL_OPTION)
    .action(async ({ to, url }) => target.print(await (await commands()).backUp(target.deployment(url), to)));
  program
    .command("restore")
    .description("Restore a backup into an empty installation; run again to resume")
    .requiredOption("--from <PLACE>", "folder, or r2:BUCKET/PREFIX", placeOption)
    .option(...URL_OPTION)
    .action(async ({ from, url }) => target.print(await (await commands()).restore(target.deployment(url), from)));
  program
    .command("export")
    .description("Export an account's links and clicks as NDJSON and CSV, for a customer who leaves")
    .requiredOption("--account <E|ID>", "email address or ID of the account")
    .requiredOption("--to <DIR>", "target folder")
    .option(...URL_OPTION)
    .action(async ({ account, to, url }) =>
      target.print(await (await commands()).exportTo(target.deployment(url), account, to)),
    );
  program
    .command("doctor")
    .description("Check each part of the deployment, and suggest fixes; exit with 1 if a check fails")
    .option("--url <URL>", "URL of the development server")
    .action(({ url }) => examine(target, url));
  program
    .command("restored")
    .description("Make isolates and objects accept a database that Time Travel has restored")
    .action(() => target.report(async (database) => ({ links: String(await raiseRevisions(database)) })));
}

/** They import wrangler, which takes seconds to load: invalid options are reported before that. */
function commands() {
  return import("./backup/commands.ts");
}

function placeOption(text: string): BackupPlace {
  const place = parsePlace(text);
  if (place) return place;
  throw new InvalidArgumentError("It must be a folder, or r2:BUCKET/PREFIX, such as r2:backups/2026-11-22.");
}

async function examine(target: Target, url: string | undefined): Promise<void> {
  const { remote, persistTo, json } = target.options;
  const { examineLocal, examineRemote } = await import("./deployment/checks.ts");
  const checks = await (remote ? examineRemote(target.io.stderr) : examineLocal(persistTo, target.baseUrl(url)));
  const status = worstLevel(checks);
  if (status === "failure") target.exitCode = 1;
  if (json) target.print({ status, checks: checks.map((check) => ({ ...check })) });
  else target.console.log(formatChecks(checks));
}

if (import.meta.main) await runUntilInterrupted(main);
