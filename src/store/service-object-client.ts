/** Forwards requests to the objects in which the service runs on Workers' Free plan (src/service-object.ts). */
import { crc32 } from "../core/encoding/bytes.ts";
import { networkOf } from "../core/visitors/visitor.ts";
import { regionOf } from "../core/deployment/settings.ts";
import { isOverloaded } from "./timeout.ts";

/**
 * With several objects, requests of different callers mostly do not wait for each other. An unbounded number would
 * start cold each time. All are near the databases: a request waits for several queries, and crosses an ocean once.
 */
const SHARDS = 16;

/** Marks a response meant for the Worker instead of the client: a `StreamTicket` (streams.ts). */
export const TICKET_HEADER = "X-Stream-Ticket";
/** Names the refusal for which the Worker requests an error from the object. */
export const REFUSAL_HEADER = "X-Stream-Refusal";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Forwards a request to its network's object, which counts wrong keys and sign-ins in memory. With a name that callers
 * choose, such as the key, each object would count anew, and one caller could keep all of them busy. The runtime
 * resends only requests that have not reached the object; those that a deployment interrupts are retried here.
 * @returns null when the object cannot be reached, for example during a deployment; it may still have acted
 */
export async function askServiceObject(env: Env, request: Request): Promise<Response | null> {
  const tries = SAFE_METHODS.has(request.method) ? 2 : 1;
  for (let failed = 0; failed < tries; failed++) {
    try {
      return await env.SERVICE.getByName(objectName(request.headers), regionOf(env)).fetch(request);
    } catch (error) {
      console.warn("service object not reached", { error: String(error) });
      if (isOverloaded(error)) break;
    }
  }
  return null;
}

function objectName(headers: Headers): string {
  return `service-${crc32(new TextEncoder().encode(networkOf(headers) ?? "")) % SHARDS}`;
}
