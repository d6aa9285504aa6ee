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

/** The limits that matter to people, as they would say them. */
const LIMIT_NAMES = {
  links: "links",
  links_created: "links ever created",
  keys: "API keys",
  domains: "domains",
  qr_codes: "QR codes",
  qr_image_bytes: "images of QR codes",
  social_image_bytes: "images of link previews",
  bulk_links_per_minute: "links imported or applied this minute",
  bulk_links_per_day: "links imported or applied today (UTC)",
} as const satisfies Partial<Record<keyof Me["limits"], string>>;

function quotaLines({ limits }: Me): string[] {
  const quotas = (Object.keys(LIMIT_NAMES) as (keyof typeof LIMIT_NAMES)[]).map((name) => {
    const shown = name.endsWith("_bytes") ? inMegabytes : figure;
    return [LIMIT_NAMES[name], shown(limits[name].used), shown(limits[name].max)];
  });
  return tableLines([{ title: "LIMIT" }, { title: "USED", align: "right" }, { title: "MAX", align: "right" }], quotas);
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
