/** Passes requests on to the objects in which the service runs on Workers' Free plan (src/service-object.ts). */
import { crc32 } from "../core/crc32.ts";
import { isFreePlan } from "../core/workers-plan.ts";

/** Requests of different callers mostly do not wait for each other. An unbounded number would start cold each time. */
const SHARDS = 16;

const STREAM_PATH = "/events/stream";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a request is to be answered by an object. Streams are not: an object is billed as long as one lasts, and the
 * Worker waits for free.
 */
export function isForServiceObject(env: Env, { url }: Request): boolean {
  return isFreePlan(env) && !new URL(url).pathname.endsWith(STREAM_PATH);
}

/**
 * Lets the object of a caller answer: of a key, else of an address, so that what an isolate remembers of them holds.
 * @returns null when the object cannot be reached, as in the moment of a deployment; it may have acted all the same
 */
export async function askServiceObject(env: Env, request: Request): Promise<Response | null> {
  const tries = SAFE_METHODS.has(request.method) ? 2 : 1;
  for (let failed = 0; failed < tries; failed++) {
    try {
      return await env.SERVICE.getByName(objectName(request.headers)).fetch(request);
    } catch (error) {
      console.warn("service object not reached", { error: String(error) });
    }
  }
  return null;
}

function objectName(headers: Headers): string {
  const caller = headers.get("Authorization") ?? headers.get("CF-Connecting-IP") ?? "";
  return `service-${crc32(new TextEncoder().encode(caller)) % SHARDS}`;
}
