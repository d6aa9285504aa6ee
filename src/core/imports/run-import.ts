/**
 * Runs an import through the public API: reads existing links, creates the others a hundred at a time, and updates
 * differing links if requested. It is resumable: a link that was already created is found, and not created twice.
 */
import type { BulkResult } from "../contract/bulk-links.ts";
import type { Link, LinkPage } from "../contract/links.ts";
import { piecesOf } from "../links/bulk-pieces.ts";
import { addressKey } from "../links/case-folding.ts";
import { BULK_LINKS_MAX, PAGE_LINKS_MAX } from "../limits.ts";
import type { ImportApi } from "./import-api.ts";
import {
  compareLink,
  heldBy,
  type Comparison,
  type ImportAccount,
  type ImportedLink,
  type ImportOptions,
  refusalOf,
  resolveLinks,
  sentence,
  withAliasesOf,
} from "./plan-import.ts";
import type { ReadExport } from "./read-export.ts";
import type { History } from "./read-history.ts";
import { type HistoryReport, HistorySender, type Settled } from "./send-history.ts";
import { type Reason, type RefusedLink, shortened } from "./source-link.ts";

export interface ImportRun {
  api: Pick<ImportApi, "me" | "listLinks" | "createLinks" | "updateLinks" | "handOver" | "putHistory">;
  account: ImportAccount;
  options: ImportOptions;
  isDryRun: boolean;
  /** Epoch ms. */
  now: number;
  /** What each link gets of its past when it exists. The import does not begin if it cannot be read. */
  history?: History | null | Promise<History | null>;
  /** Stops the import between two requests. */
  signal: AbortSignal;
  onProgress: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  phase: "compare" | "write" | "history";
  done: number;
  total: number;
}

interface Address {
  at: number;
  address: string;
}

interface Difference extends Address {
  members: string[];
}

export interface ImportReport {
  /** In a dry run, links that would be created. The same applies to `updated`. */
  created: number;
  updated: number;
  /** Existing links with the same content as in the file. */
  unchanged: number;
  /** Existing links whose content differs and that were left unchanged. */
  differs: Difference[];
  refused: RefusedLink[];
  /** Links that are paused, because their passwords are not known. */
  withoutPassword: Address[];
  history: HistoryReport | null;
  /** Links that were neither imported nor refused, because the run stopped. */
  notSent: number;
  /** Why the run stopped early; null if it completed. */
  stopped: string | null;
}

/** The account's links by the keys of their addresses, aliases included. */
type Existing = ReadonlyMap<string, Link>;
type Addressed = Pick<ImportedLink["body"], "domain" | "slug">;
/** A link that could not be created, because one of its addresses is taken. */
type Taken = { link: ImportedLink; address: Addressed };
type Update = Settled & { members: readonly string[] };

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
    withoutPassword: [],
    history: null,
    notSent: wanted.length,
    stopped: null,
  };
  try {
    await importLinks(wanted, run, report);
  } catch (error) {
    report.stopped = run.signal.aborted ? "Cancelled." : error instanceof Error ? error.message : String(error);
  }
  report.refused.sort((a, b) => a.at - b.at);
  return report;
}

/** Counts the result of each link in the report, even if it throws. */
async function importLinks(wanted: readonly ImportedLink[], run: ImportRun, report: ImportReport): Promise<void> {
  const found = await run.history;
  const { limits } = await run.api.me();
  const history = found ? new HistorySender(found, wanted.length, limits, run) : null;
  report.history = history?.report ?? null;
  const addresses = wanted.map(({ body }) => body);
  const existing = await readExisting(
    addresses,
    new Set(addresses.map(({ domain }) => domain)),
    limits.links.used,
    run,
  );
  const creations: ImportedLink[] = [];
  const updates: Update[] = [];
  /** Links that an interrupted run may have created. */
  const unchanged: Settled[] = [];
  /** Links with the same destination: the history is theirs. */
  const edited: Settled[] = [];
  for (const link of wanted) {
    const current = existing.get(link.key);
    const comparison = compareLink(link, current, run.now, run.account);
    if (link.needsPassword && !current?.password_protected) report.withoutPassword.push(placeOf(link));
    if (comparison.action === "create") creations.push(link);
    else if (comparison.action === "differs" && run.options.update) {
      const body = withAliasesOf(current, link.body, run.account);
      updates.push({ link: { ...link, body }, ...comparison });
    } else {
      if (comparison.action === "unchanged") unchanged.push({ link, id: current?.id ?? "" });
      else if (comparison.action === "differs" && !comparison.members.includes("url")) {
        edited.push({ link, id: comparison.id });
      }
      countLeft(link, comparison, report);
    }
  }
  if (run.isDryRun) {
    Object.assign(report, { created: creations.length, updated: updates.length, notSent: 0 });
    await history?.send([...unchanged, ...edited, ...updates, ...creations.map((link) => ({ link, id: "" }))]);
    await history?.end();
    return;
  }
  const settle = async (links: readonly Settled[]) => {
    await handOver(links, run);
    await history?.send(links);
  };
  await settle(unchanged);
  await history?.send(edited);
  const taken = await write(creations, updates, run, settle, report);
  const linksUsed = limits.links.used + report.created + taken.length;
  if (taken.length > 0) await settle(await settleTaken(taken, linksUsed, run, report));
  await history?.end();
}

async function handOver(links: readonly Settled[], { api, options, signal }: ImportRun): Promise<void> {
  if (!options.handOver) return;
  for (let done = 0; done < links.length; done += BULK_LINKS_MAX) {
    signal.throwIfAborted();
    await api.handOver(links.slice(done, done + BULK_LINKS_MAX).map(({ id }) => id));
  }
}

function placeOf({ at, source }: ImportedLink): Address {
  return { at, address: shortened(source) };
}

/** Counts a link that is refused or left unchanged. */
function countLeft(
  link: ImportedLink,
  comparison: Exclude<Comparison, { action: "create" }>,
  report: ImportReport,
): void {
  report.notSent--;
  if (comparison.action === "unchanged") report.unchanged++;
  else if (comparison.action === "refuse") report.refused.push(comparison.refusal);
  else report.differs.push({ ...placeOf(link), members: comparison.members });
}

const LOOKUPS_AT_ONCE = 4;

/**
 * The account's current links at these addresses: reads all its pages, or looks links up one by one if that takes fewer
 * requests.
 * @param domains  of links whose pages are read; links of others that have an alias on them may be missing
 * @param linksUsed  approximate number of the account's links
 */
async function readExisting(
  addresses: readonly Addressed[],
  domains: ReadonlySet<string>,
  linksUsed: number,
  run: ImportRun,
): Promise<Existing> {
  const pages = Math.ceil(linksUsed / PAGE_LINKS_MAX);
  const found = addresses.length < pages ? readOneByOne(addresses, run) : readPages(domains, pages, run);
  const keyOf = (address: Addressed) => addressKey(address, run.account.caseSensitive);
  const keys = new Set(addresses.map(keyOf));
  const existing = new Map<string, Link>();
  for await (const link of found) {
    // A link of a former tenure of its domain has ended, and its address is free.
    if (link.domain_transferred) continue;
    for (const key of [link, ...(link.aliases ?? [])].map(keyOf)) if (keys.has(key)) existing.set(key, link);
  }
  return existing;
}

async function* readPages(domains: ReadonlySet<string>, pages: number, run: ImportRun): AsyncGenerator<Link> {
  const [domain = ""] = domains;
  let query: Record<string, string> = { limit: String(PAGE_LINKS_MAX), ...(domains.size === 1 ? { domain } : {}) };
  for (let page = 1, isLast = domains.size === 0; !isLast; page++) {
    run.signal.throwIfAborted();
    const { data, next_cursor }: LinkPage = await run.api.listLinks(query);
    yield* data;
    run.onProgress({ phase: "compare", done: page, total: Math.max(page, pages) });
    isLast = next_cursor === null;
    query = { ...query, cursor: next_cursor ?? "" };
  }
}

async function* readOneByOne(addresses: readonly Addressed[], run: ImportRun): AsyncGenerator<Link> {
  for (let done = 0; done < addresses.length;) {
    run.signal.throwIfAborted();
    const group = addresses.slice(done, done + LOOKUPS_AT_ONCE);
    // The newest link is the current one.
    const pages = await Promise.all(group.map(({ domain, slug }) => run.api.listLinks({ domain, slug, limit: "1" })));
    for (const { data } of pages) yield* data;
    done += group.length;
    run.onProgress({ phase: "compare", done, total: addresses.length });
  }
}

/** @returns links that could not be created because their slugs are taken */
async function write(
  creations: readonly ImportedLink[],
  updates: readonly Update[],
  run: ImportRun,
  settle: (links: readonly Settled[]) => Promise<void>,
  report: ImportReport,
): Promise<Taken[]> {
  const { api, signal, onProgress } = run;
  const total = creations.length + updates.length;
  const taken: Taken[] = [];
  let done = 0;
  const count = async (links: readonly ImportedLink[], { results }: BulkResult, outcome: "created" | "updated") => {
    for (const [i, link] of links.entries()) {
      const error = errorOf(results[i]);
      // A taken slug may be the link's own: it is compared later.
      if (error?.code === "slug_taken" && outcome === "created") {
        taken.push({ link, address: takenAddress(link, error) });
        continue;
      }
      report.notSent--;
      if (error === null) report[outcome]++;
      else report.refused.push(refusalOf(link, reasonOf(error)));
    }
    onProgress({ phase: "write", done: (done += links.length), total });
    await settle(settledIn(links, results));
  };
  for (const piece of piecesOf(creations, ({ body }) => body)) {
    signal.throwIfAborted();
    const answer = await api.createLinks(piece.map(({ body }) => body));
    await count(piece, answer, "created");
    stopAtQuota(answer.results);
  }
  for (const piece of piecesOf(updates, updateOf)) {
    signal.throwIfAborted();
    const answer = await api.updateLinks(piece.map(updateOf));
    const updated = piece.map(({ link }) => link);
    await count(updated, answer, "updated");
  }
  return taken;
}

/** Only the members that differ: a password is not set again, and a link that has got one is not paused. */
function updateOf({ id, members, link: { body } }: Update) {
  return { id, ...Object.fromEntries(Object.entries(body).filter(([member]) => members.includes(member))) };
}

function settledIn(links: readonly ImportedLink[], results: BulkResult["results"]): Settled[] {
  return links.flatMap((link, i) => {
    const result = results[i];
    return result && "link" in result ? [{ link, id: result.link.id }] : [];
  });
}

type ResultError = Extract<BulkResult["results"][number], { error: unknown }>["error"];

/** The address that `slug_taken` names: an alias, or the link's own. */
function takenAddress({ body }: ImportedLink, { param = "" }: ResultError): Addressed {
  const [, number] = /^aliases\.(\d+)$/.exec(param) ?? [];
  const alias = number === undefined ? undefined : body.aliases?.[Number(number)];
  return alias ? { domain: alias.domain ?? body.domain, slug: alias.slug } : body;
}

function errorOf(result: BulkResult["results"][number] | undefined): ResultError | null {
  if (result === undefined) return { code: "internal_error", message: "The server returned no result for this link." };
  return "error" in result ? result.error : null;
}

function reasonOf({ code, message, errors = [] }: ResultError): Reason {
  const reason = errors.length > 0 ? errors.map((problem) => problem.message).join("; ") : message;
  const advice =
    code === "quota_exceeded"
      ? "Delete links that you do not need, or change the plan. Then import again."
      : "Change it at the other service, and export again.";
  return { reason: sentence(reason), advice };
}

/** All later links would be refused for the same reason. */
function stopAtQuota(results: BulkResult["results"]): void {
  const quota = results.map(errorOf).find((error) => error?.code === "quota_exceeded");
  if (quota) throw new Error(quota.message);
}

/**
 * Handles slugs that are taken although no link was found before. A concurrent run may have created them, or an
 * interrupted one whose last links the database did not show yet: then they are the account's own. Otherwise another
 * link of the account, another account or a deleted link holds them.
 */
async function settleTaken(
  taken: readonly Taken[],
  linksUsed: number,
  run: ImportRun,
  report: ImportReport,
): Promise<Settled[]> {
  const addresses = taken.flatMap(({ link: { body }, address }) => (address === body ? [body] : [body, address]));
  const domains = new Set([...run.account.domains.keys(), run.account.defaultDomain]);
  const existing = await readExisting(addresses, domains, linksUsed, run);
  const unchanged: Settled[] = [];
  for (const { link, address } of taken) {
    const comparison = compareLink(link, existing.get(link.key), run.now, run.account);
    const holder = existing.get(addressKey(address, run.account.caseSensitive));
    if (comparison.action === "unchanged") unchanged.push({ link, id: existing.get(link.key)?.id ?? "" });
    const refusal = refusalOf(link, holder ? heldBy(holder, address) : takenElsewhere(address));
    countLeft(
      link,
      existing.has(link.key) && comparison.action !== "create" ? comparison : { action: "refuse", refusal },
      report,
    );
  }
  return unchanged;
}

function takenElsewhere({ domain, slug }: Addressed): Reason {
  return {
    reason: `The slug ${shortened(slug)} is taken on ${domain} by another account or by a deleted link.`,
    advice: "Slugs are never reissued. Create the link with another slug.",
  };
}
