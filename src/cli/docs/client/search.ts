/** The search index of all sections: matches prefixes of words or, if there are none, similar words. */
import MiniSearch, { type SearchOptions } from "minisearch";

/** A section of a page. */
export interface IndexEntry {
  /** URL path with the anchor. */
  id: string;
  page: string;
  heading: string;
  text: string;
}

const RESULTS_MAX = 10;

/** Synonyms that readers may use, keyed by this documentation's word. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["statistics", "analytics"],
  ["stream", "webhooks"],
  ["streaming", "webhooks"],
  ["key", "token"],
  ["limits", "throttling"],
  ["cursor", "pagination"],
  ["quickstart", "installation"],
]);

/** Tried in turn, until there are results. The last one finds sections that contain only some of the words. */
const ATTEMPTS: readonly SearchOptions[] = [
  { combineWith: "AND" },
  { combineWith: "AND", fuzzy: 0.3 },
  { combineWith: "OR", fuzzy: 0.3 },
];

export function searchIndex(entries: readonly IndexEntry[]): MiniSearch<IndexEntry> {
  const index = new MiniSearch<IndexEntry>({
    fields: ["heading", "id", "page", "text"],
    storeFields: ["page", "heading"],
    processTerm: (word) => [word.toLowerCase(), SYNONYMS.get(word.toLowerCase()) ?? ""],
    searchOptions: {
      processTerm: (word) => word.toLowerCase(),
      prefix: true,
      boost: { heading: 8, id: 4, page: 4 },
      // These contain every word, and are seldom what readers want.
      boostDocument: (id) => (/^\/docs\/(decisions|specification)/.test(String(id)) ? 0.3 : 1),
    },
  });
  index.addAll(entries);
  return index;
}

/** Best first. */
export function find(index: MiniSearch<IndexEntry>, query: string): Omit<IndexEntry, "text">[] {
  for (const attempt of ATTEMPTS) {
    const found = index.search(query, attempt).slice(0, RESULTS_MAX);
    if (found.length > 0) return found.map(({ id, page, heading }) => ({ id, page, heading }));
  }
  return [];
}
