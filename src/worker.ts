/**
 * Entry point of the Worker. Requests for short URLs are answered by `edge/`, which is all that a cold isolate loads.
 * The API, the dashboard and the docs are imported on their first request, so that their code never delays a redirect.
 */
import { isFreePlan } from "./core/deployment/settings.ts";
import { parseAddress } from "./edge/address.ts";
import { redirect } from "./edge/redirect.ts";
import { runScheduled } from "./store/maintenance-client.ts";
import { askServiceObject, TICKET_HEADER } from "./store/service-object-client.ts";

export { AccountClicks } from "./clicks/account-clicks.ts";
export { AccountFeed } from "./clicks/account-feed.ts";
export { LinkClicks } from "./clicks/link-clicks.ts";
export { ImageObject } from "./images/image-object.ts";
export { Maintenance } from "./maintenance/maintenance.ts";
export { Service } from "./service-object.ts";

/** The schedule in `wrangler.toml` that runs every minute; the other one is daily. */
const EVERY_MINUTE_CRON = "* * * * *";

export default {
  fetch(request, env, ctx) {
    const address = parseAddress(request.url, env);
    return address.kind === "service" ? serve(request, env, ctx) : redirect(request, env, ctx, address);
  },

  async scheduled({ cron }, env) {
    await runScheduled(env, cron === EVERY_MINUTE_CRON ? "minute" : "day");
  },
} satisfies ExportedHandler<Env>;

async function serve(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  if (!isFreePlan(env)) return (await import("./api/service.ts")).service.fetch(request, env, ctx);
  let answer = await askServiceObject(env, request);
  if (answer?.headers.has(TICKET_HEADER)) {
    const { bridgeStream } = await import("./api/streams/stream-bridge.ts");
    answer = await bridgeStream(request, env, ctx, answer);
  }
  return answer ?? (await import("./api/service.ts")).unavailableService.fetch(request, env, ctx);
}
