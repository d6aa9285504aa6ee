/**
 * `admin restore`: restores a backup into an empty installation, page by page. Links come with their logs, so none
 * appears with half of its clicks. Accounts come near the end: no one can sign in before everything is restored. Every
 * request is repeatable; the installation stores the number of restored pages, so an interrupted command continues.
 */
import { BackupPage } from "../../core/contract/backup.ts";
import type { OperatorApi } from "./operator-api.ts";
import { type Part, readLastPart, readPart } from "./parts.ts";
import type { PartStore } from "./places.ts";

export interface RestoreCommand {
  api: OperatorApi;
  store: PartStore;
  /** Prints a line after each part. */
  report: (line: string) => void;
}

/** Restored before any link: those of suspended accounts and of a domain's former holders must not redirect. */
const FIRST_TABLES: ReadonlySet<string> = new Set(["account_states", "domain_holders"]);

/** Facts about all parts that a restore needs before it begins. */
interface Survey {
  parts: Pick<Part, "name" | "sha256">[];
  /** The pages of FIRST_TABLES. */
  first: BackupPage[];
  /** Ids of links whose clicks were erased while the backup was taken. */
  erased: Set<unknown>;
  /** Accounts that were closed while the backup was taken. */
  closed: Set<unknown>;
}

/** @returns the last part */
export async function restoreBackup({ api, store, report }: RestoreCommand): Promise<Part> {
  const last = await readLastPart(store);
  if (last?.next !== null)
    throw new Error(`${store.place} has no complete backup. To complete it, run the backup again.`);
  // Checked before anything is restored: an installation that has begun with one backup accepts no other.
  const { parts, first, erased, closed } = await surveyParts(store, last);
  // Two commands that continued one backup have separate chains with different pages: the last part names its chain.
  const done = await api.restore("/restore", { format: last.format, backup_id: last.sha256 });
  if (done.pages > 0) report(`Resuming after ${done.pages} pages`);
  const path = `/restore/${last.sha256}`;
  let number = 0;
  const restore = async (page: BackupPage) => {
    if (++number > done.pages) await api.restore(`${path}/pages/${number}`, page);
  };
  for (const page of first) await restore(page);
  for (const [i, { name, sha256 }] of parts.entries()) {
    for (const page of pagesIn(await readPart(store, name, sha256))) {
      if (FIRST_TABLES.has(page.table)) continue;
      const logs = page.logs.filter(({ id, account_id }) => !erased.has(id) && !closed.has(account_id));
      await restore({ ...page, logs });
    }
    report(`${name} (${i + 1} of ${parts.length})`);
  }
  for (let after: string | undefined = ""; after !== undefined;) {
    ({ after } = await api.restore(`${path}/finish`, { after }));
  }
  return last;
}

/** Reads all parts, from last to first. @throws Error if one is missing or damaged */
async function surveyParts(store: PartStore, last: Part): Promise<Survey> {
  const survey: Survey = { parts: [], first: [], erased: new Set(), closed: new Set() };
  for (let part: Part | null = last; part;) {
    const pages = [...pagesIn(part)];
    survey.parts.unshift({ name: part.name, sha256: part.sha256 });
    survey.first.unshift(...pages.filter(({ table }) => FIRST_TABLES.has(table)));
    for (const { table, rows } of pages) {
      for (const { id, erase_at, account_id, state } of rows) {
        if (table === "links" && erase_at !== null) survey.erased.add(id);
        if (table === "account_states" && state === "closed") survey.closed.add(account_id);
      }
    }
    part = part.previous && (await readPart(store, part.previous.name, part.previous.sha256));
  }
  return survey;
}

function* pagesIn({ pages }: Part): Generator<BackupPage> {
  for (const line of pages) yield BackupPage.parse(JSON.parse(line));
}
