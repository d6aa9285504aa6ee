/** The API reference, generated from the OpenAPI document alone. */
import {
  componentName,
  type Components,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Reference,
  type ResponseObject,
} from "../../api/openapi/openapi-document.ts";
import { fieldsOf, fieldTable } from "./fields.ts";
import { highlighted } from "./highlight.ts";
import { html, type HtmlPart, joined, paragraphs, prose } from "./html.ts";
import { type ContentsEntry, type DocsPage, headingLink, type Section } from "./page.ts";
import type { PathOperation } from "./samples/sample-request.ts";
import { samples } from "./samples/samples.ts";

export function referencePage(document: OpenApiDocument): DocsPage {
  const operations = operationsOf(document);
  const tagged = document.tags.map((tag) => ({
    ...tag,
    own: operations.filter(({ tags }) => tags.includes(tag.name)),
  }));
  const opening = introduction(document.info.description);
  const main = html`
    <h1>${document.info.title} API</h1>
    <div class="introduction">
      ${opening.main}
      <h2 id="the-examples">${headingLink("the-examples", "The examples")}</h2>
      <p>
        The examples take your key from the environment variable <code>KEY</code>. Those in TypeScript use the package
        <code>hoplink</code>, those of the command line take the key of <code>hoplink login</code>. "Try it" sends a
        request from this page with a key that you enter. The whole interface is also an
        <a href="/openapi.json">OpenAPI 3.1 document</a>, its live stream an
        <a href="/asyncapi.json">AsyncAPI 3.0 document</a>.
      </p>
    </div>
    ${tagged.map(
      ({ name, description, own }) => html`
        <section aria-labelledby="${anchorOf(name)}">
          <h2 id="${anchorOf(name)}">${headingLink(anchorOf(name), name)}</h2>
          <p>${prose(description)}</p>
          ${own.map((each) => operationArticle(each, document.components))}
        </section>
      `,
    )}
    <section aria-labelledby="objects">
      <h2 id="objects">${headingLink("objects", "Objects")}</h2>
      ${Object.entries(document.components.schemas).map(([name, schema]) => schemaArticle(name, schema))}
    </section>
  `;
  return {
    path: "/docs",
    title: "API reference",
    description: document.info.summary,
    contents: [
      ...opening.contents,
      ...tagged.map(({ name, own }) => ({
        id: anchorOf(name),
        text: name,
        below: own.map(({ operationId, summary }) => ({ id: operationId, text: summary, below: [] })),
      })),
      { id: "objects", text: "Objects", below: [] },
    ],
    main,
    sections: [
      ...opening.sections,
      ...operations.map(operationSection),
      ...Object.entries(document.components.schemas).map(schemaSection),
    ],
  };
}

function operationSection({ operationId, summary, method, path, description }: PathOperation): Section {
  return { anchor: operationId, heading: summary, text: `${operationId} ${method} ${path} ${description}` };
}

function schemaSection([name, schema]: [string, JsonSchema]): Section {
  const fields = fieldsOf(schema).map((field) => field.name);
  return { anchor: `schema-${name}`, heading: name, text: [schema.description ?? "", ...fields].join(" ") };
}

function operationArticle(operation: PathOperation, components: Components): HtmlPart {
  const { operationId, method, path, summary, description, requestBody } = operation;
  const parameters = parametersOf(operation, components);
  return html`
    <article id="${operationId}" data-operation="${method} ${path}">
      <h3>${headingLink(operationId, summary)}</h3>
      <p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></p>
      ${paragraphs(description)}
      ${(["path", "query", "header"] as const).map((place) => parameterTable(place, parameters))}
      ${Object.values(requestBody?.content ?? {}).map(({ schema }) => bodyTable(schema, components))}
      <h4>Example</h4>
      ${samples(operation, parameters)}
      ${Object.entries(operation.responses).map(([status, answer]) => successPart(status, answer))}
      ${errorList(operation, components)}
    </article>
  `;
}

const PLACES = { path: "Path parameter", query: "Query parameter", header: "Header" };

function parameterTable(place: keyof typeof PLACES, parameters: readonly Parameter[]): HtmlPart {
  const own = parameters.filter((parameter) => parameter.in === place);
  return own.length > 0 && fieldTable(PLACES[place], own);
}

function bodyTable(schema: JsonSchema, components: Components): HtmlPart {
  const name = schema.$ref === undefined ? undefined : componentName({ $ref: schema.$ref });
  const body = (name !== undefined && components.schemas[name]) || schema;
  return [body.description !== undefined && paragraphs(body.description), fieldTable("Body field", fieldsOf(body))];
}

function successPart(status: string, { description, headers, content = {} }: ResponseObject): HtmlPart {
  if (Number(status) >= 400) return null;
  const names = Object.keys(headers).map((name) => html`<code>${name}</code>`);
  const bodies = Object.values(content);
  return html`
    <p>
      <strong>${status}</strong> ${prose(description)} ${bodies.map(({ schema }) => objectLink(schema))}
      <span class="facts">With ${joined(names, ", ")}.</span>
    </p>
    ${bodies.map(({ example }) => example !== undefined && html`<pre><code>${exampleCode(example)}</code></pre>`)}
  `;
}

function objectLink({ $ref }: JsonSchema): HtmlPart {
  if ($ref === undefined) return null;
  const name = componentName({ $ref });
  return html`Object <a href="#schema-${name}">${name}</a>.`;
}

function exampleCode(example: unknown): HtmlPart {
  return typeof example === "string" ? example : highlighted(JSON.stringify(example, null, 2), "json");
}

function errorList({ responses }: Operation, components: Components): HtmlPart {
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

function schemaArticle(name: string, schema: JsonSchema): HtmlPart {
  return html`<article id="schema-${name}">
    <h3>${headingLink(`schema-${name}`, name)}</h3>
    ${schema.description !== undefined && paragraphs(schema.description)} ${fieldTable("Field", fieldsOf(schema))}
  </article>`;
}

export function operationsOf({ paths }: OpenApiDocument): PathOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
}

export function examplesOf(answer: ResponseObject | undefined): Record<string, Reference> {
  return answer?.content?.["application/json"]?.examples ?? {};
}

/** @internal */
export function parametersOf({ parameters = [] }: Operation, components: Components): Parameter[] {
  return parameters.map((each) => resolved(each, components));
}

function resolved(parameter: Parameter | Reference, { parameters }: Components): Parameter {
  if (!("$ref" in parameter)) return parameter;
  const found = parameters[componentName(parameter)];
  if (!found) throw new Error(`${parameter.$ref} leads nowhere`);
  return found;
}

/** Long paths may break after each slash. */
function breakable(path: string): HtmlPart {
  return joined(path.split("/"), html`/<wbr />`);
}

interface Introduction {
  main: HtmlPart;
  contents: ContentsEntry[];
  sections: Section[];
}

/** The description in the OpenAPI document, with an anchor for each heading. @param description  paragraphs; headings begin with `## ` */
function introduction(description: string): Introduction {
  const [opening = "", ...rest] = description.split("\n\n## ");
  const chapters = rest.map((chapter) => {
    const [title = "", ...blocks] = chapter.split("\n\n");
    return { id: anchorOf(title), title, text: blocks.join("\n\n") };
  });
  return {
    main: html`
      ${paragraphs(opening)}
      ${chapters.map(
        ({ id, title, text }) => html`
          <h2 id="${id}">${headingLink(id, title)}</h2>
          ${paragraphs(text)}
        `,
      )}
    `,
    contents: chapters.map(({ id, title }) => ({ id, text: title, below: [] })),
    sections: chapters.map(({ id, title, text }) => ({ anchor: id, heading: title, text })),
  };
}

function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}
