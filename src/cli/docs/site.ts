/**
 * Generates all files under `/docs` except the pages' script: the guides in `src/docs`, as pages and as Markdown, the
 * reference, the search entries and the style. Also generates the API's descriptions and the texts for language models.
 * A page has no inline script or style, so that the Content-Security-Policy (`src/api/pages.ts`) can forbid both.
 */
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

import { html } from "hono/html";

import { asyncApiDocument } from "../../api/asyncapi/asyncapi.ts";
import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { linksFileJsonSchema } from "../../client/plan/links-file.ts";
import { ERRORS } from "../../core/errors.ts";
import type { IndexEntry } from "./client/search.ts";
import { guideMarkdown, llmsFullText, llmsText } from "./llms.ts";
import { diagramStyle, GUIDES_FOLDER, type Page, renderPage, renderText } from "./markdown.ts";
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
