/** The Worker with bindings and settings that a test chooses, without a server in front of it. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import worker from "../../src/worker.ts";
import { BASE_URL } from "./test-accounts.ts";

export type ChangedEnv = { [name in keyof Env]?: Env[name] | undefined };

/** @param changed  a binding or setting that is undefined is left out */
export function fetchWith(changed: ChangedEnv, path: string, init: RequestInit = {}): Promise<Response> {
  return fetchAt(BASE_URL + path, changed, init);
}

/** The same for any host. */
export async function fetchAt(url: string, changed: ChangedEnv, init: RequestInit = {}): Promise<Response> {
  const ctx = createExecutionContext();
  const request = new Request(url, { redirect: "manual", ...init });
  const settings = Object.entries({ ...env, ...changed }).filter(([, value]) => value !== undefined);
  const response = await worker.fetch(
    request as Request<unknown, IncomingRequestCfProperties>,
    Object.fromEntries(settings) as unknown as Env,
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}
