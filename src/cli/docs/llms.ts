/** What language models read: `/llms.txt` and `/llms-full.txt` (llmstxt.org), and each guide as Markdown. */
import { Marked } from "marked";

import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { siteAddress } from "./links.ts";

export interface MarkdownGuide {
  name: string;
  title: string;
  description: string;
  markdown: string;
}

/** What somebody who uses the API can leave unread. */
const OPTIONAL: ReadonlySet<string> = new Set([
  "how-it-works",
  "operate",
  "costs",
  "scale",
  "benchmarks",
  "decisions",
  "specification",
]);

export function llmsText(document: OpenApiDocument, guides: readonly MarkdownGuide[]): string {
  const optional = guides.filter(({ name }) => OPTIONAL.has(name));
  return [
    ...opening(document),
    "## Guides",
    "",
    ...guides.filter((guide) => !optional.includes(guide)).map(guideLink),
    "",
    "## API",
    "",
    linkLine("OpenAPI document", "/openapi.json", "Every operation with parameters, schemas, errors and examples."),
    linkLine("AsyncAPI document", "/asyncapi.json", "The live stream of clicks and the events in it."),
    linkLine("All guides above in one file", "/llms-full.txt", "For a model that reads everything at once."),
    "",
    "## Optional",
    "",
    ...optional.map(guideLink),
    "",
  ].join("\n");
}

export function llmsFullText(document: OpenApiDocument, guides: readonly MarkdownGuide[]): string {
  const texts = guides.filter(({ name }) => !OPTIONAL.has(name)).map(({ markdown }) => markdown.trim());
  return `${opening(document).join("\n")}\n${texts.join("\n\n---\n\n")}\n`;
}

function opening({ info }: OpenApiDocument): string[] {
  return [
    `# ${info.title}`,
    "",
    `> ${info.summary}`,
    "",
    `The API is at ${SAMPLE_ORIGIN}/v1. Each request carries \`Authorization: Bearer <key>\`; keys are made in the dashboard, ${SAMPLE_ORIGIN}/dashboard. A key that begins with \`svc_test_\` works on test data alone, so try things with one.`,
    "",
  ];
}

function guideLink({ name, title, description }: MarkdownGuide): string {
  return linkLine(title, `/docs/${name}.md`, description.replaceAll(/\s+/g, " "));
}

function linkLine(text: string, path: string, notes: string): string {
  return `- [${text}](${SAMPLE_ORIGIN}${path}): ${notes}`;
}

/**
 * Links are absolute and lead to Markdown where there is some, diagrams are their descriptions, comments are gone.
 * @param inserts  generated parts by name, which replace `<!-- name -->`; nothing takes the place of other comments
 */
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
