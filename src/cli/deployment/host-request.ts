/**
 * Requests to the hosts of a deployment. With `EDGE_ADDRESS=host:port` they go there, in plain HTTP with the host in
 * their header: for tests, and for a staging deployment behind a proxy.
 */
import { Buffer } from "node:buffer";
import { request as httpRequest } from "node:http";

const TIMEOUT_MS = 20_000;

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
}

/** Redirects are not followed. */
export async function requestHost(
  url: string,
  init: HostRequest = {},
  edgeAddress = process.env.EDGE_ADDRESS,
): Promise<HostReply> {
  if (edgeAddress) return requestEdge(new URL(url), init, edgeAddress);
  const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  const content = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  return { status, headers, location: headers.get("Location"), content, body: content.toString() };
}

/** `fetch` does not let its caller set the host. */
function requestEdge(
  url: URL,
  { method = "GET", headers = {}, body }: HostRequest,
  address: string,
): Promise<HostReply> {
  const { hostname, port } = new URL(`http://${address}`);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = {
    hostname,
    port,
    method,
    signal,
    path: url.pathname + url.search,
    headers: { ...headers, Host: url.host },
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
        const content = Buffer.concat(chunks);
        const [status, location] = [response.statusCode ?? 0, replied.get("Location")];
        done({ status, location, headers: replied, content, body: content.toString() });
      });
    });
    sent.once("error", fail);
    sent.end(body);
  });
}
