/** A Worker only for the benchmark: the real object of a link, to which a crowd of isolates sends. Never deployed. */
import { LinkClicks as RealLinkClicks } from "../../src/clicks/link-clicks.ts";
import { type SimulatedLoad, simulateLoad, type SimulatedLoadResult } from "../support/simulated-load.ts";

// The configuration names them.
export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

export class LinkClicks extends RealLinkClicks {
  send(crowd: SimulatedLoad): Promise<SimulatedLoadResult> {
    return simulateLoad(this, crowd);
  }
}

export default {
  /** `POST /<object>` with a crowd as JSON. */
  async fetch(request, env) {
    const name = new URL(request.url).pathname.slice(1);
    const object = (env.LINK_CLICKS as unknown as DurableObjectNamespace<LinkClicks>).getByName(name);
    return Response.json(await object.send(await request.json<SimulatedLoad>()));
  },
} satisfies ExportedHandler<Env>;
