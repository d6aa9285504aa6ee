/**
 * Calls a tool. Any refusal becomes a result with the API's code and message, so that the agent can read it and correct
 * itself. It is never a protocol error, which hosts hide from the agent.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";

import type { ErrorBody } from "../../core/contract/errors.ts";
import { redactKeys } from "../../core/identifiers.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { figure } from "../../core/limits.ts";
import { wholeError } from "../middleware/errors.ts";
import { parseOrThrow } from "../middleware/input.ts";
import { RefusedByApi } from "./in-process-api.ts";
import type { Tool, ToolContext } from "./tool.ts";

/**
 * Agents have to read whatever they receive. The largest link is smaller; other tools shorten their results.
 * @internal
 */
export const ANSWER_MAX_BYTES = 150_000;

export async function callTool(tool: Tool, args: object, context: ToolContext): Promise<CallToolResult> {
  try {
    parseOrThrow(tool.input, args);
    const answer = await tool.run(args as never, context);
    const text = visibleJson(answer);
    requireShortEnough(tool, text);
    return { content: [{ type: "text", text }], structuredContent: { ...answer } };
  } catch (error) {
    const text = visibleJson({ error: refusalOf(error, context) });
    return { content: [{ type: "text", text }], isError: true };
  }
}

/** @throws ApiError validation_failed */
function requireShortEnough({ shorter }: Tool, text: string): void {
  const bytes = new TextEncoder().encode(text).length;
  if (shorter === undefined || bytes <= ANSWER_MAX_BYTES) return;
  const [param = ""] = shorter.split(" ");
  const message = `The result would have ${figure(bytes)} bytes, but the maximum is ${figure(ANSWER_MAX_BYTES)}: ${shorter}`;
  throw validationFailed([{ path: param, code: "too_big", message }]);
}

type Refusal = ErrorBody["error"] & { retry_after_seconds?: number };

function refusalOf(error: unknown, { c }: ToolContext): Refusal {
  if (error instanceof RefusedByApi) {
    const seconds = error.retryAfter === null ? {} : { retry_after_seconds: Number(error.retryAfter) };
    return { ...error.detail, ...seconds };
  }
  return wholeError(error instanceof ApiError ? error : loggedFault(error, c.var.requestId), c);
}

function loggedFault(error: unknown, requestId: string): ApiError {
  const text = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  console.error("tool failed", { requestId, error: redactKeys(text) });
  return new ApiError("internal_error");
}

/**
 * JSON without invisible characters: a model reads characters that people do not see. In a UTM value, a visitor could
 * hide a sentence in Unicode tag characters, and a person watching the agent would see nothing.
 */

/** Tag characters, variation selectors, directional marks and zero-width characters. They occur only inside strings. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Equal JSON in which these characters are escaped. @internal */
export function visibleJson(value: object): string {
  return JSON.stringify(value).replace(INVISIBLE, (character) => character.split("").map(escapeOf).join(""));
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
