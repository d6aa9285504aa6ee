/**
 * Generates the AsyncAPI 3.0 document of the live stream from the operation in the OpenAPI document and the schemas of
 * its events. Never imported by the Worker: the build writes the document to a file.
 */
import type { z } from "zod";

import { STREAM_EVENTS } from "../../core/contract/streams.ts";
import { asyncApiServers, SAMPLE_ORIGIN } from "../../core/deployment/sample-host.ts";
import { jsonSchema, type JsonSchema, type OpenApiDocument, type Operation } from "../openapi/openapi-document.ts";

const STREAM_PATH = "/v1/events/stream";
const HTTP_BINDING_VERSION = "0.3.0";
const CURSOR_EXAMPLE = "acc_01kajm2t4g8q5v7w9x3y6z1a2b-live-2-mwqe856c";

/** @throws Error when the OpenAPI document lacks the stream */
export function asyncApiDocument({ info, paths, components }: OpenApiDocument) {
  const stream = paths[STREAM_PATH]?.get;
  if (!stream) throw new Error(`${STREAM_PATH} is not described`);
  const schemas: Record<string, JsonSchema> = {};
  const messages = Object.entries(STREAM_EVENTS).map(([kind, schema]) => message(kind, schema, schemas));
  return {
    asyncapi: "3.0.0",
    info: {
      title: `${info.title} events`,
      version: info.version,
      description: `The live click stream of ${info.title}. For the rest of its API, see \`/openapi.json\`.`,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
      externalDocs: { description: "Streaming guide with sample clients", url: `${SAMPLE_ORIGIN}/docs/streaming` },
    },
    defaultContentType: "application/json",
    servers: asyncApiServers(SAMPLE_ORIGIN),
    channels: {
      events: {
        address: STREAM_PATH,
        title: "Live click stream",
        description: "A long-lived HTTP response of server-sent events.",
        messages: Object.fromEntries(messages.map(({ name }) => [name, reference("components/messages", name)])),
      },
    },
    operations: { [stream.operationId]: operation(stream, messages) },
    components: {
      messages: Object.fromEntries(messages.map((one) => [one.name, one])),
      schemas,
      securitySchemes: components.securitySchemes,
    },
  };
}

/** `send`, because AsyncAPI describes an operation from the service's point of view. */
function operation(stream: Operation, messages: readonly { name: string }[]) {
  const { summary, description, security } = stream;
  return {
    action: "send",
    channel: reference("channels", "events"),
    summary,
    description,
    security: security
      .flatMap((each) => Object.keys(each))
      .map((name) => reference("components/securitySchemes", name)),
    bindings: { http: { method: "GET", query: querySchema(stream), bindingVersion: HTTP_BINDING_VERSION } },
    messages: messages.map(({ name }) => reference("channels/events/messages", name)),
  };
}

function querySchema({ parameters = [] }: Operation): JsonSchema {
  const own = parameters.flatMap((each) => ("in" in each && each.in === "query" ? [each] : []));
  const properties = own.map(({ name, description, schema }) => [name, { description, ...schema }] as const);
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

/** A server-sent event's `data` is the payload; its other fields are the headers. */
function message(kind: string, schema: z.ZodType, schemas: Record<string, JsonSchema>) {
  const { id = "", description = "", examples } = schema.meta() ?? {};
  const example = Array.isArray(examples) ? examples[0] : undefined;
  return {
    name: kind,
    title: id,
    summary: description,
    headers: {
      type: "object",
      properties: {
        event: { const: kind },
        id: { type: "string", description: "Cursor after this event, for `Last-Event-ID` or `since`." },
      },
      required: ["event", "id"],
    },
    payload: jsonSchema(schema, "response", { schemas }),
    examples: [{ name: kind, headers: { event: kind, id: CURSOR_EXAMPLE }, payload: example }],
  };
}

function reference(place: string, name: string) {
  return { $ref: `#/${place}/${name}` };
}
