/** `Idempotency-Key`: the first answer again, however often and however close together a request is sent. */
import type { Context, TypedResponse } from "hono";

import { ApiError } from "../core/errors.ts";
import { type Answer, earlierAnswer } from "../store/idempotency.ts";
import { answersQuota } from "../store/quotas.ts";
import type { Api } from "./context.ts";

/** What a route says of its answer to the dashboard's typed client. */
type Typed<Body, Status extends 200 | 201> = Response & TypedResponse<Body, Status, "json">;

export function reply<Body, Status extends 200 | 201>(
  c: Context<Api>,
  { status, headers, body }: Answer<Body, Status>,
  more: Record<string, string> = {},
): Typed<Body, Status> {
  // The wire shapes of the contract are JSON already; hono's own type for what JSON makes of a value is lost on them.
  return c.json(body as object, status, { ...headers, ...more }) as unknown as Typed<Body, Status>;
}

export function replay(c: Context<Api>, earlier: Answer | "conflict"): Response {
  if (earlier === "conflict") {
    throw new ApiError("idempotency_conflict", "This Idempotency-Key was used for another request within 24 hours", {
      param: "Idempotency-Key",
    });
  }
  return reply(c, earlier, { "Idempotent-Replayed": "true" });
}

/**
 * Does the work of a POST. When it fails although the same request succeeded meanwhile (two copies in flight, of
 * which the transaction let one through), the answer of that one is given.
 */
export async function onlyOnce<Answered extends Response>(
  c: Context<Api>,
  work: () => Promise<Answered>,
): Promise<Answered> {
  try {
    return await work();
  } catch (error) {
    const { once } = c.var;
    const earlier = once && (await earlierAnswer(c.env, c.var.caller, once));
    // What is kept under this key and this request was answered by the same route.
    if (earlier) return replay(c, earlier) as Response as Answered;
    throw answersQuota(error, c.var.caller);
  }
}
