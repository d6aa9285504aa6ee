/** The operator's commands that manage who may operate the deployment: `admin operator …`. */
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
  const operator = program.command("operator").description("operators: add, remove, tokens, the first account");
  accountCommand(operator, "add", "let an account see the deployment's health and metrics in its dashboard").action(
    (chosen) => target.report((database) => changeOperator(database, chosen, true)),
  );
  accountCommand(operator, "remove", "make it an ordinary account again").action((chosen) =>
    target.report((database) => changeOperator(database, chosen, false)),
  );
  operator
    .command("setup")
    .description("a one-time address where the first account is made, for an hour")
    .option("--url <URL>", "where the deployment is")
    .action(({ url }) => target.report((database) => reportSetupUrl(database, target.baseUrl(url))));
  operator
    .command("token")
    .description("a token that reads /health?deep, shown once")
    .option("--backups", "one for backup, restore and export instead, as OPERATOR_TOKEN")
    .option("--hours <H>", `for how long, up to ${OPERATOR_TOKEN_HOURS_MAX}`, parseHours, TOKEN_HOURS_DEFAULT)
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
  if (await hasAccounts(database)) throw new Error("There is an account already: account create makes another");
  const { token, expires_at } = await issueToken(database, "setup", SETUP_TOKEN_TTL_MS);
  return { setup_url: setupUrl(url, token), expires_at };
}
