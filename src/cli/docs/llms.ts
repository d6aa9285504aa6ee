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

- [OpenAPI document](${SAMPLE_ORIGIN}/openapi.json): All operations, with parameters, schemas, errors and examples.
- [AsyncAPI document](${SAMPLE_ORIGIN}/asyncapi.json): The live click stream and its events.
- [All guides above in one file](${SAMPLE_ORIGIN}/llms-full.txt): For models that read all guides together.

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

The API is at ${SAMPLE_ORIGIN}/v1. Send \`Authorization: Bearer <key>\` with every request. Create keys in the dashboard, ${SAMPLE_ORIGIN}/dashboard. Keys that begin with \`svc_test_\` access only test data, so use one to experiment.
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
  return `[${text}](${SAMPLE_ORIGIN}${path.replace(/^\/docs\/(?!api\b)([a-z-]+)(?=#|$)/, "/docs/$1.md")})`;
}
