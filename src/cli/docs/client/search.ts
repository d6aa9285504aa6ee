/** Finds sections by words. Texts and queries are split into words by the same function. */

/** A section of a page. */
export interface IndexEntry {
  /** URL path with the anchor. */
  path: string;
  page: string;
  heading: string;
  /** The distinct words of the text, separated by spaces. */
  words: string;
}

const RESULTS_MAX = 10;

/** Score of a query's word by the place where it is found. */
const WEIGHTS = { heading: 8, page: 4, words: 2 };
/** Score of a heading of which every word is asked for: among many that have the word, it is the one that is meant. */
const WHOLE_HEADING_WEIGHT = 4;
/** Share of the score when the query's word is only the beginning of the found one. */
const PREFIX_SHARE = 0.75;

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The sections that contain every word of the query, at least as the beginning of a word; best first. */
export function find(index: readonly IndexEntry[], query: string): IndexEntry[] {
  const asked = wordsOf(query);
  if (asked.length === 0) return [];
  return index
    .map((entry) => ({ entry, score: score(entry, asked) }))
    .filter((found) => found.score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry);
}

function score(entry: IndexEntry, asked: readonly string[]): number {
  const scores = asked.map((word) =>
    (["heading", "page", "words"] as const)
      .map((place) => WEIGHTS[place] * closeness(wordsOf(entry[place]), word))
      .reduce((sum, each) => sum + each),
  );
  if (scores.includes(0)) return 0;
  return scores.reduce((sum, each) => sum + each) + WHOLE_HEADING_WEIGHT * shareOfHeading(entry, asked);
}

/** Share of the heading's words that are asked for. */
function shareOfHeading({ heading }: IndexEntry, asked: readonly string[]): number {
  const words = wordsOf(heading);
  return words.length === 0 ? 0 : words.filter((word) => asked.includes(word)).length / words.length;
}

function closeness(words: readonly string[], asked: string): number {
  if (words.includes(asked)) return 1;
  return words.some((word) => word.startsWith(asked)) ? PREFIX_SHARE : 0;
}
