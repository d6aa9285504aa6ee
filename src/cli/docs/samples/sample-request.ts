/** What the samples of an operation send, from the examples in the OpenAPI document. */
import type { Operation, Parameter } from "../../../api/openapi/openapi-document.ts";
import { SAMPLE_ORIGIN } from "../../../core/deployment/sample-host.ts";

export interface PathOperation extends Operation {
  method: string;
  path: string;
}

export interface SampleRequest {
  operationId: string;
  /** In capitals. */
  method: string;
  url: string;
  /** What `url` has in the place of the path's parameters, in order. */
  pathValues: string[];
  /** What `url` has in its query. */
  query: Record<string, unknown>;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
  answer: "json" | "stream" | "none";
}

export function sampleRequest(operation: PathOperation, parameters: readonly Parameter[]): SampleRequest {
  const { operationId, method, path, requestBody } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const pathValues = names.map((name) => exampleOf(parameters, name));
  const query = Object.fromEntries(
    parameters.flatMap(({ in: place, name, example }) =>
      place === "query" && example !== undefined ? [[name, example]] : [],
    ),
  );
  return {
    operationId,
    method: method.toUpperCase(),
    url: SAMPLE_ORIGIN + requestTarget(path, pathValues, query),
    pathValues,
    query,
    body: requestBody?.content["application/json"]?.example,
    answer: answerOf(operation),
  };
}

function exampleOf(parameters: readonly Parameter[], name: string): string {
  return String(parameters.find((one) => one.in === "path" && one.name === name)?.example);
}

function answerOf({ responses }: PathOperation): SampleRequest["answer"] {
  const [, ok] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const types = Object.keys(ok?.content ?? {});
  if (types.length === 0) return "none";
  return types.includes("text/event-stream") ? "stream" : "json";
}

/** Path and query. Parameters without an example are left out of the query. */
function requestTarget(path: string, pathValues: readonly string[], query: Record<string, unknown>): string {
  const values = pathValues.values();
  const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(values.next().value ?? ""));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}
