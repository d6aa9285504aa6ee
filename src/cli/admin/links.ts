/** The operator's commands on links: `admin link …`. */
import { type Command, Option } from "@commander-js/extra-typings";

import { wholeNumber } from "../../client/cli/options.ts";
import { type Mode, MODES } from "../../core/account.ts";
import { parseShortUrl } from "../../core/links/link-search.ts";
import { typedSlug } from "../../core/hosts.ts";
import { timestamp } from "../../core/time.ts";
import { findAccountByEmail, findAccountById } from "../../store/accounts/accounts.ts";
import { listAccountLinks, setLinkDisabled } from "../../store/links/operator-links.ts";
import type { Report } from "../report.ts";
import { addLinkDatabaseCommands } from "./link-databases.ts";
import type { Database, Target } from "./target.ts";

const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 100;

interface ListOptions {
  account: string;
  mode: Mode;
  limit: number;
  cursor?: string | undefined;
}

export function addLinkCommands(program: Command, target: Target): void {
  const link = program
    .command("link")
    .alias("links")
    .description("links of every account: list, disable, enable, and their databases");
  addLinkDatabaseCommands(link, target);
  link
    .command("list")
    .description("an account's links of every state, newest first")
    .requiredOption("--account <E|ID>", "whose, by e-mail address or id")
    .addOption(new Option("--mode <MODE>", "which links").choices(MODES).default("live" as const))
    .option("--limit <N>", `how many, 1 to ${LIMIT_MAX}`, wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--cursor <C>", "next_cursor of the page before")
    .action((options) => target.report((database) => reportLinks(database, options)));
  link
    .command("disable")
    .description("answer 410 from now on (everywhere within ten seconds)")
    .argument("<SHORT_URL>", "with or without https://")
    .action((shortUrl) => target.report((database) => setLinkState(database, shortUrl, true)));
  link
    .command("enable")
    .description("let it redirect again")
    .argument("<SHORT_URL>", "with or without https://")
    .action((shortUrl) => target.report((database) => setLinkState(database, shortUrl, false)));
}

async function reportLinks(database: Database, { account, mode, limit, cursor }: ListOptions): Promise<Report> {
  const found = await (account.includes("@") ? findAccountByEmail : findAccountById)(database, account);
  // An id may be that of a closed account, whose links can still be listed.
  const id = found?.id ?? account;
  if (id.includes("@")) throw new Error("No account has this e-mail address");
  const { links, hasMore } = await listAccountLinks(database, { id, mode }, { cursor: cursor ?? null, limit });
  return {
    account_id: id,
    data: links.map(({ domain, slug, createdAt, ...link }) => ({
      id: link.id,
      address: `${domain}/${typedSlug(slug)}`,
      state: link.state,
      created_at: timestamp(createdAt),
      url: link.url,
    })),
    has_more: hasMore,
    next_cursor: (hasMore && links.at(-1)?.id) || null,
  };
}

async function setLinkState(database: Database, short_url: string, disabled: boolean): Promise<Report> {
  const address = parseShortUrl(short_url);
  const id = address && (await setLinkDisabled(database, address.domain, address.slug, disabled));
  if (!id) throw new Error("No link has this short URL");
  return { id, short_url, state: disabled ? "disabled" : "enabled" };
}
