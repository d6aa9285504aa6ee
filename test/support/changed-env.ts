/** The Worker with bindings and settings of a test's choice, in front of which no server stands. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import worker from "../../src/worker.ts";
import { BASE_URL } from "./test-accounts.ts";

/** @param changed  a binding or setting that is undefined is left out */
export async function fetchWith(
  changed: { [name in keyof Env]?: Env[name] | undefined },
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const ctx = createExecutionContext();
  const request = new Request(BASE_URL + path, { redirect: "manual", ...init });
  const settings = Object.entries({ ...env, ...changed }).filter(([, value]) => value !== undefined);
  const response = await worker.fetch(
    request as Request<unknown, IncomingRequestCfProperties>,
    Object.fromEntries(settings) as unknown as Env,
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}
