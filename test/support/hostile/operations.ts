/** Every operation of the service, from the OpenAPI document, the tables of routes and of tools, and better-auth. */
import { env } from "cloudflare:workers";
import * as z from "zod";

import { listedTool, TOOLS } from "../../../src/api/mcp/server.ts";
import {
  componentName,
  type JsonSchema,
  type Parameter,
  type ResponseObject,
  schemaWithDefinitions,
} from "../../../src/api/openapi/openapi-document.ts";
import { openApiDocument } from "../../../src/api/openapi/openapi.ts";
import { routeDocOf } from "../../../src/api/openapi/route-doc.ts";
import { operatorRoutes } from "../../../src/api/operator/urls.ts";
import { dashboardRoutes, statusUrls, urls, v1Routes } from "../../../src/api/urls.ts";
import { BASE_URL } from "../test-accounts.ts";

/** Who may call an operation, and what its answers must look like. */
export type OperationGroup = "v1" | "dashboard" | "sign-in" | "mcp" | "operator" | "public";

type Field = Pick<Parameter, "name" | "in" | "required" | "schema" | "example">;

export interface Operation {
  group: OperationGroup;
  name: string;
  method: string;
  /** With `{name}` in place of each parameter. */
  path: string;
  fields: readonly Field[];
  body?: JsonSchema | undefined;
  /** The document to which `$ref` points. */
  root: object;
  /** Answers by status, if they are documented. */
  answers?: Record<string, ResponseObject>;
  /** Output of a tool. */
  output?: JsonSchema;
}

export const DOCUMENT = openApiDocument(v1Routes);

/** The methods of MCP that do not call a tool. */
const MCP_METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "notifications/initialized",
  "server/discover",
  "resources/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
];

const MCP_FIELDS: readonly Field[] = [
  header("Accept", { const: "application/json, text/event-stream" }, true),
  header("MCP-Protocol-Version", { enum: ["2025-06-18", "2026-07-28"] }),
  header("Mcp-Method", { const: "tools/call" }),
];

export async function allOperations(): Promise<Operation[]> {
  const documented = documentedOperations();
  const ofDashboard = routeOperations("dashboard", "/dashboard/api", dashboardRoutes.routes);
  const v1Paths = new Set(v1Routes.routes.map(({ method, path }) => `${method} /dashboard/api${path}`));
  const elsewhere = urls.routes.filter(({ path }) => !/^\/(v1|dashboard\/api|mcp)(\/|$)/.test(path));
  return [
    ...documented,
    ...documented.map(ofSession),
    ...ofDashboard.filter(({ method, path }) => !v1Paths.has(`${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`)),
    ...(await signInOperations()),
    ...toolOperations(),
    // Those that write change the data of all accounts, which other test files share.
    ...routeOperations("operator", "/dashboard/api/operator", operatorRoutes.routes).filter(
      ({ method, path }) => method === "GET" || path.endsWith("/backup"),
    ),
    ...routeOperations("public", "", [...statusUrls.routes, ...elsewhere]),
    visitOperation(),
  ];
}

function documentedOperations(): Operation[] {
  return Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]): Operation => {
      const fields = parameters.flatMap((each) => {
        const field = "$ref" in each ? DOCUMENT.components.parameters[componentName(each)] : each;
        return field ? [field] : [];
      });
      const body = requestBody?.content["application/json"]?.schema;
      const name = `${method.toUpperCase()} ${path}`;
      return {
        group: "v1",
        name,
        method: method.toUpperCase(),
        path,
        fields,
        body,
        root: DOCUMENT,
        answers: responses,
      };
    }),
  );
}

/** The dashboard calls the routes of `/v1` with a session, which is refused with other messages. */
function ofSession({ method, path: ofKey, fields, body, root }: Operation): Operation {
  const path = ofKey.replace(/^\/v1/, "/dashboard/api");
  return { group: "dashboard", name: `${method} ${path}`, method, path, fields, body, root };
}

type Routes = readonly { method: string; path: string; handler: object }[];

/** @param prefix  where the routes are mounted */
function routeOperations(group: OperationGroup, prefix: string, routes: Routes): Operation[] {
  const byName = Map.groupBy(routes, ({ method, path }) => `${method} ${prefix}${path}`);
  return [...byName].flatMap(([name, handlers]): Operation[] => {
    const [method = "", route = ""] = name.split(" ");
    if (method === "ALL") return [];
    const path = route.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}").replace("*", "{rest}");
    const docs = handlers.flatMap(({ handler }) => routeDocOf(handler) ?? []);
    const query = docs.find((doc) => doc.query)?.query;
    const body = docs.find((doc) => doc.body)?.body;
    const inputs = query ? schemaWithDefinitions(query, "parameter") : {};
    const sent = body ? schemaWithDefinitions(body, "request") : null;
    const fallback = method === "POST" ? ({ type: "object" } satisfies JsonSchema) : undefined;
    const fields = [...pathFields(path), ...queryFields(inputs as JsonSchema)];
    return [{ group, name, method, path, fields, body: (sent as JsonSchema | null) ?? fallback, root: sent ?? inputs }];
  });
}

function pathFields(path: string): Field[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1 },
  }));
}

function queryFields({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

interface SignInEndpoint {
  path?: string;
  options?: { method?: string | string[]; body?: z.ZodType; query?: z.ZodType };
}

async function signInOperations(): Promise<Operation[]> {
  const { createNotedAuth } = await import("../../../src/store/auth/sign-in.ts");
  const endpoints = Object.values(createNotedAuth(env, BASE_URL).auth.api) as unknown as SignInEndpoint[];
  return endpoints.flatMap(({ path: route, options: { method: methods = [], body, query } = {} }) => {
    // Those with parameters belong to providers, which are not configured: the service has no such route.
    if (route === undefined || route.includes(":")) return [];
    const path = `/dashboard/api/auth${route}`;
    const sent = body && inputSchema(body);
    const fields = queryFields(query ? inputSchema(query) : {});
    return [methods].flat().map((method): Operation => {
      const hasBody = method !== "GET";
      const described = hasBody ? (sent ?? { type: "object" }) : undefined;
      return { group: "sign-in", name: `${method} ${path}`, method, path, fields, body: described, root: sent ?? {} };
    });
  });
}

function inputSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

function toolOperations(): Operation[] {
  const tools = TOOLS.map((tool): Operation => {
    const { name, inputSchema: input, outputSchema: output } = listedTool(tool);
    const { $defs, ...args } = input as JsonSchema & { $defs?: object };
    const body = mcpMessage({ const: "tools/call" }, objectOf({ name: { const: name }, arguments: args }));
    return { ...mcpOperation(`tool ${name}`, body), root: { $defs }, output: output as JsonSchema };
  });
  const params = objectOf({ protocolVersion: { const: "2025-06-18" }, capabilities: { type: "object" } });
  return [...tools, mcpOperation("MCP message", mcpMessage({ enum: MCP_METHODS }, params))];
}

function mcpOperation(name: string, body: JsonSchema): Operation {
  return { group: "mcp", name, method: "POST", path: "/mcp", fields: MCP_FIELDS, body, root: {} };
}

function mcpMessage(method: JsonSchema, params: JsonSchema): JsonSchema {
  return objectOf({ jsonrpc: { const: "2.0" }, id: { const: 1 }, method, params });
}

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

/** Not `slug`, for which creations need a free value. */
const VISIT_PATH = "/{visited}";

/** A visit of a short URL. */
function visitOperation(): Operation {
  const text: JsonSchema = { type: "string" };
  const query = ["qr", "utm_source"].map((name) => ({ name, in: "query" as const, required: false, schema: text }));
  const headers = ["User-Agent", "Accept-Language", "Referer", "Sec-Purpose"].map((name) => header(name, text));
  const fields = [...pathFields(VISIT_PATH), ...query, ...headers];
  return { group: "public", name: `GET ${VISIT_PATH}`, method: "GET", path: VISIT_PATH, fields, root: {} };
}

function header(name: string, schema: JsonSchema, required = false): Field {
  return { name, in: "header", required, schema };
}
