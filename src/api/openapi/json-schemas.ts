/**
 * JSON Schemas of the contract. Requests are closed: unknown members are refused. Responses are open, since v1 may add
 * members and codes, and a generated client must not refuse them. A schema used by both therefore becomes two
 * components, `Name` and `NameInput`.
 */
import * as z from "zod";

import type { Components, JsonSchema, OpenApiDocument } from "./openapi-document.ts";

export type SchemaUse = "parameter" | "request" | "response";

const INPUT_SUFFIX = "Input";

/** The JSON Schema of a zod schema; its named parts move to the components. */
export function jsonSchema(schema: z.ZodType, use: SchemaUse, { schemas }: Pick<Components, "schemas">): JsonSchema {
  const made = schemaWithDefinitions(schema, use);
  const suffix = use === "response" ? "" : INPUT_SUFFIX;
  const text = JSON.stringify(made).replaceAll(/"#\/\$defs\/(\w+)"/g, `"#/components/schemas/$1${suffix}"`);
  const { $schema: _, $defs = {}, ...own } = JSON.parse(text) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  for (const [name, definition] of Object.entries($defs)) {
    const known = (schemas[name + suffix] ??= definition);
    if (JSON.stringify(known) !== JSON.stringify(definition)) throw new Error(`${name} is not the same everywhere`);
  }
  return own;
}

/** The JSON Schema of a zod schema, with its named parts inlined as definitions. */
export function schemaWithDefinitions(schema: z.ZodType, use: SchemaUse) {
  return z.toJSONSchema(schema, {
    io: use === "response" ? "output" : "input",
    override: ({ zodSchema, jsonSchema: each }) => adapt(zodSchema, each, use),
  });
}

/** Removes the suffix from names that no response uses. */
export function withShortNames(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const shortNames = Object.keys(schemas).flatMap((name): [string, string][] => {
    const short = name.endsWith(INPUT_SUFFIX) ? name.slice(0, -INPUT_SUFFIX.length) : name;
    return short === name || short in schemas ? [] : [[name, short]];
  });
  let text = JSON.stringify(document);
  for (const [name, short] of shortNames) {
    text = text
      .replaceAll(`"#/components/schemas/${name}"`, `"#/components/schemas/${short}"`)
      .replace(`"${name}":{`, `"${short}":{`);
  }
  return JSON.parse(text) as OpenApiDocument;
}

function adapt(source: z.core.$ZodTypes, schema: z.core.JSONSchema.BaseSchema, use: SchemaUse): void {
  keepDefault(source, schema);
  dropRedundantKeywords(schema);
  if (use === "response") leaveOpen(schema);
  if (use === "request") describeDefault(schema);
}

/**
 * Restores the default and examples of an input that is parsed from text. Zod omits them, since they are values, not
 * texts.
 */
function keepDefault(source: z.core.$ZodTypes, schema: z.core.JSONSchema.BaseSchema): void {
  if (source._zod.def.type !== "default") return;
  schema.default ??= source._zod.def.defaultValue;
  const examples = z.globalRegistry.get(source)?.["examples"];
  if (Array.isArray(examples)) schema.examples ??= examples;
}

/** Drops keywords that zod adds and readers do not need: the pattern of a named format, the bounds of safe integers. */
function dropRedundantKeywords(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Allows unknown members and values: `x-extensible-enum` lists the current values, to which more may be added. */
function leaveOpen(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema["x-extensible-enum"] !== undefined) delete schema.enum;
}

/** Moves a default to the description: generators require a member with a default, even from callers. */
function describeDefault(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.default === undefined) return;
  const words = `Defaults to \`${String(schema.default)}\`.`;
  schema.description = schema.description === undefined ? words : `${schema.description} ${words}`;
  delete schema.default;
}
