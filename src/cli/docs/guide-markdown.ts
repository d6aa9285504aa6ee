/**
 * A guide as Markdown for programs: links are absolute and lead to Markdown where there is some, diagrams are their
 * descriptions, comments are gone.
 */
import { Marked } from "marked";

import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { siteAddress } from "./links.ts";

/** @param inserts  generated parts by name, which replace `<!-- name -->`; nothing takes the place of other comments */
export function guideMarkdown(name: string, source: string, inserts: Readonly<Record<string, string>>): string {
  const tokens = new Marked().lexer(source);
  return tokens.map(({ type, raw }) => (type === "code" ? raw : adapted(name, raw, inserts))).join("");
}

function adapted(name: string, markdown: string, inserts: Readonly<Record<string, string>>): string {
  return markdown
    .replaceAll(/ ?<!-- (.+?) -->/g, (_, insert: string) => inserts[insert] ?? "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "_Diagram: $1_")
    .replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, text: string, href: string) =>
      link(name, text, href),
    );
}

function link(name: string, text: string, href: string): string {
  const { at, path } = siteAddress(href);
  if (at === "repository") return text.startsWith("`") ? text : `${text} (\`${path}\`)`;
  return `[${text}](${markdownAddress(name, path)})`;
}

/** @param name  the guide that the link stands in */
function markdownAddress(name: string, path: string): string {
  if (path.startsWith("#")) return `${SAMPLE_ORIGIN}/docs/${name}.md${path}`;
  if (!path.startsWith("/")) return path;
  return SAMPLE_ORIGIN + path.replace(/^\/docs\/([a-z-]+)(?=#|$)/, "/docs/$1.md");
}
