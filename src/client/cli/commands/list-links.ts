/** `hoplink links list`. */
import { type Command, Option } from "@commander-js/extra-typings";

import { figure, PAGE_LINKS_MAX } from "../../../core/limits.ts";
import type { Link, LinksQuery } from "../../index.ts";
import type { Io } from "../io.ts";
import { collect, pastTime, wholeNumber } from "../options.ts";
import { serviceCommand, type Session, withSession } from "../session.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { localTime, visibleText } from "../terminal/text.ts";

const LIMIT_DEFAULT = 50;

interface ListOptions {
  limit: number;
  all?: true | undefined;
  search?: string | undefined;
  domain?: string | undefined;
  tag?: readonly string[] | undefined;
  status?: "active" | "expired" | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  sort?: LinksQuery["sort"];
  clicks?: true | undefined;
  json?: true | undefined;
}

export function addListCommand(links: Command, io: Io): void {
  serviceCommand(links, "list", "list links, newest first")
    .option("--limit <N>", "how many at most", wholeNumber(1), LIMIT_DEFAULT)
    .option("--all", "all of them")
    .option("--search <TEXT>", "with this in their slug or destination")
    .option("--tag <TAG>", "with this tag; may be given several times", collect)
    .option("--domain <DOMAIN>", "on this domain")
    .addOption(new Option("--status <STATUS>", "expired or not").choices(["active", "expired"] as const))
    .option("--created-after <TIME>", "made since then: a time, or 7d for the last seven days")
    .option("--created-before <TIME>", "made before then")
    .addOption(
      new Option("--sort <ORDER>", "by age or clicks").choices(["created_at", "-created_at", "-clicks"] as const),
    )
    .option("--clicks", "with the number of their clicks")
    .action((options) => withSession(io, options, (session) => listLinks(session, options)));
}

async function listLinks(session: Session, options: ListOptions): Promise<void> {
  const { io } = session;
  const shown: Link[] = [];
  let isWhole = true;
  const most = options.all ? Number.POSITIVE_INFINITY : options.limit;
  for await (const link of session.hoplink.links.list(queryOf(options), { signal: io.signal })) {
    isWhole = shown.length < most;
    if (!isWhole) break;
    shown.push(link);
    if (options.json) await io.printJson(link);
    else io.progress.show(shown.length, null, "links");
  }
  io.progress.clear();
  if (!options.json) await printTable(io, shown, options.clicks ?? false);
  if (!isWhole) io.note(`There are more. Show them with --limit ${most * 10} or --all.`);
}

function queryOf(options: ListOptions): LinksQuery {
  const { limit, all, search, domain, tag, status, createdAfter, createdBefore, sort, clicks } = options;
  const now = Date.now();
  return {
    // One more than is shown tells whether there are more.
    limit: all ? PAGE_LINKS_MAX : Math.min(limit + 1, PAGE_LINKS_MAX),
    ...(search !== undefined && { search }),
    ...(domain !== undefined && { domain }),
    ...(tag && { tag: [...tag] }),
    ...(status && { status }),
    ...(createdAfter !== undefined && { created_after: pastTime(createdAfter, now) }),
    ...(createdBefore !== undefined && { created_before: pastTime(createdBefore, now) }),
    ...(sort && { sort }),
    ...(clicks && { include: "clicks" }),
  };
}

async function printTable(io: Io, links: readonly Link[], hasClicks: boolean): Promise<void> {
  if (links.length === 0) return io.note("No links. Make one: hoplink links create URL");
  const clicks: Column[] = hasClicks ? [{ title: "CLICKS", align: "right" }] : [];
  const columns: Column[] = [
    { title: "SHORT URL" },
    ...clicks,
    { title: "DESTINATION" },
    { title: "TITLE" },
    { title: "TAGS" },
    { title: "CREATED" },
  ];
  const rows = links.map((link) => [
    visibleText(link.short_url),
    ...(hasClicks ? [link.clicks === undefined || link.clicks === null ? "" : figure(link.clicks)] : []),
    visibleText(link.url),
    visibleText(link.title),
    visibleText(link.tags?.join(", ")),
    localTime(link.created_at),
  ]);
  const [titles = "", ...lines] = tableLines(columns, rows, io.width);
  await io.print(io.colors.bold(titles), ...lines);
}
