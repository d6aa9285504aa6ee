/** The parts of an AsyncAPI 3.0 document that this service uses. */
import type { JsonSchema, OpenApiDocument, Reference } from "../openapi/openapi-document.ts";
import type { AsyncApiServer } from "./servers.ts";

export interface AsyncApiDocument {
  asyncapi: "3.0.0";
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; url: string };
    externalDocs: { description: string; url: string };
  };
  defaultContentType: string;
  servers: Record<string, AsyncApiServer>;
  channels: Record<string, Channel>;
  operations: Record<string, AsyncOperation>;
  components: {
    messages: Record<string, Message>;
    schemas: Record<string, JsonSchema>;
    securitySchemes: OpenApiDocument["components"]["securitySchemes"];
  };
}

interface Channel {
  address: string;
  title: string;
  description: string;
  messages: Record<string, Reference>;
}

export interface AsyncOperation {
  action: "send";
  channel: Reference;
  summary: string;
  description: string;
  security: Reference[];
  bindings: { http: { method: string; query: JsonSchema; bindingVersion: string } };
  messages: Reference[];
}

export interface Message {
  name: string;
  title: string;
  summary: string;
  headers: JsonSchema;
  payload: JsonSchema;
  examples: { name: string; headers: Record<string, string>; payload: unknown }[];
}
