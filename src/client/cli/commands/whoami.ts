/** `hoplink whoami`: shows the account and the permissions of the key. */
import type { Command } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import type { Me } from "../../index.ts";
import { serviceCommand, withSession } from "../session.ts";
import type { Io } from "../io.ts";
import type { Connection } from "../profiles.ts";
import { tableLines } from "../terminal/table.ts";
import { visibleText } from "../terminal/text.ts";

export function addWhoamiCommand(program: Command, io: Io): void {
  serviceCommand(program, "whoami", "Show the account, the key's scopes and the usage of the plan").action((options) =>
    withSession(io, options, async ({ hoplink, connection }) => {
      const me = await hoplink.me({ signal: io.signal });
      if (options.json) await io.printJson(me);
      else await io.print(...accountLines(me, connection), "", ...quotaLines(me));
    }),
  );
}

function accountLines({ account, plan, mode, scopes, key }: Me, { url, profile }: Connection): string[] {
  const facts = {
    Service: url,
    Profile: profile ?? "none (HOPLINK_API_KEY)",
    Account: account.id,
    Plan: plan,
    Key: key ? `${key.name} (${key.id}…${key.last_four})` : "",
    Links: mode,
    Scopes: scopes.join(", "),
  };
  return Object.entries(facts).map(([name, fact]) => `${name.padEnd(9)}${visibleText(fact)}`);
}

function quotaLines({ limits }: Me): string[] {
  const quotas = Object.entries(limits).flatMap(([name, limit]) =>
    "used" in limit ? [[name.replaceAll("_", " "), figure(limit.used), figure(limit.max)]] : [],
  );
  return tableLines([{ title: "LIMIT" }, { title: "USED", align: "right" }, { title: "MAX", align: "right" }], quotas);
}
