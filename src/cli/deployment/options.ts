/** Shared by the commands for a deployment: their options, progress, questions, result and exit code. */
import { Console } from "node:console";

import { Command, InvalidArgumentError, Option, type OptionValues } from "@commander-js/extra-typings";

import { REGIONS } from "../../core/deployment/settings.ts";
import { commandMain, endWhenInterrupted, type Main, type Output, textOf } from "../command.ts";
import { Dialog } from "./dialog.ts";
import { parseHost } from "./domains.ts";
import { NEW_SHARE_PERCENT } from "./versions.ts";

const SETUP = "Deploy to Cloudflare, or repair a deployment. You can run this command again at any time.";
const SETUP_MORE = `
Environment variables:
  CLOUDFLARE_API_TOKEN   API token to use instead of \`npx wrangler login\`. It needs the permissions Workers Scripts,
                         D1, Workers R2 Storage and Workers KV Storage (edit), and Account Settings (read). With
                         --domain, it also needs Workers Routes and DNS (edit), and Zone and Zone Settings (read).
  CLOUDFLARE_ACCOUNT_ID  ID of the account to use if you have several

Exit codes: 0 success, 1 a step failed, 2 invalid options, 3 an answer is needed, but the command cannot ask`;

const UPGRADE = `Upgrade a deployment to this release: migrate the database, upload a version, send it ${NEW_SHARE_PERCENT} % of the visitors, check it, and
send it all visitors. If the check fails, all visitors get the previous version again.`;

const ROLLBACK = `Send all visitors to the previous version. During an upgrade, that is the version being replaced; otherwise it is the
newest version that has served all visitors. The database is not changed, because the previous version works with it.`;

const FIRST_DAY = `Deploy a separate installation, measure what the documentation claims about Cloudflare, write a report, and remove the
installation. Ctrl-C removes the installation as well.`;

const WORKER_NAME = /^[a-z0-9][a-z0-9-]{0,53}$/;

export type SetupOptions = ReturnType<ReturnType<typeof setupCommand>["opts"]>;
export type UpgradeOptions = ReturnType<ReturnType<typeof upgradeCommand>["opts"]>;
export type RollbackOptions = ReturnType<ReturnType<typeof rollbackCommand>["opts"]>;
export type FirstDayOptions = ReturnType<ReturnType<typeof firstDayCommand>["opts"]>;

export function setupCommand() {
  return deploymentCommand("setup", '{"url","setup_url","link"}')
    .description(SETUP)
    .option("--domain <HOST>", "serve on your own host, such as go.example.com, in a zone of the account", parseHost)
    .option("--test-domain <HOST>", "separate host for test links (default: HOST/t/...)", parseHost)
    .option("--override-dns", "point these hosts to this Worker, even if they point elsewhere now")
    .option("--name <NAME>", "name of the Worker; needed for a second installation (default: hoplink)", parseName)
    .addOption(new Option("--region <REGION>", "region of the data, where most users are").choices(REGIONS))
    .option("--no-r2", "store images in Durable Objects, even if the account has R2")
    .option("--workers-dev <NAME>", "workers.dev subdomain to register if the account has none")
    .option("--var <NAME:VALUE>", "set a variable of the deployment; can be repeated", collectVariable)
    .option("--yes", "ask no questions, for CI")
    .option("--skip-build", "deploy the existing output of `npm run build`")
    .addHelpText("after", SETUP_MORE);
}

export function upgradeCommand() {
  return deploymentCommand("upgrade", '{"url","version","before","percentage","bookmark","link"}')
    .description(UPGRADE)
    .option("--hold", `keep the new version at ${NEW_SHARE_PERCENT} % of the visitors`)
    .option("--continue", "continue a held upgrade: check the version again, then send it all visitors")
    .option("--name <NAME>", "name of the Worker")
    .option("--skip-build", "deploy the existing output of `npm run build`")
    .addHelpText("after", "\nTo roll back: npm run rollback");
}

export function rollbackCommand() {
  return deploymentCommand("rollback", '{"url","version","before","restore","link"}')
    .description(ROLLBACK)
    .option("--to <ID>", "roll back to this version: its ID, or the beginning of it")
    .option("--list", "list the versions, and change nothing")
    .option("--name <NAME>", "name of the Worker")
    .addHelpText("after", "\nTo upgrade again: npm run upgrade");
}

/** Maximum number of requests that measure redirects. */
const VISITS_MAX = 2_000;
const STREAM_MINUTES_MAX = 180;

export function firstDayCommand() {
  return deploymentCommand("first-day", '{"report","measured","differing","unmeasured"}')
    .description(FIRST_DAY)
    .option("--name <NAME>", "name of the installation; its Worker is hoplink-NAME", parseNameEnd, "first-day")
    .option("--domain <HOST>", "serve on an unused host in a zone of the account", parseHost)
    .addOption(new Option("--plan <PLAN>", "Workers plan (default: the account's)").choices(["free", "paid"] as const))
    .option(
      "--stream-minutes <N>",
      "minutes until the stream's key is revoked (default: 70, or 1.5 on the Workers Free plan)",
      numberUpTo(STREAM_MINUTES_MAX),
    )
    .option("--requests <N>", "number of redirects to measure", numberUpTo(VISITS_MAX), VISITS_MAX)
    .option("--out <FILE>", "file for the report, in Markdown", "first-day.md")
    .option("--remove", "remove what an earlier run left behind, and do nothing else")
    .option("--skip-build", "deploy the existing output of `npm run build`")
    .addHelpText("after", "\nThe token needs the permissions for `npm run setup`, and Account Analytics (read).");
}

function numberUpTo(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== "" && number >= 0 && number <= max) return number;
    throw new InvalidArgumentError(`It must be a number from 0 to ${max}.`);
  };
}

/** Limit for the part of the name after `hoplink-`. */
const NAME_END_MAX_CHARS = 46;

function parseNameEnd(text: string): string {
  if (text.length <= NAME_END_MAX_CHARS) return parseName(text);
  throw new InvalidArgumentError(`It must have at most ${NAME_END_MAX_CHARS} characters.`);
}

function parseName(text: string): string {
  if (WORKER_NAME.test(text)) return text;
  throw new InvalidArgumentError("It must have 1 to 54 characters (a-z, 0-9, -) and begin with a letter or digit.");
}

function collectVariable(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const [, name, value] = /^([A-Z][A-Z0-9_]*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It must have the form NAME:VALUE, such as SIGNUPS:open.");
  return { ...before, [name]: value };
}

type CommonOptions = {
  json?: true | undefined;
  /** Suppresses all questions. */
  yes?: true | undefined;
};

/**
 * @param script  in package.json
 * @param result  what `--json` prints
 */
function deploymentCommand(script: string, result: string) {
  return new Command(`npm run ${script} --`).option(
    "--json",
    `write progress to standard error, and ${result} as the last line of standard output`,
  );
}

/**
 * Questions and wrangler use the terminal and the environment of the process.
 * @param load  the implementation: it imports wrangler, which is slow; invalid options are reported before that
 * @param describe  the result for people
 */
export function deploymentMain<Options extends OptionValues & CommonOptions, Outcome>(
  command: () => Command<[], Options>,
  load: () => Promise<(options: Options, dialog: Dialog) => Promise<Outcome>>,
  describe: (outcome: Outcome) => string,
): Main {
  const run = async (options: Options, { stdout, stderr }: Output) => {
    const act = await load();
    // With --json, standard output contains only the result.
    const outcome = await act(options, new Dialog(options.json ? stderr : stdout, !options.json && !options.yes));
    new Console(stdout, stderr).log(options.json ? JSON.stringify(outcome) : `\n${describe(outcome)}\n`);
  };
  return commandMain(command, run, (error) => `\n${textOf(error)}`);
}

/** Runs a command as this process, until Ctrl-C ends it. */
export async function runUntilInterrupted(
  main: (argv: readonly string[], io: NodeJS.Process) => Promise<number>,
): Promise<void> {
  endWhenInterrupted();
  process.exitCode = await main(process.argv.slice(2), process);
}
