/**
 * Generates all files under `/docs`: the guides in `src/docs`, as pages and as Markdown, the reference, the search
 * index, the pages' script and style. Beside them the descriptions of the API and the texts for language models.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { asyncApiDocument } from "../../api/asyncapi/asyncapi.ts";
import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { linksFileJsonSchema } from "../../client/plan/links-file.ts";
import { ERRORS } from "../../core/errors.ts";
import { type IndexEntry, wordsOf } from "./client/search.ts";
import { costCalculator } from "./cost-calculator.ts";
import { errorMarkdown, errorSections, errorTable } from "./errors.ts";
import { deadLinks, GUIDES_FOLDER } from "./links.ts";
import { guideMarkdown, llmsFullText, llmsText, type MarkdownGuide } from "./llms.ts";
import { diagramStyle, guidePage } from "./markdown.ts";
import { type DocsPage, type NavigationGroup, pageHtml } from "./page.ts";
import { referencePage } from "./reference.ts";

/** In the order of the navigation. */
const GUIDES = [
  "quickstart",
  "how-it-works",
  "links",
  "routing",
  "links-as-code",
  "statistics",
  "streaming",
  "client",
  "cli",
  "mcp",
  "http",
  "qr-codes",
  "domains",
  "moving-in",
  "errors",
  "deploy",
  "operate",
  "costs",
  "scale",
  "security",
  "benchmarks",
  "decisions",
  "specification",
];

const ERROR_LIST = Object.entries(ERRORS).map(([code, error]) => ({ code, ...error }));

/**
 * @param script  the pages' bundled script
 * @returns contents by address
 * @throws Error for a dead link
 */
export function docsSite(document: OpenApiDocument, script: string): Map<string, string> {
  const guides = GUIDES.map((name) => guide(name, document));
  const pages = [...guides.map(({ page }) => page), referencePage(document)];
  const navigation = navigationOf(guides.map(({ page }) => page));
  const files = new Map([
    ...pages.map((page): [string, string] => [page.path, pageHtml(page, navigation)]),
    ...guides.map(({ name, markdown }): [string, string] => [`/docs/${name}.md`, markdown]),
    ["/docs/docs.css", source("docs.css") + diagramStyle()],
    ["/docs/docs.js", script],
    ["/docs/favicon.svg", source("favicon.svg")],
    ["/docs/search.json", JSON.stringify(searchIndex(pages))],
    ["/docs/links.schema.json", jsonText(linksFileJsonSchema())],
    ["/openapi.json", jsonText(document)],
    ["/asyncapi.json", jsonText(asyncApiDocument(document))],
    ["/llms.txt", llmsText(document, guides)],
    ["/llms-full.txt", llmsFullText(document, guides)],
  ]);
  const dead = deadLinks(files);
  if (dead.length > 0) throw new Error(`Links that lead nowhere:\n${dead.join("\n")}`);
  return files;
}

interface Guide extends MarkdownGuide {
  page: DocsPage;
}

function guide(name: string, document: OpenApiDocument): Guide {
  const text = readFileSync(join(GUIDES_FOLDER, `${name}.md`), "utf8");
  try {
    const page = guidePage(name, text, {
      "error table": errorTable(document, ERROR_LIST),
      "cost calculator": costCalculator(),
    });
    const sections = name === "errors" ? [...page.sections, ...errorSections(ERROR_LIST)] : page.sections;
    const markdown = guideMarkdown(name, text, { "error table": errorMarkdown(ERROR_LIST) });
    const { title, description } = page;
    return { name, title, description, markdown, page: { ...page, sections, markdownPath: `/docs/${name}.md` } };
  } catch (error) {
    throw new Error(`src/docs/${name}.md: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function navigationOf(guides: readonly DocsPage[]): NavigationGroup[] {
  return [
    { title: "Guides", entries: guides },
    {
      title: "Reference",
      entries: [
        { path: "/docs", title: "API reference" },
        { path: "/openapi.json", title: "OpenAPI document" },
        { path: "/asyncapi.json", title: "AsyncAPI document" },
      ],
    },
  ];
}

function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function source(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}

/** The words of each section. A browser loads the whole index when a search begins. */
function searchIndex(pages: readonly DocsPage[]): IndexEntry[] {
  return pages.flatMap(({ path, title, sections }) =>
    sections.map(({ anchor, heading, text }) => ({
      path: anchor === "" ? path : `${path}#${anchor}`,
      page: title,
      heading,
      words: [...new Set(wordsOf(text))].toSorted().join(" "),
    })),
  );
}
