/** `hoplink domains`: lists, shows and changes your own short domains. */
import { type Command, Option } from "@commander-js/extra-typings";

import { normalizedDomain } from "../../../core/domains/domain-name.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import type { Domain, UpdateDomain } from "../../index.ts";
import { Failure, usageFailure } from "../errors.ts";
import { readJson } from "../files.ts";
import { type Io, printList, propertyLines } from "../io.ts";
import { serviceCommand, type Session, withSession } from "../session.ts";
import { type Column, localTime } from "../terminal-text.ts";

export function addDomainsCommands(program: Command, io: Io): void {
  const domains = program.command("domains").description("List, view and update short domains").helpCommand(false);
  addListCommand(domains, io);
  addGetCommand(domains, io);
  addUpdateCommand(domains, io);
}

const COLUMNS: Column<Domain>[] = [
  { title: "DOMAIN", cell: ({ domain }) => domain },
  { title: "STATUS", cell: ({ status }) => status },
  { title: "CREATED", cell: ({ created_at }) => localTime(created_at) },
];

function addListCommand(domains: Command, io: Io): void {
  serviceCommand(domains, "list", "List your domains, newest first").action((options) =>
    withSession(io, options, async ({ hoplink }) => {
      const listed = await hoplink.domains.list({}, { signal: io.signal }).all();
      await printList(io, options.json, COLUMNS, listed, "No domains found. Add one in the dashboard.");
    }),
  );
}

function addGetCommand(domains: Command, io: Io): void {
  serviceCommand(domains, "get", "Check a domain and show its settings")
    .argument("<DOMAIN>", "Name or ID of the domain")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const domain = await session.hoplink.domains.get(await domainIdOf(session, name), { signal: io.signal });
        await printDomain(io, domain, options.json);
      }),
    );
}

const CLEARABLE = ["root_url", "not_found_url", "expired_url", "well_known"] as const;

function addUpdateCommand(domains: Command, io: Io): void {
  withSettings(serviceCommand(domains, "update", "Update a domain; settings that you do not set stay unchanged"))
    .argument("<DOMAIN>", "Name or ID of the domain")
    .addOption(new Option("--clear <SETTING...>", "Settings to clear").choices(CLEARABLE))
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const cleared = Object.fromEntries((options.clear ?? []).map((setting) => [setting, null]));
        const changes: UpdateDomain = { ...cleared, ...(await settingsOf(io, options)) };
        if (Object.keys(changes).length === 0)
          throw usageFailure("No changes specified", "To see the options, run: hoplink domains update --help");
        const id = await domainIdOf(session, name);
        await printDomain(io, await session.hoplink.domains.update(id, changes, { signal: io.signal }), options.json);
      }),
    );
}

type Settings = ReturnType<ReturnType<typeof withSettings>["opts"]>;

/** Adds an option for every setting. */
function withSettings(command: ReturnType<typeof serviceCommand>) {
  return command
    .option("--root-url <URL>", "Destination of visitors who open the bare domain")
    .option("--not-found-url <URL>", "Destination of visitors who open an unknown slug")
    .option("--expired-url <URL>", "Destination of visitors who open an expired link without a fallback URL")
    .option("--case-sensitive", "Make new slugs case-sensitive, before your first link on the domain")
    .addOption(new Option("--no-case-sensitive").hideHelp())
    .addOption(new Option("--peek").hideHelp())
    .option("--no-peek", "Do not show where a link leads if + is added to its slug")
    .option("--well-known <FILE>", "Files for apps, as a JSON object with their names and contents (- for stdin)");
}

/** @returns only the settings that were given */
async function settingsOf(io: Io, options: Settings): Promise<UpdateDomain> {
  const { rootUrl, notFoundUrl, expiredUrl, caseSensitive, peek, wellKnown } = options;
  return {
    ...(rootUrl !== undefined && { root_url: completeUrl(rootUrl) }),
    ...(notFoundUrl !== undefined && { not_found_url: completeUrl(notFoundUrl) }),
    ...(expiredUrl !== undefined && { expired_url: completeUrl(expiredUrl) }),
    ...(caseSensitive !== undefined && { case_sensitive: caseSensitive }),
    ...(peek !== undefined && { peek }),
    // The service validates it.
    ...(wellKnown !== undefined && {
      well_known: (await readJson(io, wellKnown)) as NonNullable<UpdateDomain["well_known"]>,
    }),
  };
}

/** No host name contains an underscore. */
async function domainIdOf({ hoplink, io }: Session, name: string): Promise<string> {
  if (name.startsWith("dom_")) return name;
  const wanted = normalizedDomain(name);
  for await (const { id, domain } of hoplink.domains.list({}, { signal: io.signal })) if (domain === wanted) return id;
  throw new Failure(`Domain not found: ${name}`, "not_found", "To list your domains, run: hoplink domains list");
}

async function printDomain(io: Io, domain: Domain, asJson: boolean | undefined): Promise<void> {
  if (asJson) await io.printJson(domain);
  else await io.print(...propertyLines(domain.domain, propertiesOf(domain), io.colors));
}

function propertiesOf(domain: Domain): Record<string, string> {
  return {
    id: domain.id,
    status: domain.status,
    records: domain.records.map(({ type, status }) => `${type} ${status}`).join(", "),
    created: localTime(domain.created_at),
    root: domain.root_url ?? "",
    "not found": domain.not_found_url ?? "",
    expired: domain.expired_url ?? "",
    slugs: domain.case_sensitive ? "case-sensitive" : "",
    peek: domain.peek === false ? "off" : "",
    apps: Object.keys(domain.well_known ?? {}).join(", "),
  };
}
