/** Reads the history of an import: single clicks from a file beside the file of links, or the sums in that file. */
import { timestamp } from "../time.ts";
import { clickEntries } from "./click-entries.ts";
import { ClickStore, type Spill } from "./click-store.ts";
import { type ImportAccount, type ImportOptions, keyOfAddress, linkKey, resolveLinks } from "./plan-import.ts";
import { readClick } from "./read-click.ts";
import type { ReadExport } from "./read-export.ts";
import { type FormatName, SERVICES } from "./services.ts";
import { UnreadableFileError } from "./source-link.ts";

export interface History {
  /** Of the import: a digest of the account and of the file with the history, so that a repeated import has the same. */
  id: string;
  source: FormatName;
  /** Null: only sums. */
  clicks: ClickStore | null;
  /** When the other service exported the sums. */
  until: string;
  /** Clicks of all links. */
  total: number;
  /** Clicks whose link is not imported. */
  unmatched: number;
  /** Entries without an address or a possible time. */
  unreadable: number;
}

interface HistoryReading {
  importId: string;
  account: ImportAccount;
  options: ImportOptions;
  spill: Spill;
  /** Epoch ms. */
  now: number;
}

/** The sums in a file of links, if it has some. @param exportedAt  epoch ms */
export function readSums({ links, format }: ReadExport, importId: string, exportedAt: number): History | null {
  const total = links.reduce((sum, { clicks = 0 }) => sum + clicks, 0);
  const until = timestamp(exportedAt);
  return total > 0 ? { id: importId, source: format, clicks: null, until, total, unmatched: 0, unreadable: 0 } : null;
}

/** Reads and sorts single clicks. @param file  their links @throws UnreadableFileError */
export async function readClicks(
  file: ReadExport,
  bytes: AsyncIterable<Uint8Array>,
  { importId, account, options, spill, now }: HistoryReading,
): Promise<History> {
  const { title, clicks: table } = SERVICES[file.format];
  if (!table)
    throw new UnreadableFileError(`${title} exports no single clicks. Import the file of links without them.`);
  const keyOf = clickKeys(file, options, account);
  const clicks = new ClickStore(spill);
  const history = { id: importId, source: file.format, clicks, until: timestamp(now), total: 0 };
  let [unmatched, unreadable] = [0, 0];
  for await (const entry of clickEntries(decoded(bytes), title, table)) {
    const click = "reason" in entry ? null : readClick(entry, table.columns, history.until);
    const key = click && keyOf(click);
    if (click === null) unreadable++;
    else if (key === null) unmatched++;
    else {
      history.total++;
      await clicks.add(key, click.json);
    }
  }
  return { ...history, unmatched, unreadable };
}

type ClickAddress = { domain: string | null; slug: string };

/** Finds the link of a click; null if it is not imported. */
function clickKeys({ links, unit }: ReadExport, options: ImportOptions, account: ImportAccount) {
  const { wanted } = resolveLinks(links, unit, options, account);
  const found = new Map(
    wanted.flatMap((link) => {
      const aliases = link.body.aliases ?? [];
      return [
        [link.key, link] as const,
        ...aliases.map(({ domain = "", slug }) => [linkKey(domain, slug, account), link] as const),
      ];
    }),
  );
  return ({ domain, slug }: ClickAddress): string | null => {
    const own = keyOfAddress({ domain, slug }, options, account);
    const link = found.get(own ?? "");
    if (link) return link.key;
    // The file of links may lack the domain that clicks have.
    const other = keyOfAddress({ domain: null, slug }, options, account);
    const elsewhere = found.get(other ?? "");
    return elsewhere?.source.startsWith("/") ? elsewhere.key : null;
  };
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const part of bytes) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}
