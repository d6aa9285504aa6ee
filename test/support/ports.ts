/** Ports on 127.0.0.1 for servers of tests. */
import { createServer, type Server } from "node:net";

/** Below the ports of outgoing connections (Linux: from 32,768 on), which may take one before its server does. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Different ports: each is held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = new Map<number, Server>();
  while (probes.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const probe = createServer();
    if (await listensOn(probe, port)) probes.set(port, probe);
  }
  await Promise.all([...probes.values()].map((probe) => new Promise((done) => probe.close(done))));
  return [...probes.keys()];
}

function listensOn(server: Server, port: number): Promise<boolean> {
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => done(true));
  });
}

/** @returns the port, on 127.0.0.1 */
export async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no free port");
  return address.port;
}
