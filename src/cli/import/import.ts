/**
 * Imports links from another service's export file: `npm run import -- FILE`. Runs on any machine, and calls the API
 * with a key. The logic is in core/imports.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { mkdtempDisposable, open, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { visibleText } from "../../client/cli/terminal-text.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { readExport, type ReadExport, requireImportSize } from "../../core/imports/read-export.ts";
import type { Me } from "../../core/contract/me.ts";
import type { ImportApi } from "../../core/imports/import-api.ts";
import { type ImportAccount, type ImportOptions, resolveLinks } from "../../core/imports/plan-import.ts";
import { runImport, type ImportReport } from "../../core/imports/run-import.ts";
import { type History, readClicks, readSums, type Spill } from "../../core/imports/read-history.ts";
import type { HistoryReport } from "../../core/imports/send-history.ts";
import { CLICK_COUNTS, FORMAT_NAMES, type FormatName, SERVICES } from "../../core/imports/services.ts";
import { figure } from "../../core/limits.ts";
import { endWhenInterrupted, EXIT, interrupted, interruptible, runCommand, SetupError } from "../command.ts";
import { importApi } from "./api.ts";

const CLICK_SERVICES = Object.values(SERVICES)
  .flatMap(({ title, clicks }) => (clicks ? [title] : []))
  .join(", ");

const TITLES = Object.values(SERVICES)
  .map(({ title }) => title)
  .join(", ");

const DESCRIPTION = `Import the links in FILE, an export of ${TITLES} (CSV, JSON, or SQL of YOURLS).
You can run this command again at any time: links that already exist are not changed.`;

const KEY = "API key with the scopes links:read, links:write and domains:read";
const LOCAL = "http://localhost:8787";

const MORE = `
Exit codes: 0 success, 1 links were refused or the import stopped, 2 the import could not begin`;

function importCommand() {
  return new Command("npm run import --")
    .description(DESCRIPTION)
    .argument("<FILE>")
    .addOption(new Option("--key <KEY>", KEY).env("HOPLINK_API_KEY"))
    .addOption(
      new Option("--url <URL>", "URL of the deployment").env("HOPLINK_URL").default(LOCAL).argParser(parseOrigin),
    )
    .addOption(new Option("--format <F>", "format of the file (default: detected)").choices(FORMAT_NAMES))
    .option("--clicks <FILE>", `single clicks of these links, from ${CLICK_SERVICES}`)
    .option("--domain <D>", "short domain for all links of the file", normalizedDomain)
    .option("--map <OLD=NEW>", "short domain for the links of one domain of the file; can be repeated", collectDomains)
    .option("--dry-run", "show what would happen, and change nothing")
    .option(
      "--case-sensitive",
      "treat /Ab and /aB as two links on the target domains, which must be yours and have no links yet (the key also needs domains:write)",
    )
    .option("--update", "overwrite links that already exist with different content")
    .option("--forward-query", "forward the query parameters of visits, as dub, Short.io and Shlink do by default")
    .option("--without-rules", "leave out targeting by device, country and share (the Free plan has no rules)")
    .option("--without-passwords", "open links that have a password to everyone; otherwise, they are imported paused")
    .option("--json", "print the report as JSON in the last line")
    .addHelpText("after", MORE);
}

type Options = ReturnType<ReturnType<typeof importCommand>["opts"]>;

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new InvalidArgumentError("It must be a URL such as https://hop.example.com.");
}

function collectDomains(pair: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [old = "", wanted = "", ...more] = pair.split("=");
  if (old === "" || wanted === "" || more.length > 0)
    throw new InvalidArgumentError("It must be OLD=NEW, such as old.example=go.example.com.");
  return new Map([...before, [normalizedDomain(old), normalizedDomain(wanted)]]);
}

/** Each part is searched for its last complete entry. */
const READ_BYTES = 1024 * 1024;

const PHASES = { compare: "Comparing", write: "Writing", history: "Writing clicks" };

endWhenInterrupted();
await runCommand(importCommand, async (options, _, path) => {
  const lastWords = () => interrupted().message;
  return interruptible((signal) => importFile(path, options, signal), lastWords).catch((error: unknown) => {
    throw error instanceof Error ? new SetupError(visibleText(error.message), EXIT.usage) : error;
  });
});

async function importFile(path: string, given: Options, signal: AbortSignal): Promise<number> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "hoplink-import-"));
  return await importWithClicks(path, given, signal, spillTo(folder.path));
}

/** Writes each run of sorted clicks to a file. */
function spillTo(folder: string): Spill {
  let runs = 0;
  return async (parts) => {
    const path = join(folder, String(runs++));
    await writeFile(path, parts);
    return async (start, end) => {
      const file = await open(path);
      const { buffer } = await file.read({ buffer: Buffer.alloc(end - start), position: start });
      await file.close();
      return buffer.toString();
    };
  };
}

async function importWithClicks(path: string, given: Options, signal: AbortSignal, spill: Spill): Promise<number> {
  const file = readFile(path, given.format);
  if (given.clicks !== undefined) delete file.lost[CLICK_COUNTS];
  if (!given.key) throw new Error("An API key is required. Pass --key svc_live_…, or set HOPLINK_API_KEY.");
  const api = importApi({ base: given.url, key: given.key, signal, onWait: sayWait });
  const { domain = null, map: domains = new Map<string, string>(), dryRun: isDryRun = false } = given;
  const { withoutRules = false, withoutPasswords = false, forwardQuery = false, update = false } = given;
  const options: ImportOptions = { domain, domains, withoutRules, withoutPasswords, forwardQuery, update };
  console.error(describeFile(file));
  const known = await api.account();
  const account = given.caseSensitive ? await withCaseSensitiveDomains(api, file, options, known, isDryRun) : known;
  const hasHistory = given.clicks !== undefined || file.links.some(({ clicks }) => clicks);
  const reading = { account, options, spill, now: Date.now() };
  const history = hasHistory ? await readHistory(path, file, given.clicks, await api.me(), reading) : null;
  const report = await runImport(file, {
    api,
    account,
    options,
    isDryRun,
    now: Date.now(),
    history,
    signal,
    onProgress: ({ phase, done, total }) => sayProgress(`${PHASES[phase]} ${done} of ${total}`),
  });
  sayProgress("");
  console.error(describeReport(file, report, isDryRun));
  if (given.json) console.log(JSON.stringify(jsonReport(file, report, isDryRun)));
  return report.refused.length > 0 || report.history?.refused.length || report.stopped !== null ? 1 : 0;
}

/** The history of the links, if the files have one. */
async function readHistory(
  path: string,
  file: ReadExport,
  clicksPath: string | undefined,
  { account }: Me,
  reading: Omit<Parameters<typeof readClicks>[2], "importId">,
): Promise<History | null> {
  const digest = createHash("sha256").update(`${account.id}\n${file.format}\n`);
  for await (const part of createReadStream(clicksPath ?? path)) digest.update(part as Uint8Array);
  const importId = `imp_${digest.digest("hex").slice(0, 32)}`;
  if (clicksPath === undefined) return readSums(file, importId, Math.min(statSync(path).mtimeMs, reading.now));
  return readClicks(file, createReadStream(clicksPath, { highWaterMark: READ_BYTES }), { importId, ...reading });
}

/**
 * Sets the option of the domains that links go to; a dry run continues as if it had.
 * @throws if one of them already has links
 */
async function withCaseSensitiveDomains(
  api: ImportApi,
  { links, unit }: ReadExport,
  options: ImportOptions,
  account: ImportAccount,
  isDryRun: boolean,
): Promise<ImportAccount> {
  const { wanted } = resolveLinks(links, unit, options, account);
  const targets = new Set(wanted.flatMap(({ body }) => [body, ...(body.aliases ?? [])].map(({ domain }) => domain)));
  const changed = (await api.domains()).filter(({ domain, case_sensitive }) => targets.has(domain) && !case_sensitive);
  for (const { id, domain } of changed) {
    if (!isDryRun) await api.request("PATCH", `/domains/${id}`, { case_sensitive: true });
    // Approximate: deleted links count as well, but cannot be listed.
    else if ((await api.listLinks({ domain, limit: "1" })).data.length > 0) {
      throw new Error(
        `You have created links on ${domain}, so its slugs can no longer become case-sensitive. Omit --case-sensitive, or choose another domain.`,
      );
    }
  }
  return { ...account, caseSensitive: new Set([...account.caseSensitive, ...changed.map(({ domain }) => domain)]) };
}

function readFile(path: string, format: FormatName | undefined): ReadExport {
  requireImportSize(statSync(path).size);
  const read = readExport(readFileSync(path), format ?? null);
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

/** Overwrites one line on a terminal. Prints nothing elsewhere, because every step would add a line. */
function sayProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function sayWait(why: string, ms: number): void {
  sayProgress("");
  console.error(`${visibleText(why)}. Trying again in ${Math.ceil(ms / 1_000)} s.`);
}

/** Summarizes the file for the terminal. It quotes untrusted data, so control characters are escaped. */
export function describeFile({ format, links, refused, lost, unread, encoding }: ReadExport): string {
  const lines = [
    `${SERVICES[format].title}: ${figure(links.length)} links, ${figure(refused.length)} rows that cannot be read`,
  ];
  if (encoding !== "utf-8") lines.push(`The file is ${encoding}, not UTF-8: check titles with accents.`);
  const losses = Object.entries(lost).map(([name, links_]) => `${name} (${figure(links_)})`);
  if (losses.length > 0) lines.push(`Not imported: ${losses.join("; ")}.`);
  if (unread.length > 0) lines.push(`Unknown and ignored: ${unread.join(", ")}.`);
  return escapeLines(lines);
}

export function describeReport({ unit }: ReadExport, report: ImportReport, isDryRun: boolean): string {
  const would = isDryRun ? "would be " : "";
  const refused = report.refused.map(
    ({ at, address, reason, advice }) => `${unit} ${at}: ${address === "" ? "" : `${address}: `}${reason} ${advice}`,
  );
  const differs = report.differs.map(
    ({ at, address, members }) =>
      `${unit} ${at}: ${address}: already exists with different ${members.join(", ")} (--update overwrites it)`,
  );
  const totals = [
    `${figure(report.created)} ${would}created`,
    `${figure(report.updated)} ${would}changed`,
    `${figure(report.unchanged)} unchanged`,
    `${figure(report.differs.length)} exist with different content`,
    `${figure(report.refused.length)} refused`,
  ];
  const paused = report.withoutPassword.map(
    ({ at, address }) =>
      `${unit} ${at}: ${address}: ${would}paused, because its password is not known. Set one, then resume it.`,
  );
  const lines = [...refused, ...differs, ...paused, totals.join(", "), ...describeHistory(unit, report.history, would)];
  if (report.stopped !== null) {
    lines.push(
      `Stopped: ${report.stopped} ${figure(report.notSent)} links were not sent. Run the same command again to continue.`,
    );
  }
  return escapeLines(lines);
}

function describeHistory(unit: string, history: HistoryReport | null, would: string): string[] {
  if (history === null) return [];
  const { id, clicks, links, unmatched, unreadable, refused } = history;
  const lines = refused.map(({ at, address, reason, advice }) => `${unit} ${at}: ${address}: ${reason} ${advice}`);
  lines.push(`${figure(clicks)} earlier clicks of ${figure(links)} links ${would}imported`);
  if (unmatched + unreadable > 0) {
    lines.push(`Skipped: ${figure(unmatched)} clicks of other links, ${figure(unreadable)} that cannot be read.`);
  }
  if (would === "" && links > 0) lines.push(`To remove these clicks: hoplink imports delete ${id}`);
  return lines;
}

/** The report for programs. */
export function jsonReport({ format, unit, lost, unread }: ReadExport, report: ImportReport, isDryRun: boolean) {
  const { notSent: not_sent, withoutPassword: without_password, ...rest } = report;
  return { format, unit, dry_run: isDryRun, ...rest, without_password, not_sent, lost, unread };
}

function escapeLines(lines: readonly string[]): string {
  return lines.map(visibleText).join("\n");
}
