/** The operator's commands for API keys: `admin account keys`, `admin key …`. */
import type { Command } from "@commander-js/extra-typings";

import { timestamp, timestampOrNull } from "../../core/time.ts";
import type { Account } from "../../store/accounts/accounts.ts";
import { listKeys, revokeKey } from "../../store/accounts/api-keys.ts";
import type { Report } from "../report.ts";
import { accountCommand, findChosen } from "./accounts.ts";
import type { Database, Target } from "./target.ts";

const ALL = "all";

export function addAccountKeys(account: Command, target: Target): void {
  accountCommand(account, "keys", "List the active keys of an account, or revoke them")
    .option("--revoke <KEY_ID>", `ID of the key to revoke; ${ALL} revokes all keys`)
    .action(({ revoke, ...chosen }) =>
      target.report(async (database) => {
        const found = await findChosen(database, chosen);
        return revoke === undefined ? reportKeys(database, found) : revokeKeys(database, found, revoke);
      }),
    );
}

export function addKeyCommands(program: Command, target: Target): void {
  const key = program.command("key").description("Revoke API keys");
  key
    .command("revoke")
    .description("Revoke an API key")
    .argument("<KEY_ID>", "the 8 characters after svc_live_ or svc_test_")
    .action((id) =>
      target.report(async (database) => {
        if (!(await revokeKey(database, id))) throw new Error("No active key has this ID");
        return { revoked: id };
      }),
    );
}

async function reportKeys(database: Database, { id }: Account): Promise<Report> {
  const keys = await listKeys(database, id);
  return {
    account_id: id,
    data: keys.map((key) => ({
      id: key.id,
      mode: key.mode,
      name: key.name,
      scopes: key.scopes,
      last_four: key.lastFour,
      created_at: timestamp(key.createdAt),
      last_used_at: timestampOrNull(key.lastUsedAt),
      exposed_at: timestampOrNull(key.exposedAt),
    })),
  };
}

/** @param which  id of a key, or `all` */
async function revokeKeys(database: Database, { id }: Account, which: string): Promise<Report> {
  const wanted = which === ALL ? (await listKeys(database, id)).map((key) => key.id) : [which];
  const revoked: { id: string }[] = [];
  for (const key of wanted) if (await revokeKey(database, key, id)) revoked.push({ id: key });
  if (revoked.length === 0) throw new Error("The account has no such active key");
  return { account_id: id, data: revoked };
}
