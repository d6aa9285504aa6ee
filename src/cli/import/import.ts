/**
 * Imports links from another service's export file: `npm run import -- FILE`. Runs on any machine, and talks to the API
 * with a key. What it does is decided in core/imports.
 */
import { readFileSync, statSync } from "node:fs";

import type { Domain } from "../../core/contract/domains.ts";
import { fileTooLarge, IMPORT_FILE_MAX_BYTES } from "../../core/imports/file-text.ts";
import { type ImportAccount, type ImportOptions, resolveLinks } from "../../core/imports/plan-import.ts";
import { readExport, type ReadExport } from "../../core/imports/read-export.ts";
import { runImport } from "../../core/imports/run-import.ts";
import { FORMAT_NAMES, type FormatName } from "../../core/imports/source-link.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { type Arguments, runCommand } from "../command.ts";
import { EXIT, SetupError } from "../deployment/setup-error.ts";
import { ImportClient } from "./api.ts";
import { describeFile, describeReport, jsonReport } from "./report-import.ts";

const USAGE = `Usage: npm run import -- FILE --key KEY [--base URL] [options]

FILE is an export of dub, Bitly, Short.io, Kutt, Sink, Shlink or YOURLS (CSV, JSON, or SQL of YOURLS).
It can be run again at any time: links that are already here are left alone.

  --key KEY            a key with links:read, links:write and domains:read; or HOPLINK_KEY in the environment
  --base URL           where Hoplink is (http://localhost:8787)
  --format F           ${FORMAT_NAMES.join(", ")}; recognized when not given
  --domain D           the short domain for all links of the file
  --map OLD=NEW        the short domain for links of one domain of the file; may be repeated
  --dry-run            say what would happen, and change nothing
  --case-sensitive     make /Ab and /aB two links on the domains that links go to: your own ones, before their first link
                       (the key needs domains:write)
  --update             overwrite links that are already here, but different
  --forward-query      pass query parameters of visits on, as dub, Short.io and Shlink do by default
  --without-rules      leave out targeting by device, country and share (the Free plan has no rules)
  --without-passwords  take links along that have a password, open to everybody
  --json               the last line is the report as JSON

Ends with 1 where links were refused or it had to stop, with 2 where it could not begin.`;

const config = {
  allowPositionals: true,
  options: {
    key: { type: "string" },
    base: { type: "string", default: "http://localhost:8787" },
    format: { type: "string" },
    domain: { type: "string" },
    map: { type: "string", multiple: true },
    "dry-run": { type: "boolean", default: false },
    "case-sensitive": { type: "boolean", default: false },
    update: { type: "boolean", default: false },
    "forward-query": { type: "boolean", default: false },
    "without-rules": { type: "boolean", default: false },
    "without-passwords": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
} as const;

type Values = Arguments<typeof config>["values"];

await runCommand(USAGE, config, async ({ values, positionals: [path, ...more] }) => {
  if (path === undefined || more.length > 0) throw new SetupError(USAGE, EXIT.usage);
  return importFile(path, values).catch((error: unknown) => {
    throw error instanceof Error ? new SetupError(error.message, EXIT.usage) : error;
  });
});

async function importFile(path: string, values: Values): Promise<number> {
  const file = readFile(path, values);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const client = new ImportClient({
    base: baseOption(values),
    key: keyOption(values),
    signal: stop.signal,
    onWait: sayWait,
  });
  const options = importOptions(values);
  console.error(describeFile(file));
  const { account, domains, linksUsed } = await client.account();
  const report = await runImport(file, {
    api: client,
    account: values["case-sensitive"]
      ? await withCaseSensitiveDomains(client, file, options, account, domains, values["dry-run"])
      : account,
    linksUsed,
    options,
    isDryRun: values["dry-run"],
    now: Date.now(),
    signal: stop.signal,
    onProgress: ({ phase, done, total }) =>
      sayProgress(`${phase === "compare" ? "Comparing" : "Writing"} ${done} of ${total}`),
  });
  sayProgress("");
  console.error(describeReport(file, report, values["dry-run"]));
  if (values.json) console.log(JSON.stringify(jsonReport(file, report, values["dry-run"])));
  return report.refused.length > 0 || report.stopped !== null ? 1 : 0;
}

/** Sets the option of the domains that links go to; a dry run goes on as if it had. */
async function withCaseSensitiveDomains(
  client: ImportClient,
  { links, unit }: ReadExport,
  options: ImportOptions,
  account: ImportAccount,
  domains: readonly Domain[],
  isDryRun: boolean,
): Promise<ImportAccount> {
  const targets = new Set(resolveLinks(links, unit, options, account).wanted.map(({ body }) => body.domain));
  const changed = domains.filter(({ domain, case_sensitive }) => targets.has(domain) && !case_sensitive);
  for (const domain of changed) {
    await (isDryRun ? client.requireCaseChangeable(domain) : client.makeCaseSensitive(domain));
  }
  return { ...account, caseSensitive: new Set([...account.caseSensitive, ...changed.map(({ domain }) => domain)]) };
}

function readFile(path: string, { format }: Values): ReadExport {
  const { size } = statSync(path);
  const read = size > IMPORT_FILE_MAX_BYTES ? fileTooLarge(size) : readExport(readFileSync(path), formatOption(format));
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

function formatOption(wanted: string | undefined): FormatName | null {
  if (wanted === undefined) return null;
  const format = FORMAT_NAMES.find((name) => name === wanted);
  if (!format) throw new Error(`--format must be one of ${FORMAT_NAMES.join(", ")}`);
  return format;
}

function importOptions(values: Values): ImportOptions {
  const pairs = (values.map ?? []).map((pair): [string, string] => {
    const [old = "", wanted = "", ...more] = pair.split("=");
    if (old === "" || wanted === "" || more.length > 0)
      throw new Error("--map must be OLD=NEW, as old.example=go.example.com");
    return [normalizedDomain(old), wanted];
  });
  return {
    domain: values.domain ?? null,
    domains: new Map(pairs),
    withoutRules: values["without-rules"],
    withoutPasswords: values["without-passwords"],
    forwardQuery: values["forward-query"],
    update: values.update,
  };
}

function keyOption(values: Values): string {
  const key = values.key ?? process.env.HOPLINK_KEY;
  if (!key) throw new Error("Give a key: --key svc_live_…, or HOPLINK_KEY in the environment");
  return key;
}

function baseOption({ base }: Values): string {
  const url = URL.parse(base);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("--base must be a URL such as https://hop.example.com");
  return url.origin;
}

/** One line that is overwritten on a terminal; elsewhere nothing, since every step would be a line. */
function sayProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function sayWait(why: string, ms: number): void {
  sayProgress("");
  console.error(`${why}. Trying again in ${Math.ceil(ms / 1_000)} s.`);
}
