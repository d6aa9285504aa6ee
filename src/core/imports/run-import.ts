/**
 * Carries out an import through the public API: reads which links are there, creates the others a hundred at a time, and
 * changes what differs where that is asked for. It may be cut at any point and run again: a link that was created is then
 * found, and not created twice. Requests, with their repetition, are the caller's.
 */
import type { BulkResult } from "../contract/bulk-links.ts";
import type { CreateLink, Link, LinkPage, UpdateLink } from "../contract/links.ts";
import { BODY_MAX_BYTES, BULK_LINKS_MAX, PAGE_LINKS_MAX } from "../limits.ts";
import {
  compareLink,
  type ImportAccount,
  type ImportOptions,
  linkKey,
  resolveLinks,
  sentence,
  type ImportedLink,
} from "./plan-import.ts";
import type { ReadExport } from "./read-export.ts";
import { type Reason, type Refusal, shortened } from "./source-link.ts";

/** Each rejects when it has failed for good, with a message for people. */
export interface ImportApi {
  listLinks: (query: Record<string, string>) => Promise<LinkPage>;
  createLinks: (links: CreateLink[]) => Promise<BulkResult>;
  updateLinks: (links: (UpdateLink & { id: string })[]) => Promise<BulkResult>;
}

export interface ImportRun {
  api: ImportApi;
  account: ImportAccount;
  /** Links of the account, about. */
  linksUsed: number;
  options: ImportOptions;
  isDryRun: boolean;
  /** Epoch ms. */
  now: number;
  /** Stops it between two requests. */
  signal: AbortSignal;
  onProgress: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  phase: "compare" | "write";
  done: number;
  total: number;
}

interface Difference {
  at: number;
  address: string;
  members: string[];
}

export interface ImportReport {
  /** In a dry run: would be. The same for `updated`. */
  created: number;
  updated: number;
  /** There already, as in the file. */
  unchanged: number;
  /** There already with another content, and left as they are. */
  differs: Difference[];
  refused: Refusal[];
  /** Links that neither went through nor were refused, because the run stopped. */
  notSent: number;
  /** Why it stopped before its end; null: it did not. */
  stopped: string | null;
}

type Existing = ReadonlyMap<string, Link>;
type Update = { link: ImportedLink; id: string; members: string[] };

export async function runImport(
  file: Pick<ReadExport, "links" | "unit" | "refused">,
  run: ImportRun,
): Promise<ImportReport> {
  const { wanted, refused, repeated } = resolveLinks(file.links, file.unit, run.options, run.account);
  const report: ImportReport = {
    created: 0,
    updated: 0,
    unchanged: repeated,
    differs: [],
    refused: [...file.refused, ...refused],
    notSent: 0,
    stopped: null,
  };
  const waiting = new Set(wanted);
  try {
    const existing = await readExisting(wanted, run);
    const creations: ImportedLink[] = [];
    const updates: Update[] = [];
    for (const link of wanted) sortOut(link, existing, { run, report, waiting, creations, updates });
    if (run.isDryRun) {
      report.created = creations.length;
      report.updated = updates.length;
      waiting.clear();
    } else await write(creations, updates, run, report, waiting);
  } catch (error) {
    report.stopped = run.signal.aborted ? "Cancelled." : error instanceof Error ? error.message : String(error);
  }
  report.notSent = waiting.size;
  report.refused.sort((a, b) => a.at - b.at);
  return report;
}

interface Sorting {
  run: ImportRun;
  report: ImportReport;
  waiting: Set<ImportedLink>;
  creations: ImportedLink[];
  updates: Update[];
}

function sortOut(link: ImportedLink, existing: Existing, { run, report, waiting, creations, updates }: Sorting): void {
  const comparison = compareLink(link, existing.get(link.key), run.now);
  if (comparison.action === "create") creations.push(link);
  else if (comparison.action === "differs" && run.options.update) updates.push(comparison);
  else {
    waiting.delete(link);
    if (comparison.action === "unchanged") report.unchanged++;
    else if (comparison.action === "refuse") report.refused.push(comparison.refusal);
    else report.differs.push({ at: link.at, address: shortened(link.source), members: comparison.members });
  }
}

const LOOKUPS_AT_ONCE = 4;

/** The account's links among these: by reading all its pages, or one by one where that takes fewer requests. */
async function readExisting(wanted: readonly ImportedLink[], run: ImportRun): Promise<Existing> {
  const pages = Math.ceil(run.linksUsed / PAGE_LINKS_MAX);
  return wanted.length < pages ? readOneByOne(wanted, run) : readPages(wanted, pages, run);
}

async function readPages(wanted: readonly ImportedLink[], pages: number, run: ImportRun): Promise<Existing> {
  const keys = new Set(wanted.map(({ key }) => key));
  const domains = new Set(wanted.map(({ body }) => body.domain));
  const [only] = domains;
  const query = {
    limit: String(PAGE_LINKS_MAX),
    ...(domains.size === 1 && only !== undefined ? { domain: only } : {}),
  };
  const existing = new Map<string, Link>();
  let cursor: string | null = null;
  for (let page = 1; keys.size > 0; page++) {
    run.signal.throwIfAborted();
    const read: LinkPage = await run.api.listLinks({ ...query, ...(cursor === null ? {} : { cursor }) });
    for (const link of read.data) {
      const key = linkKey(link.domain, link.slug, run.account);
      if (keys.has(key)) existing.set(key, link);
    }
    cursor = read.next_cursor;
    run.onProgress({ phase: "compare", done: page, total: Math.max(page, pages) });
    if (cursor === null) break;
  }
  return existing;
}

async function readOneByOne(wanted: readonly ImportedLink[], run: ImportRun): Promise<Existing> {
  const existing = new Map<string, Link>();
  for (let i = 0; i < wanted.length; i += LOOKUPS_AT_ONCE) {
    run.signal.throwIfAborted();
    const group = wanted.slice(i, i + LOOKUPS_AT_ONCE);
    const pages = await Promise.all(
      group.map(({ body: { domain, slug } }) => run.api.listLinks({ domain, slug, limit: "1" })),
    );
    for (const [link] of pages.map(({ data }) => data)) {
      if (link) existing.set(linkKey(link.domain, link.slug, run.account), link);
    }
    run.onProgress({ phase: "compare", done: Math.min(i + LOOKUPS_AT_ONCE, wanted.length), total: wanted.length });
  }
  return existing;
}

async function write(
  creations: readonly ImportedLink[],
  updates: readonly Update[],
  run: ImportRun,
  report: ImportReport,
  waiting: Set<ImportedLink>,
): Promise<void> {
  const total = creations.length + updates.length;
  const taken: ImportedLink[] = [];
  let done = 0;
  const advance = (by: number) => run.onProgress({ phase: "write", done: (done += by), total });
  for (const chunk of chunksOf(creations, ({ body }) => body)) {
    run.signal.throwIfAborted();
    const { results } = await run.api.createLinks(chunk.map(({ body }) => body));
    for (const [i, link] of chunk.entries()) {
      const error = errorOf(results[i]);
      if (error?.code === "slug_taken") taken.push(link);
      else settle(link, error, report, waiting, "created");
    }
    advance(chunk.length);
    stopAtQuota(results);
  }
  for (const chunk of chunksOf(updates, ({ link }) => link.body)) {
    run.signal.throwIfAborted();
    const { results } = await run.api.updateLinks(chunk.map(({ id, link }) => ({ id, ...contentOf(link) })));
    for (const [i, { link }] of chunk.entries()) settle(link, errorOf(results[i]), report, waiting, "updated");
    advance(chunk.length);
  }
  await settleTaken(taken, run, report, waiting);
}

function contentOf({ body: { slug: _slug, domain: _domain, ...content } }: ImportedLink): UpdateLink {
  return content;
}

type ResultError = { code: string; message: string; errors?: { message: string }[] | undefined };

function errorOf(result: BulkResult["results"][number] | undefined): ResultError | null {
  if (result === undefined) return { code: "internal_error", message: "The server did not answer for this link." };
  return "error" in result ? result.error : null;
}

function settle(
  link: ImportedLink,
  error: ResultError | null,
  report: ImportReport,
  waiting: Set<ImportedLink>,
  count: "created" | "updated",
): void {
  waiting.delete(link);
  if (error === null) report[count]++;
  else report.refused.push(refusalOf(link, reasonOf(error)));
}

function refusalOf(link: ImportedLink, why: Reason): Refusal {
  return { at: link.at, address: shortened(link.source), ...why };
}

function reasonOf({ code, message, errors = [] }: ResultError): Reason {
  const reason = errors.length > 0 ? errors.map((problem) => problem.message).join("; ") : message;
  const advice =
    code === "quota_exceeded"
      ? "Delete links that you do not need, or change the plan; then import again."
      : "Change it at the other service, and export again.";
  return { reason: sentence(reason), advice };
}

/** All that follow would be refused alike. */
function stopAtQuota(results: BulkResult["results"]): void {
  const quota = results.map(errorOf).find((error) => error?.code === "quota_exceeded");
  if (quota) throw new Error(quota.message);
}

/**
 * Slugs that were taken although no link was found before: by a run at the same time, or by one that was cut and whose
 * last links the database had not shown yet. Then they are ours. Otherwise another account or a deleted link holds them.
 */
async function settleTaken(
  taken: readonly ImportedLink[],
  run: ImportRun,
  report: ImportReport,
  waiting: Set<ImportedLink>,
): Promise<void> {
  if (taken.length === 0) return;
  const existing = await readExisting(taken, { ...run, linksUsed: run.linksUsed + report.created + taken.length });
  for (const link of taken) {
    const found = existing.get(link.key);
    waiting.delete(link);
    if (found)
      sortOut(link, existing, {
        run: { ...run, options: { ...run.options, update: false } },
        report,
        waiting,
        creations: [],
        updates: [],
      });
    else {
      report.refused.push(
        refusalOf(link, {
          reason: `The slug is taken on ${link.body.domain}, by another account or by a link that was deleted.`,
          advice: "Slugs are never issued twice. Create the link with another one.",
        }),
      );
    }
  }
}

/** The rest of the request besides its links. */
const ENVELOPE_BYTES = 1_024;

/** As many as one request may have, by number and by bytes. */
function chunksOf<Item>(items: readonly Item[], bodyOf: (item: Item) => unknown): Item[][] {
  const encoder = new TextEncoder();
  const chunks: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = encoder.encode(JSON.stringify(bodyOf(item))).length + ID_BYTES;
    const last = chunks.at(-1);
    if (last && last.length < BULK_LINKS_MAX && bytes + size <= BODY_MAX_BYTES - ENVELOPE_BYTES) {
      last.push(item);
      bytes += size;
    } else {
      chunks.push([item]);
      bytes = size;
    }
  }
  return chunks;
}

/** What an update sends besides the content: the id of the link. */
const ID_BYTES = 64;
