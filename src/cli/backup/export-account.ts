/**
 * `admin export`: writes an account's links, their history and clicks of both modes, each as NDJSON and as CSV. Written
 * page by page, so memory use does not grow with the account.
 */
import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { MODES } from "../../core/account.ts";
import { type Click, ClickPage } from "../../core/contract/clicks.ts";
import { ExportedAccount, ExportedLink, ExportedLinks, ExportedRevisions } from "../../core/contract/operator.ts";
import type { LinkRevision } from "../../core/contract/link-revisions.ts";
import { csvRow } from "../../core/encoding/csv.ts";
import { REVISION_MEMBERS } from "../../core/links/link-members.ts";
import { timestamp } from "../../core/time.ts";
import type { OperatorApi } from "./operator-api.ts";

interface ExportCommand {
  api: OperatorApi;
  folder: string;
  /** Email address or id. */
  account: string;
  /** Prints a line every few links. */
  report: (line: string) => void;
}

/** Only the owner of the file can read the actions of an account's visitors. */
const FILE = { mode: 0o600 };

const LINK_COLUMNS = Object.keys(ExportedLink.shape) as (keyof ExportedLink)[];

export async function exportAccount(command: ExportCommand): Promise<Record<string, string>> {
  const { api, folder, report } = command;
  await requireEmpty(folder);
  const account = await api.get(ExportedAccount, `/accounts/${encodeURIComponent(command.account)}`);
  const links = new TableFiles<ExportedLink>(folder, "links", LINK_COLUMNS);
  const revisions = new TableFiles<RevisionRow>(folder, "revisions", REVISION_COLUMNS);
  const clicks = new TableFiles<OfLink & Click>(folder, "clicks");
  for (const mode of MODES) {
    const path = `/accounts/${account.id}/${mode}/links`;
    for (let after = ""; ;) {
      const page = await api.get(ExportedLinks, path, { after });
      const last = page.links.at(-1);
      if (!last) break;
      await links.append(page.links);
      for (const link of page.links) {
        await exportRows(link, revisions, async (before) => {
          const query: Record<string, number> = before === null ? {} : { before };
          const found = await api.get(ExportedRevisions, `${path}/${link.id}/revisions`, query);
          return { rows: found.revisions, next: found.next };
        });
        await exportRows(link, clicks, async (after) => {
          const found = await api.get(ClickPage, `${path}/${link.id}/clicks`, { after: after ?? 0 });
          return { rows: found.data, next: found.has_more ? found.next_after : null };
        });
      }
      report(`${links.rows} links, ${clicks.rows} clicks`);
      after = last.id;
    }
  }
  await writeFile(join(folder, "README.md"), readmeText(account.email, links.rows, clicks.rows), FILE);
  return { account_id: account.id, links: String(links.rows), clicks: String(clicks.rows) };
}

/** The link that a row belongs to. */
type OfLink = { link_id: string; short_url: string };
/** A link's current and previous versions, newest first. */
type RevisionRow = OfLink & LinkRevision;

const REVISION_COLUMNS = [
  "link_id",
  "short_url",
  "revision",
  "changed_at",
  "changed_by",
  "changed",
  ...REVISION_MEMBERS,
] as const satisfies readonly (keyof RevisionRow)[];

/** @param read  the page after a cursor; null for the first one */
async function exportRows<Row extends object>(
  { id, short_url }: ExportedLink,
  files: TableFiles<OfLink & Row>,
  read: (from: number | null) => Promise<{ rows: readonly Row[]; next: number | null }>,
): Promise<void> {
  for (let from: number | null = null; ;) {
    const { rows, next } = await read(from);
    await files.append(rows.map((row) => ({ link_id: id, short_url, ...row })));
    if (next === null) return;
    from = next;
  }
}

/** The same rows in two files: one object per line, and a table for spreadsheets. */
class TableFiles<T extends object> {
  rows = 0;
  readonly #path: string;
  readonly #columns: readonly (keyof T & string)[] | undefined;

  /** @param columns  of the table; a missing member leaves its cell empty. Without them, every member of the rows. */
  constructor(folder: string, name: string, columns?: readonly (keyof T & string)[]) {
    this.#path = join(folder, name);
    this.#columns = columns;
  }

  async append(rows: readonly T[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const columns = this.#columns ?? (Object.keys(first) as (keyof T & string)[]);
    const header = this.rows === 0 ? csvRow(columns) : "";
    const csv = rows.map((row) => csvRow(columns.map((column) => row[column])));
    this.rows += rows.length;
    await appendFile(`${this.#path}.csv`, header + csv.join(""), FILE);
    await appendFile(`${this.#path}.ndjson`, rows.map((row) => `${JSON.stringify(row)}\n`).join(""), FILE);
  }
}

async function requireEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty. Choose another folder.`);
}

function readmeText(email: string, links: number, clicks: number): string {
  return `# Links and clicks of ${email}

Exported on ${timestamp(Date.now())}: ${links} links, ${clicks} clicks. Times are UTC.

- \`links.ndjson\`, \`links.csv\`: one link per line, with the field names of the API. \`state\` shows whether the link was
  active, disabled or deleted. A deleted link has no destination, but keeps its clicks. \`mode\` shows whether the link was
  created with a live or a test key.
- \`revisions.ndjson\`, \`revisions.csv\`: the current and previous versions of each link, newest first, with the time and
  author of each change. Deleted links have no revisions.
- \`clicks.ndjson\`, \`clicks.csv\`: all clicks, in order for each link, numbered by \`seq\`. \`class\` is \`human\`, \`bot\` or
  \`prefetch\`. Statistics count only \`human\`.

In the CSV files, \`changed_by\` and lists such as \`routing\` and \`tags\` are JSON. Text that a spreadsheet would read as a
formula begins with an apostrophe.
`;
}
