/** The texts for language models: `/llms.txt` and `/llms-full.txt` (llmstxt.org), and each guide as Markdown. */
import { Lexer } from "marked";

import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { siteAddress } from "./markdown.ts";

export interface MarkdownGuide {
  name: string;
  title: string;
  description: string;
  markdown: string;
  /** Whether users of the API can skip it. */
  isOptional: boolean;
}

export function llmsText(document: OpenApiDocument, guides: readonly MarkdownGuide[]): string {
  const links = (isOptional: boolean) => guides.filter((guide) => guide.isOptional === isOptional).map(guideLink);
  return `${opening(document)}
## Guides

${links(false).join("\n")}

## API

- [OpenAPI document](${SAMPLE_ORIGIN}/openapi.json): Every operation with parameters, schemas, errors and examples.
- [AsyncAPI document](${SAMPLE_ORIGIN}/asyncapi.json): The live stream of clicks and the events in it.
- [All guides above in one file](${SAMPLE_ORIGIN}/llms-full.txt): For a model that reads everything at once.

## Optional

${links(true).join("\n")}
`;
}

export function llmsFullText(document: OpenApiDocument, guides: readonly MarkdownGuide[]): string {
  const texts = guides.filter(({ isOptional }) => !isOptional).map(({ markdown }) => markdown.trim());
  return `${opening(document)}\n${texts.join("\n\n---\n\n")}\n`;
}

function opening({ info }: OpenApiDocument): string {
  return `# ${info.title}

> ${info.summary}

The API is at ${SAMPLE_ORIGIN}/v1. Each request carries \`Authorization: Bearer <key>\`; keys are made in the dashboard, ${SAMPLE_ORIGIN}/dashboard. A key that begins with \`svc_test_\` works on test data alone, so try things with one.
`;
}

function guideLink({ name, title, description }: MarkdownGuide): string {
  return `- [${title}](${SAMPLE_ORIGIN}/docs/${name}.md): ${description}`;
}

/** Absolute links, to Markdown if available; descriptions instead of diagrams; no comments. */
export function guideMarkdown(name: string, source: string): string {
  return new Lexer()
    .lex(source)
    .map(({ type, raw }) => (type === "code" ? raw : adapted(name, raw)))
    .join("");
}

function adapted(name: string, markdown: string): string {
  return markdown
    .replaceAll(/ ?<!-- .+? -->/g, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "_Diagram: $1_")
    .replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, text: string, href: string) =>
      link(name, text, href),
    );
}

/** @param name  the guide that contains the link */
function link(name: string, text: string, href: string): string {
  const { at, path } = siteAddress(href);
  if (at === "repository") return text.startsWith("`") ? text : `${text} (\`${path}\`)`;
  if (path.startsWith("#")) return `[${text}](${SAMPLE_ORIGIN}/docs/${name}.md${path})`;
  if (!path.startsWith("/")) return `[${text}](${path})`;
  return `[${text}](${SAMPLE_ORIGIN}${path.replace(/^\/docs\/([a-z-]+)(?=#|$)/, "/docs/$1.md")})`;
}
