/**
 * What each route says of itself, carried by its own middleware: `access` knows the scope, `body` and `query` their
 * schemas, `describe` the rest. The OpenAPI document is read off the routes (openapi.ts) and so cannot drift from them.
 */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";

import type { Scope } from "../../core/account.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { ApiEnv } from "../context.ts";

export interface RouteDoc {
  id?: string;
  tag?: Tag;
  summary?: string;
  description?: string;
  scope?: Scope;
  body?: z.ZodType;
  /** By name, without the colon. */
  params?: Record<string, z.ZodType>;
  query?: z.ZodObject;
  ok?: SuccessDoc;
  requestHeaders?: HeaderName[];
  errors?: ErrorCode[];
}

interface SuccessDoc {
  status: 200 | 201 | 204;
  description: string;
  schema?: z.ZodType;
  /** JSON when omitted. */
  contentType?: string;
  /** When omitted, the first example of the schema. */
  example?: unknown;
  headers?: HeaderName[];
}

export type Tag = "Links" | "Statistics" | "QR codes" | "Events" | "Domains";

export type HeaderName =
  | "ETag"
  | "Idempotency-Key"
  | "Idempotent-Replayed"
  | "If-Match"
  | "Last-Event-ID"
  | "Retry-After";

const routeDocs = new WeakMap<object, RouteDoc>();

/** Attaches what a middleware knows of its route. */
export function documented<M extends MiddlewareHandler<ApiEnv>>(middleware: M, doc: RouteDoc): M {
  routeDocs.set(middleware, doc);
  return middleware;
}

/** Says what a route is for, what it answers and what it refuses. Does nothing at run time. */
export function routeDoc(doc: RouteDoc): MiddlewareHandler<ApiEnv> {
  return documented((_, next) => next(), doc);
}

export function routeDocOf(handler: object): RouteDoc | undefined {
  return routeDocs.get(handler);
}
