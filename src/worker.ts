/**
 * The entry. A visitor's request goes to the edge door at once; the service's own (API, docs) loads the rest of the
 * program first, so that a redirect runs and pays for nothing that it does not need.
 */
import { doorOf, type Hosts, hostsOf } from "./core/hosts.ts";
import { unavailablePage } from "./edge/pages.ts";
import { redirect } from "./edge/redirect.ts";

export { LinkClicks } from "./clicks/link-clicks.ts";

let hosts: Hosts | undefined;

export default {
  async fetch(request, env, ctx) {
    hosts ??= hostsOf(env);
    const door = doorOf(request.url, hosts);
    if (door.kind === "service") {
      const { service } = await import("./api/service.ts");
      return service.fetch(request, env, ctx);
    }
    try {
      return await redirect(request, env, ctx, door);
    } catch (error) {
      console.error("redirect failed", error);
      return unavailablePage(request);
    }
  },

  async scheduled(_event, env) {
    const { sweepAnswers } = await import("./store/idempotency.ts");
    await sweepAnswers(env);
  },
} satisfies ExportedHandler<Env>;
