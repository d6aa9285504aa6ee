/** Options of the commands for a deployment. */
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { REGIONS, type Region } from "../../core/deployment/settings.ts";
import { deploymentCommand } from "./command.ts";
import { parseHost } from "./domains.ts";
import { NEW_SHARE_PERCENT } from "./versions.ts";

const SETUP = "Deploys to Cloudflare, or repairs a deployment. Can be run again at any time.";
const SETUP_MORE = `
CLOUDFLARE_API_TOKEN stands in for \`wrangler login\`. It needs Workers Scripts, D1, Workers R2 Storage and Workers
KV Storage (edit) and Account Settings (read); for --domain also Workers Routes and DNS (edit), Zone and Zone Settings
(read).
CLOUDFLARE_ACCOUNT_ID chooses between several accounts.

Exit codes: 0 done, 1 a step failed, 2 wrong options, 3 a question is open and nobody can be asked`;

const UPGRADE = `Migrates the database, uploads this release as a version, gives it ${NEW_SHARE_PERCENT} % of the visitors, checks it and gives it all.
When the check fails, all visitors get the version before again.`;

const ROLLBACK = `Gives all visitors the version before: while an upgrade is under way the one that it replaces, else the newest that has
served everybody. The database stays as it is, which the version before works with.`;

const FIRST_DAY = `Deploys a separate installation, measures what the documentation claims of Cloudflare, writes a report, and removes the
installation. Ctrl-C removes it, too.`;

const WORKER_NAME = /^[a-z0-9][a-z0-9-]{0,53}$/;

export type SetupOptions = ReturnType<ReturnType<typeof setupCommand>["opts"]>;
export type UpgradeOptions = ReturnType<ReturnType<typeof upgradeCommand>["opts"]>;
export type RollbackOptions = ReturnType<ReturnType<typeof rollbackCommand>["opts"]>;
export type FirstDayOptions = ReturnType<ReturnType<typeof firstDayCommand>["opts"]>;

export function setupCommand() {
  return deploymentCommand("setup", '{"url","setup_url","link"}')
    .description(SETUP)
    .option("--domain <HOST>", "serve on a host of your own, like go.example.com, in a zone of the account", parseHost)
    .option("--test-domain <HOST>", "a host of its own for test links; without it they are at HOST/t/...", parseHost)
    .option("--override-dns", "let these hosts lead here even if they lead elsewhere now")
    .option("--name <NAME>", "name of the Worker, for a second installation in an account (hoplink)", parseName)
    .option("--region <REGION>", `where most users are, and the data is made: ${REGIONS.join(", ")}`, parseRegion)
    .option("--no-r2", "keep images in objects, though the account has R2")
    .option("--workers-dev <NAME>", "name of the account under workers.dev, where it has none yet")
    .option("--var <NAME:VALUE>", "sets a variable of the deployment; may be repeated", collectVariable)
    .option("--yes", "asks nothing, for CI")
    .option("--skip-build", "deploys what `npm run build` has made already")
    .addHelpText("after", SETUP_MORE);
}

export function upgradeCommand() {
  return deploymentCommand("upgrade", '{"url","version","before","percentage","bookmark","link"}')
    .description(UPGRADE)
    .option("--hold", `stays at ${NEW_SHARE_PERCENT} %`)
    .option("--continue", "goes on from there: checks again, then 100 %")
    .option("--name <NAME>", "name of the Worker")
    .option("--skip-build", "deploys what `npm run build` has made already")
    .addHelpText("after", "\nBack: npm run rollback");
}

export function rollbackCommand() {
  return deploymentCommand("rollback", '{"url","version","before","restore","link"}')
    .description(ROLLBACK)
    .option("--to <ID>", "another version: its id, or how that begins")
    .option("--list", "lists the versions only")
    .option("--name <NAME>", "name of the Worker")
    .addHelpText("after", "\nForward again: npm run upgrade");
}

/** Maximum number of requests that measure redirects. */
const VISITS_MAX = 2_000;
const STREAM_MINUTES_MAX = 180;

export function firstDayCommand() {
  return deploymentCommand("first-day", '{"report","measured","differing","unmeasured"}')
    .description(FIRST_DAY)
    .option("--name <NAME>", "names the installation: its Worker is hoplink-NAME", parseNameEnd, "first-day")
    .option("--domain <HOST>", "serve on a free host in a zone of the account", parseHost)
    .addOption(new Option("--plan <PLAN>", "without it, the plan of the account").choices(["free", "paid"] as const))
    .option(
      "--stream-minutes <N>",
      "until a stream's key is revoked (70, on Workers' Free plan 1.5)",
      numberUpTo(STREAM_MINUTES_MAX),
    )
    .option("--requests <N>", "redirects whose time is measured", numberUpTo(VISITS_MAX), VISITS_MAX)
    .option("--out <FILE>", "the report, in Markdown", "first-day.md")
    .option("--remove", "removes what an earlier run has left, and does nothing else")
    .option("--skip-build", "deploys what `npm run build` has made already")
    .addHelpText("after", "\nThe token needs what `npm run setup` needs, and Account Analytics (read).");
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
  throw new InvalidArgumentError("It must be 1 to 54 of a-z, 0-9 and -, and begin with a letter or digit.");
}

function parseRegion(text: string): Region {
  const found = REGIONS.find((region) => region === text);
  if (found) return found;
  throw new InvalidArgumentError(`It must be one of ${REGIONS.join(", ")}.`);
}

function collectVariable(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const [, name, value] = /^([A-Z][A-Z0-9_]*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It must look like NAME:VALUE, as SIGNUPS:open.");
  return { ...before, [name]: value };
}
