/**
 * `admin export`: what an account's holder takes along: links, their history and clicks of both modes, each as NDJSON and as CSV. Written
 * page by page, so memory does not grow with the account.
 */
import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { MODES } from "../../core/account.ts";
import { type Click, ClickPage } from "../../core/contract/clicks.ts";
import { ExportedAccount, ExportedLink, ExportedLinks, ExportedRevisions } from "../../core/contract/export.ts";
import type { LinkRevision } from "../../core/contract/link-revisions.ts";
import { csvRow } from "../../core/encoding/csv.ts";
import { REVISION_MEMBERS } from "../../core/links/content-changes.ts";
import { timestamp } from "../../core/time.ts";
import type { OperatorApi } from "./operator-api.ts";

export interface ExportedAccount {
  api: OperatorApi;
  folder: string;
  /** E-mail address or id. */
  account: string;
  /** Takes a line for some links. */
  report: (line: string) => void;
}

/** Nobody else reads what an account's visitors did. */
const FILE = { mode: 0o600 };

const LINK_COLUMNS = Object.keys(ExportedLink.shape) as (keyof ExportedLink)[];

export async function exportAccount(request: ExportedAccount): Promise<Record<string, string>> {
  const { api, folder, report } = request;
  await requireEmpty(folder);
  const account = await api.get(ExportedAccount, `/accounts/${encodeURIComponent(request.account)}`);
  const [links, clicks] = [new TableFiles<ExportedLink>(folder, "links"), new TableFiles<ClickRow>(folder, "clicks")];
  const revisions = new TableFiles<RevisionRow>(folder, "revisions");
  for (const mode of MODES) {
    const path = `/accounts/${account.id}/${mode}/links`;
    for (let after = ""; ;) {
      const page = await api.get(ExportedLinks, path, { after });
      const last = page.links.at(-1);
      if (!last) break;
      await links.append(page.links, LINK_COLUMNS);
      for (const link of page.links) {
        await exportRevisions(api, `${path}/${link.id}/revisions`, link, revisions);
        await exportClicks(api, `${path}/${link.id}/clicks`, link, clicks);
      }
      report(`${links.rows} links, ${clicks.rows} clicks`);
      after = last.id;
    }
  }
  await writeFile(join(folder, "README.md"), readmeText(account.email, links.rows, clicks.rows), FILE);
  return { account_id: account.id, links: String(links.rows), clicks: String(clicks.rows) };
}

/** The link that a row is of. */
type OfLink = { link_id: string; short_url: string };
type ClickRow = OfLink & Click;
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

/** What a link is now, and was before each change, newest first. */
async function exportRevisions(
  api: OperatorApi,
  path: string,
  link: ExportedLink,
  files: TableFiles<RevisionRow>,
): Promise<void> {
  for (let before: number | null = null; ;) {
    const query: Record<string, number> = before === null ? {} : { before };
    const { revisions, next }: ExportedRevisions = await api.get(ExportedRevisions, path, query);
    const rows = revisions.map((each) => ({ link_id: link.id, short_url: link.short_url, ...each }));
    if (rows.length > 0) await files.append(rows, REVISION_COLUMNS);
    if (next === null) return;
    before = next;
  }
}

async function exportClicks(
  api: OperatorApi,
  path: string,
  link: ExportedLink,
  files: TableFiles<ClickRow>,
): Promise<void> {
  for (let after = 0; ;) {
    const page = await api.get(ClickPage, path, { after });
    const rows = page.data.map((click) => ({ link_id: link.id, short_url: link.short_url, ...click }));
    const [first] = rows;
    if (first) await files.append(rows, Object.keys(first) as (keyof ClickRow)[]);
    if (!page.has_more) return;
    after = page.next_after;
  }
}

/** The same rows in two files: one object a line, and a table for spreadsheets. */
class TableFiles<T extends object> {
  rows = 0;
  readonly #path: string;

  constructor(folder: string, name: string) {
    this.#path = join(folder, name);
  }

  /** @param columns  of the table; a member that is missing leaves its cell empty */
  async append(rows: readonly T[], columns: readonly (keyof T & string)[]): Promise<void> {
    const header = this.rows === 0 ? csvRow(columns) : "";
    const csv = rows.map((row) => csvRow(columns.map((column) => row[column])));
    this.rows += rows.length;
    await appendFile(`${this.#path}.csv`, header + csv.join(""), FILE);
    await appendFile(`${this.#path}.ndjson`, rows.map((row) => `${JSON.stringify(row)}\n`).join(""), FILE);
  }
}

async function requireEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: choose another folder`);
}

function readmeText(email: string, links: number, clicks: number): string {
  return `# Links and clicks of ${email}

Exported on ${timestamp(Date.now())}: ${links} links, ${clicks} clicks. Times are UTC.

- \`links.ndjson\`, \`links.csv\`: one link a line, with the names that the API has for its fields. \`state\` says whether it
  was active, disabled or deleted; a deleted link has no destination any more, but keeps its clicks. \`mode\` says whether it
  was made with a live or a test key.
- \`revisions.ndjson\`, \`revisions.csv\`: what each link is, and was before each of its changes, with when and by whom it
  was changed; newest first. A deleted link has none.
- \`clicks.ndjson\`, \`clicks.csv\`: every click in the order of its link, numbered by \`seq\`. \`class\` is \`human\`, \`bot\`
  or \`prefetch\`: statistics count \`human\` alone.

In the CSV files lists such as \`routing\` and \`tags\` are JSON, as is \`changed_by\`, and a text that a spreadsheet would take for a formula has an apostrophe
in front.
`;
}
