/** The operator's commands for operators, their tokens and the first account: `admin operator …`. */
import type { Command } from "@commander-js/extra-typings";

import { wholeNumber } from "../../client/cli/options.ts";
import { HOUR_MS } from "../../core/time.ts";
import { OPERATOR_TOKEN_HOURS_MAX, SETUP_TOKEN_TTL_MS, setupUrl } from "../../core/identifiers.ts";
import { setOperator } from "../../store/accounts/accounts.ts";
import { hasAccounts } from "../../store/operators/first-account.ts";
import type { Report } from "../report.ts";
import { accountCommand, type ChosenAccount, findChosen } from "./accounts.ts";
import { type Database, issueToken, type Target } from "./target.ts";

const TOKEN_HOURS_DEFAULT = 24;
const parseHours = wholeNumber(1, OPERATOR_TOKEN_HOURS_MAX);

export function addOperatorCommands(program: Command, target: Target): void {
  const operator = program
    .command("operator")
    .description("Add and remove operators, issue tokens, and set up the first account");
  accountCommand(operator, "add", "Give an account access to the deployment's health and metrics").action((chosen) =>
    target.report((database) => changeOperator(database, chosen, true)),
  );
  accountCommand(operator, "remove", "Remove an account's access to health and metrics").action((chosen) =>
    target.report((database) => changeOperator(database, chosen, false)),
  );
  operator
    .command("setup")
    .description("Issue a one-time URL for creating the first account, valid for an hour")
    .option("--url <URL>", "URL of the deployment")
    .action(({ url }) => target.report((database) => reportSetupUrl(database, target.baseUrl(url))));
  operator
    .command("token")
    .description("Issue a token for /health?deep, which is shown once")
    .option("--backups", "issue a token for backup, restore and export instead, to set as OPERATOR_TOKEN")
    .option("--hours <H>", `hours until it expires, up to ${OPERATOR_TOKEN_HOURS_MAX}`, parseHours, TOKEN_HOURS_DEFAULT)
    .action(({ backups, hours }) =>
      target.report((database) => issueToken(database, backups ? "backup" : "operator", hours * HOUR_MS)),
    );
}

async function changeOperator(database: Database, chosen: ChosenAccount, isOperator: boolean): Promise<Report> {
  const { id, email } = await findChosen(database, chosen);
  await setOperator(database, email, isOperator);
  return { account_id: id, email, operator: isOperator };
}

async function reportSetupUrl(database: Database, url: string): Promise<Report> {
  if (await hasAccounts(database))
    throw new Error("An account already exists. To create another, use `account create`.");
  const { token, expires_at } = await issueToken(database, "setup", SETUP_TOKEN_TTL_MS);
  return { setup_url: setupUrl(url, token), expires_at };
}
