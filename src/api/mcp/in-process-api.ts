/**
 * In-process access to the API for tools: calls the `/v1` routes themselves. Scopes, limits, quotas, validation and
 * error messages are therefore the API's own. A tool cannot do anything that its key could not do by REST.
 */
import { type Context, Hono, type MiddlewareHandler } from "hono";

import type { ErrorBody } from "../../core/contract/errors.ts";
import type { ApiEnv } from "../context.ts";
import { respondWithError } from "../middleware/errors.ts";

interface ApiRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/v1`. */
  path: string;
  /** Undefined members are not sent; items of an array are sent one by one. */
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ApiReply {
  /** Null if the response has none. */
  body: unknown;
  headers: Headers;
}

/** The revision of the link in a reply, from its ETag. */
export function revisionOf({ headers }: ApiReply): number {
  return Number(headers.get("ETag")?.replaceAll('"', ""));
}

/** @throws RefusedByApi */
export type CallApi = (request: ApiRequest) => Promise<ApiReply>;

/** An error response of the API. */
export class RefusedByApi extends Error {
  readonly detail: ErrorBody["error"];
  readonly retryAfter: string | null;

  constructor({ error }: ErrorBody, retryAfter: string | null) {
    super(error.message);
    this.detail = error;
    this.retryAfter = retryAfter;
  }
}

/** The original request on whose behalf an API request is made. No such request can come from outside. */
const onBehalfOf = new WeakMap<Request, Context<ApiEnv>>();

const asCaller: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const outer = onBehalfOf.get(c.req.raw);
  if (!outer) throw new Error("a request in this process has no caller");
  c.set("requestId", outer.var.requestId);
  c.set("hosts", outer.var.hosts);
  c.set("authenticate", () => Promise.resolve(outer.var.caller));
  await next();
};

let routed: Hono<ApiEnv> | null = null;

export function inProcessApi(c: Context<ApiEnv>, v1Routes: Hono<ApiEnv>): CallApi {
  routed ??= new Hono<ApiEnv>().use(asCaller).route("/v1", v1Routes).onError(respondWithError);
  const app = routed;
  return async (wanted) => {
    const request = requestFor(c.var.hosts.baseUrl, wanted);
    onBehalfOf.set(request, c);
    const response = await app.fetch(request, c.env, c.executionCtx);
    const text = await response.text();
    const body: unknown = text === "" ? null : JSON.parse(text);
    if (!response.ok) throw new RefusedByApi(body as ErrorBody, response.headers.get("Retry-After"));
    return { body, headers: response.headers };
  };
}

function requestFor(baseUrl: string, { method, path, query = {}, body, headers }: ApiRequest): Request {
  const url = new URL(`${baseUrl}/v1${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) url.searchParams.append(name, String(each));
    }
  }
  return new Request(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
