/** Reads the error from a response. */
import type { Error as ErrorBody } from "./api-types.ts";
import { HoplinkError } from "./errors.ts";
import { retryAfterMs } from "./retries.ts";

/** Limits how much of a proxy's page ends up in a log. */
const SHOWN_MAX_CHARS = 200;

/** @param text  the response's body */
export function errorOf(response: Response, text: string): HoplinkError {
  // A date refers to the sender's clock, which may differ from this one. Browsers rarely expose the `Date` header.
  const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
  const wait = retryAfterMs(response.headers.get("Retry-After"), now);
  const retryAfter = wait === null ? undefined : wait / 1_000;
  const body = errorBodyIn(text);
  if (!body) return unexpectedResponse(response, text, retryAfter);
  const { message, code, param, errors = [], request_id: requestId, doc_url: docUrl } = body;
  return new HoplinkError(message, { status: response.status, code, param, errors, requestId, docUrl, retryAfter });
}

/** A response that is not from the API, but from a proxy or another site. */
export function unexpectedResponse(response: Response, text: string, retryAfter?: number): HoplinkError {
  const { status, headers, type } = response;
  const isRedirect = type === "opaqueredirect" || (status >= 300 && status < 400);
  const shown = text.slice(0, SHOWN_MAX_CHARS).trim();
  const what = isRedirect ? "a redirect; baseUrl must be the service's own address" : shown || "an empty body";
  return new HoplinkError(`The response is not from the API (status ${status}): ${what}`, {
    status,
    code: "unexpected_response",
    requestId: headers.get("X-Request-Id") ?? undefined,
    retryAfter,
  });
}

/** A stream that is not from the API. */
export function malformedStream(what: string): HoplinkError {
  return new HoplinkError(`The stream is not from the API: ${what}`, { status: 200, code: "unexpected_response" });
}

function errorBodyIn(text: string): ErrorBody["error"] | null {
  try {
    const { error } = JSON.parse(text) as ErrorBody;
    return typeof error.code === "string" && typeof error.message === "string" ? error : null;
  } catch {
    return null;
  }
}

/** The body of a response as text, up to the size that a response of the API may have. */

/** Twice the size of a hundred links with the maximum number of rules. */
const BODY_MAX_BYTES = 16 * 1024 * 1024;

/** Does not read the rest of a longer body: an endless one must not fill the memory. */
export async function bodyText(response: Response): Promise<string> {
  // A custom `fetch` may use another stream type.
  if (!(response.body instanceof ReadableStream)) return response.text();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes <= BODY_MAX_BYTES;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}
