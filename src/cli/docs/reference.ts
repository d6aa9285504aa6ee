/** The API reference as Markdown, generated only from the OpenAPI document. Samples and forms are inserted as HTML. */
import { html } from "hono/html";

import {
  componentName,
  type Components,
  FILE_TYPE,
  type JsonSchema,
  type OpenApiDocument,
  type Parameter,
  type Reference,
  type ResponseObject,
} from "../../api/openapi/openapi-document.ts";
import { type Page, renderPage } from "./markdown.ts";
import { type PathOperation, samples } from "./samples.ts";

const EXAMPLES = `## Examples

The examples read your API key from the environment variable \`KEY\`. TypeScript examples use the package \`hoplink\`. CLI
examples use the key that \`hoplink login\` stored. To send a request from this page, select "Try it" and enter a key. The API
is also available as an [OpenAPI 3.1 document](/openapi.json), and its live stream as an
[AsyncAPI 3.0 document](/asyncapi.json).`;

export async function referencePage(document: OpenApiDocument): Promise<Page> {
  const { info, tags, components } = document;
  const operations = operationsOf(document);
  const inserts = operations.map(
    async (each): Promise<[string, string]> => [each.operationId, (await samples(each)) + tryItForm(each)],
  );
  const markdown = [
    "# API reference",
    info.description,
    EXAMPLES,
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      ...operations.filter((each) => each.tags.includes(name)).map((each) => operationText(each, components)),
    ]),
    "## Objects",
    ...Object.entries(components.schemas).map(([name, schema]) => schemaText(name, schema)),
  ];
  return renderPage(markdown.join("\n\n"), Object.fromEntries(await Promise.all(inserts)));
}

/** Includes the parameters that the document defines in its components. */
export function operationsOf({ paths, components }: OpenApiDocument): PathOperation[] {
  const resolved = (each: Parameter | Reference) => {
    const found = "$ref" in each ? components.parameters[componentName(each)] : each;
    if (!found) throw new Error(`${JSON.stringify(each)} does not exist`);
    return found;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters?.map(resolved) ?? [],
    })),
  );
}

export function errorCodesOf(response: ResponseObject | undefined): string[] {
  return Object.keys(response?.content?.["application/json"]?.examples ?? {});
}

function operationText(operation: PathOperation, components: Components): string {
  const { operationId, summary, method, path, parameters, description, requestBody, responses } = operation;
  const inPlace = (place: Parameter["in"]) => parameters.filter((one) => one.in === place);
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => {
    const body = (schema.$ref && components.schemas[componentName({ $ref: schema.$ref })]) || schema;
    return `${body.description ?? ""}\n\n${fieldTable("Body field", fieldsOf(body))}`;
  });
  return [
    `### ${summary} {#${operationId}}`,
    `**${method}** \`${path}\``,
    description,
    fieldTable("Path parameter", inPlace("path")),
    fieldTable("Query parameter", inPlace("query")),
    fieldTable("Header", inPlace("header")),
    ...bodies,
    `<!-- ${operationId} -->`,
    ...Object.entries(responses).map(([status, response]) => successText(status, response)),
    `Errors:\n\n${Object.entries(responses).map(errorsText).join("")}`,
  ].join("\n\n");
}

/**
 * The form that `client/try-it.ts` sends. Optional fields are empty, so that an untouched form sends a minimal request.
 */
function tryItForm({ method, path, parameters, requestBody }: PathOperation): string {
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {});
  // A browser would send the text of the form instead of a file.
  if (type === FILE_TYPE) return "";
  const text = JSON.stringify(body?.example ?? {}, null, 2);
  const rows = Math.min(text.split("\n").length, 20);
  const inputs = parameters.map(({ name, in: place, required, example }) => {
    const value = required && place !== "path" ? String(example) : "";
    const input = html`<input name="${place}.${name}" value="${value}" ${required && "required"} />`;
    return html`<label>${name}${required ? "" : " (optional)"} ${input}</label>`;
  });
  const note =
    method === "GET"
      ? "Your browser sends the request to this service."
      : "This request can change data of the key's account. To protect live links, use a test key.";
  return String(html`<details class="try-it" hidden>
    <summary>Try it</summary>
    <form data-method="${method}" data-path="${path}" data-type="${type}" autocomplete="off" spellcheck="false">
      <label>API key <input name="key" type="password" placeholder="svc_test_…" required /></label>
      ${inputs} ${body && html`<label>Body <textarea name="body" rows="${rows}" required>${text}</textarea></label>`}
      <p>${note}</p>
      <button type="submit" disabled>Send</button> <button type="button" hidden>Stop</button>
      <div class="response" role="status"></div>
    </form>
  </details>`);
}

function successText(status: string, { description, headers, content = {} }: ResponseObject): string {
  if (Number(status) >= 400) return "";
  const bodies = Object.values(content);
  const objects = bodies.flatMap(({ schema }) => (schema.$ref ? [`Body: ${typeOf(schema)}.`] : []));
  const names = Object.keys(headers).map((name) => `\`${name}\``);
  const examples = bodies.flatMap(({ example }) => {
    if (example === undefined) return [];
    return typeof example === "string" ? block("text", example) : block("json", JSON.stringify(example, null, 2));
  });
  return [`**${status}** ${description} ${objects.join(" ")} Headers: ${names.join(", ")}.`, ...examples].join("\n\n");
}

function block(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

function errorsText([status, response]: [string, ResponseObject]): string {
  const links = errorCodesOf(response).map((code) => `[\`${code}\`](/docs/errors#${code})`);
  return links.length === 0 ? "" : `- ${status} ${links.join(", ")}\n`;
}

function schemaText(name: string, schema: JsonSchema): string {
  const fields = fieldsOf(schema);
  const body = fields.length > 0 ? fieldTable("Field", fields) : typeOf(schema);
  return `### ${name} {#schema-${name}}\n\n${schema.description ?? ""}\n\n${body}`;
}

interface Field {
  name: string;
  required: boolean;
  schema: JsonSchema;
  description?: string | undefined;
}

/** The fields of an object, including those of unnamed objects inside it and of all alternatives, with dotted names. */
function fieldsOf({ properties = {}, required = [] }: JsonSchema, prefix = ""): Field[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = prefix + key;
    const [inner, mark] = schema.type === "array" && schema.items ? [schema.items, "[]"] : [schema, ""];
    const below = [inner, ...(inner.anyOf ?? [])].flatMap((branch) => fieldsOf(branch, `${name}${mark}.`));
    return [{ name, required: required.includes(key), schema }, ...below];
  });
}

/** A table with types, limits and descriptions; empty without fields. */
function fieldTable(label: string, fields: readonly Field[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(({ name, required, schema, description = schema.description ?? "" }) => {
    const text = `_${typeOf(schema)}_ ${description} ${factsOf(schema).join(" ")}`;
    return `| \`${name}\`${required ? " _required_" : ""} | ${text.replaceAll("|", "\\|").replaceAll("\n", " ")} |`;
  });
  return [`| ${label} | Description |`, "|---|---|", ...rows].join("\n");
}

/** Named schemas become links. */
function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, items, type = "any" } = schema;
  if ($ref !== undefined) return `[${componentName({ $ref })}](#schema-${componentName({ $ref })})`;
  if (anyOf) return alternatives(anyOf);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(" ");
  if (items) return `list of ${items.anyOf ? `(${typeOf(items)})` : typeOf(items)}`;
  return schema.format === "date-time" ? "timestamp" : [type].flat().join(" or ");
}

/** The common union of a value and a list of such values has the value's schema once. */
function alternatives(branches: readonly JsonSchema[]): string {
  const [one = {}, many] = branches;
  const isOneOrMany = branches.length === 2 && JSON.stringify(many?.items) === JSON.stringify(one);
  return isOneOrMany ? `one or a list of: ${typeOf(one)}` : branches.map(typeOf).join(" or ");
}

function factsOf(schema: JsonSchema): string[] {
  const inner = schema.anyOf?.[0] ?? schema;
  const longest = schema.maxItems ?? schema.anyOf?.find(({ type }) => type === "array")?.maxItems;
  return [
    range(inner.minLength, inner.maxLength, " characters"),
    range(inner.minimum, inner.maximum, ""),
    longest === undefined ? "" : `At most ${longest} items.`,
    inner.pattern === undefined ? "" : `Pattern \`${inner.pattern}\`.`,
    schema.default === undefined ? "" : `Default \`${String(schema.default)}\`.`,
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}.`;
  if (most !== undefined) return `At most ${most}${unit}.`;
  return least === undefined ? "" : `At least ${least}${unit}.`;
}
