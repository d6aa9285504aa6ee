/**
 * The parts that two releases share during a rollout, as a Worker: the door of visitors, the objects, and the Worker's
 * side of reading them.
 * `POST /.release/<call>` with the arguments as JSON; every other request is a visit.
 */
import { eventStream } from "../../src/api/streams/event-stream.ts";
import type { ClicksRequest } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { parseAddress } from "../../src/edge/address.ts";
import { redirect } from "../../src/edge/redirect.ts";
import type { Caller } from "../../src/store/accounts/api-keys.ts";
import {
  countScans,
  readObjectSnapshot,
  readClicks,
  readStats,
  notifyLinkObject,
} from "../../src/store/link-object-client.ts";
import { UnavailableError } from "../../src/store/timeout.ts";
import { openStream } from "../../src/store/streams.ts";

export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { LinkClicks } from "../../src/clicks/link-clicks.ts";

/** Calls to the objects, as the API makes them. If an object cannot answer, the response is 503, as there. */
export const CALLS = {
  stats: (env: Env, link: LinkSnapshot, question: StatsRequest) => readStats(env, link, question),
  clicks: (env: Env, link: LinkSnapshot, question: ClicksRequest) => readClicks(env, link, question),
  scans: async (env: Env, link: LinkSnapshot, { qr }: { qr: string }) => ({
    scans: (await countScans(env, link, { qr })).scans,
  }),
  snapshot: (env: Env, link: LinkSnapshot) => readObjectSnapshot(env, link),
  tell: (env: Env, link: LinkSnapshot) => notifyLinkObject(env, link),
};

const LIMITS = { lifetimeMs: 3_600_000, messagesMax: Infinity };

export type Call = keyof typeof CALLS;

export interface CallArguments {
  link: LinkSnapshot;
  caller: Caller;
  question: StatsRequest & ClicksRequest & { qr: string };
}

async function handleCall(request: Request, env: Env, ctx: ExecutionContext, call: string): Promise<Response> {
  const { link, caller, question } = (await request.json()) as CallArguments;
  try {
    if (call === "stream") return await handleStream(request, env, ctx, caller);
    return Response.json((await CALLS[call as Call](env, link, question)) ?? null);
  } catch (error) {
    return new Response(String(error), { status: error instanceof UnavailableError ? 503 : 500 });
  }
}

async function handleStream(request: Request, env: Env, ctx: ExecutionContext, caller: Caller): Promise<Response> {
  const opened = await openStream(env, ctx, caller, { link: null, after: null, includeBots: true });
  if (opened.kind !== "open") throw new Error(opened.kind);
  const listener = { id: caller.rateKey, isStillAllowed: async () => true, allowedAt: Date.now(), ...LIMITS };
  return new Response(eventStream(opened, request.signal, listener));
}

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/.release/")) return handleCall(request, env, ctx, pathname.slice("/.release/".length));
    const address = parseAddress(request.url, env);
    if (address.kind === "service") return new Response(null, { status: 404 });
    return redirect(request, env, ctx, address);
  },
} satisfies ExportedHandler<Env>;
