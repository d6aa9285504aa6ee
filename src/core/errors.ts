/**
 * Every error of the API: one table from code to status, one class to throw. The Worker, the OpenAPI document and the
 * tests read the same table. Nothing here reads a request or writes a response: the code that throws names the error
 * code, and the error boundary (`src/api/middleware/errors.ts`) writes the response.
 */
import { BODY_MAX_BYTES, figure, IDEMPOTENCY_TTL_HOURS, SCAN_CLICKS_MAX, SERIES_BINS_MAX } from "./limits.ts";
import { EXPORTS_MAX } from "./memory/export-slots.ts";
import { CONTRAST_MIN } from "./qr/contrast.ts";

/** HTTP status of each code, and the meaning of the code. This is the only place that defines statuses. */
export const ERRORS = {
  invalid_json: { status: 400, when: "The body is not JSON, or is nested too deep." },
  missing_api_key: { status: 401, when: "No key was sent, or not as `Authorization: Bearer <key>`." },
  invalid_api_key: { status: 401, when: "The key is malformed, unknown or revoked." },
  invalid_operator_token: {
    status: 401,
    when: "No operator's token was sent, or it has expired, and no operator is signed in. For the deployment's health only.",
  },
  missing_session: { status: 401, when: "Nobody is signed in, or the session has ended. Dashboard only." },
  https_required: {
    status: 403,
    when: "The request was sent over plain HTTP, but the service uses https. The body was not read and nothing was applied.",
  },
  invalid_origin: {
    status: 403,
    when: "A request that changes something does not come from the dashboard itself, or one to the MCP server comes from a page of another origin.",
  },
  invalid_password: { status: 403, when: "What the holder alone may do needs the account's password. Dashboard only." },
  invalid_setup_token: {
    status: 403,
    when: "The one-time address where the first account is made is wrong, has expired or was used. Dashboard only.",
  },
  plan_upgrade_required: {
    status: 403,
    when: "Routing rules were written on the Free plan. Nothing of the body is applied.",
  },
  insufficient_scope: { status: 403, when: "The key lacks a scope; `param` names it." },
  account_suspended: {
    status: 403,
    when: "The operator has suspended the account: its links answer 410, and nothing of it can be read or changed.",
  },
  not_found: { status: 404, when: "No such route." },
  link_not_found: { status: 404, when: "No such link in this account and mode." },
  qr_not_found: { status: 404, when: "No such QR code in this account and mode." },
  domain_not_found: { status: 404, when: "No such domain in this account and mode." },
  key_not_found: { status: 404, when: "No such key in this account, or it was revoked." },
  method_not_allowed: { status: 405, when: "The route exists for other methods; `Allow` names them." },
  slug_taken: { status: 409, when: "The slug is in use on this domain, or was once. Slugs are never issued twice." },
  domain_taken: { status: 409, when: "The domain is verified elsewhere, or is among yours already." },
  domain_transferred: {
    status: 409,
    when: "The link's domain has passed to another account, which verified it. The link has ended: it can be read and deleted, not changed.",
  },
  domain_has_links: {
    status: 409,
    when: "`case_sensitive` can only change before the first link on the domain, and deleted links count.",
  },
  domain_in_use: { status: 409, when: "Links live on the domain. Delete them first." },
  already_set_up: { status: 409, when: "The first account was made already. Dashboard only." },
  idempotency_conflict: {
    status: 409,
    when: `The \`Idempotency-Key\` was used for another request within ${IDEMPOTENCY_TTL_HOURS} hours, or for this one with a body that is not valid any more.`,
  },
  precondition_failed: {
    status: 412,
    when: "`If-Match` does not name the current `ETag`, or `revision` is not the current one; or, over MCP, `digest` is not of a backtest of this change.",
  },
  payload_too_large: { status: 413, when: `The body is over ${BODY_MAX_BYTES / 1024} KiB.` },
  unsupported_media_type: {
    status: 415,
    when: "The body is not `application/json`, or its `Content-Encoding` is neither `identity` nor `gzip`.",
  },
  validation_failed: {
    status: 422,
    when: "A field or parameter is unknown, missing or wrong; `errors` lists every problem.",
  },
  contrast_too_low: {
    status: 422,
    when: `The contrast of \`fg\` and \`bg\` is below ${CONTRAST_MIN}:1; \`errors\` gives the ratio.`,
  },
  link_not_api_created: {
    status: 422,
    when: "The link was made in the dashboard. Under `/v1`, QR codes and the live stream are for links made by the API.",
  },
  size_too_small: {
    status: 422,
    when: "The code has more modules than the image has pixels; `errors` gives the least size.",
  },
  quota_exceeded: {
    status: 422,
    when: "The account has as many links, keys, QR codes, domains or kept answers as its plan allows. Nothing was made.",
  },
  too_many_intervals: {
    status: 422,
    when: `The range holds more than ${figure(SERIES_BINS_MAX)} intervals of the chosen length.`,
  },
  range_too_large: {
    status: 422,
    when: `Filters, unique visitors or a backtest were asked for over more than ${figure(SCAN_CLICKS_MAX)} clicks; \`errors\` names the \`from\` that would do.`,
  },
  rate_limited: {
    status: 429,
    when: "The key or its account made too many requests, its account changed too many links in bulk requests, or this network sent too many wrong keys. Retry after `Retry-After` seconds.",
  },
  too_many_streams: {
    status: 429,
    when: "The key, or its account, has as many streams open as the plan allows. When one has ended, its place is free after `Retry-After` seconds.",
  },
  too_many_exports: {
    status: 429,
    when: `The account reads ${EXPORTS_MAX.account} exports already; when one has ended, the next may begin.`,
  },
  too_many_reads: {
    status: 429,
    when: "Others read these clicks, one after the other, and this request has waited for two seconds. Ask again in a few seconds.",
  },
  internal_error: { status: 500, when: "A fault of ours. It is logged under `request_id`." },
  misconfigured: {
    status: 503,
    when: "A setting of this deployment is missing or wrong; the message tells its operator which. Links go on redirecting.",
  },
  not_migrated: {
    status: 503,
    when: "The database of this deployment lacks tables; the message tells its operator what to run.",
  },
  unavailable: { status: 503, when: "Storage did not answer. Nothing is lost; try again after `Retry-After` seconds." },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One problem in a body or query. `path` is dotted: `routing.2.if.country`. */
export interface Problem {
  path: string;
  code: string;
  message: string;
}

interface ErrorDetails {
  param?: string;
  errors?: Problem[];
  /** When the request may be sent again; the error boundary sends it as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The command that the operator should run: shown after the message, or on its own line on an error page. */
  command?: string;
  /** Further response headers, such as `Allow`. */
  headers?: Record<string, string>;
}

/** An error response. The message names the problem and what is allowed, and never contains a key. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string = ERRORS[code].when, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status() {
    return ERRORS[this.code].status;
  }
}

/** Bounds the response: a few bytes of a body can cause a problem that takes 100 bytes to report. */
const PROBLEMS_MAX = 100;

/** A `validation_failed` with the first `PROBLEMS_MAX` problems, in the order of the fields. */
export function validationFailed(problems: Problem[]): ApiError {
  const first = problems[0];
  const rest = problems.length > 1 ? ` (and ${problems.length - 1} more, see errors)` : "";
  return new ApiError("validation_failed", `${first?.message ?? "The request is not valid"}${rest}`, {
    ...(first?.path ? { param: first.path } : {}),
    errors: problems.slice(0, PROBLEMS_MAX),
  });
}
