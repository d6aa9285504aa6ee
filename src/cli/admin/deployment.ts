/** The operator's commands that speak with the running deployment: backups, exports, and what is wrong with it. */
import type { Command } from "@commander-js/extra-typings";

import { HOUR_MS } from "../../core/durations.ts";
import { raiseRevisions } from "../../store/links/restored-links.ts";
import { backUp, type Deployment, exportTo, restore } from "../backup/commands.ts";
import { formatChecks, worstLevel } from "../deployment/check.ts";
import { issueToken, type Target } from "./target.ts";

const URL_OPTION = ["--url <URL>", "where the deployment is"] as const;

export function addDeploymentCommands(program: Command, target: Target): void {
  program
    .command("backup")
    .description("a copy of everything in a folder; run again, it goes on where it was cut")
    .requiredOption("--to <DIR>", "the folder")
    .option(...URL_OPTION)
    .action(async ({ to, url }) => target.print(await backUp(deploymentAt(target, url), to)));
  program
    .command("restore")
    .description("puts a backup into an empty installation; goes on as well")
    .requiredOption("--from <DIR>", "the folder")
    .option(...URL_OPTION)
    .action(async ({ from, url }) => target.print(await restore(deploymentAt(target, url), from)));
  program
    .command("export")
    .description("an account's links and clicks as NDJSON and CSV, for a customer who leaves")
    .requiredOption("--account <E|ID>", "whose, by e-mail address or id")
    .requiredOption("--to <DIR>", "the folder")
    .option(...URL_OPTION)
    .action(async ({ account, to, url }) => target.print(await exportTo(deploymentAt(target, url), account, to)));
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

function deploymentAt(target: Target, url: string | undefined): Deployment {
  const issue = () => target.withDatabase((database) => issueToken(database, "backup", HOUR_MS));
  return {
    url: target.baseUrl(url),
    issueToken: async () => process.env.OPERATOR_TOKEN ?? (await issue()).token,
  };
}

async function examine(target: Target, url: string | undefined): Promise<void> {
  const { remote, persistTo, json } = target.options;
  const { examineLocal, examineRemote } = await import("../deployment/doctor.ts");
  const checks = await (remote ? examineRemote() : examineLocal(persistTo, target.baseUrl(url)));
  const status = worstLevel(checks);
  if (status === "failure") process.exitCode = 1;
  if (json) target.print({ status, checks: checks.map((check) => ({ ...check })) });
  else console.log(formatChecks(checks));
}
