/** Reads, plans and runs an import off the main thread, so that a large file does not freeze the page. */
import type { Mode } from "../../../core/account.ts";
import { hexOf } from "../../../core/encoding/bytes.ts";
import { ImportApi, type ImportRequest } from "../../../core/imports/import-api.ts";
import { type ImportAccount, type ImportOptions, resolveLinks } from "../../../core/imports/plan-import.ts";
import { readExport, type ReadExport, requireImportSize } from "../../../core/imports/read-export.ts";
import { type History, readClicks, readSums, type Spill } from "../../../core/imports/read-history.ts";
import { type ImportProgress, type ImportReport, runImport } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/services.ts";
import { type UnreadableFile, UnreadableFileError } from "../../../core/imports/source-link.ts";
import { errorMessage, readApiError, readBody, responseOf } from "../../api/api-error.ts";
import { newIdempotencyKey, sleep, type Wait } from "../../api/waits.ts";
import { API_PATH } from "../../early-loads.ts";

const PREVIEW_ROWS_MAX = 50;

let current: (ReadExport & { source: File }) | null = null;
let stop = new AbortController();

const announce = (event: WorkerEvent) => postMessage(event);

addEventListener("message", async ({ data, ports }: MessageEvent<ToWorker>) => {
  if (data.type === "cancel") stop.abort();
  else if (data.type === "read") ports[0]?.postMessage(await readFile(data.file, data.format));
  else if (current) {
    const reply = data.type === "run" ? await run(current, data) : previewOf(current, data.options, data.account);
    ports[0]?.postMessage(reply);
  }
});

async function readFile(file: File, format: FormatName | null): Promise<FileSummary | UnreadableFile> {
  current = null;
  try {
    requireImportSize(file.size);
    const read = readExport(new Uint8Array(await file.arrayBuffer()), format);
    if ("problem" in read) return read;
    if (read.links.length + read.refused.length === 0) return { problem: "There are no links in this file." };
    current = { ...read, source: file };
    return summaryOf(read);
  } catch (error) {
    const isKnown = error instanceof UnreadableFileError;
    return { problem: isKnown ? error.message : "This file could not be read. Choose it again." };
  }
}

/** A file without its links, which stay in the worker. */
function summaryOf({ links, refused: _refused, ...file }: ReadExport) {
  const addresses = links.flatMap((link) => [link, ...link.aliases]);
  const domains = Map.groupBy(addresses, ({ domain }) => domain ?? "");
  return {
    ...file,
    /** Short domains of the links, with the number of links, most first; the empty name counts links without a domain. */
    domains: [...domains].map(([name, all]) => ({ name, links: all.length })).sort((a, b) => b.links - a.links),
    withRules: links.filter(({ content }) => content.routing !== undefined).length,
    withPassword: links.filter(({ hasPassword }) => hasPassword).length,
    /** Clicks at the other service, if the file has their sums. */
    clicks: links.reduce((sum, { clicks = 0 }) => sum + clicks, 0),
  };
}

export type FileSummary = ReturnType<typeof summaryOf>;

function previewOf(file: ReadExport, options: ImportOptions, account: ImportAccount) {
  const { wanted, refused, repeated, caseCollisions } = resolveLinks(file.links, file.unit, options, account);
  const all = [...file.refused, ...refused];
  const good = wanted.map(({ at, source, body }) => {
    return { at, source, target: `${body.domain}/${body.slug}`, url: body.url, problem: "" };
  });
  const bad = all.map(({ at, address, reason, advice }) => {
    return { at, source: address, target: "", url: "", problem: `${reason} ${advice}` };
  });
  return {
    /** Short addresses at the other service and here. Refused rows come first, since they may be fixable. */
    rows: [...bad.sort((a, b) => a.at - b.at), ...good].slice(0, PREVIEW_ROWS_MAX),
    ready: wanted.length + repeated,
    refused: all.length,
    /** Domains of the account on which more of the links could be created if their slugs were case-sensitive. */
    caseCollisions,
  };
}

export type Preview = ReturnType<typeof previewOf>;

function run(file: NonNullable<typeof current>, { mode, clicks, ...settings }: RunSettings): Promise<ImportReport> {
  stop = new AbortController();
  const { signal } = stop;
  const api = new ImportApi({
    send: (request) => send(mode, request),
    wait: async (ms, failed) => {
      announce({ type: "wait", wait: { reason: errorMessage(failed), seconds: Math.ceil(ms / 1_000) } });
      // Canceling ends waits, not requests: a sent request may have been executed.
      await sleep(ms, signal);
      signal.throwIfAborted();
    },
    newKey: newIdempotencyKey,
    random: Math.random,
  });
  const onProgress = (progress: ImportProgress) => announce({ type: "progress", progress });
  const now = Date.now();
  const history = historyOf(file, clicks, api, { ...settings, spill, now });
  return runImport(file, { ...settings, api, now, history, signal, onProgress });
}

const spill: Spill = async (parts) => {
  const blob = new Blob(parts);
  return (start, end) => blob.slice(start, end).text();
};

/** The id of the import is that of the command. @throws UnreadableFileError */
async function historyOf(
  file: NonNullable<typeof current>,
  clicks: File | null,
  api: ImportApi,
  reading: Omit<Parameters<typeof readClicks>[2], "importId">,
): Promise<History | null> {
  if (!clicks && !file.links.some((link) => link.clicks)) return null;
  // Browsers compute digests only over HTTPS.
  if (!isSecureContext) throw new Error("Open this page over HTTPS to import earlier clicks.");
  const source = clicks ?? file.source;
  requireImportSize(source.size);
  const { account } = await api.me();
  const bytes = await new Blob([`${account.id}\n${file.format}\n`, source]).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const importId = `imp_${hexOf(digest.subarray(0, 16))}`;
  if (!clicks) return readSums(file, importId, Math.min(source.lastModified, reading.now));
  return readClicks(file, partsOf(clicks), { importId, ...reading });
}

async function* partsOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

/** Uses the page's session, whose cookie the browser adds. @throws ApiError */
async function send(mode: Mode, { path, headers, ...init }: ImportRequest): Promise<unknown> {
  const request = { ...init, headers: { ...headers, "Hoplink-Mode": mode } };
  const response = await responseOf(fetch(API_PATH + path, request));
  if (response.ok) return readBody(response);
  if (response.status === 401) announce({ type: "signed_out" });
  throw await readApiError(response);
}

/** Messages between the page and this worker. A reply to the page arrives on the port of its message. */

export interface RunSettings {
  mode: Mode;
  options: ImportOptions;
  account: ImportAccount;
  isDryRun: boolean;
  /** Single clicks of the links. */
  clicks: File | null;
}

export type ToWorker =
  /** Reply: `FileSummary` or `UnreadableFile`. */
  | { type: "read"; file: File; format: FormatName | null }
  /** Reply: `Preview`. */
  | { type: "preview"; options: ImportOptions; account: ImportAccount }
  /** Reply: `ImportReport`. */
  | ({ type: "run" } & RunSettings)
  | { type: "cancel" };

/** Sent while an import runs. */
export type WorkerEvent =
  | { type: "progress"; progress: ImportProgress }
  | { type: "wait"; wait: Wait }
  | { type: "signed_out" };
