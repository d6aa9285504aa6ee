/**
 * Reads and plans an import beside the page, so that the page does not freeze over a large file. Requests are the page's:
 * it has the session.
 */
import { fileTooLarge, IMPORT_FILE_MAX_BYTES, type UnreadableFile } from "../../../core/imports/file-text.ts";
import { type ImportAccount, type ImportOptions, resolveLinks } from "../../../core/imports/plan-import.ts";
import { readExport, type ReadExport } from "../../../core/imports/read-export.ts";
import { type ImportApi, runImport } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/source-link.ts";
import type {
  ApiCall,
  FileSummary,
  FromWorker,
  Preview,
  PreviewRow,
  RunSettings,
  ToWorker,
} from "./import-messages.ts";

const PREVIEW_ROWS_MAX = 50;

let current: ReadExport | null = null;
let stop = new AbortController();
let calls = 0;
const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();

const say = (message: FromWorker) => postMessage(message);

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => void handle(data));

async function handle(message: ToWorker): Promise<void> {
  if (message.type === "read") say({ type: "file", result: await readFile(message.file, message.format) });
  else if (message.type === "preview") {
    if (current) say({ type: "preview", preview: previewOf(current, message.options, message.account) });
  } else if (message.type === "run") await run(message);
  else if (message.type === "cancel") stop.abort();
  else {
    const call = pending.get(message.id);
    pending.delete(message.id);
    if ("value" in message.result) call?.resolve(message.result.value);
    else call?.reject(new Error(message.result.error));
  }
}

async function readFile(file: File, format: FormatName | null): Promise<FileSummary | UnreadableFile> {
  current = null;
  if (file.size > IMPORT_FILE_MAX_BYTES) return fileTooLarge(file.size);
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    return { problem: "This file could not be read. Choose it again." };
  }
  const read = readExport(bytes, format);
  if ("problem" in read) return read;
  if (read.links.length + read.refused.length === 0) return { problem: "There are no links in this file." };
  current = read;
  return summaryOf(read);
}

function summaryOf({ links, format, encoding, unit, lost, unread }: ReadExport): FileSummary {
  const domains = new Map<string, number>();
  for (const { domain } of links) domains.set(domain ?? "", (domains.get(domain ?? "") ?? 0) + 1);
  return {
    format,
    encoding,
    unit,
    lost,
    unread,
    domains: [...domains].map(([name, count]) => ({ name, links: count })).sort((a, b) => b.links - a.links),
    withRules: links.filter(({ content }) => content.routing !== undefined).length,
    withPassword: links.filter(({ hasPassword }) => hasPassword).length,
  };
}

function previewOf(file: ReadExport, options: ImportOptions, account: ImportAccount): Preview {
  const { wanted, refused, repeated, caseCollisions } = resolveLinks(file.links, file.unit, options, account);
  const all = [...file.refused, ...refused];
  const good = wanted.map(({ at, source, body }): PreviewRow => {
    return { at, source, target: `${body.domain}/${body.slug}`, url: body.url, problem: "" };
  });
  const bad = all.map(({ at, address, reason, advice }): PreviewRow => {
    return { at, source: address, target: "", url: "", problem: `${reason} ${advice}` };
  });
  // The refused come first, since something may be done about them.
  const rows = [...bad.sort((a, b) => a.at - b.at), ...good];
  const [ready, refusedRows] = [wanted.length + repeated, all.length];
  return { rows: rows.slice(0, PREVIEW_ROWS_MAX), ready, refused: refusedRows, caseCollisions };
}

async function run({ options, account, linksUsed, isDryRun }: RunSettings): Promise<void> {
  if (!current) return;
  stop = new AbortController();
  const report = await runImport(current, {
    api,
    account,
    linksUsed,
    options,
    isDryRun,
    now: Date.now(),
    signal: stop.signal,
    onProgress: (progress) => say({ type: "progress", progress }),
  });
  say({ type: "report", report });
}

const api: ImportApi = {
  listLinks: (argument) => ask({ method: "listLinks", argument }),
  createLinks: (argument) => ask({ method: "createLinks", argument }),
  updateLinks: (argument) => ask({ method: "updateLinks", argument }),
};

function ask<T>(call: ApiCall): Promise<T> {
  const id = ++calls;
  return new Promise<T>((resolve, reject) => {
    pending.set(id, { resolve: (value) => resolve(value as T), reject });
    say({ type: "call", id, call });
  });
}
