/** How tags are compared. Pure. */

import { foldCase } from "../fold-case.ts";

/** Equal for tags that differ in case, or in how their accents are encoded. */
export function tagKey(tag: string): string {
  return foldCase(tag);
}
