/** Errors in an answer: an internal error, an undocumented status, or a body that its schema does not describe. */
import * as z from "zod";

import type { JsonSchema, ResponseObject } from "../../../src/api/openapi/openapi-document.ts";
import { DOCUMENT, type Operation } from "./operations.ts";

export interface Answer {
  status: number;
  /** Without parameters. */
  type: string;
  /** Empty for an endless stream. */
  text: string;
}

/** Also below another member, or as text in the answer of a tool. */
const INTERNAL_ERROR = /"code\\?":\s*\\?"internal_error\\?"/;

const JSON_RPC_INTERNAL_ERROR = -32_603;

const ERROR = componentSchema("Error");
const PROBLEM = componentSchema("Problem");

/** Keyed by text: hundreds of answers have the same few. */
const madeSchemas = new Map<string, z.ZodType>();

/** The runtime forbids validators that generate code. */
function schemaOf(schema: JsonSchema): z.ZodType {
  const key = JSON.stringify(schema);
  const known = madeSchemas.get(key);
  if (known) return known;
  const text = JSON.stringify({ $defs: DOCUMENT.components.schemas, ...schema });
  const local = JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as z.core.JSONSchema.BaseSchema;
  const made = z.fromJSONSchema(local as Parameters<typeof z.fromJSONSchema>[0], { registry: z.registry() });
  madeSchemas.set(key, made);
  return made;
}

function componentSchema(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** @returns null when nothing is wrong */
export function faultOf(operation: Operation, answer: Answer): string | null {
  const { status, text } = answer;
  if (status >= 500 && !isBeingRead(operation, answer)) return `${status} ${text.slice(0, 500)}`;
  const { group, answers } = operation;
  if (group === "public") return null;
  if (INTERNAL_ERROR.test(text)) return `internal error in ${text.slice(0, 500)}`;
  // better-auth has a different shape.
  if (group === "sign-in") return null;
  if (answers) return undocumentedPart(answers, answer);
  if (status >= 400) return wrongError(answer);
  return group === "mcp" ? wrongMessage(operation, text) : null;
}

/** Until a new account's clicks are read, which takes a moment, its log is unavailable; the document says so. */
function isBeingRead({ path }: Operation, { status, text }: Answer): boolean {
  return (
    status === 503 && /^\/(v1|dashboard\/api)\/clicks$/.test(path) && /clicks of the account are being read/.test(text)
  );
}

function undocumentedPart(answers: Record<string, ResponseObject>, answer: Answer): string | null {
  const { status, type, text } = answer;
  const described = answers[status];
  if (!described) return `the status ${status} is not documented: ${text.slice(0, 300)}`;
  if (described.content === undefined) return text === "" ? null : `${status} has a body`;
  const content = described.content[type];
  if (!content) return `${status} with the type ${type} is not documented`;
  return /^application\/(problem\+)?json$/.test(type) ? misfit(content.schema, text) : null;
}

function wrongError(answer: Answer): string | null {
  // The SDK's own refusals are JSON-RPC messages.
  if (answer.text.startsWith('{"jsonrpc"')) return wrongJsonRpcError(parsed(answer.text) as Message);
  return misfit(answer.type === "application/problem+json" ? PROBLEM : ERROR, answer.text);
}

function misfit(schema: JsonSchema, text: string): string | null {
  const { error } = schemaOf(schema).safeParse(parsed(text));
  return error ? `${z.prettifyError(error)}: ${text.slice(0, 500)}` : null;
}

/** Undefined for text that is not JSON, which no schema describes. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Message {
  error?: { code: number; message: string };
  result?: { isError?: boolean; content?: [{ text: string }]; structuredContent?: unknown };
}

function wrongMessage({ output }: Operation, text: string): string | null {
  if (text === "") return null;
  const message = (parsed(text) ?? {}) as Message;
  if (message.error) return wrongJsonRpcError(message);
  const { isError, content, structuredContent } = message.result ?? {};
  if (isError) return misfit(ERROR, content?.[0].text ?? "");
  return output && structuredContent !== undefined ? misfit(output, JSON.stringify(structuredContent)) : null;
}

function wrongJsonRpcError({ error }: Message): string | null {
  const isRight = Number.isInteger(error?.code) && error?.code !== JSON_RPC_INTERNAL_ERROR && error?.message !== "";
  return isRight ? null : `the error ${JSON.stringify(error)}`;
}
