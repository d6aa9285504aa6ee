/**
 * Entry point of the Worker. Requests for short URLs are answered by `edge/`, which is all that a cold isolate loads.
 * The API, the dashboard and the docs are imported on their first request, so that their code never delays a redirect.
 */
import { parseAddress } from "./edge/address.ts";
import { redirect } from "./edge/redirect.ts";

export { AccountFeed } from "./clicks/account-feed.ts";
export { LinkClicks } from "./clicks/link-clicks.ts";
export { Maintenance } from "./maintenance/maintenance.ts";

/** The schedule in `wrangler.toml` that runs every minute; the other one is daily. */
const EVERY_MINUTE_CRON = "* * * * *";

export default {
  fetch(request, env, ctx) {
    const address = parseAddress(request.url, env);
    return address.kind === "service" ? serve(request, env, ctx) : redirect(request, env, ctx, address);
  },

  async scheduled({ cron }, env) {
    if (cron === EVERY_MINUTE_CRON) return (await import("./maintenance/run-maintenance.ts")).wakeIfDue(env);
    await (await import("./store/sweep.ts")).sweepExpired(env);
  },
} satisfies ExportedHandler<Env>;

async function serve(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const { service } = await import("./api/service.ts");
  return service.fetch(request, env, ctx);
}
