/** A link for people. Pure. */
import type { Link } from "../../index.ts";
import type { Colors } from "../terminal/colors.ts";
import { localTime } from "../terminal/figures.ts";
import { visibleText } from "../terminal/visible-text.ts";
import type { FoundLink } from "./find-link.ts";

/** Its short URL, then one fact a line. */
export function linkLines({ link, revision }: FoundLink, colors: Colors): string[] {
  const facts = Object.entries(factsOf(link, revision)).filter(([, fact]) => fact !== "");
  return [
    colors.bold(visibleText(link.short_url)),
    ...facts.map(([name, fact]) => `  ${colors.dim(name.padEnd(12))}${visibleText(fact)}`),
    ...link.routing.map(({ if: condition, to }, i) => {
      const rule = `${i + 1}. ${visibleText(JSON.stringify(condition))}`;
      return `  ${colors.dim(i === 0 ? "rules".padEnd(12) : " ".repeat(12))}${rule} → ${visibleText(to)}`;
    }),
  ];
}

function factsOf(link: Link, revision: number | null): Record<string, string> {
  return {
    url: link.url,
    id: link.id,
    title: link.title ?? "",
    tags: link.tags?.join(", ") ?? "",
    created: localTime(link.created_at),
    changed: link.updated_at === link.created_at ? "" : localTime(link.updated_at),
    revision: revision === null ? "" : String(revision),
    opens: link.starts_at ? localTime(link.starts_at) : "",
    expires: link.expires_at ? localTime(link.expires_at) : "",
    fallback: link.fallback_url ?? "",
    query: link.forward_query ? "passed on" : "",
  };
}
