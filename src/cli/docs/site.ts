/**
 * Generates all files under `/docs` except the pages' script: the guides in `src/docs`, as pages and as Markdown, the
 * reference, the search entries and the style. Also generates the API's descriptions and the texts for language models.
 * A page has no inline script or style, so that the Content-Security-Policy (`src/api/pages.ts`) can forbid both.
 */
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

import { html } from "hono/html";
import { Lexer } from "marked";

import { asyncApiDocument } from "../../api/asyncapi/asyncapi.ts";
import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { linksFileJsonSchema } from "../../client/plan/links-file.ts";
import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { ERRORS } from "../../core/errors.ts";
import type { IndexEntry } from "./client/search.ts";
import { diagramStyle, GUIDES_FOLDER, type Page, renderPage, renderText, siteAddress } from "./markdown.ts";
import { errorCodesOf, operationsOf, referencePage } from "./reference.ts";

const TEMPLATE = source("page.html");
const INSERTS = { "cost calculator": '<form class="calculator" hidden aria-label="Cost calculator"></form>' };
/** The group of the navigation that also lists the API reference and the API's descriptions. */
const REFERENCE = "Reference";
const REFERENCE_PATH = "/docs/api";
const ALTERNATE_TYPES: Record<string, string> = {
  ".md": "text/markdown",
  ".txt": "text/plain",
  ".json": "application/json",
};
/** The start page. Its last part lists all guides by the navigation's groups. */
const START = "README";
/** Served with status 404. Its list leads to the parts of the start page. */
const NOT_FOUND = `# Page not found

This page of the documentation does not exist.

Check the address for typos, search all pages, or begin here:

- [Marketers](/docs#marketers): links, QR codes, domains and statistics in the dashboard
- [Integrators](/docs#integrators): the API, the command line and the live stream
- [Operators](/docs#operators): deploy and run Hoplink
- [Account](/docs/account): forgotten passwords, API keys, people
`;
/** Groups of the navigation. A guide that names its readers in the list is optional. */
const GROUPS = readFileSync(join(GUIDES_FOLDER, `${START}.md`), "utf8")
  .split("\n### ")
  .slice(1)
  .map((text) => ({
    title: text.split("\n", 1).join(),
    contents: [...text.matchAll(/\]\(([a-z-]+)\.md\)(, for )?/g)].map(([, name = "", readers]) => ({
      name,
      isOptional: readers !== undefined,
    })),
  }));

/**
 * @returns contents by address
 * @throws Error for a link to a file that does not exist
 */
export async function docsSite(document: OpenApiDocument): Promise<Map<string, string>> {
  const groups = GROUPS.map(({ title, contents }) => ({
    title,
    entries: contents.map(({ name, isOptional }) => ({ ...guide(name, document), isOptional })),
  }));
  const guides = groups.flatMap(({ entries }) => entries);
  const start = { ...guide(START, document), path: "/docs", alternate: "/llms.txt" };
  // The navigation has them.
  start.sections = start.sections.slice(
    0,
    start.sections.findIndex(({ id }) => id === "all-pages"),
  );
  const notFound = { ...renderPage(NOT_FOUND), path: "/docs/not-found", alternate: "/llms.txt" };
  const reference = { ...(await referencePage(document)), path: REFERENCE_PATH, alternate: "/openapi.json" };
  const descriptions = [
    reference,
    { path: "/openapi.json", title: "OpenAPI document" },
    { path: "/asyncapi.json", title: "AsyncAPI document" },
  ];
  const navigation = groups.map(({ title, entries }) => {
    const all: readonly NavigationEntry[] = title === REFERENCE ? [...descriptions, ...entries] : entries;
    const links = all.map((entry) => `- [${entry.title}](${entry.path})`);
    return renderText(`${title}\n\n${links.join("\n")}`);
  });
  navigation.unshift(renderText(`- [${start.title}](${start.path})`));
  const pages = [start, ...guides, reference];
  return new Map([
    ...[...pages, notFound].map((page): [string, string] => [page.path, pageHtml(page, navigation.join(""))]),
    ...guides.map(({ alternate, markdown }): [string, string] => [alternate, markdown]),
    ["/docs/docs.css", source("docs.css") + diagramStyle()],
    ["/docs/favicon.svg", source("favicon.svg")],
    ["/docs/search.json", JSON.stringify(pages.flatMap(indexEntries))],
    ["/docs/links.schema.json", jsonText(linksFileJsonSchema())],
    ["/openapi.json", jsonText(document)],
    ["/asyncapi.json", jsonText(asyncApiDocument(document))],
    ["/llms.txt", llmsText(document, guides)],
    ["/llms-full.txt", llmsFullText(document, guides)],
  ]);
}

interface NavigationEntry {
  title: string;
  /** Path of its URL. */
  path: string;
}

interface SitePage extends Page, NavigationEntry {
  /** The path of the same content for programs. */
  alternate: string;
}

function guide(name: string, document: OpenApiDocument) {
  const text = readFileSync(join(GUIDES_FOLDER, `${name}.md`), "utf8")
    .replace("<!-- error table -->", () => errorList(document))
    // GitHub has no such page.
    .replace(/API reference \(`(\/docs\/api)`\)/, "[API reference]($1)");
  try {
    const path = `/docs/${name}`;
    return { ...renderPage(text, INSERTS), name, path, alternate: `${path}.md`, markdown: guideMarkdown(name, text) };
  } catch (error) {
    throw new Error(`src/docs/${name}.md: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The `doc_url` of an error links to its heading. */
function errorList(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const entries = Object.entries(ERRORS).map(([code, { status, when }]) => {
    const able = operations.filter(({ responses }) => errorCodesOf(responses[status]).includes(code));
    const links = able.map(({ operationId, summary }) => `[${summary}](${REFERENCE_PATH}#${operationId})`);
    const where = able.length === operations.length ? "all operations" : links.join(", ");
    return `### \`${code}\`\n\n**${status}** ${when}${where && `\n\nReturned by ${where}.`}`;
  });
  return entries.join("\n\n");
}

function pageHtml({ path, title, description, alternate, sections }: SitePage, navigation: string): string {
  const contents = sections.filter(({ depth }) => depth === 2 || depth === 3);
  const parts: Record<string, unknown> = {
    title: html`${title}`,
    description: html`${description}`,
    alternate,
    alternateType: ALTERNATE_TYPES[extname(alternate)],
    navigation: navigation.replace(`href="${path}"`, '$& aria-current="page"'),
    contents: contents
      .map(({ depth, id, heading }) => html`<li class="depth-${depth}"><a href="#${id}">${heading}</a></li>`)
      .join("\n"),
    main: sections.map((section) => section.html).join("\n"),
  };
  return TEMPLATE.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(parts[name]));
}

function indexEntries({ path, title, sections }: SitePage): IndexEntry[] {
  return sections.map(({ depth, id, heading, text }) => ({
    id: depth === 1 ? path : `${path}#${id}`,
    page: title,
    heading,
    // Each word once, which halves the download.
    text: [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))].join(" "),
  }));
}

function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function source(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}

interface MarkdownGuide {
  name: string;
  title: string;
  description: string;
  markdown: string;
  /** Whether users of the API can skip it. */
  isOptional: boolean;
}

function llmsText(document: OpenApiDocument, guides: readonly MarkdownGuide[]): string {
  const links = (isOptional: boolean) => guides.filter((guide) => guide.isOptional === isOptional).map(guideLink);
  return `${llmsOpening(document)}
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

function llmsFullText(document: OpenApiDocument, guides: readonly MarkdownGuide[]): string {
  const texts = guides.filter(({ isOptional }) => !isOptional).map(({ markdown }) => markdown.trim());
  return `${llmsOpening(document)}\n${texts.join("\n\n---\n\n")}\n`;
}

function llmsOpening({ info }: OpenApiDocument): string {
  return `# ${info.title}

> ${info.summary}

The API is at ${SAMPLE_ORIGIN}/v1. Send \`Authorization: Bearer <key>\` with every request. Create keys in the dashboard, ${SAMPLE_ORIGIN}/dashboard. Keys that begin with \`svc_test_\` access only test data, so use one to experiment.
`;
}

function guideLink({ name, title, description }: MarkdownGuide): string {
  return `- [${title}](${SAMPLE_ORIGIN}/docs/${name}.md): ${description}`;
}

/** Absolute links, to Markdown if available; descriptions instead of diagrams; no comments. @internal */
export function guideMarkdown(name: string, source: string): string {
  return new Lexer()
    .lex(source)
    .map(({ type, raw }) => (type === "code" ? raw : adaptedMarkdown(name, raw)))
    .join("");
}

function adaptedMarkdown(name: string, markdown: string): string {
  return markdown
    .replaceAll(/ ?<!-- .+? -->/g, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "_Diagram: $1_")
    .replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, text: string, href: string) =>
      markdownLink(name, text, href),
    );
}

/** @param name  the guide that contains the markdownLink */
function markdownLink(name: string, text: string, href: string): string {
  const { at, path } = siteAddress(href);
  if (at === "repository") return text.startsWith("`") ? text : `${text} (\`${path}\`)`;
  if (path.startsWith("#")) return `[${text}](${SAMPLE_ORIGIN}/docs/${name}.md${path})`;
  if (!path.startsWith("/")) return `[${text}](${path})`;
  return `[${text}](${SAMPLE_ORIGIN}${path.replace(/^\/docs\/(?!api\b)([a-z-]+)(?=#|$)/, "/docs/$1.md")})`;
}
