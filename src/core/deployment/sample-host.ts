/**
 * The host in the samples of the documentation, that of `npm run dev`. A deployment shows them with its own host
 * instead, so that they can be copied and run. Pure.
 */

const SAMPLE_HOST = "localhost:8787";
export const SAMPLE_ORIGIN = `http://${SAMPLE_HOST}`;

/** @param origin  scheme and host of the service */
export function withOwnHost(text: string, origin: string): string {
  const host = origin.slice(origin.indexOf("//") + 2);
  return text.replaceAll(SAMPLE_ORIGIN, origin).replaceAll(SAMPLE_HOST, host);
}

/** @param origin  scheme and host of the service */
export function asyncApiServers(origin: string) {
  const { host, protocol } = new URL(origin);
  return { hoplink: { host, protocol: protocol.slice(0, -1), description: "Server-sent events over HTTP." } };
}
