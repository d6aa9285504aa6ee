/**
 * The search index of all sections: matches stems and beginnings of words and their synonyms or, if there are none,
 * similar words.
 */
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

/** Words that readers may use, keyed by this documentation's word. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    account: "profile user",
    cursor: "pagination paginate",
    delete: "remove",
    domain: "hostname subdomain",
    expire: "expiry expiration",
    forgotten: "recover recovery lost reset",
    import: "migrate migration move",
    invite: "invitation team member colleague collaborator share",
    key: "token secret credential",
    limits: "throttling quota",
    passkey: "2fa mfa",
    paused: "disable stop",
    quickstart: "installation tutorial",
    rotate: "renew replace regenerate",
    routing: "targeting geotargeting",
    schedule: "expiry activate",
    slug: "keyword backhalf",
    statistics: "analytics report metrics",
    stream: "webhooks realtime",
    streaming: "webhooks realtime",
    tags: "label folder",
  }).map(([word, others]) => [stemOf(word), others.split(" ").map(stemOf)]),
);

/** Words that say nothing about the subject. The last word is kept, because it may be the beginning of another. */
const FILLERS = /\b(?:a|an|and|can|do|does|for|how|i|in|is|my|of|on|the|to|what|where|with|your)\s+/gi;

/** Sections that contain every word, and are seldom what readers want. */
const RARELY_WANTED = /^\/docs(?:$|#|\/decisions|\/specification)/;

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
    processTerm: (word) => {
      const stem = stemOf(word);
      // The whole word too: a reader may have typed only a part of it, and a part has another stem.
      return [...new Set([stem, word.toLowerCase(), ...(SYNONYMS.get(stem) ?? [])])];
    },
    searchOptions: {
      processTerm: stemOf,
      prefix: true,
      boost: { heading: 8, id: 4, page: 4 },
      boostDocument: (id) => (RARELY_WANTED.test(String(id)) ? 0.3 : 1),
    },
  });
  index.addAll(entries);
  return index;
}

/** Best first. */
export function find(index: MiniSearch<IndexEntry>, text: string): Omit<IndexEntry, "text">[] {
  const query = text.replaceAll(FILLERS, "");
  for (const attempt of ATTEMPTS) {
    const found = index.search(query, attempt).slice(0, RESULTS_MAX);
    if (found.length > 0) return found.map(({ id, page, heading }) => ({ id, page, heading }));
  }
  return [];
}

/** Equal for most forms of an English word: `rotate`, `rotating`, `rotation`. Not a word. */
function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const stem = lower.replace(/ies$/, "y").replace(/(?:ions?|ings?|(?<!e)ed|es|(?<!s)s|e)$/, "");
  return stem.length >= 3 && /[aeiouy]/.test(stem) ? stem : lower;
}
