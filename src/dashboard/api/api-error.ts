/** What the API refuses, as an error of its own: code, message, and the fields at fault for forms. */
import type { ErrorBody } from "../../core/contract/contract.ts";
import type { Problem } from "../../core/errors.ts";

/** `network`: nothing answered. `unreadable`: something answered, but not as the API does. */
export type ApiErrorCode = ErrorBody["error"]["code"] | "network" | "unreadable";

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  /** 0 when nothing answered. */
  readonly status: number;
  readonly param: string | undefined;
  /** Every problem found, with dotted paths. */
  readonly problems: readonly Problem[];
  readonly requestId: string | undefined;
  /** Seconds to wait before asking again, when the answer says so. */
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

  /** Messages by field, for a form. The first of each field. */
  fieldErrors(): Record<string, string> {
    return Object.fromEntries(this.problems.toReversed().map(({ path, message }) => [path, capitalized(message)]));
  }
}

/** Reads a refusal off its response, whatever its body turns out to be. */
export async function readApiError(response: Pick<Response, "status" | "headers" | "json">): Promise<ApiError> {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  return body?.error
    ? new ApiError(response.status, body.error, retryAfter)
    : new ApiError(
        response.status,
        { code: "unreadable", message: `The server answered ${response.status}` },
        retryAfter,
      );
}

/** Whether the same request may succeed later: no response, too many requests, or a failure of the server. */
export function isRetryable({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

export function networkError(): ApiError {
  return new ApiError(0, { code: "network", message: "The server cannot be reached. Check your connection." });
}

/** The words to show for any error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error && error.message ? capitalized(error.message) : "Something went wrong";
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
