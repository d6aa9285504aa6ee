/**
 * Texts of the OpenAPI document that are not specific to a route.
 * Paragraphs, `## ` headings and `code` marks only: the reference renders no other Markdown.
 */

import {
  BODY_MAX_BYTES,
  BULK_LINKS_MAX_PER_DAY,
  BULK_LINKS_MAX_PER_MINUTE,
  BULK_LINKS_PER_PASSWORD,
  figure,
  IDEMPOTENCY_KEY_MAX_CHARS,
  IDEMPOTENCY_TTL_HOURS,
  QR_REQUESTS_MAX_PER_MINUTE,
  REQUESTS_MAX_PER_MINUTE,
  STREAMS_MAX,
  TAGS_PER_BULK_LINK,
} from "../../core/limits.ts";
import { SCOPES } from "../../core/account.ts";
import type { Header, JsonSchema } from "./openapi-document.ts";

export const SUMMARY = "Short links with routing rules and exact click counts.";

export const INTRODUCTION = `Hoplink creates short links. A link can have routing rules that send visitors to different destinations, and every click is counted exactly.

## Authentication

Authenticate every request with an API key: \`Authorization: Bearer <key>\`. Keys that begin with \`svc_live_\` access live data, and keys that begin with \`svc_test_\` access test data. Neither can access the other's data. A key has scopes, and each operation lists the scope that it requires.

## Requests

Send bodies as \`Content-Type: application/json\`, at most ${BODY_MAX_BYTES / 1024} KiB, uncompressed or with \`Content-Encoding: gzip\`. Unknown fields and query parameters are rejected. Send times in RFC 3339 format, with an offset or \`Z\`. Responses return them in UTC with milliseconds.

## Errors

All errors have the same shape. Programs use \`code\`, people read \`message\`, and \`errors\` lists every problem with the request. If \`Accept\` prefers \`application/problem+json\`, the response has the same members as problem details (RFC 9457).

A path that does not exist returns 404 \`not_found\`. A method that a path does not support returns 405 \`method_not_allowed\`, and the header \`Allow\` lists the supported methods. If the service uses HTTPS, a request over plain HTTP returns 403 \`https_required\` before anything else is checked. Next, the service checks the key, its scope and its rate limit. It then checks the route, the body and the plan, and finally the values.

The dashboard calls the same routes with a session. Only the dashboard receives \`missing_session\`, \`invalid_password\`, \`key_not_found\`, \`invalid_setup_token\` and \`already_set_up\`. Its routes and the MCP server return \`invalid_origin\` to pages of other origins.

If a setting of the deployment is missing or invalid, every request returns 503 \`misconfigured\`, but links still redirect. If its database is missing tables, requests return 503 \`not_migrated\`. Only \`/health?deep\` returns \`invalid_operator_token\`.

## Idempotent requests

To retry a POST request safely, send an \`Idempotency-Key\` header. For ${IDEMPOTENCY_TTL_HOURS} hours, a request with the same key and the same body returns the first response again, with the header \`Idempotent-Replayed: true\`. Bodies are compared as JSON values. A request with the same key and a different body returns 409.

## Conditional requests

Every response with a single link has an \`ETag\`. To change a link only if it has not changed since you read it, send the \`ETag\` as \`If-Match\` with PATCH or DELETE. If the link has changed, the request returns 412. To check whether a link has changed, send the \`ETag\` as \`If-None-Match\` with GET. If it has not changed, the response is 304 without a body.

## Limits

A key can send ${figure(REQUESTS_MAX_PER_MINUTE.free)} requests per minute on the Free plan and ${figure(REQUESTS_MAX_PER_MINUTE.premium)} on Premium, of which ${QR_REQUESTS_MAX_PER_MINUTE.free} and ${QR_REQUESTS_MAX_PER_MINUTE.premium} can create QR codes. It can have ${STREAMS_MAX.free} or ${STREAMS_MAX.premium} open streams. For all keys of an account together, these limits are five times as high.

Bulk requests can change ${figure(BULK_LINKS_MAX_PER_MINUTE.free)} links per minute and ${figure(BULK_LINKS_MAX_PER_DAY.free)} per UTC day for each account on the Free plan, and ${figure(BULK_LINKS_MAX_PER_MINUTE.premium)} and ${figure(BULK_LINKS_MAX_PER_DAY.premium)} on Premium. Each link in a request counts, whether it is changed or rejected, and every changed alias and every ${TAGS_PER_BULK_LINK} changed tags count as one more link, a new password as ${BULK_LINKS_PER_PASSWORD}. If a request has more links than the limit has left, the whole request is rejected.

If you exceed a limit, requests return 429. Retry after the number of seconds in \`Retry-After\`. \`RateLimit-Policy\` lists the limits that a request counts toward. \`RateLimit\` is sent only with 429: requests are counted where they arrive, so the remaining quota is not known. To see how many links your bulk requests have used, call \`GET /v1/me\`. Redirects do not count toward these limits.

## Versioning

Changes to v1 are additive, so ignore fields that you do not know. Breaking changes would be released as v2, and both versions would be available for at least 12 months.`;

export const SECURITY_DESCRIPTION = `An API key, sent as \`Authorization: Bearer <key>\`. Keys begin with \`svc_live_\` or \`svc_test_\`. Scopes: ${SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`;

/** In the order of the reference. */
export const TAGS = {
  Links: "A link redirects a short URL to a destination. Routing rules can send visitors to different destinations.",
  Statistics: "Exact click counts, and the click log that they are computed from.",
  "QR codes": "Images that encode a link's short URL. A scan counts as a click with the source `qr`.",
  Events: "A live stream of clicks.",
  Domains:
    "Your own short domains. Add a domain, set the returned records at your DNS provider, then retrieve the domain until its `status` is `active`. Each retrieval checks DNS if a check is due, and returns the result. The service does not send callbacks.",
  Account: "The account of an API key, the key's permissions, and the usage of limits.",
};

export type Tag = keyof typeof TAGS;

/** Request and response headers. */
export const HEADER_DOCS = {
  "Accept-Encoding": textHeader("Supported encodings of the body.", "gzip"),
  Allow: textHeader("Methods that this path supports.", "GET, HEAD"),
  "Content-Disposition": textHeader(
    "File name, if the response is a file.",
    'attachment; filename="spring-clicks.csv"',
  ),
  "Content-Encoding": textHeader("Compression of the body. Defaults to none.", "gzip", {
    enum: ["gzip", "identity"],
  }),
  ETag: textHeader("Revision of the link, for `If-Match` and `If-None-Match`.", '"3"'),
  "Hoplink-As-Of": textHeader(
    "If the response is a file: it contains the clicks of all links before this time.",
    "2026-11-21T18:00:00.000Z",
    { format: "date-time" },
  ),
  "Idempotency-Key": textHeader(
    "A unique text of your choice that identifies this request, so that you can retry it safely.",
    "order-1234",
    { pattern: "^[!-~]+$", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS },
  ),
  "Idempotent-Replayed": textHeader(
    "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`; otherwise omitted.",
    "true",
    { enum: ["true"] },
  ),
  "If-Match": textHeader("`ETag` that the link must still have, a comma-separated list of them, or `*`.", '"3"'),
  "If-None-Match": textHeader(
    "`ETag` of your copy of the link. If the link has not changed, the response is 304 without a body.",
    '"3"',
  ),
  "Last-Event-ID": textHeader("`id` of the last event received. The stream resumes after it."),
  Link: textHeader(
    'URL of the next page, with `rel="next"`. Omitted on the last page.',
    '</v1/links?limit=20&cursor=lnk_01kajm2t4g8q5v7w9x3y6z1a2b>; rel="next"',
  ),
  Location: textHeader("Path of the created object.", "/v1/links/lnk_01kajm2t4g8q5v7w9x3y6z1a2b"),
  RateLimit: textHeader(
    "The exceeded limit: its remaining quota (`r`), and the seconds until it resets (`t`).",
    '"requests-key";r=0;t=17',
  ),
  "RateLimit-Policy": textHeader(
    "Limits that this request counts toward: a quota (`q`) per window in seconds (`w`). Quotas count requests, or links in bulk requests if `qu` is set.",
    '"requests-key";q=120;w=60, "requests-account";q=600;w=60',
  ),
  "Retry-After": {
    description: "Seconds to wait before you retry.",
    schema: { type: "integer", minimum: 0 },
    example: 5,
  },
  "WWW-Authenticate": textHeader("How to authenticate.", 'Bearer realm="hoplink"'),
  "X-Request-Id": textHeader(
    "ID of the request in the service's logs. Include it when you report a problem.",
    "req_01kajm2t4g8q5v7w9x3y6z1a2b",
  ),
} satisfies Record<string, Header>;

export type DocumentedHeader = keyof typeof HEADER_DOCS;

function textHeader(description: string, example?: string, constraints: Partial<JsonSchema> = {}): Header {
  return { description, schema: { type: "string", ...constraints }, ...(example === undefined ? {} : { example }) };
}
