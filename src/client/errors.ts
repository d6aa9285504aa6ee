/**
 * Errors that calls throw. An abort instead throws the signal's reason, as `fetch` does. How they are read from
 * responses, whether and when a failed request is retried, and the waits until then.
 */
import { jsonIn } from "../core/encoding/bytes.ts";
import { fullJitterBackoffMs } from "../core/retries.ts";
import type { Error as ErrorBody, ErrorCode, ErrorDetail } from "./api-types.ts";

/**
 * The API's codes, and `unexpected_response` for responses from elsewhere, such as a proxy or a wrong `baseUrl`. New
 * codes may be added.
 */
export type HoplinkErrorCode = ErrorCode | "unexpected_response" | (string & {});

/** One problem in a body or a query. */
export type FieldProblem = NonNullable<ErrorDetail["errors"]>[number];

type ErrorFields = Pick<HoplinkError, "status" | "code"> &
  Partial<Pick<HoplinkError, "param" | "errors" | "requestId" | "docUrl" | "retryAfter">>;

/** The service refused a request. */
export class HoplinkError extends Error {
  override readonly name = "HoplinkError";
  /** Machine-readable error code. */
  readonly code: HoplinkErrorCode;
  readonly status: number;
  /** The invalid field, parameter or header, or the missing scope. */
  readonly param: string | undefined;
  /** Every problem of the request. */
  readonly errors: readonly FieldProblem[];
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** Where the code is documented. */
  readonly docUrl: string | undefined;
  /** Seconds after which you can retry the request. */
  readonly retryAfter: number | undefined;

  constructor(message: string, fields: ErrorFields) {
    super(message);
    this.code = fields.code;
    this.status = fields.status;
    this.param = fields.param;
    this.errors = fields.errors ?? [];
    this.requestId = fields.requestId;
    this.docUrl = fields.docUrl;
    this.retryAfter = fields.retryAfter;
  }
}

/** No response was received: the service was unreachable, the connection broke, or `timeoutMs` elapsed. */
export class HoplinkConnectionError extends Error {
  override readonly name = "HoplinkConnectionError";
}

/** Node states the reason in the error's cause, other runtimes in its message. */
export function reasonText(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const { message, cause } = reason;
  return cause instanceof Error && cause.message ? `${message}: ${cause.message.trim()}` : message;
}

/** Whether an error is from the service and, if a code is given, has that code. */
export function isHoplinkError<Code extends HoplinkErrorCode>(
  error: unknown,
  code?: Code,
): error is HoplinkError & { code: Code } {
  return error instanceof HoplinkError && (code === undefined || error.code === code);
}

/** A per-minute limit admits a client again within one minute. */
const TOTAL_WAIT_MAX_MS = 120_000;
const BACKOFF = { firstMs: 500, longestMs: 8_000 };
/** Spreads the retries of clients that were refused together. */
const JITTER_MS = 500;

/** Longest wait of a stream or delivery, whatever the other side requests: its `Retry-After` may be years away. */
const ASKED_WAIT_MAX_MS = 3_600_000;

/** Returned while the service, or a proxy in front of it, is briefly unavailable. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

export interface FailedAttempt {
  error: unknown;
  /** Failed attempts so far, at least 1. */
  tries: number;
  /** Total wait between them so far. */
  waitedMs: number;
  /** Whether the request is idempotent. */
  isRepeatable: boolean;
}

/** @param random  at least 0, below 1 @returns ms; null if the error is final */
export function retryWaitMs(attempt: FailedAttempt, maxRetries: number, random: number): number | null {
  const { error, tries, waitedMs } = attempt;
  if (tries > maxRetries || !mayBeRepeated(attempt)) return null;
  const wait = waitFor(error instanceof HoplinkError ? error.retryAfter : undefined, tries, random);
  return waitedMs + wait > TOTAL_WAIT_MAX_MS ? null : wait;
}

/** A request refused with 429 was not begun; after other failures this is unknown. */
function mayBeRepeated({ error, isRepeatable }: FailedAttempt): boolean {
  if (error instanceof HoplinkConnectionError) return isRepeatable;
  if (!(error instanceof HoplinkError)) return false;
  return error.status === 429 || (isRepeatable && PASSING_STATUSES.has(error.status));
}

/** @param retryAfter  seconds */
function waitFor(retryAfter: number | undefined, tries: number, random: number): number {
  if (retryAfter === undefined) return fullJitterBackoffMs(tries, random, BACKOFF);
  return retryAfter * 1_000 + random * JITTER_MS;
}

/** Parses the header `Retry-After`: seconds, or a date. @param now  epoch ms @returns null without a valid value */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(at - now, 0);
}

/** How long a stream or a delivery waits. @param askedMs  what the other side requests; null if it requests nothing */
export function boundedWaitMs(askedMs: number | null): number {
  return Math.min(askedMs ?? 0, ASKED_WAIT_MAX_MS);
}

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
  const { status, headers } = response;
  // The Workers types lack this value.
  const type: string = response.type;
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
  const error = (jsonIn(text) as Partial<ErrorBody> | null | undefined)?.error;
  return typeof error?.code === "string" && typeof error.message === "string" ? error : null;
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

/** Waits that a signal can end. */

/** @throws the signal's reason */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      fail(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      done();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The longest possible timer: longer ones fire immediately. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A signal that follows another one and also has a timer. Not every Node 20 has `AbortSignal.any`. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  hasPassed = false;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts after this many ms, unless it is set again or stopped before. */
  set(ms: number): void {
    this.stop();
    this.#timer = setTimeout(
      () => {
        this.hasPassed = true;
        this.#controller.abort(new Error(`no data arrived for ${ms} ms`));
      },
      Math.min(ms, TIMER_MAX_MS),
    );
  }

  /** Stops only the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Stops following the other signal. */
  end(): void {
    this.stop();
    this.#outer?.removeEventListener("abort", this.#abort);
  }

  abort(): void {
    this.end();
    this.#controller.abort();
  }
}
