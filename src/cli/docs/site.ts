/**
 * Generates all files under `/docs`: the guides in `src/docs`, the reference, the search index, the pages' script and
 * style.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { ERRORS } from "../../core/errors.ts";
import { costCalculator } from "./cost-calculator.ts";
import { diagramStyle } from "./diagrams.ts";
import { errorSections, errorTable } from "./errors.ts";
import { deadLinks, GUIDES_FOLDER } from "./links.ts";
import { guidePage } from "./markdown.ts";
import { type DocsPage, pageHtml, type NavigationGroup } from "./page.ts";
import { referencePage } from "./reference.ts";
import { searchIndex } from "./search-index.ts";

/** In the order of the navigation. */
const GUIDES = [
  "quickstart",
  "how-it-works",
  "links",
  "routing",
  "statistics",
  "streaming",
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
  const pages = [...guides, referencePage(document)];
  const navigation = navigationOf(guides);
  const files = new Map([
    ...pages.map((page): [string, string] => [page.path, pageHtml(page, navigation)]),
    ["/docs/docs.css", source("docs.css") + diagramStyle()],
    ["/docs/docs.js", script],
    ["/docs/favicon.svg", source("favicon.svg")],
    ["/docs/search.json", JSON.stringify(searchIndex(pages))],
    ["/openapi.json", `${JSON.stringify(document, null, 2)}\n`],
  ]);
  const dead = deadLinks(files);
  if (dead.length > 0) throw new Error(`Links that lead nowhere:\n${dead.join("\n")}`);
  return files;
}

function guide(name: string, document: OpenApiDocument): DocsPage {
  const path = join(GUIDES_FOLDER, `${name}.md`);
  try {
    const page = guidePage(name, readFileSync(path, "utf8"), {
      "error table": errorTable(document, ERROR_LIST),
      "cost calculator": costCalculator(),
    });
    return name === "errors" ? { ...page, sections: [...page.sections, ...errorSections(ERROR_LIST)] } : page;
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
      ],
    },
  ];
}

function source(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}
