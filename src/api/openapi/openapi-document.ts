/** The parts of an OpenAPI 3.1 document that this service uses: written by `openapi.ts`, read by the reference. */
import * as z from "zod";

/** The media type of a body that is a file. */
export const FILE_TYPE = "image/*";

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: Record<string, string> };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  components: Components;
}

export const METHODS = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

export interface Components {
  securitySchemes: Record<string, { type: "http"; scheme: "bearer"; description: string }>;
  schemas: Record<string, JsonSchema>;
  parameters: Record<string, Parameter>;
  headers: Record<string, Header>;
  examples: Record<string, { summary: string; value: unknown }>;
}

export interface Reference {
  $ref: string;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  "x-required-scope"?: string | undefined;
  security: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[] | undefined;
  requestBody?: { required: true; content: Content } | undefined;
  responses: Record<string, ResponseObject>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export type Header = Pick<Parameter, "description" | "schema" | "example">;

export interface ResponseObject {
  description: string;
  headers: Record<string, Reference>;
  content?: Content | undefined;
}

export type Content = Record<string, MediaType>;

interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Reference>;
}

/** JSON Schema 2020-12: the keywords that are read or written by hand. */
export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  "x-extensible-enum"?: unknown[];
}

/** The last part of a reference: the component's name. */
export function componentName({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

export type SchemaUse = "parameter" | "request" | "response";

const INPUT_SUFFIX = "Input";

/**
 * The JSON Schema of a zod schema; its named parts move to the components. Requests are closed: unknown members are
 * refused. Responses are open, since v1 may add members and codes, and a generated client must not refuse them. A schema
 * used by both therefore becomes two components, `Name` and `NameInput`.
 */
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
