/** Builds the search index: the words of each section. A browser loads the whole index when a search begins. */
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
