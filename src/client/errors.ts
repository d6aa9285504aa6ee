/** Errors that calls throw. An abort instead throws the signal's reason, as `fetch` does. */
import type { ErrorCode, ErrorDetail } from "./api-types.ts";

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
