/**
 * What each route says of itself, carried by its own middleware: `access` knows the scope, `body` and `query` their
 * schemas, `describe` the rest. The OpenAPI document is read off the routes (openapi.ts) and so cannot drift from them.
 */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";

import type { Scope } from "../core/contract.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Api } from "./context.ts";

export interface RouteDoc {
  id?: string;
  tag?: string;
  summary?: string;
  description?: string;
  scope?: Scope;
  body?: z.ZodType;
  query?: z.ZodObject;
  ok?: { status: 200 | 201 | 204; description: string; schema?: z.ZodType; headers?: HeaderName[] };
  requestHeaders?: HeaderName[];
  errors?: ErrorCode[];
}

export type HeaderName = "ETag" | "If-Match" | "Idempotency-Key" | "Idempotent-Replayed";

const docs = new WeakMap<object, RouteDoc>();

/** Attaches what a middleware knows of its route. */
export function documented<M extends MiddlewareHandler<Api>>(middleware: M, doc: RouteDoc): M {
  docs.set(middleware, doc);
  return middleware;
}

/** Says what a route is for, what it answers and what it refuses. Does nothing at run time. */
export function describe(doc: RouteDoc): MiddlewareHandler<Api> {
  return documented((_, next) => next(), doc);
}

export function docOf(handler: object): RouteDoc | undefined {
  return docs.get(handler);
}
