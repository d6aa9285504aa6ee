/**
 * Requests to the hosts of a deployment. With `EDGE_ADDRESS=host:port`, they go there over plain HTTP, with the host in
 * their header and the URL's scheme in `X-Forwarded-Proto`. For tests, and for staging deployments behind a proxy.
 */
import type { Buffer } from "node:buffer";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";

import { RELEASE } from "../../core/release.ts";

const TIMEOUT_MS = 20_000;
/** Zones may refuse requests without a user agent. */
const USER_AGENT = `hoplink/${RELEASE}`;

export interface HostReply {
  status: number;
  location: string | null;
  headers: Headers;
  content: Buffer;
  /** The content as text. */
  body: string;
}

export interface HostRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
}

/** For this machine, which is not behind `EDGE_ADDRESS`. */
export const NO_EDGE = "";

/** Redirects are not followed. Not with `fetch`, which does not let its caller set the host. */
export async function requestHost(
  url: string,
  request: HostRequest = {},
  edgeAddress = process.env.EDGE_ADDRESS,
): Promise<HostReply> {
  const { timeoutMs = TIMEOUT_MS, body, method = "GET" } = request;
  const { protocol, host, pathname, search } = new URL(url);
  const target = new URL(edgeAddress ? `http://${edgeAddress}` : url);
  const toEdge = edgeAddress && { Host: host, "X-Forwarded-Proto": protocol.slice(0, -1) };
  const headers = { "User-Agent": USER_AGENT, ...request.headers, ...toEdge };
  const options = { method, headers, path: pathname + search, signal: AbortSignal.timeout(timeoutMs) };
  const send = target.protocol === "https:" ? httpsRequest : httpRequest;
  const response = await new Promise<IncomingMessage>((done, fail) => {
    send(target, options, done).once("error", fail).end(body);
  });
  const content = await buffer(response);
  const replied = Object.entries(response.headersDistinct).map(([name, [value = ""] = []]): [string, string] => [
    name,
    value,
  ]);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(replied),
    location: response.headers.location ?? null,
    content,
    // Decoded on demand, because a page of clicks has megabytes.
    get body() {
      return content.toString();
    },
  };
}
