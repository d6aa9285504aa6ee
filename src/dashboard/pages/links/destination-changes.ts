/** Finds and replaces a text in the destinations of a link. Pure. */
import type { Link, UpdateLink } from "../../../core/contract/links.ts";

interface DestinationChange {
  before: string;
  after: string;
  /** Whether the result can be a destination; the server has the last word. */
  isUrl: boolean;
}

interface ChangedParts {
  rules: boolean;
  fallback: boolean;
}

/** @param find  found as typed, everywhere in a destination @returns null changes if it is nowhere */
export function replaceDestinations(
  { url, routing, fallback_url }: Pick<Link, "url" | "routing" | "fallback_url">,
  find: string,
  replacement: string,
  parts: ChangedParts,
): { changes: UpdateLink | null; texts: DestinationChange[] } {
  const texts: DestinationChange[] = [];
  const replaced = (before: string): string => {
    const after = find === "" ? before : before.replaceAll(find, () => replacement);
    const isUrl = /^https?:\/\/[^\s/]/i.test(after) && URL.canParse(after);
    if (after !== before) texts.push({ before, after, isUrl });
    return after;
  };
  const changes: UpdateLink = {};
  const changed = replaced(url);
  if (changed !== url) changes.url = changed;
  const count = texts.length;
  const rules = parts.rules ? routing.map((rule) => ({ ...rule, to: replaced(rule.to) })) : [];
  if (texts.length > count) changes.routing = rules;
  const fallback = parts.fallback && fallback_url ? replaced(fallback_url) : fallback_url;
  if (fallback !== fallback_url) changes.fallback_url = fallback;
  return { changes: texts.length > 0 ? changes : null, texts };
}
