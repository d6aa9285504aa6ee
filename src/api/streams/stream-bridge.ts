/**
 * Streams on Workers' Free plan. The Worker's 10 ms of CPU are not enough to load the API, and an object is billed for
 * as long as it holds a stream. So the service's object checks the request and returns a ticket, with which the Worker
 * opens the stream. Imports nothing else of the API.
 */
import { streamLimits } from "../../core/deployment/settings.ts";
import { askServiceObject, REFUSAL_HEADER, TICKET_HEADER } from "../../store/service-object-client.ts";
import { isTicketValid, openStream, type StreamTicket } from "../../store/streams.ts";
import { eventStream } from "./event-stream.ts";

/**
 * @param answer  the object's response, with a ticket
 * @returns null when an object or the database does not respond
 */
export async function bridgeStream(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  answer: Response,
): Promise<Response | null> {
  const allowedAt = Date.now();
  const ticket = (await answer.json()) as StreamTicket;
  const opened = await openStream(env, ctx, ticket.caller, ticket.request).catch((error: unknown) => {
    console.warn("stream not opened", { error: String(error) });
    return null;
  });
  if (!opened) return null;
  if (opened.kind !== "open") {
    const refused = new Request(request);
    refused.headers.set(REFUSAL_HEADER, opened.kind);
    return askServiceObject(env, refused);
  }
  const headers = new Headers(answer.headers);
  for (const name of [TICKET_HEADER, "Content-Length"]) headers.delete(name);
  const listener = { id: ticket.id, isStillAllowed: () => isTicketValid(env, ticket), allowedAt, ...streamLimits(env) };
  return new Response(eventStream(opened, request.signal, listener), { headers });
}
