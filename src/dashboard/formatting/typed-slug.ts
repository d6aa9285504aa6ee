/** Cleans slugs as they are typed, and proposes others for one that is taken. Pure. The API validates the result. */
import { SLUG_MAX_CHARS } from "../../core/limits.ts";

const OTHER_CHARACTERS =
  /[^\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\u{e0020}-\u{e007f}\-_.~/]/gu;

/**
 * A slug without characters that slugs cannot have: spaces become hyphens, and of a URL the path is left.
 * @param isComplete  false while it is typed: it may still end with a punctuation mark
 */
export function cleanSlug(typed: string, isComplete = false): string {
  const text = /^\s*https?:\/\//i.test(typed) ? pathOf(typed) : typed;
  const slug = text
    .trimStart()
    .replace(/\s+/gu, "-")
    .replace(OTHER_CHARACTERS, "")
    .replace(/(^|\/)[-._~/]+/g, "$1");
  return isComplete ? slug.replace(/[-._~]+(?=\/)|[-._~/]+$/g, "") : slug;
}

function pathOf(url: string): string {
  const path = URL.parse(url.trim())?.pathname.slice(1) ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** In the order in which they are proposed. */
export function otherSlugs(taken: string, year: number): string[] {
  return ["2", "3", String(year), "4", "5"].map((end) => {
    return `${[...taken].slice(0, SLUG_MAX_CHARS - end.length - 1).join("")}-${end}`;
  });
}
