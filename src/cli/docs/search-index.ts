/** The index of the search: which words stand in which section. A browser loads it whole, when a search begins. */
import { type IndexEntry, wordsOf } from "./client/search.ts";
import type { DocsPage } from "./page.ts";

export function searchIndex(pages: readonly DocsPage[]): IndexEntry[] {
  return pages.flatMap(({ path, title, sections }) =>
    sections.map(({ anchor, heading, text }) => ({
      path: anchor === "" ? path : `${path}#${anchor}`,
      page: title,
      heading,
      words: [...new Set(wordsOf(text))].toSorted().join(" "),
    })),
  );
}
