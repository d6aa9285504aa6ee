/** Ports on 127.0.0.1 for servers of one's own. */
import { createServer, type Server } from "node:net";

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Different ones: each is held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(probes.map(listenOnFreePort));
  await Promise.all(probes.map((probe) => new Promise((done) => probe.close(done))));
  return ports;
}

/** @returns the port, on 127.0.0.1 */
export async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no free port");
  return address.port;
}
