/** `hoplink links`: creates, lists, shows, updates and deletes links. */
import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";

import { figure, PAGE_LINKS_MAX } from "../../../core/limits.ts";
import {
  isFlag,
  LINK_MEMBER_NAMES,
  LINK_STATUSES,
  type LinkMember,
  REDIRECT_STATUSES,
} from "../../../core/links/link-members.ts";
import { aliasOf } from "../../../core/links/link-search.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import type { Link, UpdateLink, LinksQuery } from "../../index.ts";
import { usageFailure } from "../errors.ts";
import { readBytes, readInput, readRules } from "../files.ts";
import { type Colors, confirm, type Io, printList, propertyLine, propertyLines } from "../io.ts";
import { collect, comingTime, TIME_SYNTAX, wholeNumber, pastTime } from "../options.ts";
import {
  findLink,
  type FoundLink,
  linkIdOf,
  serviceCommand,
  type Session,
  withRevision,
  withSession,
} from "../session.ts";
import { type Column, localTime, visibleText } from "../terminal-text.ts";

export function addLinksCommands(program: Command, io: Io): void {
  const links = program.command("links").description("Create, list, view, update and delete links").helpCommand(false);
  addCreateCommand(links, io);
  listCommand(links).action((options) => withSession(io, options, (session) => listLinks(session, options)));
  addGetCommand(links, io);
  addUpdateCommand(links, io);
  addUploadCommand(links, io);
  addDeleteCommand(links, io);
}

function addCreateCommand(links: Command, io: Io): void {
  withLinkOptions(serviceCommand(links, "create", "Create a link"))
    .argument("<URL>", "Destination of the link; https:// is added to example.com")
    .option("--slug <SLUG>", "Path of the short URL (default: short and random)")
    .option("--domain <DOMAIN>", "One of your domains (default: the domain of the service)")
    .action((url, options) =>
      withSession(io, options, async ({ hoplink }) => {
        const { slug, domain } = options;
        const named = { url: completeUrl(url), ...(slug && { slug }), ...(domain && { domain }) };
        const body = { ...named, ...(await linkMembers(io, options)) };
        await printLink(io, await withRevision(hoplink.links.create(body, { signal: io.signal })), options.json);
      }),
    );
}

function addGetCommand(links: Command, io: Io): void {
  serviceCommand(links, "get", "Show a link")
    .argument("<LINK>", "ID, slug or short URL of the link")
    .action((name, options) =>
      withSession(io, options, async (session) => printLink(io, await findLink(session, name), options.json)),
    );
}

/** Flags have an option that turns them off. */
const CLEARABLE = LINK_MEMBER_NAMES.filter((name) => name !== "url" && !isFlag(name));

function clearedMembers(members: readonly LinkMember[] = []): UpdateLink {
  return Object.fromEntries(members.map((member) => [member, member === "routing" ? [] : null]));
}

function addUpdateCommand(links: Command, io: Io): void {
  withLinkOptions(serviceCommand(links, "update", "Update a link; members that you do not set stay unchanged"))
    .argument("<LINK>", "ID, slug or short URL of the link")
    .option("--url <URL>", "Destination of the link")
    .addOption(new Option("--clear <MEMBER...>", "Members to clear").choices(CLEARABLE))
    .option("--if-revision <N>", "Update only if this is still the revision that links get shows", wholeNumber(1))
    .action((name, options) =>
      withSession(io, options, async (session) => {
        // The options change parts of the card, and the API replaces it as a whole.
        const found = setsCard(options) ? (await findLink(session, name)).link : null;
        const card = options.clear?.includes("social") ? {} : found?.social;
        const members = await linkMembers(io, options, card);
        const url = options.url && { url: completeUrl(options.url) };
        const changes = { ...clearedMembers(options.clear), ...url, ...members };
        if (Object.keys(changes).length === 0)
          throw usageFailure("No changes specified", "To see the options, run: hoplink links update --help");
        const ifMatch = options.ifRevision === undefined ? undefined : `"${options.ifRevision}"`;
        const id = found?.id ?? (await linkIdOf(session, name));
        const answer = session.hoplink.links.update(id, changes, { signal: io.signal, ifMatch });
        await printLink(io, await withRevision(answer), options.json);
      }),
    );
}

function addUploadCommand(links: Command, io: Io): void {
  serviceCommand(links, "upload-image", "Upload the image that link previews show")
    .argument("<LINK>", "ID, slug or short URL of the link")
    .argument("<FILE>", "PNG, JPEG or WebP image")
    .action((name, path, options) =>
      withSession(io, options, async (session) => {
        const image = await readBytes(path);
        const answer = session.hoplink.links.uploadSocialImage(await linkIdOf(session, name), image, {
          signal: io.signal,
        });
        await printLink(io, await withRevision(answer), options.json);
      }),
    );
}

function addDeleteCommand(links: Command, io: Io): void {
  serviceCommand(links, "delete", "Delete a link; its slug is never assigned again")
    .argument("<LINK>", "ID, slug or short URL of the link")
    .option("--yes", "Skip the confirmation prompt")
    .option("--erase", "Also erase the clicks of the link")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        if (!options.yes && !io.isInteractive)
          throw usageFailure("Cannot ask for confirmation without a terminal", "Add --yes.");
        const { link } = await findLink(session, name);
        const shortUrl = visibleText(link.short_url);
        const what = options.erase ? `${shortUrl} and its clicks` : shortUrl;
        if (!options.yes && !(await confirm(io, `Delete ${what}? The short URL stops working permanently.`)))
          return io.note("Not deleted.");
        await session.hoplink.links.delete(link.id, { signal: io.signal, ...(options.erase && { erase: true }) });
        if (options.json) await io.printJson({ id: link.id, short_url: link.short_url, deleted: true });
        else await io.print(`Deleted ${shortUrl}.`);
      }),
    );
}

type LinkOptions = ReturnType<ReturnType<typeof withLinkOptions<[], {}>>["opts"]>;

/** Adds an option for every writable member. */
function withLinkOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .option("--alias <ALIAS>", "Additional slug, or DOMAIN/SLUG, of the link (repeatable)", collect)
    .option("--title <TEXT>", "Title, which visitors never see")
    .option("--tag <TAG>", "Tag of the link (repeatable)", collect)
    .option("--routing <FILE>", "Routing rules, as a JSON array (- for stdin)")
    .option("--starts-at <TIME>", `Time at which the link opens: ${TIME_SYNTAX}, or 12h or 7d from now`)
    .option("--expires-at <TIME>", "Time at which the link expires")
    .option("--fallback-url <URL>", "Destination before the link opens, after it expires and while it is paused")
    .option("--forward-query", "Forward the query string of a visit to the destination")
    .addOption(new Option("--no-forward-query").hideHelp())
    .option("--forward-path", "Append what follows the slug to the destination's path")
    .addOption(new Option("--no-forward-path").hideHelp())
    .option("--noindex", "Keep the short URL out of search results")
    .addOption(new Option("--no-noindex").hideHelp())
    .addOption(
      new Option("--redirect-status <STATUS>", "HTTP status of redirects").choices(REDIRECT_STATUSES.map(String)),
    )
    .option("--paused", "Send visitors to the fallback URL, or show that the link is paused")
    .addOption(new Option("--no-paused").hideHelp())
    .option("--archived", "Leave the link out of lists; it still redirects")
    .addOption(new Option("--no-archived").hideHelp())
    .option("--password-file <FILE>", "Password that visitors must enter, in a file (- for stdin)")
    .option("--social-title <TEXT>", "Title in link previews")
    .option("--social-description <TEXT>", "Description in link previews")
    .option("--social-image <URL>", "Image in link previews, as an https URL");
}

function setsCard({ socialTitle, socialDescription, socialImage }: LinkOptions): boolean {
  return socialTitle !== undefined || socialDescription !== undefined || socialImage !== undefined;
}

/** @param card  of the link, of which parts are kept @returns only the members that were given */
async function linkMembers(io: Io, options: LinkOptions, card: Link["social"] = {}): Promise<Omit<UpdateLink, "url">> {
  const now = Date.now();
  const social = {
    ...card,
    ...(options.socialTitle !== undefined && { title: options.socialTitle }),
    ...(options.socialDescription !== undefined && { description: options.socialDescription }),
    ...(options.socialImage !== undefined && { image: options.socialImage }),
  };
  return {
    ...(options.alias && { aliases: options.alias.map(aliasOf) }),
    ...(options.title !== undefined && { title: options.title }),
    ...(options.tag && { tags: [...options.tag] }),
    ...(options.routing !== undefined && { routing: await readRules(io, options.routing) }),
    ...(options.startsAt !== undefined && { starts_at: comingTime(options.startsAt, now) }),
    ...(options.expiresAt !== undefined && { expires_at: comingTime(options.expiresAt, now) }),
    ...(options.fallbackUrl !== undefined && { fallback_url: completeUrl(options.fallbackUrl) }),
    ...(options.forwardQuery !== undefined && { forward_query: options.forwardQuery }),
    ...(options.forwardPath !== undefined && { forward_path: options.forwardPath }),
    ...(options.noindex !== undefined && { noindex: options.noindex }),
    ...(options.redirectStatus !== undefined && {
      redirect_status: REDIRECT_STATUSES.find((status) => String(status) === options.redirectStatus) ?? null,
    }),
    ...(options.paused !== undefined && { paused: options.paused }),
    ...(options.archived !== undefined && { archived: options.archived }),
    ...(options.passwordFile !== undefined && {
      password: (await readInput(io, options.passwordFile)).replace(/\r?\n$/, ""),
    }),
    ...(setsCard(options) && { social }),
  };
}

/** Prints a link. The JSON includes the revision, which `links update --if-revision` accepts. */
async function printLink(io: Io, found: FoundLink, asJson: boolean | undefined): Promise<void> {
  if (asJson) await io.printJson({ ...found.link, revision: found.revision });
  else await io.print(...linkLines(found, io.colors));
}

/** The short URL, then one property per line. */
function linkLines({ link, revision }: FoundLink, colors: Colors): string[] {
  return [
    ...propertyLines(link.short_url, factsOf(link, revision), colors),
    ...link.routing.map(({ if: condition, to }, i) =>
      propertyLine(i === 0 ? "rules" : "", `${i + 1}. ${JSON.stringify(condition)} → ${to}`, colors),
    ),
  ];
}

function factsOf(link: Link, revision: number | null): Record<string, string> {
  return {
    url: link.url,
    id: link.id,
    aliases: link.aliases?.map(({ short_url }) => short_url).join(", ") ?? "",
    title: link.title ?? "",
    tags: link.tags?.join(", ") ?? "",
    created: localTime(link.created_at),
    changed: link.updated_at === link.created_at ? "" : localTime(link.updated_at),
    revision: revision === null ? "" : String(revision),
    opens: link.starts_at ? localTime(link.starts_at) : "",
    expires: link.expires_at ? localTime(link.expires_at) : "",
    fallback: link.fallback_url ?? "",
    query: link.forward_query ? "forwarded" : "",
    paths: link.forward_path ? "forwarded" : "",
    search: link.noindex ? "noindex" : "",
    status: link.redirect_status ? String(link.redirect_status) : "",
    state: [link.paused && "paused", link.archived && "archived"].filter(Boolean).join(", "),
    password: link.password_protected ? "required" : "",
    preview: Object.values(link.social ?? {}).join(" · "),
  };
}

/** `hoplink links list`. */

const LIMIT_DEFAULT = 50;

type ListOptions = ReturnType<ReturnType<typeof listCommand>["opts"]>;

function listCommand(links: Command) {
  return serviceCommand(links, "list", "List links, newest first")
    .option("--limit <N>", "Maximum number of links", wholeNumber(1), LIMIT_DEFAULT)
    .option("--all", "List all links")
    .option("--search <TEXT>", "Only links whose slug, alias, short URL, destination, title or tag contains this text")
    .option("--tag <TAG>", "Only links with this tag (repeatable)", collect)
    .option("--domain <DOMAIN>", "Only links on this domain")
    .addOption(new Option("--status <STATUS>", "Only links with this status").choices(LINK_STATUSES))
    .option("--archived", "Only archived links, which are left out otherwise")
    .option("--created-after <TIME>", "Only links created since this time, or within an age such as 7d")
    .option("--created-before <TIME>", "Only links created before this time")
    .addOption(
      new Option("--sort <ORDER>", "Order of the links").choices(["created_at", "-created_at", "-clicks"] as const),
    )
    .option("--clicks", "Include the number of clicks");
}

async function listLinks(session: Session, options: ListOptions): Promise<void> {
  const { io } = session;
  const shown: Link[] = [];
  let count = 0;
  let isWhole = true;
  const most = options.all ? Number.POSITIVE_INFINITY : options.limit;
  for await (const link of session.hoplink.links.list(queryOf(options), { signal: io.signal })) {
    isWhole = count < most;
    if (!isWhole) break;
    count++;
    // Streamed, because an account's million links do not fit in memory.
    if (options.json) await io.printJson(link);
    else io.showProgress(shown.push(link), null, "links");
  }
  io.clearProgress();
  const columns = COLUMNS.filter(({ title }) => options.clicks || title !== "CLICKS");
  const none = "No links found. To create one, run: hoplink links create URL";
  if (!options.json) await printList(io, undefined, columns, shown, none);
  if (!isWhole) io.note(`There are more links. To list them, add --limit ${most * 10} or --all.`);
}

function queryOf(options: ListOptions): LinksQuery {
  const { limit, all, search, domain, tag, status, archived, createdAfter, createdBefore, sort, clicks } = options;
  const now = Date.now();
  return {
    // One more than shown, to find out whether there are more.
    limit: all ? PAGE_LINKS_MAX : Math.min(limit + 1, PAGE_LINKS_MAX),
    ...(search !== undefined && { search }),
    ...(domain !== undefined && { domain }),
    ...(tag && { tag: [...tag] }),
    ...(status && { status }),
    ...(archived && { archived: "true" }),
    ...(createdAfter !== undefined && { created_after: pastTime(createdAfter, now) }),
    ...(createdBefore !== undefined && { created_before: pastTime(createdBefore, now) }),
    ...(sort && { sort }),
    ...(clicks && { include: "clicks" }),
  };
}

const COLUMNS: Column<Link>[] = [
  { title: "SHORT URL", cell: ({ short_url }) => short_url },
  { title: "CLICKS", align: "right", cell: ({ clicks }) => (clicks === undefined ? "" : figure(clicks)) },
  { title: "DESTINATION", cell: ({ url }) => url },
  { title: "TITLE", cell: ({ title }) => title },
  { title: "TAGS", cell: ({ tags }) => tags?.join(", ") },
  { title: "CREATED", cell: ({ created_at }) => localTime(created_at) },
];
