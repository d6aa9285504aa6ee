/**
 * Context of the API's handlers: the variables that middleware sets, the factory of a route's handlers, and their JSON
 * responses, with the headers that depend on the body.
 */
import type { Context, TypedResponse } from "hono";
import { createFactory } from "hono/factory";

import type { Hosts } from "../core/hosts.ts";
import { hasCurrentEtag } from "../core/http/entity-tags.ts";
import type { Caller } from "../store/accounts/api-keys.ts";
import type { SessionAccount } from "../store/auth/sessions.ts";
import type { DomainRecord } from "../store/domains/domain-rows.ts";
import type { LinkRecord } from "../store/links/link-rows.ts";
import type { CountedQrCode } from "../store/qr-codes.ts";
import type { IdempotentRequest } from "../store/directory/idempotency.ts";

/** Authenticates the caller of a request. @throws ApiError when the credentials are missing or invalid */
type Authenticate = (c: Context<ApiEnv>) => Promise<Caller>;

/** A POST with an `Idempotency-Key`, and how to rebuild its first response. */
export interface ReplayableRequest extends IdempotentRequest {
  /**
   * Rebuilds the first response from the stored payload and this request, which is identical.
   * @throws ZodError when an earlier release accepted the body and this one does not
   */
  restoreResponse: (stored: unknown) => JsonResponse;
}

export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    hosts: Hosts;
    /** Set by `sessionAuth`: replaces API key authentication in `access`. */
    authenticate?: Authenticate;
    /** Set by `sessionAuth`: cookies of a session that was extended. */
    sessionCookies?: string[];
    /** Set by `access`: the response's `RateLimit-Policy` header. */
    rateLimitPolicy?: string;
    /** Set by `access`. */
    caller: Caller;
    /** Set by `sessionAuth`: the account of the session. */
    account: SessionAccount;
    /** Set by `access`: repeats authentication and the scope check, for long-lived responses. */
    isStillAllowed: () => Promise<boolean>;
    /** Set by `loadLink`. */
    link: LinkRecord;
    /** Set by `loadQrCode`: the code with its scan count. */
    qrCode: CountedQrCode;
    /** Set by `loadDomain`. */
    domain: DomainRecord;
    /** Set by `body`; null if the request has no `Idempotency-Key`. */
    idempotentRequest: ReplayableRequest | null;
  };
}

/**
 * Creates the typed handlers of one route, which `urls.ts` mounts at their path. In a plain array, Hono would lose the
 * types of input and output.
 */
export const { createHandlers } = createFactory<ApiEnv>();

/** A response as sent, or as stored for a retry with the same `Idempotency-Key`. */
export interface JsonResponse<Body = unknown, Status extends 200 | 201 = 200 | 201> {
  status: Status;
  body: Body;
  headers?: Record<string, string>;
  /** Path of the created resource, below `/v1` or `/dashboard/api`. */
  location?: string;
}

/** Carries status and body in its type, for the dashboard's typed client. */
type TypedJsonResponse<Body, Status extends 200 | 201> = Response & TypedResponse<Body, Status, "json">;

export function respondJson<Body, Status extends 200 | 201>(
  c: Context,
  { status, body, headers, location }: JsonResponse<Body, Status>,
): TypedJsonResponse<Body, Status> {
  if (headers?.ETag !== undefined && isUnchanged(c, headers.ETag)) {
    return c.body(null, 304, headers) as unknown as TypedJsonResponse<Body, Status>;
  }
  if (location !== undefined) c.header("Location", mountPoint(c) + location);
  // The contract's shapes are JSON already; hono's own type for the JSON of a value does not preserve them.
  return c.json(body as object, status, headers) as unknown as TypedJsonResponse<Body, Status>;
}

/** A page of a list. @param nextCursor  null on the last page */
export function wirePage<Item>(data: Item[], nextCursor: string | null) {
  return { data, has_more: nextCursor !== null, next_cursor: nextCursor };
}

/** Responds with a page of a list and a link to the next one. */
export function respondPage<Body extends { next_cursor: string | null }>(
  c: Context,
  body: Body,
): TypedJsonResponse<Body, 200> {
  if (body.next_cursor !== null) c.header("Link", nextLink(c, body.next_cursor));
  return respondJson(c, { status: 200, body });
}

function isUnchanged(c: Context, etag: string): boolean {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  return isRead && hasCurrentEtag(c.req.header("If-None-Match") ?? "", etag);
}

/** The `Link` header of the next page: this request's parameters, which are already validated, and its cursor. */
function nextLink(c: Context, cursor: string): string {
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.set("cursor", cursor);
  return `<${pathname}?${searchParams}>; rel="next"`;
}

/** The prefix under which the route of this request is mounted. */
function mountPoint(c: Context): string {
  return c.req.path.startsWith("/dashboard/api/") ? "/dashboard/api" : "/v1";
}
