/** `Idempotency-Key`: the first answer again, however often and however close together a request is sent. */
import type { Context } from "hono";

import { ApiError } from "../core/errors.ts";
import { type Answer, earlierAnswer } from "../store/idempotency.ts";
import type { Api } from "./context.ts";

export function reply(c: Context<Api>, { status, headers, body }: Answer, more: Record<string, string> = {}): Response {
  return c.json(body, status, { ...headers, ...more });
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
export async function onlyOnce(c: Context<Api>, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const { once } = c.var;
    const earlier = once && (await earlierAnswer(c.env, c.var.caller, once));
    if (earlier) return replay(c, earlier);
    throw error;
  }
}
