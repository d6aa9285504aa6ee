/** The parts of an OpenAPI 3.1 document that this service uses: written by `openapi.ts`, read by the reference. */

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
