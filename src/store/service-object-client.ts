/** Passes requests on to the objects in which the service runs on Workers' Free plan (src/service-object.ts). */
import { crc32 } from "../core/encoding/bytes.ts";
import { networkOf } from "../core/visitors/visitor.ts";
import { regionOf } from "../core/deployment/settings.ts";
import { isOverloaded } from "./timeout.ts";

/**
 * Requests of different callers mostly do not wait for each other. An unbounded number would start cold each time. All are
 * near the databases: a request waits for several queries, and crosses an ocean once.
 */
const SHARDS = 16;

/** Marks an answer that is not for the client but for the Worker: a `StreamTicket` (streams.ts). */
export const TICKET_HEADER = "X-Stream-Ticket";
/** Names the refusal for which the Worker asks the object for an error. */
export const REFUSAL_HEADER = "X-Stream-Refusal";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Lets the object of a network answer. Wrong keys and sign-ins are counted there by network, in memory; by anything that
 * a caller chooses, such as the key, each object would count them anew, and one caller could keep all of them busy.
 * The runtime sends again only what has not reached the object; what a deployment has cut there is asked again here.
 * @returns null when the object cannot be reached, as in the moment of a deployment; it may have acted all the same
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
