/**
 * The service in a Durable Object, for Workers' Free plan: a request to the Worker may take 10 ms of CPU there, an object's
 * request 30 s. A password takes 50 to 170 ms, and the first request in an isolate as long, to load the service. Streams are
 * opened by the Worker with a ticket from here (api/streams/stream-bridge.ts). Stores nothing.
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
