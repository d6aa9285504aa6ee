/** The reference pages: that every link leads somewhere, and that nothing in them needs more than their policy allows. */
import { describe, expect, test } from "vitest";

import { openApiDocument } from "../../src/api/openapi.ts";
import { v1 } from "../../src/api/v1.ts";
import { curl } from "../../src/cli/docs/curl.ts";
import { html, prose } from "../../src/cli/docs/html.ts";
import { errorsPage, referencePage } from "../../src/cli/docs/pages.ts";
import { streamingPage } from "../../src/cli/docs/streaming.ts";
import { ERRORS } from "../../src/core/errors.ts";

const document = openApiDocument(v1);
const errors = Object.entries(ERRORS).map(([code, error]) => ({ code, ...error }));
const pages: Record<string, string> = {
  "/docs": referencePage(document),
  "/docs/errors": errorsPage(document, errors),
  "/docs/streaming": streamingPage(),
};
const FILES = ["/openapi.json", "/docs/docs.css", "/docs/favicon.svg"];

describe.each(Object.entries(pages))("%s", (path, page) => {
  test("names each place once", () => {
    expect(idsOf(page)).toEqual([...new Set(idsOf(page))]);
  });

  test("has only links that lead somewhere", () => {
    const links = [...page.matchAll(/ href="([^"]*)"/g)].map(([, to = ""]) => to);
    expect(links.filter((to) => !leadsSomewhere(to, path))).toEqual([]);
  });

  test("has no scripts, no styles of its own and nothing from other hosts", () => {
    expect(page).not.toMatch(/<script|<style| style=| on\w+=| (src|href)="(https?:|\/\/)/i);
  });
});

test("every error code has its place", () => {
  expect(idsOf(pages["/docs/errors"] ?? "")).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
});

test("every operation has its place", () => {
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((one) => one.operationId));
  expect(idsOf(pages["/docs"] ?? "")).toEqual(expect.arrayContaining(ids));
});

test("whatever goes into a template is escaped", () => {
  const text = `<b title="a" lang='b'>&`;
  expect(html`<p title="${text}">${[text]}</p>`.toString()).not.toMatch(/<b|lang='|&(?!#\d+;)/);
  expect(html`${prose("a `<i>` b")}`.toString()).toBe("a <code>&#60;i&#62;</code> b");
});

test("an example request can be pasted into a shell", () => {
  const operation = document.paths["/v1/links"]?.post;
  if (!operation) throw new Error("createLink is missing");
  const requestBody = {
    required: true,
    content: { "application/json": { schema: {}, example: { url: "it's" } } },
  } as const;
  expect(curl({ ...operation, method: "post", path: "/v1/links", requestBody }, [])).toBe(
    String.raw`curl -X POST "$BASE/v1/links" \
  -H "Authorization: Bearer $KEY" \
  -H "Content-Type: application/json" \
  -d '{"url":"it'\''s"}'`,
  );
});

function idsOf(page: string): string[] {
  return [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id);
}

function leadsSomewhere(to: string, from: string): boolean {
  const [path = "", id] = to.split("#");
  if (FILES.includes(path)) return true;
  const page = pages[path || from];
  return page !== undefined && (id === undefined || idsOf(page).includes(id));
}
