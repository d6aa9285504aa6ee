/** `hoplink import FILE`: creates many links. `hoplink imports delete ID`: undoes an import of click history. */
import { createHash } from "node:crypto";

import type { Command } from "@commander-js/extra-typings";
import Papa from "papaparse";

import { CreateLink as CreateLinkSchema, Link } from "../../../core/contract/links.ts";
import { jsonIn } from "../../../core/encoding/bytes.ts";
import { BULK_LINKS_MAX, figure } from "../../../core/limits.ts";
import { isFlag, memberKind } from "../../../core/links/link-members.ts";
import { aliasesIn } from "../../../core/links/link-search.ts";
import type { CreateLink, LinkResult } from "../../index.ts";
import { EXIT_CODES, usageFailure } from "../errors.ts";
import { readInput } from "../files.ts";
import type { Io } from "../io.ts";
import { serviceCommand, type Session, withSession } from "../session.ts";

export function addImportCommand(program: Command, io: Io): void {
  serviceCommand(program, "import", "Create links from a file; if interrupted, run it again within a day")
    .argument("<FILE>", "CSV with member names in the first row, or JSON with one link per line (- for stdin)")
    .action((path, options) =>
      withSession(io, options, async (session) => {
        return importLinks(session, await readInput(io, path), options.json ?? false);
      }),
    );
}

/** @returns the exit code, which is not 0 if a link was refused */
async function importLinks(session: Session, text: string, asJson: boolean): Promise<number> {
  const { io } = session;
  const links = readLinks(text);
  let created = 0;
  let refused = 0;
  let closed = 0;
  io.showProgress(0, links.length, "links");
  for await (const imported of createLinks(session, links)) {
    if ("link" in imported.result) created++;
    else refused++;
    if (imported.needsPassword && "link" in imported.result) closed++;
    await report(io, imported, asJson);
    io.showProgress(created + refused, links.length, "links");
  }
  io.clearProgress();
  if (!asJson) await io.print(`${figure(created)} created, ${figure(refused)} refused.`);
  if (closed > 0) io.note(`${figure(closed)} paused: set their passwords, then resume them.`);
  return refused > 0 ? EXIT_CODES.failed.code : EXIT_CODES.ok.code;
}

async function report(io: Io, { line, needsPassword, result }: ImportedLink, asJson: boolean): Promise<void> {
  if (asJson) await io.printJson({ line, ...result, ...(needsPassword && { needs_password: true }) });
  else if ("error" in result) io.note(`Line ${line}: ${result.error.message}`);
  else if (needsPassword)
    io.note(`Line ${line}: paused, because the file lacks its password: ${result.link.short_url}`);
}

interface ImportedLink {
  line: number;
  needsPassword: boolean;
  result: LinkResult;
}

/** Yields results in file order, as requests complete. A repeat within a day creates nothing twice. @internal */
export async function* createLinks({ hoplink, io }: Session, links: readonly ReadLink[]): AsyncGenerator<ImportedLink> {
  for (let start = 0; start < links.length; start += BULK_LINKS_MAX) {
    const piece = links.slice(start, start + BULK_LINKS_MAX);
    const bodies = piece.map(({ link }) => link);
    const idempotencyKey = keyOf(start, bodies);
    const results = await hoplink.links.createMany(bodies, { idempotencyKey, signal: io.signal });
    for (const [i, result] of results.entries()) {
      yield { line: piece[i]?.line ?? 0, needsPassword: piece[i]?.needsPassword ?? false, result };
    }
  }
}

/** Hashes the links and their position, because a file may contain the same hundred links twice. */
function keyOf(start: number, bodies: readonly unknown[]): string {
  return `import-${createHash("sha256")
    .update(JSON.stringify([start, bodies]))
    .digest("hex")}`;
}

export interface ReadLink {
  /** Counted from 1, as in editors and spreadsheets. */
  line: number;
  link: CreateLink;
  /** Whether the link had a password that the file lacks. It must not be open. */
  needsPassword?: boolean;
}

function withoutOpenSecrets(line: number, { password_protected, ...link }: Row): ReadLink {
  const isProtected = password_protected === true || /^true$/i.test(String(password_protected ?? ""));
  const needsPassword = isProtected && !link.password;
  return { line, link: needsPassword ? { ...link, paused: true } : link, needsPassword };
}

type Row = CreateLink & { password_protected?: unknown };

const COLUMNS: readonly string[] = Object.keys(CreateLinkSchema.shape);

/** Limits the unknown column names in a message, because the file can contain anything. */
const SHOWN_MAX_CHARS = 200;

/** Members that `links list --json` prints but callers cannot set. */
const READ_ONLY = new Set(Object.keys(Link.shape).filter((name) => !COLUMNS.includes(name)));

const PROTECTED = "password_protected";

/** Accepts CSV with member names in the first row, or one JSON object per line. The service validates the values. @internal */
export function readLinks(text: string): ReadLink[] {
  const content = text.replace(/^\uFEFF/, "");
  if (/^\s*\[/.test(content))
    throw usageFailure("The file is a JSON array", "Put each link on a separate line: jq -c '.[]' FILE");
  const links = /^\s*\{/.test(content)
    ? content.split("\n").flatMap((each, i) => jsonLink(each, i + 1))
    : csvLinks(content);
  if (links.length === 0) throw usageFailure("The file contains no links");
  return links;
}

function jsonLink(content: string, line: number): ReadLink[] {
  if (content.trim() === "") return [];
  const value = parsedJson(content, `Line ${line}`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw usageFailure(`Line ${line} is not a JSON object`);
  }
  const members = Object.entries(value)
    .filter(([name]) => name === PROTECTED || !READ_ONLY.has(name))
    .map(([name, member]: [string, unknown]) => [name, name === "aliases" ? withoutShortUrls(member) : member]);
  return [withoutOpenSecrets(line, Object.fromEntries(members) as unknown as Row)];
}

/** As in the output of `links list --json`, without the part that callers cannot set. */
function withoutShortUrls(aliases: unknown): unknown {
  return Array.isArray(aliases) ? aliases.map((alias: object) => ({ ...alias, short_url: undefined })) : aliases;
}

function csvLinks(text: string): ReadLink[] {
  const { data, errors } = Papa.parse<string[]>(text, { delimitersToGuess: [",", ";", "\t"], skipEmptyLines: false });
  // Everything after an unbalanced quote would be read as one cell.
  const misquoted = errors.find(({ type }) => type === "Quotes");
  if (misquoted) throw usageFailure(`Row ${(misquoted.row ?? 0) + 1}: ${misquoted.message}`);
  const rows = data
    .map((cells, i) => ({ line: i + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim()));
  const [header, ...others] = rows;
  if (!header) return [];
  const columns = header.cells.map((name) => name.trim().toLowerCase());
  const unknown = columns.filter((name) => name !== "" && !READ_ONLY.has(name) && !COLUMNS.includes(name));
  if (unknown.length > 0 || !columns.includes("url")) {
    const what =
      unknown.length > 0
        ? `Unknown columns: ${unknown.join(", ").slice(0, SHOWN_MAX_CHARS)}`
        : "The column url is missing";
    throw usageFailure(what, `The first row must name columns from ${COLUMNS.join(", ")}. url is required.`);
  }
  // An unquoted comma in a URL shifts the cells after it, so that a part of the URL could become the slug.
  const wide = others.find(({ cells }) => cells.slice(columns.length).some((cell) => cell.trim()));
  if (wide)
    throw usageFailure(`Row ${wide.line} has more cells than the first row`, "Quote cells that contain commas.");
  return others.map(({ line, cells }) => withoutOpenSecrets(line, csvLink(columns, cells, line)));
}

function csvLink(columns: readonly string[], cells: readonly string[], line: number): Row {
  const filled = columns.flatMap((name, i): [string, unknown][] => {
    const cell = (cells[i] ?? "").trim();
    const isRead = name === PROTECTED || COLUMNS.includes(name);
    return cell !== "" && isRead ? [[name, memberOf(name, cell, line)]] : [];
  });
  return Object.fromEntries(filled) as unknown as Row;
}

function memberOf(column: string, cell: string, line: number): unknown {
  if (column === "tags") return tagsIn(cell);
  if (column === "aliases") return aliasesIn(cell);
  if (isFlag(column)) return /^(?:true|yes|y|1|x)$/i.test(cell);
  const kind = memberKind(column);
  if (kind === "choice" && /^\d+$/.test(cell)) return Number(cell);
  if (kind === "rules" || kind === "card") return parsedJson(cell, `The ${column} of row ${line}`);
  return cell;
}

/** Separated by semicolons, commas or vertical bars. */
function tagsIn(cell: string): string[] {
  return cell
    .split(/[;,|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

function parsedJson(text: string, what: string): unknown {
  const value = jsonIn(text);
  if (value === undefined) throw usageFailure(`${what} is not valid JSON`);
  return value;
}

export function addImportsCommands(program: Command, io: Io): void {
  const imports = program.command("imports").description("Undo imports of click history").helpCommand(false);
  serviceCommand(imports, "delete", "Remove the clicks that an import has added to links; can be repeated")
    .argument("<ID>", "ID of the import, from its report")
    .action((id, options) =>
      withSession(io, options, async ({ hoplink }) => {
        let undone = await hoplink.imports.undo(id, { signal: io.signal });
        while (undone.remaining > 0) undone = await hoplink.imports.undo(id, { signal: io.signal });
        if (options.json) await io.printJson(undone);
        else await io.print(`The clicks of ${id} are removed. Its links stay.`);
      }),
    );
}
