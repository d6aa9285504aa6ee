/** Every member of a link, and what else can be changed, is known wherever it is written, shown, stored or described. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { expect, test } from "vitest";

import { backtestChange } from "../../src/api/mcp/backtested-changes.ts";
import { createLink, getLink, updateLink } from "../../src/api/mcp/link-tools.ts";
import { updateDomain, updateQrCode } from "../../src/api/mcp/qr-and-domain-tools.ts";
import type { Link as ClientLink } from "../../src/client/api-types.ts";
import { readLinks } from "../../src/client/cli/commands/import.ts";
import { Io } from "../../src/client/cli/io.ts";
import { hoplinkProgram } from "../../src/client/cli/main.ts";
import { FileLink, isAsWanted, memberOf, MEMBERS } from "../../src/client/plan/links-file.ts";
import { newLinksFile } from "../../src/client/plan/written-file.ts";
import { BulkCreate, BulkUpdateItem } from "../../src/core/contract/bulk-links.ts";
import { Domain, UpdateDomain } from "../../src/core/contract/domains.ts";
import { ExportedLink } from "../../src/core/contract/operator.ts";
import { LinkRevision } from "../../src/core/contract/link-revisions.ts";
import { CreateLink, Link, LINK_EXAMPLE, UpdateLink } from "../../src/core/contract/links.ts";
import { QrCode, UpdateQrCode } from "../../src/core/contract/qr-codes.ts";
import { type FlagMember, isFlag, LINK_MEMBER_LIST, type LinkMember } from "../../src/core/links/link-members.ts";
import { CSV_COLUMNS, csvPart } from "../../src/dashboard/pages/links/bulk-csv.ts";
import { newLinkForm } from "../../src/dashboard/pages/links/link-form.ts";
import { historyTexts } from "../../src/dashboard/texts/history.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** A value of each member, as requests send it, and as a cell of a CSV file. */
const VALUES: Record<Exclude<LinkMember, FlagMember>, [value: unknown, cell: string]> = {
  url: ["https://example.com/two", "https://example.com/two"],
  routing: [
    [{ if: { country: "FR" }, to: "https://example.com/" }],
    '[{"if":{"country":"FR"},"to":"https://example.com/"}]',
  ],
  expires_at: ["2099-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"],
  title: ["Title", "Title"],
  tags: [["a", "b"], "a, b"],
  starts_at: ["2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z"],
  fallback_url: ["https://example.com/soon", "https://example.com/soon"],
  redirect_status: [301, "301"],
  password: ["correct horse", "correct horse"],
  social: [{ title: "Card" }, '{"title":"Card"}'],
  aliases: [[{ slug: "other" }], "other"],
};

type Member = (typeof LINK_MEMBER_LIST)[number];

function valueOf({ name }: Member): [value: unknown, cell: string] {
  return isFlag(name) ? [true, "true"] : VALUES[name];
}

const shownName = ({ name, shownAs }: Member) => shownAs ?? name;
const isSecret = ({ kind }: Member) => kind === "secret";
/** The option of a member that is not its name: that of one tag, of one part, or of a file. */
const OPTIONS: Partial<Record<LinkMember, string>> = {
  tags: "--tag",
  aliases: "--alias",
  password: "--password-file",
  social: "--social-title",
};

const takes =
  ({ shape }: { shape: object }) =>
  ({ name }: Member) =>
    name in shape;
const shows =
  ({ shape }: { shape: object }) =>
  (member: Member) =>
    shownName(member) in shape;

/** A link as responses show it, with one member. */
function linkWith(member: Member): Link & ClientLink {
  const [value] = valueOf(member);
  const plain = { ...LINK_EXAMPLE, routing: [] };
  return { ...plain, [shownName(member)]: isSecret(member) ? true : value } as Link & ClientLink;
}

const schema = read("schema.sql");

/** Whether a change of a member is kept in the history, from which a revision is restored. */
function isRevised({ name }: Member): boolean {
  const database = new DatabaseSync(":memory:");
  database.exec(schema);
  database.exec(`INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision)
    VALUES ('acc_1', 'live', 'lnk_1', 'api', 'a.example', 's', 'https://example.com/', '[]', 1, 1, 1)`);
  const set = (value: unknown) =>
    database
      .prepare(`UPDATE links SET ${name} = ?, revision = revision + 1, updated_at = updated_at + 1`)
      .run(value as string);
  const { type } = database.prepare("SELECT type FROM pragma_table_info('links') WHERE name = ?").get(name) as {
    type: string;
  };
  const values = type === "INTEGER" ? [1, 2] : ['[["a","a"]]', '[["b","b"]]'];
  for (const value of values) set(value);
  if (!database.prepare("SELECT 1 FROM pragma_table_info('link_revisions') WHERE name = ?").get(name)) return false;
  const kept = database.prepare(`SELECT ${name} AS value FROM link_revisions ORDER BY revision`).all();
  return kept.length === 2 && kept[1]?.["value"] === values[0];
}

function optionsOf(group: string, command: string): readonly string[] {
  const program: CommandUnknownOpts = hoplinkProgram(new Io(process, new AbortController().signal));
  const commands = program.commands.find((one) => one.name() === group)?.commands;
  const found = commands?.find((one) => one.name() === command);
  const clearable = found?.options.find(({ long }) => long === "--clear")?.argChoices ?? [];
  return [...(found?.options.map(({ long }) => long ?? "") ?? []), ...clearable];
}

const optionOf = (name: string) => `--${name.replaceAll("_", "-")}`;

function hasOption(command: string, { name }: Member): boolean {
  return optionsOf("links", command).includes(OPTIONS[name] ?? optionOf(name));
}

/** Whether a link with the member is read from CSV and from JSON as requests send it. */
function isImported(member: Member): boolean {
  const { name } = member;
  const [value, cell] = valueOf(member);
  const quoted = `"${cell.replaceAll('"', '""')}"`;
  const files = [
    name === "url" ? `url\n${quoted}` : `url,${name}\nhttps://example.com/,${quoted}`,
    JSON.stringify({ url: "https://example.com/", [name]: value }),
  ];
  return files.every((file) => JSON.stringify(readLinks(file)[0]?.link[name]) === JSON.stringify(value));
}

/** Whether plans find a difference in the member, and none where it is the same. */
function isPlanned(member: Member): boolean {
  const { name } = member;
  const plain = { ...LINK_EXAMPLE, routing: [] };
  const wanted = { slug: LINK_EXAMPLE.slug, url: LINK_EXAMPLE.url, [name]: valueOf(member)[0] } as FileLink;
  const isSame = (link: ClientLink) => isAsWanted(link, wanted, name, undefined);
  return MEMBERS.includes(name) && memberOf(wanted, name) !== null && isSame(linkWith(member)) && !isSame(plain);
}

const clientTypes = read("src/client/api-types.ts");
const commandSource = read("src/client/cli/commands/links.ts");
const guides = read("src/docs/links.md") + read("src/docs/routing.md");
const specification = read("src/docs/specification.md");

/** Whether a schema of the npm package has the member. */
function isInClient(schemaName: string, member: string): boolean {
  const [, body = ""] = new RegExp(`^export type ${schemaName} = \\{\\n([^]*?)^\\};`, "m").exec(clientTypes) ?? [];
  return new RegExp(`^  ${member}\\??:`, "m").test(body);
}

const SURFACES: Record<string, (member: Member) => boolean> = {
  "requests that create": takes(CreateLink),
  "requests that change": takes(UpdateLink),
  responses: shows(Link),
  "bulk creation": takes(BulkCreate.shape.links.element),
  "bulk changes": takes(BulkUpdateItem),
  "the history": (member) => shows(LinkRevision)(member) !== isSecret(member),
  restores: (member) => isRevised(member) !== isSecret(member),
  "backtests of agents": (member) => takes(backtestChange.input)(member) === (member.affects === "destination"),
  "exports of operators": shows(ExportedLink),
  "exports of the dashboard": (member) =>
    csvPart([linkWith(member)], true)
      .split("\n")[0]
      ?.split(",")
      .includes(member.kind === "rules" ? "rules" : shownName(member)) ?? false,
  "imports of the command": isImported,
  "imports of the dashboard": ({ name, kind }) => kind === "rules" || CSV_COLUMNS.some((column) => column === name),
  "files of links": takes(FileLink),
  "hoplink plan": isPlanned,
  "hoplink pull": (member) =>
    newLinksFile(
      { links: [{ ...linkWith(member), revision: 1 }], defaultDomain: LINK_EXAMPLE.domain, caseSensitive: new Set() },
      "x",
    ).includes(`${shownName(member)}:`),
  "hoplink links create": (member) => member.name === "url" || hasOption("create", member),
  "hoplink links update": (member) => hasOption("update", member),
  "hoplink links update --clear": (member) =>
    member.name === "url" ||
    (member.kind === "flag" ? hasOption("update", member) : optionsOf("links", "update").includes(member.name)),
  "hoplink links get": (member) => commandSource.includes(`link.${shownName(member)}`),
  "requests of the npm package": ({ name }) => ["CreateLink", "UpdateLink"].every((each) => isInClient(each, name)),
  "responses of the npm package": (member) => isInClient("Link", shownName(member)),
  "agents that create": takes(createLink.input),
  "agents that change": takes(updateLink.input),
  "answers to agents": shows(getLink.output),
  "forms of the dashboard": ({ name, kind }) => kind === "rules" || name in newLinkForm(""),
  "texts of the dashboard": (member) =>
    isSecret(member) || (member.name in historyTexts.members && member.name in historyTexts.labels),
  "the guides": (member) => guides.includes(`\`${member.name}\``) && guides.includes(shownName(member)),
  "the specification": ({ name }) => specification.includes(`\`${name}\``),
};

test.each(Object.entries(SURFACES))("every member of a link is part of %s", (_, knows) => {
  expect(LINK_MEMBER_LIST.filter((member) => !knows(member)).map(({ name }) => name)).toEqual([]);
});

test("a new member would be missing from every one", () => {
  const unknown = { name: "later", field: "later", kind: "text", affects: "nothing" } as unknown as Member;
  const isKnown = (knows: (member: Member) => boolean) => {
    try {
      return knows(unknown);
    } catch {
      return false;
    }
  };
  const known = Object.keys(SURFACES).filter((name) => isKnown(SURFACES[name] ?? (() => true)));
  // Only members that decide the destination are backtested.
  expect(known).toEqual(["backtests of agents"]);
});

const OTHERS = [
  {
    what: "setting of a domain",
    changes: UpdateDomain,
    shown: Domain,
    types: ["UpdateDomain", "Domain"],
    group: "domains",
    tool: updateDomain,
    guide: "domains",
  },
  {
    what: "name and state of a QR code",
    changes: UpdateQrCode,
    shown: QrCode,
    types: ["UpdateQrCode", "QrCode"],
    group: "qr-codes",
    tool: updateQrCode,
    guide: "qr-codes",
  },
];

test.each(OTHERS)(
  "every $what is part of responses, the npm package, the command, tools and the guide",
  ({ changes, shown, types, group, tool, guide }) => {
    const options = optionsOf(group, "update");
    const text = read(`src/docs/${guide}.md`);
    const isKnown = (name: string) => [
      name in shown.shape,
      types.every((type) => isInClient(type, name)),
      options.includes(optionOf(name)),
      name in tool.input.shape,
      text.includes(`\`${name}\``),
    ];
    const names = Object.keys(changes.shape);
    expect(names.map((name) => [name, ...isKnown(name)])).toEqual(names.map((name) => [name, ...Array(5).fill(true)]));
    expect(isKnown("later")).toEqual(Array(5).fill(false));
  },
);
