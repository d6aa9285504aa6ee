/** Suggests the intended name for a misspelled one. Pure. */
import { CONDITIONS } from "../../core/links/conditions.ts";
import { FileLink, LinksFile } from "./links-file.ts";

const SOCIAL_NAMES = ["title", "description", "image"];
const RULE_NAMES = ["if", "to"];
const CONDITION_NAMES = [...Object.keys(CONDITIONS), "not"];
const TIME_NAMES = ["tz", "days", "from", "to"];

/** Longer names are not misspellings, and the distance takes time proportional to the product of the lengths. */
const NAME_MAX_CHARS = 40;

/** @param path  of the unknown member, e.g. `links.3.routing.0.if.contry` @returns null if no name is similar */
export function nearestName(path: string): string | null {
  const parts = path.split(".");
  const name = parts.pop() ?? "";
  if (name.length > NAME_MAX_CHARS) return null;
  const near = namesIn(parts)
    .map((known) => ({ known, distance: editDistance(name.toLowerCase(), known) }))
    .filter(({ known, distance }) => distance <= Math.ceil(known.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.known ?? null;
}

function namesIn(parent: readonly string[]): readonly string[] {
  if (parent.length === 0) return Object.keys(LinksFile.shape);
  if (parent.length === 2) return Object.keys(FileLink.shape);
  if (parent.length === 3) return SOCIAL_NAMES;
  if (parent.length === 4) return RULE_NAMES;
  return parent.at(-1) === "time" ? TIME_NAMES : CONDITION_NAMES;
}

/** Number of letters to insert, remove, replace, or swap with the one before. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, i) => i)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= from.length; i++) {
    const row = (rows[i] = [i]);
    for (let j = 1; j <= to.length; j++) {
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, isSwap ? at(i - 2, j - 2) + 1 : Infinity));
    }
  }
  return at(from.length, to.length);
}
