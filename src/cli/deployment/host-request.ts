/**
 * Requests to the hosts of a deployment. With `EDGE_ADDRESS=host:port`, they go there over plain HTTP, with the host in
 * their header and the URL's scheme in `X-Forwarded-Proto`. For tests, and for staging deployments behind a proxy.
 */
import { Buffer } from "node:buffer";
import { request as httpRequest } from "node:http";

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

/** Redirects are not followed. */
export async function requestHost(
  url: string,
  request: HostRequest = {},
  edgeAddress = process.env.EDGE_ADDRESS,
): Promise<HostReply> {
  const { timeoutMs = TIMEOUT_MS, body, method = "GET" } = request;
  const headers = { "User-Agent": USER_AGENT, ...request.headers };
  const signal = AbortSignal.timeout(timeoutMs);
  if (edgeAddress) return requestEdge(new URL(url), { method, headers, body }, signal, edgeAddress);
  const response = await fetch(url, { method, headers, body: body ?? null, redirect: "manual", signal });
  return replyOf(response.status, response.headers, Buffer.from(await response.arrayBuffer()));
}

function replyOf(status: number, headers: Headers, content: Buffer): HostReply {
  return {
    status,
    headers,
    location: headers.get("Location"),
    content,
    // Decoded on demand, because a page of clicks has megabytes.
    get body() {
      return content.toString();
    },
  };
}

/** `fetch` does not let its caller set the host. */
function requestEdge(
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | undefined },
  signal: AbortSignal,
  address: string,
): Promise<HostReply> {
  const { hostname, port } = new URL(`http://${address}`);
  const options = {
    hostname,
    port,
    method,
    signal,
    path: url.pathname + url.search,
    headers: { ...headers, Host: url.host, "X-Forwarded-Proto": url.protocol.slice(0, -1) },
  };
  return new Promise((done, fail) => {
    const sent = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", fail);
      response.once("end", () => {
        const replied = new Headers(
          Object.entries(response.headersDistinct).map(([name, [value = ""] = []]) => [name, value]),
        );
        done(replyOf(response.statusCode ?? 0, replied, Buffer.concat(chunks)));
      });
    });
    sent.once("error", fail);
    sent.end(body);
  });
}
