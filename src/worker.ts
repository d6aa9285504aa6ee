/**
 * The entry. A visitor's request goes to the edge door at once; the service's own (API, docs) loads the rest of the
 * program first, so that a redirect runs and pays for nothing that it does not need.
 */
import { type Hosts, hostsOf } from "./core/hosts.ts";
import { parseAddress } from "./edge/address.ts";
import { redirect } from "./edge/redirect.ts";

export { AccountFeed } from "./clicks/account-feed.ts";
export { LinkClicks } from "./clicks/link-clicks.ts";
export { Maintenance } from "./maintenance/maintenance.ts";

/** As in wrangler.toml; the other schedule is the daily one. */
const EVERY_MINUTE_CRON = "* * * * *";

let hosts: Hosts | undefined;

export default {
  fetch(request, env, ctx) {
    hosts ??= hostsOf(env);
    const address = parseAddress(request.url, hosts);
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
