/**
 * Texts of the OpenAPI document that belong to no single route.
 * Paragraphs, `## ` headings and `code` marks only: the reference renders no other Markdown.
 */

import {
  BODY_MAX_BYTES,
  BULK_LINKS_MAX_PER_DAY,
  BULK_LINKS_MAX_PER_MINUTE,
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

export const INTRODUCTION = `Hoplink makes short links. A link may carry routing rules that send visitors to different destinations, and every click is counted exactly.

## Authentication

Every request carries \`Authorization: Bearer <key>\`. A key that begins with \`svc_live_\` works on live data, one that begins with \`svc_test_\` on test data, and neither sees the data of the other. A key has scopes; each operation names the one it needs.

## Requests

Send bodies as \`Content-Type: application/json\`, at most ${BODY_MAX_BYTES / 1024} KiB, plain or with \`Content-Encoding: gzip\`. Fields and query parameters that are not known here are refused. Times are RFC 3339 with an offset or \`Z\`; they come back in UTC with milliseconds.

## Errors

Every error has the same shape. \`code\` is for programs and \`message\` for people; \`errors\` lists every problem of a request at once. Where \`Accept\` prefers \`application/problem+json\`, the same members come as a problem of RFC 9457. A path that does not exist answers 404 \`not_found\`. A method that a path does not have answers 405 \`method_not_allowed\`, and the header \`Allow\` names those it has. If the service uses https, a request over plain HTTP answers 403 \`https_required\` before anything else is checked. Next come the key, its scope and its rate, then the route, the body and the plan, and the values last. The dashboard calls the same routes with a session; only it meets \`missing_session\`, \`invalid_password\`, \`key_not_found\`, \`invalid_setup_token\` and \`already_set_up\`. Pages of other origins get \`invalid_origin\` there, and from the MCP server. While a setting of the deployment is missing or wrong, every request answers 503 \`misconfigured\`; links go on redirecting. While its database lacks tables, requests answer 503 \`not_migrated\`. Only \`/health?deep\` answers \`invalid_operator_token\`.

## Repeating a request

Send an \`Idempotency-Key\` with a POST to be able to repeat it safely: for ${IDEMPOTENCY_TTL_HOURS} hours the same key with the same body, compared as a JSON value, gets the first answer again, with the header \`Idempotent-Replayed: true\`. The same key with another body answers 409.

## Changing what you have seen

Each answer with a single link has an \`ETag\`. Send it as \`If-Match\` with PATCH or DELETE, and the request is refused with 412 when the link has changed since. Send it as \`If-None-Match\` with GET, and the answer is 304 without a body while the link is the same.

## Limits

A key may make ${figure(REQUESTS_MAX_PER_MINUTE.free)} requests a minute on the Free plan and ${figure(REQUESTS_MAX_PER_MINUTE.premium)} on Premium, among them ${QR_REQUESTS_MAX_PER_MINUTE.free} and ${QR_REQUESTS_MAX_PER_MINUTE.premium} that make QR codes, and may have ${STREAMS_MAX.free} or ${STREAMS_MAX.premium} streams open; an account may do five times as much by all its keys together. Bulk requests may change ${figure(BULK_LINKS_MAX_PER_MINUTE.free)} links a minute and ${figure(BULK_LINKS_MAX_PER_DAY.free)} a UTC day per account on the Free plan, ${figure(BULK_LINKS_MAX_PER_MINUTE.premium)} and ${figure(BULK_LINKS_MAX_PER_DAY.premium)} on Premium. Each link of a request counts, whether it is changed or refused, and every ${TAGS_PER_BULK_LINK} tags that change count as one more link; a request that does not fit is refused as a whole. Beyond a limit the answer is 429, and after \`Retry-After\` seconds the caller is let in again. \`RateLimit-Policy\` tells the limits that a request counts for; \`RateLimit\` comes with 429 alone, because requests are counted where they arrive and what remains is not known; \`GET /v1/me\` returns the links that bulk requests have used. Redirects count toward none of these limits.

## Versions

v1 changes only by addition, so ignore fields that you do not know. A breaking change would be v2, with at least 12 months of both.`;

export const SECURITY_DESCRIPTION = `An API key, as \`Authorization: Bearer <key>\`. Keys begin with \`svc_live_\` or \`svc_test_\`. Scopes: ${SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`;

/** In the order of the reference. */
export const TAGS = {
  Links: "A short URL leads to a destination, by rules where it has some.",
  Statistics: "Exact counts of clicks, and the log they are counted from.",
  "QR codes": "Images that encode a link's short URL. A scan is a click with the source `qr`.",
  Events: "Clicks as they happen.",
  Domains:
    "Short domains of your own. Add one, set the records of the answer at your DNS provider, and retrieve the domain until it is `active`: each retrieval that is due asks DNS, and says what it found. Nothing is called back.",
  Account: "Who a key belongs to, what it may do, and what is left of its limits.",
};

export type Tag = keyof typeof TAGS;

/** Request and response headers. */
export const HEADER_DOCS = {
  "Accept-Encoding": textHeader("Encodings that a body may have.", "gzip"),
  Allow: textHeader("The methods of this path.", "GET, HEAD"),
  "Content-Disposition": textHeader(
    "The name of the file, where the response is one.",
    'attachment; filename="spring-clicks.csv"',
  ),
  "Content-Encoding": textHeader("How the body is compressed; not at all when omitted.", "gzip", {
    enum: ["gzip", "identity"],
  }),
  ETag: textHeader("The revision of the link, for `If-Match`.", '"3"'),
  "Hoplink-As-Of": textHeader(
    "Where the response is a file: clicks of all links before this instant are in it.",
    "2026-11-21T18:00:00.000Z",
    { format: "date-time" },
  ),
  "Idempotency-Key": textHeader(
    "A text of your choice that names this request, so that repeating it does nothing twice.",
    "order-1234",
    { pattern: "^[!-~]+$", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS },
  ),
  "Idempotent-Replayed": textHeader(
    "There, and `true`, when this is the answer to an earlier request with the same `Idempotency-Key`.",
    "true",
    { enum: ["true"] },
  ),
  "If-Match": textHeader("The `ETag` that the link must still have, or several with commas between, or `*`.", '"3"'),
  "If-None-Match": textHeader(
    "The `ETag` of what you have: where it is still the same, the answer is 304 without a body.",
    '"3"',
  ),
  "Last-Event-ID": textHeader("The `id` of the last event received: the stream goes on after it."),
  Link: textHeader(
    'The next page, with `rel="next"`. Not there on the last page.',
    '</v1/links?limit=20&cursor=lnk_01kajm2t4g8q5v7w9x3y6z1a2b>; rel="next"',
  ),
  Location: textHeader("Path of what was created.", "/v1/links/lnk_01kajm2t4g8q5v7w9x3y6z1a2b"),
  RateLimit: textHeader(
    "The limit that refused the request: what is left of it (`r`), and seconds until it starts again (`t`).",
    '"requests-key";r=0;t=17',
  ),
  "RateLimit-Policy": textHeader(
    "The limits that this request counts for: requests, or links of bulk requests where `qu` says so (`q`), in a window of seconds (`w`).",
    '"requests-key";q=120;w=60, "requests-account";q=600;w=60',
  ),
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 0 },
    example: 5,
  },
  "WWW-Authenticate": textHeader("How to send a key.", 'Bearer realm="hoplink"'),
  "X-Request-Id": textHeader("Names this request in our logs.", "req_01kajm2t4g8q5v7w9x3y6z1a2b"),
} satisfies Record<string, Header>;

export type DocumentedHeader = keyof typeof HEADER_DOCS;

function textHeader(description: string, example?: string, constraints: Partial<JsonSchema> = {}): Header {
  return { description, schema: { type: "string", ...constraints }, ...(example === undefined ? {} : { example }) };
}
