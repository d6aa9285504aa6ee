/**
 * Every error of the API: one table from code to status, one class to throw. The Worker, the OpenAPI document and the
 * tests read the same table. Nothing here reads a request or writes a response: the code that throws names the error
 * code, and the error boundary (`src/api/middleware/errors.ts`) writes the response.
 */
import {
  BODY_MAX_BYTES,
  figure,
  IDEMPOTENCY_TTL_HOURS,
  SCAN_CLICKS_MAX,
  SERIES_BINS_MAX,
  SOCIAL_IMAGE_MAX_BYTES,
} from "./limits.ts";
import { EXPORTS_MAX } from "./memory/export-slots.ts";
import { CONTRAST_MIN } from "./qr/colors.ts";

/** HTTP status of each code, and the meaning of the code. This is the only place that defines statuses. */
export const ERRORS = {
  invalid_json: { status: 400, when: "The body is not valid JSON, or is nested too deeply." },
  missing_api_key: { status: 401, when: "The `Authorization: Bearer <key>` header is missing or malformed." },
  invalid_api_key: { status: 401, when: "The API key is malformed, unknown or revoked." },
  invalid_operator_token: {
    status: 401,
    when: "The operator token is missing, invalid or expired, and no operator is signed in. Returned only by the deep health check.",
  },
  missing_session: { status: 401, when: "You are not signed in, or your session has ended. Dashboard only." },
  https_required: {
    status: 403,
    when: "The request was sent over plain HTTP, but the service requires HTTPS. The body was not read, and nothing was applied. Replace any key that was sent.",
  },
  invalid_origin: {
    status: 403,
    when: "The request comes from another origin. The dashboard accepts changes only from its own pages. The MCP server does not accept requests from web pages on other origins.",
  },
  invalid_password: {
    status: 403,
    when: "The account's password is missing or wrong. If the account has none, sign in again first. Dashboard only.",
  },
  invalid_setup_token: {
    status: 403,
    when: "The token for creating the first account, or of a one-time link, is invalid, has expired or was already used. Dashboard only.",
  },
  plan_upgrade_required: {
    status: 403,
    when: "Routing rules require the Premium plan. Nothing was applied.",
  },
  insufficient_scope: { status: 403, when: "The API key lacks a scope. `param` names it." },
  account_suspended: {
    status: 403,
    when: "The operator has suspended the account. Its links return 410, and its data cannot be read or changed.",
  },
  not_found: { status: 404, when: "Nothing exists at this URL." },
  link_not_found: { status: 404, when: "No such link in this account and mode." },
  qr_not_found: { status: 404, when: "No such QR code in this account and mode." },
  domain_not_found: { status: 404, when: "No such domain in this account and mode." },
  import_not_found: { status: 404, when: "No such import in this account and mode, or it was undone." },
  key_not_found: { status: 404, when: "No such API key in this account, or it was revoked." },
  method_not_allowed: {
    status: 405,
    when: "The route does not support this method. The `Allow` header lists the supported methods.",
  },
  slug_taken: {
    status: 409,
    when: "The slug is in use on this domain, or was used before. Slugs are never reissued. On the service's own domain, another account may also have its first segment.",
  },
  domain_taken: {
    status: 409,
    when: "The domain is verified by another account or in the other mode, or is already one of your domains.",
  },
  domain_transferred: {
    status: 409,
    when: "Another account has verified the link's domain, so the link no longer redirects. You can read and delete the link, but not change it.",
  },
  domain_has_links: {
    status: 409,
    when: "You can change `case_sensitive` only before you create the first link on the domain. Deleted links count too.",
  },
  domain_in_use: { status: 409, when: "The domain still has links. Delete them first." },
  link_has_clicks: {
    status: 409,
    when: "The link has clicks already: recorded ones, or clicks of another import that do not end before these begin. Imported clicks must come first.",
  },
  import_conflict: {
    status: 409,
    when: "`offset` is above the number of clicks that the link has of this import, the clicks are earlier than those, another import has set `clicks_before`, or an import cannot be undone before a later one of the same link.",
  },
  already_set_up: { status: 409, when: "The first account was already created. Dashboard only." },
  idempotency_conflict: {
    status: 409,
    when: `The \`Idempotency-Key\` was used for another request in the last ${IDEMPOTENCY_TTL_HOURS} hours, or for this request with a body that is no longer valid.`,
  },
  precondition_failed: {
    status: 412,
    when: "`If-Match` does not match the current `ETag`, or `revision` is not the current one. Over MCP, `digest` does not belong to a backtest of this change.",
  },
  payload_too_large: {
    status: 413,
    when: `The body is larger than ${BODY_MAX_BYTES / 1024} KiB, or an uploaded image is larger than ${SOCIAL_IMAGE_MAX_BYTES / 1024 ** 2} MiB.`,
  },
  unsupported_media_type: {
    status: 415,
    when: "`Content-Type` is not `application/json`, `Content-Encoding` is neither `identity` nor `gzip`, or an uploaded image is not a PNG, JPEG or WebP file.",
  },
  validation_failed: {
    status: 422,
    when: "A field or parameter is unknown, missing or invalid. `errors` lists every problem.",
  },
  contrast_too_low: {
    status: 422,
    when: `The contrast between \`fg\` and \`bg\` is below ${CONTRAST_MIN}:1. \`errors\` reports the ratio.`,
  },
  link_not_api_created: {
    status: 422,
    when: "The link was created in the dashboard. Under `/v1`, QR codes and the live stream are available only for links created through the API.",
  },
  size_too_small: {
    status: 422,
    when: "The QR code has more modules than the image has pixels. `errors` reports the minimum size.",
  },
  quota_exceeded: {
    status: 422,
    when: "The account has reached its limit of links, imported clicks, API keys, QR codes, domains, uploaded images, UTM templates, files of domains or responses stored for `Idempotency-Key`. Nothing was created.",
  },
  too_many_intervals: {
    status: 422,
    when: `The range has more than ${figure(SERIES_BINS_MAX)} intervals of the requested length.`,
  },
  range_too_large: {
    status: 422,
    when: `Filters, unique visitors or a backtest were requested for more than ${figure(SCAN_CLICKS_MAX)} clicks. \`errors\` names the earliest \`from\` that is accepted.`,
  },
  rate_limited: {
    status: 429,
    when: "Too many requests by the key or its account, too many links in the account's bulk requests and imports, or too many invalid keys from this network. Retry after `Retry-After` seconds.",
  },
  too_many_streams: {
    status: 429,
    when: "The key or its account has reached the plan's limit of open streams. Close one, and retry after `Retry-After` seconds.",
  },
  too_many_exports: {
    status: 429,
    when: `The account already has ${EXPORTS_MAX.account} exports in progress. Retry when one of them has ended.`,
  },
  too_many_reads: {
    status: 429,
    when: "Other requests are already reading these clicks, and this request waited two seconds for its turn. Retry in a few seconds.",
  },
  internal_error: { status: 500, when: "Internal error. Quote `request_id` when you report it." },
  misconfigured: {
    status: 503,
    when: "A setting of this deployment is missing or invalid. The message names it for the operator. Links keep redirecting.",
  },
  not_migrated: {
    status: 503,
    when: "The deployment's database is missing tables. The message contains the command that the operator must run.",
  },
  unavailable: { status: 503, when: "Storage did not respond. No data was lost. Retry after `Retry-After` seconds." },
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

/** An error response. The message names the problem and the allowed values, and never contains a key. */
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
  return new ApiError("validation_failed", `${first?.message ?? "The request is invalid"}${rest}`, {
    ...(first?.path ? { param: first.path } : {}),
    errors: problems.slice(0, PROBLEMS_MAX),
  });
}
