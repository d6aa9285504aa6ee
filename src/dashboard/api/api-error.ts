/** An error response of the API: code, message, and problems by field for forms. */
import type { ErrorBody } from "../../core/contract/errors.ts";
import type { Problem } from "../../core/errors.ts";
import { errorTexts } from "../texts/shell.ts";

/** `network`: no response. `unreadable`: a response that is not the API's error format, such as a proxy's page. */
export type ApiErrorCode = ErrorBody["error"]["code"] | "network" | "unreadable";

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  /** 0 without a response. */
  readonly status: number;
  readonly param: string | undefined;
  /** Problems in the body or query, with dotted paths. */
  readonly problems: readonly Problem[];
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, from `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    error: Partial<ErrorBody["error"]> & { code: ApiErrorCode; message: string },
    retryAfter?: number,
  ) {
    super(error.message);
    this.name = "ApiError";
    this.status = status;
    this.code = error.code;
    this.param = error.param;
    this.problems =
      error.errors ?? (error.param ? [{ path: error.param, code: error.code, message: error.message }] : []);
    this.requestId = error.request_id;
    this.retryAfter = retryAfter;
  }

  /** The first message of each field. */
  fieldErrors(): Record<string, string> {
    return Object.fromEntries(this.problems.toReversed().map(({ path, message }) => [path, capitalized(message)]));
  }
}

/** Never throws: a body that is not in the API's format becomes an `unreadable` error. */
export async function readApiError(response: Pick<Response, "status" | "headers" | "json">): Promise<ApiError> {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const unreadable = { code: "unreadable", message: errorTexts.unreadable(response.status) } as const;
  return new ApiError(response.status, body?.error ?? unreadable, retryAfter);
}

/** Whether the API has refused a request with one of these codes. */
export function hasCode(error: unknown, ...codes: ApiErrorCode[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Whether the same request may succeed later: after no response, too many requests, or a server error. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 ? navigator.onLine : error.status === 429 || error.status >= 500;
}

/** How long the API asks to wait; undefined if it does not specify it. */
export function retryDelayMs(error: unknown): number | undefined {
  return error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : undefined;
}

export function networkError(): ApiError {
  return new ApiError(0, { code: "network", message: navigator.onLine ? errorTexts.unreachable : errorTexts.offline });
}

/** @throws ApiError if there is no response */
export function responseOf<R>(pending: Promise<R>): Promise<R> {
  return pending.catch(() => {
    throw networkError();
  });
}

/** @throws ApiError for a response that is not 2xx, and if there is none */
export async function okResponse<R extends Pick<Response, "ok" | "status" | "headers" | "json">>(
  pending: Promise<R>,
): Promise<R> {
  const response = await responseOf(pending);
  if (!response.ok) throw await readApiError(response);
  return response;
}

/** @throws ApiError if the body is cut off, or is not the API's, such as the sign-in page of a public network */
export async function readBody<T>(response: Pick<Response, "json">): Promise<T> {
  return response.json().catch(() => {
    throw networkError();
  }) as Promise<T>;
}

/** The message to show for any error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error && error.message ? capitalized(error.message) : errorTexts.unknown;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
