/** What calls throw. An abort is none of these: it throws the signal's reason, as `fetch` does. */
import type { ErrorCode, ErrorDetail } from "./api-types.ts";

/**
 * The API's codes, and `unexpected_response` for an answer that is not the API's, as of a proxy or a wrong `baseUrl`.
 * New codes may be added.
 */
export type HoplinkErrorCode = ErrorCode | "unexpected_response" | (string & {});

/** One problem of a body or a query. */
export type FieldProblem = NonNullable<ErrorDetail["errors"]>[number];

type ErrorFields = Pick<HoplinkError, "status" | "code"> &
  Partial<Pick<HoplinkError, "param" | "errors" | "requestId" | "docUrl" | "retryAfter">>;

/** The service refused a request. */
export class HoplinkError extends Error {
  override readonly name = "HoplinkError";
  /** What went wrong, for programs. */
  readonly code: HoplinkErrorCode;
  readonly status: number;
  /** The field, parameter, header or scope at fault. */
  readonly param: string | undefined;
  /** Every problem of the request. */
  readonly errors: readonly FieldProblem[];
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** Where the code is explained. */
  readonly docUrl: string | undefined;
  /** Seconds after which the request may be sent again. */
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

/** No answer came: the service could not be reached, the connection broke, or `timeoutMs` passed. */
export class HoplinkConnectionError extends Error {
  override readonly name = "HoplinkConnectionError";
}

/** Node says what happened in the error's cause, other runtimes in its message. */
export function reasonText(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const { message, cause } = reason;
  return cause instanceof Error && cause.message ? `${message}: ${cause.message.trim()}` : message;
}

/** Whether an error is the service's, and of this code where one is given. */
export function isHoplinkError<Code extends HoplinkErrorCode>(
  error: unknown,
  code?: Code,
): error is HoplinkError & { code: Code } {
  return error instanceof HoplinkError && (code === undefined || error.code === code);
}
