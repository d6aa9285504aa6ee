/** The one way in which routes answer JSON. */
import type { Context, TypedResponse } from "hono";

import type { ApiEnv } from "./context.ts";

/** A response as it is sent, or stored for a retry with the same `Idempotency-Key`. */
export interface JsonResponse<Body = unknown, Status extends 200 | 201 = 200 | 201> {
  status: Status;
  body: Body;
  headers?: Record<string, string>;
}

/** Carries status and body in its type, for the dashboard's typed client. */
type TypedJsonResponse<Body, Status extends 200 | 201> = Response & TypedResponse<Body, Status, "json">;

export function respondJson<Body, Status extends 200 | 201>(
  c: Context<ApiEnv>,
  { status, body, headers }: JsonResponse<Body, Status>,
): TypedJsonResponse<Body, Status> {
  // The shapes of the contract are JSON already; hono's own type for the JSON of a value does not keep them.
  return c.json(body as object, status, headers) as unknown as TypedJsonResponse<Body, Status>;
}
