/**
 * The service in a Durable Object, for Workers' Free plan: a request to the Worker may take 10 ms of CPU there, an
 * object's request 30 s. Hashing a password takes 50 to 170 ms. The first request in an isolate takes as long, to load
 * the service. The Worker opens streams with a ticket from this object (api/streams/stream-bridge.ts). Stores nothing.
 */
import { DurableObject } from "cloudflare:workers";

export class Service extends DurableObject<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { service } = await import("./api/service.ts");
    return service.fetch(request, this.env, {
      waitUntil: (work) => this.ctx.waitUntil(work),
      passThroughOnException: () => {},
      props: { isBridged: true },
    });
  }
}
