/** The part of the AsyncAPI document that each deployment fills in: where it is. */

export interface AsyncApiServer {
  host: string;
  protocol: string;
  description: string;
}

/** @param origin  scheme and host of the service */
export function asyncApiServers(origin: string): Record<"hoplink", AsyncApiServer> {
  const { host, protocol } = new URL(origin);
  return { hoplink: { host, protocol: protocol.slice(0, -1), description: "Server-sent events over HTTP." } };
}
