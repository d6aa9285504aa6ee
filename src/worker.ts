/**
 * The entry. A visitor's request goes to the edge door at once; the service's own (API, docs) loads the rest of the
 * program first, so that a redirect runs and pays for nothing that it does not need.
 */
import { type Hosts, hostsOf } from "./core/hosts.ts";
import { addressOf } from "./edge/address.ts";
import { redirect } from "./edge/redirect.ts";

export { AccountFeed } from "./clicks/account-feed.ts";
export { LinkClicks } from "./clicks/link-clicks.ts";

let hosts: Hosts | undefined;

export default {
  fetch(request, env, ctx) {
    hosts ??= hostsOf(env);
    const address = addressOf(request.url, hosts);
    return address.kind === "service" ? serve(request, env, ctx) : redirect(request, env, ctx, address);
  },

  async scheduled(_event, env) {
    const { sweep } = await import("./store/sweep.ts");
    await sweep(env);
  },
} satisfies ExportedHandler<Env>;

async function serve(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const { service } = await import("./api/service.ts");
  return service.fetch(request, env, ctx);
}
