/** Responses of the API, and the requirements on every error response. */
import { ErrorBody } from "../../src/core/contract/errors.ts";

export interface ApiResponse<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

/** Reads a whole response. A body that is not JSON stays text; that of a HEAD request is "". */
export async function readResponse(response: Pick<Response, "status" | "headers" | "text">): Promise<ApiResponse> {
  const text = await response.text();
  const isJson = text !== "" && response.headers.get("Content-Type")?.startsWith("application/json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** The error of a response, whose entire shape must be right; the parts that differ each time are left out. */
export function errorOf(reply: ApiResponse, base = "http://localhost:8787") {
  const { request_id, doc_url, ...error } = ErrorBody.parse(reply.body).error;
  if (request_id !== reply.headers.get("X-Request-Id")) throw new Error("request_id differs from X-Request-Id");
  if (doc_url !== `${base}/docs/errors#${error.code}`) throw new Error(`doc_url is ${doc_url}`);
  return { status: reply.status, ...error };
}
