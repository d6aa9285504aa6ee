/**
 * `npm run types`, which `npm ci` runs: writes the types that git does not keep. Those of the bindings follow from
 * `wrangler.toml`, those of the client from the OpenAPI document.
 */
import { writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join, resolve } from "node:path";

import { Command } from "@commander-js/extra-typings";

import type { JsonSchema, OpenApiDocument, Parameter, Reference } from "../api/openapi/openapi-document.ts";
import { ERRORS } from "../core/errors.ts";
import { runCommand } from "./command.ts";
import { runWrangler } from "./wrangler.ts";

const SRC = resolve(import.meta.dirname, "..");
const BINDING_OPTIONS = ["--include-runtime=false", "--strict-vars=false"];
const command = () => new Command("npm run types").description("Write the generated types that are not committed.");
/** Secrets of `.env` files are not bindings of every deployment. */
const NO_SECRETS = ["--env-file", devNull];
const HEADER = "// Written by `npm run types`: schemas, and the queries of operations.\n";

/** A type for each schema, and the query of each operation. Limits and patterns are not expressed as types. */
function clientTypes({ paths, components }: OpenApiDocument): string {
  const schemas: Record<string, JsonSchema> = { ...components.schemas, ErrorCode: { enum: Object.keys(ERRORS) } };
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const queries = operations.map(({ operationId, parameters = [] }) =>
    member(operationId, queryType(parameters), true),
  );
  return `${[HEADER, ...types].join("\n")}\nexport interface Queries ${block(queries)}\n`;
}

function queryType(parameters: readonly (Parameter | Reference)[]): string {
  const query = parameters.flatMap((each) => ("in" in each && each.in === "query" ? [each] : []));
  return block(
    query.map(({ name, schema, required, description }) => member(name, typeOf(schema), required, description)),
  );
}

function typeOf(schema: JsonSchema): string {
  const { $ref, type, anyOf, items, properties, additionalProperties } = schema;
  if ($ref) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (anyOf) return union(anyOf.map(typeOf));
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === "array" && items) return listOf(typeOf(items));
  if (properties) return objectType(properties, new Set(schema.required));
  if (typeof additionalProperties === "object") return `{ [name: string]: ${typeOf(additionalProperties)} }`;
  if (type === "integer" || type === "number") return "number";
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (Object.keys(schema).length === 0) return "unknown";
  throw new Error(`Client types: the schema ${JSON.stringify(schema)} is not supported`);
}

function objectType(properties: Record<string, JsonSchema>, required: ReadonlySet<string>): string {
  return block(
    Object.entries(properties).map(([name, schema]) =>
      member(name, typeOf(schema), required.has(name), schema.description),
    ),
  );
}

function listOf(type: string): string {
  return type.includes(" | ") ? `(${type})[]` : `${type}[]`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function member(name: string, type: string, isRequired: boolean, description?: string): string {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  return `${comment(description)}${key}${isRequired ? "" : "?"}: ${type};`;
}

function block(members: readonly string[]): string {
  if (members.length === 0) return "Record<string, never>";
  return `{\n${members.join("\n").replaceAll(/^/gm, "  ")}\n}`;
}

function comment(description: string | undefined): string {
  return description ? `/** ${description} */\n` : "";
}

await runCommand(command, async () => {
  const bindings = runWrangler(["types", join(SRC, "env.d.ts"), ...BINDING_OPTIONS, ...NO_SECRETS]);
  const { openApiDocument } = await import("../api/openapi/openapi.ts");
  const { v1Routes } = await import("../api/urls.ts");
  await Promise.all([bindings, writeFile(join(SRC, "client/api-types.ts"), clientTypes(openApiDocument(v1Routes)))]);
});
