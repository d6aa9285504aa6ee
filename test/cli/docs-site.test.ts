/** The documentation: every link has a target, and every page complies with the content security policy. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { describe, expect, test } from "vitest";

import { openApiDocument } from "../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../src/api/urls.ts";
import { find, type IndexEntry, searchIndex } from "../../src/cli/docs/client/search.ts";
import { diagramStyle, GUIDES_FOLDER, renderPage } from "../../src/cli/docs/markdown.ts";
import { docsSite, guideMarkdown } from "../../src/cli/docs/site.ts";
import { ERRORS } from "../../src/core/errors.ts";

const document = openApiDocument(v1Routes);
const files = await docsSite(document);
const UNKNOWN = "/docs/not-found";
const html = [...files].filter(([, text]) => text.startsWith("<!doctype html>"));
const pages = new Map(html.filter(([path]) => path !== UNKNOWN));
/** Pages that are also Markdown files. */
const guidePaths = [...pages.keys()].filter((path) => path !== "/docs" && path !== "/docs/api");
const entries: IndexEntry[] = JSON.parse(files.get("/docs/search.json") ?? "");
const index = searchIndex(entries);

describe.each([...pages])("%s", (path, page) => {
  test("names each place once", () => {
    expect(idsOf(page)).toEqual([...new Set(idsOf(page))]);
  });

  test("leads to every page, and marks itself", () => {
    const navigation = /<nav id="navigation".*?<\/nav>/s.exec(page)?.[0] ?? "";
    const links = [...navigation.matchAll(/ href="([^"]*)"/g)].map(([, to]) => to);
    expect(links.toSorted()).toEqual([...pages.keys(), "/openapi.json", "/asyncapi.json"].toSorted());
    expect(navigation.match(/href="[^"]*" aria-current="page"/g)).toEqual([`href="${path}" aria-current="page"`]);
  });

  test("has no inline scripts or styles, and loads nothing from elsewhere", () => {
    const own = page.replace('<script type="module" src="/docs/docs.js"></script>', "");
    expect(own).not.toMatch(/<script|<style| style=| on\w+=| src="(https?:|\/\/)|<link[^>]* href="(https?:|\/\/)/i);
  });

  test("is found by its title and by its headings", () => {
    const own = entries.filter(({ id }) => id.split("#")[0] === path);
    const found = own.filter(({ page: title, heading, id }) =>
      find(index, `${title} ${heading}`).some((result) => result.id === id),
    );
    expect(found).toEqual(own);
    expect(own.length).toBeGreaterThan(1);
  });
});

test("the navigation separates tutorials, how-to guides, reference and explanation", () => {
  const [, navigation = ""] = /<nav id="navigation".*?>(.*?)<\/nav>/s.exec(pages.get("/docs") ?? "") ?? [];
  const groups = navigation.split("<p>").slice(1);
  const titles = groups.map((group) => group.split("</p>")[0]);
  expect(titles).toEqual(["Tutorials", "How-to guides", "Reference", "Explanation"]);
  const [tutorials = "", guides = "", reference = "", explanation = ""] = groups;
  expect(attributes(tutorials, "href")).toEqual(["/docs/campaign", "/docs/quickstart"]);
  expect(attributes(guides, "href")).toEqual(expect.arrayContaining(["/docs/links", "/docs/operate"]));
  expect(attributes(reference, "href").slice(0, 3)).toEqual(["/docs/api", "/openapi.json", "/asyncapi.json"]);
  expect(attributes(reference, "href")).toContain("/docs/errors");
  expect(attributes(explanation, "href")).toEqual(expect.arrayContaining(["/docs/how-it-works", "/docs/decisions"]));
});

test("the start page has the tasks of each reader, and leads to the reference", () => {
  const start = pages.get("/docs") ?? "";
  const headings = [...start.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id);
  expect(headings).toEqual(["marketers", "integrators", "operators"]);
  expect(attributes(start, "href")).toContain("/docs/api");
});

test("no link leads to a page or a place that does not exist", () => {
  const ids = new Map([...files].map(([path, text]) => [path, new Set(attributes(text, "id"))]));
  // The build creates the script from `client/main.ts`.
  ids.set("/docs/docs.js", new Set());
  const dead = html.flatMap(([from, text]) =>
    attributes(text, "href|src")
      .filter((link) => !/^(https?:|mailto:|\/dashboard$)/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split("#");
        const there = ids.get(path || from);
        return !there || (anchor !== undefined && !there.has(anchor));
      })
      .map((link) => `${from}: ${link}`),
  );
  expect(dead).toEqual([]);
});

describe("a guide", () => {
  const rendered = (markdown: string) =>
    renderPage(`# A\n\nAbout it.\n\n${markdown}`)
      .sections.map((section) => section.html)
      .join("");

  test.each([
    ["[e](errors.md)", '<a href="/docs/errors">e</a>'],
    ["[e](errors.md#not_found)", '<a href="/docs/errors#not_found">e</a>'],
    ["[here](#place)", '<a href="#place">here</a>'],
    ["[the errors](../core/errors.ts)", "the errors (<code>src/core/errors.ts</code>)"],
    ["[`errors.ts`](../core/errors.ts)", "<code>errors.ts</code>"],
  ])("renders the link %s as %s", (markdown, expected) => {
    expect(rendered(markdown)).toContain(`<p>${expected}</p>`);
  });

  test("has the same anchors as on GitHub", () => {
    const ids = idsOf(rendered("## `Last-Event-ID`, and *why*?\n\n### Specification → tests\n\n### A"));
    expect(ids).toEqual(["a", "last-event-id-and-why", "specification--tests", "a-1"]);
  });

  test.each([
    ["[gone](../core/gone.ts)", "leads to a file that does not exist"],
    ["[out](../../../out.md)", "leads to a file that does not exist"],
    ["![none](diagrams/none.svg)", "no such file"],
    ["![photo](photo.png)", "is not a diagram"],
    ["## [a](#a)", "link inside a heading"],
    ["- ## Inside", "is inside a list"],
    ["a <b>c</b>", "HTML in a guide"],
  ])("cannot have %s", (markdown, complaint) => {
    expect(() => rendered(markdown)).toThrow(complaint);
  });

  test("begins with its title and a description", () => {
    expect(() => renderPage("Text")).toThrow("begins with its title");
    expect(renderPage("# The *title*\n\nOne `sentence`<!-- =ONE -->.")).toMatchObject({
      title: "The title",
      description: "One sentence.",
    });
  });
});

describe("a guide as Markdown", () => {
  const adapted = (markdown: string) => guideMarkdown("a", markdown);

  test.each([
    ["[e](errors.md)", "[e](http://localhost:8787/docs/errors.md)"],
    ["[e](errors.md#not_found)", "[e](http://localhost:8787/docs/errors.md#not_found)"],
    ["[here](#place)", "[here](http://localhost:8787/docs/a.md#place)"],
    ["[an object](/docs/api#schema-Link)", "[an object](http://localhost:8787/docs/api#schema-Link)"],
    ["[out](https://example.com/a)", "[out](https://example.com/a)"],
    ["[the errors](../core/errors.ts)", "the errors (`src/core/errors.ts`)"],
    ["[`errors.ts`](../core/errors.ts)", "`errors.ts`"],
    ["![A click](diagrams/click.svg)", "_Diagram: A click_"],
    ["at most 100<!-- =RULES_MAX --> rules", "at most 100 rules"],
    ["| AI <!-- ai-crawler --> | `GPTBot` |", "| AI | `GPTBot` |"],
    ["```md\n[e](errors.md) <!-- =A -->\n```", "```md\n[e](errors.md) <!-- =A -->\n```"],
  ])("renders %s as %s", (markdown, expected) => {
    expect(adapted(markdown)).toBe(expected);
  });

  test.each(guidePaths)("%s is named by its page", (path) => {
    expect(pages.get(path)).toContain(`<link rel="alternate" type="text/markdown" href="${path}.md" />`);
    expect(files.get(`${path}.md`)).toMatch(/^# \S/);
  });

  test("has every error code", () => {
    const text = files.get("/docs/errors.md") ?? "";
    expect(Object.keys(ERRORS).filter((code) => !text.includes(`\n### \`${code}\`\n`))).toEqual([]);
  });

  test("names no file that does not exist", () => {
    const texts = [...files].filter(([path]) => /\.(md|txt)$/.test(path));
    const named = texts.flatMap(([, text]) => [...text.matchAll(/\]\(http:\/\/localhost:8787([^)#]*)/g)]);
    expect(named.length).toBeGreaterThan(100);
    expect(named.map(([, path = ""]) => path).filter((path) => !files.has(path))).toEqual([]);
  });
});

describe("llms.txt", () => {
  const text = files.get("/llms.txt") ?? "";

  test("has the form of llmstxt.org: title, summary, then lists of links with notes", () => {
    const [opening = "", ...sections] = text.split(/^## /m);
    expect(opening).toMatch(/^# Hoplink\n\n> \S.*\n\n/);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(["Guides", "API", "Optional"]);
    for (const line of sections.flatMap((section) => section.trim().split("\n").slice(2))) {
      expect(line).toMatch(/^- \[[^\]]+\]\(http:\/\/localhost:8787\/[^)]+\): \S/);
    }
  });

  test("lists guides for operators and contributors as optional", () => {
    const [needed = "", optional = ""] = text.split("## Optional");
    expect(needed).toContain("/docs/errors.md)");
    expect(optional).toContain("/docs/operate.md)");
    expect(optional).toContain("/docs/specification.md)");
  });

  test("names every guide once", () => {
    const named = [...text.matchAll(/\(http:\/\/localhost:8787(\/docs\/[a-z-]+)\.md\)/g)].map(([, path]) => path);
    expect(named.toSorted()).toEqual(guidePaths.toSorted());
  });

  test("the long form contains all guides that are not optional, in full", () => {
    const long = files.get("/llms-full.txt") ?? "";
    const [needed = "", optional = ""] = text.split("## Optional");
    const guidesIn = (part: string) => [...part.matchAll(/(\/docs\/[a-z-]+\.md)/g)].map(([, path = ""]) => path);
    for (const path of guidesIn(needed)) expect(long).toContain(files.get(path)?.trim());
    for (const path of guidesIn(optional)) expect(long).not.toContain(files.get(path)?.trim());
  });
});

describe("the search", () => {
  const few = searchIndex([
    { id: "/a", page: "Streaming", heading: "Limits", text: "gap open streams" },
    { id: "/b", page: "Errors", heading: "too_many_streams", text: "429 open" },
    { id: "/c", page: "Errors", heading: "gone", text: "410 streams statistics" },
  ]);

  test.each([
    ["a heading before text", "streams", "/b"],
    ["beginnings of words", "stre op", "/b"],
    ["sections that have every word", "open gap", "/a"],
    ["capitals and marks", "Too_Many", "/b"],
    ["a misspelled word", "stremas", "/b"],
    ["words of other products", "analytics", "/c"],
    ["other forms of a word", "streaming statistic", "/c"],
    ["some of the words if no section has all", "gap zebra", "/a"],
    ["nothing for a text without words", " / ", undefined],
    ["nothing for an unknown word", "zebra", undefined],
  ])("finds %s", (_, query, expected) => {
    expect(find(few, query)[0]?.id).toBe(expected);
  });

  test.each([
    ["rate limit", "/docs/api#limits"],
    ["last-event-id", "/docs/streaming"],
    ["webhooks", "/docs/streaming"],
    ["createlink", "/docs/api#createLink"],
    ["import bitly", "/docs/moving-in"],
    ["qr_not_found", "/docs/errors#qr_not_found"],
    ["mcp", "/docs/mcp"],
  ])("%s leads to %s", (query, expected) => {
    expect(
      find(index, query)
        .map(({ id }) => id)
        .join("\n"),
    ).toContain(expected);
  });
});

test.each([
  ["campaign", "/docs/campaign"],
  ["rotate key", "/docs/account#rotate-an-api-key"],
  ["rotating keys", "/docs/account#rotate-an-api-key"],
  ["renew token", "/docs/account#rotate-an-api-key"],
  ["webhook", "/docs/cli#webhooks"],
  ["invite", "/docs/account#invite-people"],
  ["team members", "/docs/account#invite-people"],
  ["forgot password", "/docs/account#forgotten-password"],
  ["How do I reset my password", "/docs/account#forgotten-password"],
  ["lost password", "/docs/account#forgotten-password"],
  ["404 page", "/docs/domains#your-own-404-page"],
])("%s leads first to %s", (query, expected) => {
  expect(find(index, query)[0]?.id).toBe(expected);
});

test("every guide of the repository is a page", () => {
  const guides = readdirSync(GUIDES_FOLDER).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect([...pages.keys()].toSorted()).toEqual(
    ["/docs", "/docs/api", ...guides.map((name) => `/docs/${basename(name, ".md")}`)].toSorted(),
  );
});

test("every error code has its place", () => {
  expect(idsOf(pages.get("/docs/errors") ?? "")).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
});

test("every operation has its place", () => {
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((one) => one.operationId));
  expect(idsOf(pages.get("/docs/api") ?? "")).toEqual(expect.arrayContaining(ids));
});

test("all diagrams have a title, a description and the same style", () => {
  const folder = join(GUIDES_FOLDER, "diagrams");
  for (const name of readdirSync(folder)) {
    const svg = readFileSync(join(folder, name), "utf8");
    expect(svg).toMatch(/<title id=.+<desc id=/s);
    expect([name, `.diagram {${/<style>(.*?)<\/style>/s.exec(svg)?.[1]}}\n`]).toEqual([name, diagramStyle()]);
  }
});

function attributes(page: string, name: string): string[] {
  return [...page.matchAll(new RegExp(`<[^>]* (?:${name})="([^"]*)"`, "g"))].map(([, value = ""]) => value);
}

function idsOf(page: string): string[] {
  return [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id);
}
