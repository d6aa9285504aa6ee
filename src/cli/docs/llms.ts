/** `/llms.txt` and `/llms-full.txt` (llmstxt.org): what there is to read, for language models. */
import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";

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
