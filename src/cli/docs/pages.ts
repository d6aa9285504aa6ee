/**
 * The reference as static HTML, made of the OpenAPI document alone: no scripts, no styles in the pages, nothing from
 * other hosts. The Worker serves it under a policy that allows nothing else (`src/api/pages.ts`).
 */
import {
  type Answer,
  type Components,
  componentName,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Reference,
} from "../../api/openapi-document.ts";
import { curl } from "./curl.ts";
import { fieldsOf, fieldTable } from "./fields.ts";
import { html, joined, paragraphs, type Part, prose } from "./html.ts";

/** One row of the table of errors. */
export interface ErrorRow {
  code: string;
  status: number;
  when: string;
}

interface Described extends Operation {
  method: string;
  path: string;
}

export function referencePage(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const tagged = document.tags.map((tag) => ({
    ...tag,
    own: operations.filter(({ tags }) => tags.includes(tag.name)),
  }));
  const main = html`
    <h1>${document.info.title} API</h1>
    <div class="introduction">
      ${paragraphs(document.info.description)}
      <h2>The examples</h2>
      <p>
        In the examples <code>$BASE</code> stands for this service's address and <code>$KEY</code> for your key. The
        whole interface is also an <a href="/openapi.json">OpenAPI 3.1 document</a>.
      </p>
    </div>
    ${tagged.map(
      ({ name, description, own }) => html`
        <section aria-labelledby="${anchor(name)}">
          <h2 id="${anchor(name)}">${name}</h2>
          <p>${prose(description)}</p>
          ${own.map((each) => operationArticle(each, document.components))}
        </section>
      `,
    )}
    <section aria-labelledby="objects">
      <h2 id="objects">Objects</h2>
      ${Object.entries(document.components.schemas).map(([name, schema]) => schemaArticle(name, schema))}
    </section>
  `;
  const contents = tagged.map(
    ({ name, own }) => html`
      <p><a href="#${anchor(name)}">${name}</a></p>
      <ul>
        ${own.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}
      </ul>
    `,
  );
  return page("Hoplink API", "/docs", [contents, html`<p><a href="#objects">Objects</a></p>`], main);
}

export function errorsPage(document: OpenApiDocument, errors: readonly ErrorRow[]): string {
  const operations = operationsOf(document);
  const main = html`
    <h1>Errors</h1>
    <p>
      Every error of the API has the shape of the object <a href="/docs#schema-Error">Error</a>. Its
      <code>code</code> is one of these; its <code>doc_url</code> leads here.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        ${errors.map((error) => errorRow(error, operations))}
      </tbody>
    </table>
  `;
  return page("Errors · Hoplink API", "/docs/errors", null, main);
}

function errorRow({ code, status, when }: ErrorRow, operations: readonly Described[]): Part {
  const able = operations.filter(({ responses }) => code in examplesOf(responses[status]));
  const everywhere = able.length === operations.length;
  return html`<tr id="${code}">
    <th scope="row">
      <a href="#${code}"><code>${code}</code></a>
    </th>
    <td>${status}</td>
    <td>
      <p>${prose(when)}</p>
      ${everywhere && html`<p class="facts">Any operation.</p>`}
      ${!everywhere &&
      able.length > 0 &&
      html`<p class="facts">
        ${joined(
          able.map(({ operationId, summary }) => html`<a href="/docs#${operationId}">${summary}</a>`),
          ", ",
        )}.
      </p>`}
    </td>
  </tr>`;
}

function operationArticle(operation: Described, components: Components): Part {
  const { operationId, method, path, summary, description, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((each) => resolved(each, components));
  return html`
    <article id="${operationId}">
      <h3>${summary}</h3>
      <p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></p>
      ${paragraphs(description)}
      ${(["path", "query", "header"] as const).map((place) => parameterTable(place, parameters))}
      ${Object.values(requestBody?.content ?? {}).map(({ schema }) => bodyTable(schema, components))}
      <h4>Example</h4>
      <pre><code>${curl(operation, parameters)}</code></pre>
      ${Object.entries(operation.responses).map(([status, answer]) => successPart(status, answer))}
      ${errorList(operation, components)}
    </article>
  `;
}

const PLACES = { path: "Path parameter", query: "Query parameter", header: "Header" };

function parameterTable(place: keyof typeof PLACES, parameters: readonly Parameter[]): Part {
  const own = parameters.filter((parameter) => parameter.in === place);
  return own.length > 0 && fieldTable(PLACES[place], own);
}

function bodyTable(schema: JsonSchema, components: Components): Part {
  const name = schema.$ref === undefined ? undefined : componentName({ $ref: schema.$ref });
  const body = (name !== undefined && components.schemas[name]) || schema;
  return [body.description !== undefined && paragraphs(body.description), fieldTable("Body field", fieldsOf(body))];
}

function successPart(status: string, { description, headers, content = {} }: Answer): Part {
  if (Number(status) >= 400) return null;
  const names = Object.keys(headers).map((name) => html`<code>${name}</code>`);
  const bodies = Object.values(content);
  return html`
    <p>
      <strong>${status}</strong> ${prose(description)} ${bodies.map(({ schema }) => objectLink(schema))}
      <span class="facts">With ${joined(names, ", ")}.</span>
    </p>
    ${bodies.map(({ example }) => example !== undefined && html`<pre><code>${exampleText(example)}</code></pre>`)}
  `;
}

function objectLink({ $ref }: JsonSchema): Part {
  if ($ref === undefined) return null;
  const name = componentName({ $ref });
  return html`Object <a href="#schema-${name}">${name}</a>.`;
}

function exampleText(example: unknown): string {
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

function errorList({ responses }: Operation, components: Components): Part {
  const rows = Object.entries(responses).flatMap(([status, answer]) =>
    Object.keys(examplesOf(answer)).map((code) => ({ status, code, when: components.examples[code]?.summary ?? "" })),
  );
  return html`<details>
    <summary>${rows.length} errors</summary>
    <ul>
      ${rows.map(
        ({ status, code, when }) =>
          html`<li>
            ${status} <a href="/docs/errors#${code}"><code>${code}</code></a> ${prose(when)}
          </li>`,
      )}
    </ul>
  </details>`;
}

function schemaArticle(name: string, schema: JsonSchema): Part {
  return html`<article id="schema-${name}">
    <h3>${name}</h3>
    ${schema.description !== undefined && paragraphs(schema.description)} ${fieldTable("Field", fieldsOf(schema))}
  </article>`;
}

function operationsOf({ paths }: OpenApiDocument): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
}

function examplesOf(answer: Answer | undefined): Record<string, Reference> {
  return answer?.content?.["application/json"]?.examples ?? {};
}

function resolved(parameter: Parameter | Reference, { parameters }: Components): Parameter {
  if (!("$ref" in parameter)) return parameter;
  const found = parameters[componentName(parameter)];
  if (!found) throw new Error(`${parameter.$ref} leads nowhere`);
  return found;
}

/** Long paths may break after each slash. */
function breakable(path: string): Part {
  return joined(path.split("/"), html`/<wbr />`);
}

function anchor(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

export function page(title: string, path: string, contents: Part, main: Part): string {
  const entry = (to: string, text: string) =>
    html`<a href="${to}" ${to === path && html`aria-current="page"`}>${text}</a>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" type="image/svg+xml" href="/docs/favicon.svg" />
        <link rel="stylesheet" href="/docs/docs.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <nav aria-label="Documentation">
            ${entry("/docs", "Reference")} ${entry("/docs/streaming", "Streaming")} ${entry("/docs/errors", "Errors")}
            <a href="/openapi.json">OpenAPI</a>
          </nav>
        </header>
        <div class="columns">
          ${contents !== null && html`<nav class="contents" aria-label="Contents">${contents}</nav>`}
          <main id="content" tabindex="-1">${main}</main>
        </div>
      </body>
    </html> `.toString();
}
