/** Visits while databases fail. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import worker from "../../src/worker.ts";
import { withDatabases } from "./link-databases.ts";

const FAILING_DATABASE = {
  withSession: () => {
    throw new Error("D1_ERROR: down");
  },
} as unknown as D1Database;

/** A visit by an isolate with its current caches, when every database fails. */
export async function visitWithoutDatabase(shortUrl: string): Promise<Response> {
  const ctx = createExecutionContext();
  const request = new Request(shortUrl, { redirect: "manual" }) as Parameters<typeof worker.fetch>[0];
  const reply = await worker.fetch(
    request,
    withDatabases(env, () => FAILING_DATABASE),
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return reply;
}
