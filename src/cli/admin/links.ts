/** The operator's commands for links: `admin link …`. */
import { type Command, Option, InvalidArgumentError } from "@commander-js/extra-typings";

import { wholeNumber } from "../../client/cli/options.ts";
import { type Mode, MODES } from "../../core/account.ts";
import { LinkDatabasesReport, MoveOutcome } from "../../core/contract/operator.ts";
import { typedSlug } from "../../core/hosts.ts";
import { BUCKETS } from "../../core/links/buckets.ts";
import { parseShortUrl } from "../../core/links/link-search.ts";
import { timestamp } from "../../core/time.ts";
import { findAccount } from "../../store/accounts/accounts.ts";
import { settingAfterMove } from "../../store/directory/database-map.ts";
import { listAccountLinks, setLinkDisabled } from "../../store/links/operator-links.ts";
import type { OperatorApi } from "../backup/operator-api.ts";
import type { Report } from "../command.ts";
import { type Database, type Target, URL_OPTION } from "./target.ts";

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
    .description("List, disable and enable links of any account; manage the databases of links");
  addLinkDatabaseCommands(link, target);
  link
    .command("list")
    .description("List an account's links in every state, newest first")
    .requiredOption("--account <E|ID>", "email address or ID of the account")
    .addOption(new Option("--mode <MODE>", "mode of the links").choices(MODES).default("live" as const))
    .option("--limit <N>", `maximum number of links, 1 to ${LIMIT_MAX}`, wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--cursor <C>", "next_cursor of the previous page")
    .action((options) => target.report((database) => reportLinks(database, options)));
  link
    .command("disable")
    .description("Disable a link: it returns 410 everywhere within ten seconds")
    .argument("<SHORT_URL>", "short URL, with or without https://")
    .action((shortUrl) => target.report((database) => setLinkState(database, shortUrl, true)));
  link
    .command("enable")
    .description("Enable a disabled link again")
    .argument("<SHORT_URL>", "short URL, with or without https://")
    .action((shortUrl) => target.report((database) => setLinkState(database, shortUrl, false)));
}

async function reportLinks(database: Database, { account, mode, limit, cursor }: ListOptions): Promise<Report> {
  const found = await findAccount(database, account);
  // The ID of a closed account is also valid: its links can still be listed.
  const id = found?.id ?? account;
  if (id.includes("@")) throw new Error("No account has this email address");
  const { links, hasMore } = await listAccountLinks(database, { id, mode }, { cursor: cursor ?? null, limit });
  return {
    account_id: id,
    data: links.map(({ createdAt, ...link }) => ({
      id: link.id,
      address: `${link.domain}/${typedSlug(link)}`,
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

/** The operator's commands for the databases of links: `admin links databases …`. */

const PATH = "/link-databases";

interface BucketRange {
  first: number;
  last: number;
}

function addLinkDatabaseCommands(link: Command, target: Target): void {
  const databases = link
    .command("databases")
    .description("List the databases of links, with their buckets, links and size")
    .option(...URL_OPTION)
    .action(({ url }) => withApi(target, url, reportDatabases));
  databases
    .command("move")
    .description("Move buckets of links to another database while they are in use; run again to resume")
    .requiredOption("--buckets <FIRST-LAST>", `buckets to move, from 0 to ${BUCKETS - 1}`, rangeOption)
    .requiredOption("--to <DATABASE>", "binding of the target database, such as LINKS_1")
    // The parent command's option consumes `--url` wherever it appears.
    .action(({ buckets, to }) =>
      withApi(target, databases.opts().url, (api) => moveBuckets(api, buckets, to, target.console.error)),
    );
}

/** It imports wrangler, which takes seconds to load: invalid options are reported before that. */
async function withApi(target: Target, url: string | undefined, work: (api: OperatorApi) => Promise<Report>) {
  const { withDeployment } = await import("../backup/deployment.ts");
  target.print(await withDeployment(target.deployment(url), ({ api }) => work(api)));
}

function rangeOption(text: string): BucketRange {
  const [, first = "", last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (first !== "" && range.first <= range.last && range.last < BUCKETS) return range;
  throw new InvalidArgumentError(`It must be a range from 0 to ${BUCKETS - 1}, such as 512-1023.`);
}

async function reportDatabases(api: OperatorApi): Promise<Report> {
  const { setting, databases } = await api.get(LinkDatabasesReport, PATH);
  const ranges = JSON.parse(setting) as Record<string, string>;
  return {
    data: databases.map(({ name, links, made, bytes }) => ({
      database: name,
      buckets: ranges[name] ?? "",
      links,
      made,
      megabytes: (bytes / 1e6).toFixed(1),
    })),
  };
}

async function moveBuckets(
  api: OperatorApi,
  { first, last }: BucketRange,
  to: string,
  report: (line: string) => void,
): Promise<Report> {
  const { databases } = await api.get(LinkDatabasesReport, PATH);
  const all = databases.reduce((sum, { made }) => sum + made, 0);
  let [moved, scanned] = [0, 0];
  for (let after: unknown = null; ;) {
    const step: MoveOutcome = await api.post(MoveOutcome, `${PATH}/moves`, { first, last, to, after });
    if (step.outcome === "refused") throw new Error(step.message);
    [moved, scanned] = [moved + step.moved, scanned + step.scanned];
    report(`${moved} links moved, ${scanned} of at most ${all} checked`);
    ({ after } = step);
    if (after === null) break;
  }
  const { setting } = await api.get(LinkDatabasesReport, PATH);
  const buckets = new Set(Array.from({ length: last - first + 1 }, (_, i) => first + i));
  return { moved: String(moved), to, next: `Deploy with LINK_DATABASES = ${settingAfterMove(setting, buckets)}` };
}
