/** What the samples of an operation send, from the examples in the OpenAPI document. */
import type { Operation, Parameter } from "../../../api/openapi/openapi-document.ts";
import { SAMPLE_ORIGIN } from "../../../core/sample-host.ts";

export interface PathOperation extends Operation {
  method: string;
  path: string;
}

export interface SampleRequest {
  /** In capitals. */
  method: string;
  url: string;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
  answer: "json" | "stream" | "none";
}

export function sampleRequest(operation: PathOperation, parameters: readonly Parameter[]): SampleRequest {
  const { method, path, requestBody } = operation;
  return {
    method: method.toUpperCase(),
    url: SAMPLE_ORIGIN + requestTarget(path, parameters),
    body: requestBody?.content["application/json"]?.example,
    answer: answerOf(operation),
  };
}

function answerOf({ responses }: PathOperation): SampleRequest["answer"] {
  const [, ok] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const types = Object.keys(ok?.content ?? {});
  if (types.length === 0) return "none";
  return types.includes("text/event-stream") ? "stream" : "json";
}

/** Path and query. Parameters without an example are left out of the query. */
function requestTarget(path: string, parameters: readonly Parameter[]): string {
  const valueOf = (name: string) => String(parameters.find((one) => one.in === "path" && one.name === name)?.example);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
  const queryParameters = parameters.filter((one) => one.in === "query" && one.example !== undefined);
  const search = new URLSearchParams(queryParameters.map(({ name, example }) => [name, String(example)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}
