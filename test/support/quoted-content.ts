/** Texts of quotation marks, which take two bytes in a request and eight in a statement of D1. */
import { TAG_MAX_CHARS, TAGS_MAX, TITLE_MAX_CHARS } from "../../src/core/limits.ts";

/** Members of a link; a hundred links with them are the longest possible body. */
export const QUOTED_CONTENT = {
  title: '"'.repeat(TITLE_MAX_CHARS),
  tags: Array.from({ length: TAGS_MAX }, (_, i) => '"'.repeat(TAG_MAX_CHARS - 2) + String(10 + i)),
};
