/**
 * The documentation of each route, attached to its middleware: `access` knows the scope and the arguments it is given,
 * `body` and `query` their schemas. The OpenAPI document is generated from the routes (openapi.ts), so it cannot drift
 * from them.
 */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";

import type { Scope } from "../../core/account.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { ApiEnv } from "../context.ts";
import type { DocumentedHeader, Tag } from "./openapi-text.ts";

export interface RouteDoc {
  id?: string;
  tag?: Tag;
  summary?: string;
  description?: string;
  scope?: Scope;
  body?: z.ZodType;
  /** The description of a body that is a file. */
  file?: string;
  /** Schemas by parameter name, without the colon. */
  params?: Record<string, z.ZodType>;
  query?: z.ZodObject;
  ok?: SuccessDoc;
  requestHeaders?: DocumentedHeader[];
  errors?: ErrorCode[];
}

interface SuccessDoc {
  status: 200 | 201 | 204;
  description: string;
  schema?: z.ZodType;
  /** JSON when omitted. */
  contentType?: string;
  /** The body in other media types, which `Accept` selects. */
  alternatives?: Record<string, z.ZodType>;
  headers?: DocumentedHeader[];
}

const routeDocs = new WeakMap<object, RouteDoc>();

/** Attaches documentation to a middleware. */
export function documented<M extends MiddlewareHandler<ApiEnv>>(middleware: M, doc: RouteDoc): M {
  routeDocs.set(middleware, doc);
  return middleware;
}

/** The documentation of a POST, which clients may repeat with an `Idempotency-Key`. */
export function postDoc({ ok, requestHeaders = [], errors = [], ...doc }: RouteDoc & { ok: SuccessDoc }): RouteDoc {
  return {
    ...doc,
    ok: { ...ok, headers: [...(ok.headers ?? []), "Idempotent-Replayed"] },
    requestHeaders: [...requestHeaders, "Idempotency-Key"],
    errors: [...errors, "quota_exceeded", "idempotency_conflict"],
  };
}

export function routeDocOf(handler: object): RouteDoc | undefined {
  return routeDocs.get(handler);
}
