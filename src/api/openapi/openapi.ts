/**
 * Generates the OpenAPI 3.1 document from the routes: the documentation of their middleware (route-doc.ts), the schemas
 * of the contract and the table of errors. A route without id, tag, summary or success fails the build.
 * Never imported by the Worker: the build writes the document to a file, and the Worker serves that.
 */
import type { Hono } from "hono";
import type { z } from "zod";

import { ErrorBody, ProblemBody } from "../../core/contract/errors.ts";
import { type ErrorCode, ERRORS } from "../../core/errors.ts";
import { SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { PROBLEM_TYPE } from "../../core/http/requests.ts";
import type { ApiEnv } from "../context.ts";
import {
  type Components,
  type Content,
  FILE_TYPE,
  jsonSchema,
  type JsonSchema,
  METHODS,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Reference,
  type ResponseObject,
  type SchemaUse,
  withShortNames,
} from "./openapi-document.ts";
import { routeDocOf, type RouteDoc } from "./route-doc.ts";
import {
  type DocumentedHeader,
  HEADER_DOCS,
  INTRODUCTION,
  SECURITY_DESCRIPTION,
  SUMMARY,
  TAGS,
} from "./openapi-text.ts";

const API_VERSION = "1.0.0";
const API_PREFIX = "/v1";
const SECURITY_SCHEME = "apiKey";
const JSON_TYPE = "application/json";

/** Errors that every request can cause. */
const COMMON_ERRORS: readonly ErrorCode[] = ["https_required", "internal_error", "unavailable"];

const STATUS_HEADERS: Partial<Record<number, DocumentedHeader[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  415: ["Accept-Encoding"],
  429: ["RateLimit", "RateLimit-Policy", "Retry-After"],
  503: ["Retry-After"],
};

/**
 * @param app  the routes below `/v1`
 * @param serverUrl  absolute, or relative to where the document is served
 */
export function openApiDocument(app: Hono<ApiEnv>, serverUrl = "/"): OpenApiDocument {
  const components: Components = {
    securitySchemes: { [SECURITY_SCHEME]: { type: "http", scheme: "bearer", description: SECURITY_DESCRIPTION } },
    schemas: {},
    parameters: {},
    headers: {},
    examples: {},
  };
  const paths = pathsOf(app, components);
  const used = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)));
  return withShortNames({
    openapi: "3.1.0",
    info: {
      title: "Hoplink",
      version: API_VERSION,
      summary: SUMMARY,
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths,
    components,
  });
}

/** Hono lists one entry for each handler of a route; their documentation is merged. */
function pathsOf(app: Hono<ApiEnv>, components: Components): OpenApiDocument["paths"] {
  const docs = new Map<string, RouteDoc>();
  for (const { method, path, handler } of app.routes) {
    const route = `${method} ${path}`;
    docs.set(route, mergeDocs(docs.get(route) ?? {}, routeDocOf(handler) ?? {}));
  }
  const paths: OpenApiDocument["paths"] = {};
  for (const [route, doc] of docs) {
    const [name = "", path = ""] = route.split(" ");
    const method = METHODS.find((known) => known === name.toLowerCase());
    if (!method) throw new Error(`${route}: this method is not described`);
    const template = API_PREFIX + path.replace(/:(\w+)/g, "{$1}");
    paths[template] = { ...paths[template], [method]: operation(path, doc, components) };
  }
  return paths;
}

function mergeDocs(one: RouteDoc, other: RouteDoc): RouteDoc {
  return {
    ...one,
    ...other,
    params: { ...one.params, ...other.params },
    requestHeaders: [...(one.requestHeaders ?? []), ...(other.requestHeaders ?? [])],
    errors: [...(one.errors ?? []), ...(other.errors ?? [])],
  };
}

function operation(path: string, doc: RouteDoc, components: Components): Operation {
  const { id, tag, summary, description, scope, ok } = doc;
  if (!id || !tag || !summary || !ok)
    throw new Error(`${path}: a route must describe its id, tag, summary and success`);
  const parameters = [
    ...pathParameters(path, doc, components),
    ...queryParameters(doc, components),
    ...headerParameters(doc, components),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, scope && `Scope: \`${scope}\`.`].filter(Boolean).join("\n\n"),
    "x-required-scope": scope,
    security: [{ [SECURITY_SCHEME]: scope ? [scope] : [] }],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: requestBody(doc, components),
    responses: {
      [ok.status]: successResponse(ok, components),
      ...(doc.requestHeaders?.includes("If-None-Match") && {
        304: { description: "The link has not changed.", headers: headers(["ETag"], components) },
      }),
      ...errorResponses(doc, components),
    },
  };
}

function requestBody({ body, file }: RouteDoc, components: Components): Operation["requestBody"] {
  if (file !== undefined)
    return {
      required: true,
      content: { [FILE_TYPE]: { schema: { type: "string", format: "binary", description: file } } },
    };
  return body && { required: true, content: content(body, "request", components) };
}

function pathParameters(path: string, { params = {} }: RouteDoc, components: Components): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const schema = params[name];
    if (!schema) throw new Error(`${path}: the parameter ${name} is not described`);
    return parameter("path", name, true, jsonSchema(schema, "parameter", components));
  });
}

function queryParameters({ query }: RouteDoc, components: Components): Parameter[] {
  const { properties = {}, required = [] } = query ? jsonSchema(query, "parameter", components) : {};
  return Object.entries(properties).map(([name, schema]) => parameter("query", name, required.includes(name), schema));
}

function parameter(where: "path" | "query", name: string, required: boolean, described: JsonSchema): Parameter {
  const { description, examples, ...schema } = described;
  if (!description) throw new Error(`The parameter ${name} has no description`);
  return { name, in: where, required, description, schema, ...(examples ? { example: examples[0] } : {}) };
}

function headerParameters({ requestHeaders = [], body }: RouteDoc, components: Components): Reference[] {
  const names: DocumentedHeader[] = [...requestHeaders, ...(body ? (["Content-Encoding"] as const) : [])];
  return names.map((name) => {
    components.parameters[name] ??= { name, in: "header", required: false, ...HEADER_DOCS[name] };
    return { $ref: `#/components/parameters/${name}` };
  });
}

function successResponse(ok: NonNullable<RouteDoc["ok"]>, components: Components): ResponseObject {
  return {
    description: ok.description,
    headers: headers(
      ["RateLimit-Policy", ...(ok.status === 201 ? (["Location"] as const) : []), ...(ok.headers ?? [])],
      components,
    ),
    content:
      ok.schema &&
      Object.assign(
        content(ok.schema, "response", components, ok.contentType),
        ...Object.entries(ok.alternatives ?? {}).map(([contentType, schema]) =>
          content(schema, "response", components, contentType),
        ),
      ),
  };
}

function content(schema: z.ZodType, use: SchemaUse, components: Components, contentType = JSON_TYPE): Content {
  return { [contentType]: { schema: jsonSchema(schema, use, components), example: exampleOf(schema) } };
}

function exampleOf(schema: z.ZodType): unknown {
  const examples = schema.meta()?.["examples"];
  return Array.isArray(examples) ? examples[0] : undefined;
}

/** The errors of a route by status, each code with an example. */
function errorResponses({ errors = [] }: RouteDoc, components: Components): Record<string, ResponseObject> {
  const listed = new Set([...errors, ...COMMON_ERRORS]);
  // Object.keys does not preserve the types of a literal's keys.
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => listed.has(code));
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries([...byStatus].map(([status, alike]) => [status, errorResponse(status, alike, components)]));
}

function errorResponse(status: number, codes: ErrorCode[], components: Components): ResponseObject {
  const examples = codes.map((code): [string, Reference] => {
    const { when } = ERRORS[code];
    const request_id = HEADER_DOCS["X-Request-Id"].example;
    const error = { code, message: when, request_id, doc_url: `${SAMPLE_ORIGIN}/docs/errors#${code}` };
    components.examples[code] ??= { summary: when, value: { error } };
    return [code, { $ref: `#/components/examples/${code}` }];
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join("\n\n"),
    headers: headers(STATUS_HEADERS[status] ?? [], components),
    content: {
      [JSON_TYPE]: {
        schema: jsonSchema(ErrorBody, "response", components),
        examples: Object.fromEntries(examples),
      },
      [PROBLEM_TYPE]: { schema: jsonSchema(ProblemBody, "response", components) },
    },
  };
}

function headers(names: DocumentedHeader[], components: Components): Record<string, Reference> {
  const all: DocumentedHeader[] = ["X-Request-Id", ...names];
  return Object.fromEntries(
    all.map((name) => {
      components.headers[name] ??= HEADER_DOCS[name];
      return [name, { $ref: `#/components/headers/${name}` }];
    }),
  );
}
